"""The trials of a study as this process has read them, and what any version of its history looked like."""

import threading
from collections.abc import Sequence
from typing import Any, final

import numpy as np
from jaxtyping import Float

from credo.decide.storage import Storage, StudyRecord, TrialRecord
from credo.decide.study.goal import Goal
from credo.decide.study.known import Known, known_at, rows_of
from credo.errors import InputError
from credo.represent.space import Space

__all__ = ["Log"]


@final
class Log:
    """A copy of the trials in a storage that reads only what changed. Several threads may share it."""

    def __init__(self, storage: Storage, record: StudyRecord, space: Space, goal: Goal) -> None:
        self.storage, self.record, self.space, self.goal = storage, record, space, goal
        self.version = 0
        self._trials: dict[int, TrialRecord] = {}
        self._rows: dict[int, Float[np.ndarray, " d"]] = {}
        self._lock = threading.RLock()

    def __getstate__(self) -> dict[str, Any]:
        return {"storage": self.storage, "record": self.record, "space": self.space, "goal": self.goal}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__init__(**state)

    def read(self) -> int:
        """Catch up with the storage; the version that this is."""
        with self._lock:
            changes = self.storage.trials(self.record, since=self.version)
            self._trials.update({trial.number: trial for trial in changes.trials})
            self.version = changes.version
            return self.version

    def __len__(self) -> int:
        return len(self._trials)

    @property
    def trials(self) -> list[TrialRecord]:
        """Those that were read, by number."""
        with self._lock:
            return [self._trials[number] for number in sorted(self._trials)]

    def trial(self, number: int) -> TrialRecord:
        """One of those that were read."""
        with self._lock:
            if number not in self._trials:
                what = f"there is no trial {number}"
                raise InputError("Study", what, f"The study has {len(self._trials)}", "Choose one of them")
            return self._trials[number]

    def known(self, version: int) -> Known:
        """What stood in the study at a version."""
        return known_at(self.goal, self.trials, version, self.rows)

    def rows(self, trials: Sequence[TrialRecord]) -> Float[np.ndarray, "n d"]:
        """The rows of the encoding that trials are at; each is encoded once, since its parameters stay."""
        with self._lock:
            new = [trial for trial in trials if trial.number not in self._rows]
            self._rows.update(zip((trial.number for trial in new), rows_of(self.space, new), strict=True))
            return np.array([self._rows[trial.number] for trial in trials]).reshape(len(trials), len(self.space))

    def starts(self, version: int) -> Any:
        """The parameters of the latest surrogates that were there at a version, as their trial has them; else none."""
        for trial in reversed(self.trials):
            if trial.born <= version and trial.why.get("parameters"):
                return trial.why["parameters"]
        return ()

"""What every study is: trials in a storage that are handed out, told and read again."""

import abc
import contextlib
import os
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Self

import numpy as np
from jaxtyping import Float

from credo.decide.storage import Storage, StudyRecord, TrialRecord, storage_from
from credo.decide.study.goal import Goal
from credo.decide.study.log import Log
from credo.decide.study.trial import Trial
from credo.decide.study.why import Why
from credo.decide.study.work import run
from credo.errors import ConflictError, InputError
from credo.numerics.random import as_seed
from credo.represent.space import Space

__all__ = ["LEASE", "StoredStudy", "stored_crash_cost"]

LEASE = 3600.0  # seconds until a trial that nobody answered is handed to somebody else


class StoredStudy(abc.ABC):
    """A space, a goal and trials, which many processes may share. What to measure next is for others to say.

    Pickled, it is its settings and the address of its storage.
    """

    def __init__(
        self,
        space: Space,
        goal: Goal,
        definition: Mapping[str, Any],
        *,
        storage: Storage | str | os.PathLike[str] | None,
        name: str | None,
        lease: float,
        random_state: Any,
    ) -> None:
        self._space, self._goal = space, goal
        self.lease = float(lease)
        self.storage = storage_from(storage)
        self.record = _stored(self.storage, space, definition, name, random_state)
        self._seed = int(self.record.definition["seed"])
        self._log = Log(self.storage, self.record, space, goal)
        self._asking = threading.RLock()

    def __getstate__(self) -> dict[str, Any]:
        return {key: value for key, value in self.__dict__.items() if key != "_asking"}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state, _asking=threading.RLock())

    @property
    def name(self) -> str:
        """In its storage."""
        return self.record.name

    @property
    def space(self) -> Space:
        """What can be chosen."""
        return self._space

    @property
    def goal(self) -> Goal:
        """Objectives, bounds and cost."""
        return self._goal

    @property
    def direction(self) -> str:
        """Of the first objective; `goal.directions` has all."""
        return self.goal.directions[self.goal.objectives[0]]

    @abc.abstractmethod
    def ask(self) -> Trial:
        """What to measure next."""

    #: The class of the reasons of its trials.
    _reasons: type = Why

    def _trial(self, record: TrialRecord) -> Trial:
        """From what is stored, with its parameters in the order of the space."""
        trial = Trial.of(record, self.goal.outcomes, self._reasons)
        return replace(trial, params={name: trial.params[name] for name in self.space if name in trial.params})

    def _waiting(self) -> Trial | None:
        """A trial that waits for somebody to take it, now taken."""
        record = self.storage.claim_waiting(self.record, lease=self.lease)
        return None if record is None else self._trial(record)

    def _new(
        self,
        suggest: Callable[[int, int], Sequence[tuple[Float[np.ndarray, " d"], Mapping[str, Any]]]],
        context: Mapping[str, Any] | None = None,
    ) -> list[Trial]:
        """New trials where `suggest` says, a function of a version and a seed, as rows of the encoding with reasons.

        Where somebody else added a trial meanwhile they are suggested anew: who sees the same would measure the same.
        """
        with self._asking:
            while True:
                version = self._log.read()
                seed, number = self._next_seed(version), len(self._log)
                (row, why), *others = suggest(version, seed)
                try:
                    first = self._handed_out(self._point(row, context), why, version, seed, number)
                except ConflictError:
                    continue
                return [
                    first,
                    *(self._handed_out(self._point(row, context), why, version, seed) for row, why in others),
                ]

    def _handed_out(
        self,
        params: dict[str, Any],
        why: Mapping[str, Any],
        version: int,
        seed: int,
        number: int | None = None,
    ) -> Trial:
        """A new trial at a point, which was suggested at that version with that seed."""
        record = self.storage.add_running(
            self.record, params, lease=self.lease, why={**why, "seen": version}, seed=seed, number=number
        )
        return replace(self._trial(record), params=params)

    def _point(self, row: Float[np.ndarray, " d"], context: Mapping[str, Any] | None = None) -> dict[str, Any]:
        """What is asked for where a row of the encoding was suggested, in a context that is given."""
        return self.space.decode(row[None])[0]

    def give_back(self, trial: Trial) -> None:
        """Let somebody else have a trial that was asked for; one that is answered or in other hands stays."""
        with contextlib.suppress(ConflictError):
            self.storage.renew(self.record, trial.number, trial.token, 0.0)

    def tell(self, trial: Trial, value: Any = None, *, failed: bool = False, note: str = "") -> bool:
        """The result of a trial: a number, or several by name (or in order); or that it failed.

        The same again is no harm; another is a `ConflictError`. False says that the trial went to somebody else
        meanwhile; the answer is then kept as evidence.
        """
        told = value if failed else self.goal.told("tell", value)
        return self.storage.tell(self.record, trial.number, trial.token, told, failed=failed, note=note)

    def add(self, runs: Any, values: Any) -> None:
        """Past runs (dicts or a frame) with their results: an array, or a mapping of arrays by the name of the outcome.

        A result that is missing (NaN or None) says that the run failed.
        """
        points = self.space.runs(runs)
        columns = [values[name] for name in self.goal.outcomes] if isinstance(values, Mapping) else [values]
        rows = list(zip(*columns, strict=True)) if len(columns) > 1 else list(columns[0])
        if len(points) != len(rows):
            raise InputError("Study.add", f"{len(points)} runs and {len(rows)} results", "", "Pass one a run")
        told = [None if _is_missing(row) else self.goal.told("Study.add", row) for row in rows]
        self.storage.add_finished(self.record, zip(points, told, strict=True))

    def optimize(self, function: Callable[[dict[str, Any]], Any], n_trials: int, n_jobs: int = 1) -> Self:
        """Ask, measure with `function` (of a dict of parameters) and tell, so many times.

        A trial whose function raises is told as failed, with the error as its note. With `n_jobs` as many workers take
        one trial after the other: threads for a study in memory, for a stored one whatever ``joblib.parallel_config``
        says, which may be the machines of a Dask or Ray cluster that reach its storage.
        """
        run(self, function, n_trials, n_jobs)
        return self

    @property
    def trials(self) -> list[Trial]:
        """All of them, by number."""
        self._log.read()
        return [self._trial(record) for record in self._log.trials]

    def trial(self, number: int) -> Trial:
        """The one of that number as it stands, to be told by whoever measured it."""
        return self._trial(self.storage.trial(self.record, number))

    def _next_seed(self, version: int) -> int:
        """Of the suggestion that is made of this version."""
        sequence = np.random.SeedSequence([self._seed, len(self._log), version])
        return int(sequence.generate_state(1)[0])

    def _suggested_before(self, number: int) -> tuple[TrialRecord, int, int]:
        """A trial that was suggested, the version that it saw, and its seed."""
        self._log.read()
        record = self._log.trial(number)
        if record.seed is None or "seen" not in record.why:
            raise InputError("replay", f"trial {number} was not suggested", "It was given or queued", "Replay another")
        return record, int(record.why["seen"]), record.seed


def _is_missing(row: Any) -> bool:
    parts = row.values() if isinstance(row, Mapping) else np.atleast_1d(np.asarray(row, dtype=object))
    return any(part is None or part != part for part in parts)


def stored_crash_cost(storage: Storage, name: str | None) -> float:
    """The cost of a crash where none is given: that of the stored study of the name, zero before there was one."""
    stored = [record.definition for record in storage.list_studies() if record.name == name]
    return float(stored[0].get("crash_cost", 0.0)) if stored else 1.0


def _stored(
    storage: Storage, space: Space, definition: Mapping[str, Any], name: str | None, random_state: Any
) -> StudyRecord:
    """The study of that name; without one, a new study, which no other process continues: functions are welcome."""
    seed = as_seed(random_state)
    if name is None:
        return _created(storage, {**definition, "space": {}, "seed": seed})
    there = {record.name: record for record in storage.list_studies()}
    if name in there and random_state is None:
        seed = int(there[name].definition.get("seed", seed))
    return storage.create_study(name, {**definition, "space": space.definition(), "seed": seed}, exist_ok=True)


def _created(storage: Storage, definition: dict[str, Any]) -> StudyRecord:
    """Under the first free name; another process may take it meanwhile, then the next."""
    while True:
        taken = {record.name for record in storage.list_studies()}
        free = next(name for name in (f"study {i}" for i in range(1, len(taken) + 2)) if name not in taken)
        try:
            return storage.create_study(free, definition)
        except ConflictError:
            continue

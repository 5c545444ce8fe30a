"""What a study leaves behind, as plain frozen records: its definition, its trials, the answers that came too late."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple

__all__ = ["Changes", "Counts", "Evidence", "State", "StudyRecord", "TrialRecord"]

#: Where a trial stands: in the queue, with a worker, answered with values, answered with "it failed".
State = Literal["waiting", "running", "done", "failed"]


@dataclass(frozen=True)
class StudyRecord:
    """A study as it is stored. Its `id` is never used again, so a record of a deleted study can harm no other.

    `definition` is a JSON object that the storage keeps and compares but does not interpret: space, directions,
    settings, the version of their format. `created` is in seconds since 1970.
    """

    id: int
    name: str
    definition: Mapping[str, Any]
    created: float


@dataclass(frozen=True)
class TrialRecord:
    """A trial as it is stored.

    `token` counts how often the trial was handed out; only the holder of the latest one can answer it. `lease_until` is
    when a running trial may be handed to somebody else, in seconds since 1970 by the clock of the storage.

    `born` and `version` place the trial in the history of its study, which counts its changes 1, 2, …: the change that
    made the trial, and the last that touched it. An answer is final, so whoever knows that a suggestion was made at
    version $v$ knows what it saw: the trials answered with `version` $\\le v$, and as pending those with `born`
    $\\le v$ that were answered later or not at all.

    >>> trial = TrialRecord(0, {"x": 0.5}, "done", values=(1.25,), token=1, born=1, version=2)
    >>> trial.finished_by(1), trial.finished_by(2)
    (False, True)
    """

    number: int
    params: Mapping[str, Any]
    state: State
    values: tuple[float, ...] | None = None
    why: Mapping[str, Any] = field(default_factory=dict)
    seed: int | None = None
    token: int = 0
    lease_until: float | None = None
    worker: str = ""
    created: float = 0.0
    finished: float | None = None
    note: str = ""
    born: int = 0
    version: int = 0

    @property
    def is_finished(self) -> bool:
        """Whether it has its answer, which nothing changes any more."""
        return self.state in ("done", "failed")

    def finished_by(self, version: int) -> bool:
        """Whether the answer was there when the study stood at `version`."""
        return self.is_finished and self.version <= version

    def pending_at(self, version: int) -> bool:
        """Whether the trial was there, without its answer, when the study stood at `version`."""
        return self.born <= version and not self.finished_by(version)


@dataclass(frozen=True)
class Evidence:
    """An answer that came after its trial had been handed to somebody else. It counts for nothing and is kept.

    `values` is None where the late answer was that the trial failed; `reason` says why it was not taken.
    """

    number: int
    token: int
    values: tuple[float, ...] | None
    received: float
    reason: str
    note: str = ""


class Changes(NamedTuple):
    """The trials that changed after some version, by number, and the version to ask from next time."""

    version: int
    trials: tuple[TrialRecord, ...]


class Counts(NamedTuple):
    """How many trials stand where; their sum is the next number."""

    waiting: int
    running: int
    done: int
    failed: int

    @property
    def total(self) -> int:
        """The number of trials."""
        return sum(self)

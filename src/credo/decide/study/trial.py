"""One measurement of a study: what to try, why, and what came out."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from credo.decide.storage import State, TrialRecord
from credo.decide.study.why import Why

__all__ = ["Trial"]


@dataclass(frozen=True)
class Trial:
    """A point of the space with its number, its reason and, once told, its outcomes.

    `why` is a [](#credo.decide.Why), of a safe study a [](#credo.decide.SafeWhy). `value` is the first outcome (the
    objective, where there is one), `values` all of them by name. `token` is the right to answer it: a worker that lost
    its lease has an old one. `asked` and `told` are when it came into being and when it was answered, in seconds since
    1970 by the clock of the storage; of a past run both are when it was added.
    """

    number: int
    params: dict[str, Any]
    why: Any
    state: State = "running"
    values: dict[str, float] | None = None
    note: str = ""
    token: int = field(default=0, repr=False)
    asked: float = field(default=0.0, repr=False, compare=False)
    told: float | None = field(default=None, repr=False, compare=False)

    @property
    def value(self) -> float | None:
        """The first outcome; None where nothing was told, or the trial failed."""
        return None if self.values is None else next(iter(self.values.values()))

    @classmethod
    def of(cls, record: TrialRecord, outcomes: Sequence[str] = ("value",), reasons: Any = Why) -> "Trial":
        """From what is stored; `reasons` is the class of them."""
        given = {"reason": "queued" if not record.is_finished else "given"}
        why = reasons.from_dict(record.why or given)
        values = None if record.values is None else dict(zip(outcomes, record.values, strict=False))
        times = record.created, record.finished
        return cls(record.number, dict(record.params), why, record.state, values, record.note, record.token, *times)

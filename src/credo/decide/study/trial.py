"""One measurement of a study: what to try, why, and what came out."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from credo.decide.storage import State, TrialRecord
from credo.decide.study.why import Why

__all__ = ["Trial", "point_in_words", "value_in_words"]


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


def point_in_words(params: Mapping[str, Any]) -> str:
    """A point as people write it down, every number as it is.

    >>> point_in_words({"t": 44.59698, "steps": 3, "solvent": "ethanol"})
    't = 44.59698, steps = 3, solvent = ethanol'
    """
    return ", ".join(f"{name} = {value_in_words(value)}" for name, value in params.items())


def value_in_words(value: Any) -> str:
    """A value that reads back as it is.

    >>> value_in_words(40.0), value_in_words(0.1)
    ('40', '0.1')
    """
    return repr(value).removesuffix(".0") if isinstance(value, float) else str(value)

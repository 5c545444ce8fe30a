"""One measurement of a study: what to try, why, and what came out."""

from dataclasses import dataclass, field
from typing import Any

from credo.decide.storage import State, TrialRecord
from credo.decide.study.why import Why

__all__ = ["Trial"]


@dataclass(frozen=True)
class Trial:
    """A point of the space with its number, its reason and, once told, its value.

    `token` is the right to answer it: a worker that lost its lease has an old one.
    """

    number: int
    params: dict[str, Any]
    why: Why
    state: State = "running"
    value: float | None = None
    token: int = field(default=0, repr=False)

    @classmethod
    def of(cls, record: TrialRecord, params: dict[str, Any]) -> "Trial":
        """From what is stored."""
        why = Why.from_dict(record.why) if record.why else Why("queued" if not record.is_finished else "given")
        value = None if record.values is None else record.values[0]
        return cls(record.number, params, why, record.state, value, record.token)

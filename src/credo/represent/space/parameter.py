"""What every parameter of a search space does: one column of the encoding, and a reason when a value is none of its."""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any, Literal, NamedTuple, TypeAlias

import numpy as np
from jaxtyping import Float, Int

from credo.errors import InputError

__all__ = ["ColumnKind", "Conditions", "Discrete", "Parameter", "conditions_of"]

#: For each other parameter the values at which this one is there.
Conditions: TypeAlias = dict[str, tuple[Any, ...]]


class ColumnKind(NamedTuple):
    """What an optimizer has to know of one column of the encoding.

    A ``"continuous"`` column takes every number from 0 to 1; an ``"integer"`` one (of whole numbers, or numbers in
    steps) and an ``"ordered"`` one `levels` numbers from 0 to 1, `step` apart (None where they are not equally far, as
    those of an integer on a log scale); a ``"code"`` one the whole numbers below `levels`, which have no order. Where
    `fixed` is a number, the column is held there.
    """

    name: str
    kind: Literal["continuous", "integer", "ordered", "code"]
    levels: int | None = None
    step: float | None = None
    fixed: float | None = None


class Parameter(ABC):
    """One thing that can be chosen: how its values become a column of numbers, and come back."""

    when: Conditions

    @property
    @abstractmethod
    def middle(self) -> float:
        """Where the encoding puts the parameter when it is not active."""

    @property
    def kind_in_words(self) -> str:
        """What it is, for a table."""
        return type(self).__name__

    @property
    @abstractmethod
    def values_in_words(self) -> str:
        """The values that it takes, for a table."""

    @abstractmethod
    def column(self, name: str, fixed: float | None = None) -> ColumnKind:
        """What kind of column it makes."""

    @abstractmethod
    def encode(self, values: Sequence[Any]) -> Float[np.ndarray, " n"]:
        """The column of values that `why_not` has nothing against."""

    @abstractmethod
    def decode(self, column: Float[np.ndarray, " n"]) -> list[Any]:
        """The values nearest to a column."""

    def plain(self, values: Sequence[Any]) -> list[Any]:
        """Values that `why_not` has nothing against in Python's types, also those beyond a bound."""
        return self.decode(self.encode(values))

    @abstractmethod
    def snap(self, column: Float[np.ndarray, " n"]) -> Float[np.ndarray, " n"]:
        """The nearest numbers that encode a value."""

    @abstractmethod
    def place(self, unit: Float[np.ndarray, " n"]) -> Float[np.ndarray, " n"]:
        """Numbers of [0, 1), evenly spread, to a column in which the values are."""

    @abstractmethod
    def why_not(self, value: Any, outside: bool = False) -> str | None:
        """What is wrong with a value, as the end of a sentence, or None; `outside` allows what is beyond a bound."""

    def why_not_held(self, value: Any, outside: bool = False) -> str | None:
        """As `why_not`, of a value that somebody holds, or that is given."""
        return self.why_not(value, outside)

    def first_refused(self, values: Sequence[Any], outside: bool = False) -> tuple[int, str] | None:
        """The place of the first value that is refused, and why."""
        reasons = ((i, self.why_not(value, outside)) for i, value in enumerate(values))
        return next(((i, reason) for i, reason in reasons if reason is not None), None)


class Discrete(Parameter):
    """A parameter of finitely many values, numbered from 0 in their order."""

    @property
    @abstractmethod
    def levels(self) -> int:
        """How many values there are."""

    @abstractmethod
    def index_of(self, column: Float[np.ndarray, " n"]) -> Int[np.ndarray, " n"]:
        """The numbers of the values nearest to a column."""

    @abstractmethod
    def column_of(self, index: Int[np.ndarray, " n"]) -> Float[np.ndarray, " n"]:
        """The column that encodes the values of these numbers."""

    @property
    def middle(self) -> float:
        return float(self.column_of(np.array([(self.levels - 1) // 2]))[0])

    def snap(self, column: Float[np.ndarray, " n"]) -> Float[np.ndarray, " n"]:
        return self.column_of(self.index_of(column))

    def place(self, unit: Float[np.ndarray, " n"]) -> Float[np.ndarray, " n"]:
        """Equal parts of [0, 1) for the values."""
        return self.column_of(np.minimum((unit * self.levels).astype(np.int64), self.levels - 1))


def conditions_of(who: str, when: Any) -> Conditions:
    """`when` as it is kept: for every parent a tuple of values, one of which it must have.

    >>> conditions_of("Real", {"model": "tree", "size": (1, 2)})
    {'model': ('tree',), 'size': (1, 2)}
    """
    if when is None:
        return {}
    if not isinstance(when, Mapping) or not all(isinstance(name, str) for name in when):
        raise InputError(
            who,
            f"when={when!r} is no mapping of names",
            "It says at which values of other parameters this one is there",
            'Try when={"model": "tree"}, or a tuple of values',
        )
    conditions = {name: tuple(v) if isinstance(v, (tuple, list)) else (v,) for name, v in when.items()}
    empty = [name for name, values in conditions.items() if not values]
    if empty:
        raise InputError(who, f"when has no value of {empty[0]!r}", "It could never be active", "Name a value")
    return conditions

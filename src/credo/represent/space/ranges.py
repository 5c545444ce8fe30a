"""Numbers between two bounds: any, or whole ones; evenly or on a log scale."""

import math
import numbers
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from jaxtyping import Float, Int

from credo.errors import InputError
from credo.represent.space.parameter import ColumnKind, Conditions, Discrete, Parameter, conditions_of

__all__ = ["Integer", "Range", "Real", "is_number", "range_of"]

_LARGEST = 2**40  # above, a whole number does not survive the way through its logarithm


@dataclass(frozen=True)
class Range(Parameter):
    """Numbers from `low` to `high`, both included."""

    low: float
    high: float
    log: bool = False
    when: Conditions = field(default_factory=dict, kw_only=True)

    def __post_init__(self) -> None:
        who = type(self).__name__
        object.__setattr__(self, "when", conditions_of(who, self.when))
        for name in ("low", "high"):
            object.__setattr__(self, name, self._bound(name, getattr(self, name)))
        if not isinstance(self.log, bool):
            raise InputError(who, f"log={self.log!r} is neither True nor False", "", "Try log=True")
        if self.low >= self.high:
            cause = "They are swapped" if self.low > self.high else "There is nothing to choose"
            remedy = (
                f"Try {who}({self.high}, {self.low})" if self.low > self.high else "Leave it out, or Space.fixed it"
            )
            raise InputError(who, f"low={self.low} is not below high={self.high}", cause, remedy)
        if not math.isfinite(self.high - self.low):
            raise InputError(who, f"from {self.low} to {self.high} is too far", "It overflows", "Choose closer bounds")
        if self.log and self.low <= 0:
            raise InputError(
                who,
                f"low={self.low} on a log scale",
                "Only positive numbers have a logarithm",
                "Choose a positive low, or leave log out",
            )

    def _bound(self, name: str, value: Any) -> float | int:
        if not is_number(value) or not math.isfinite(value):
            who = type(self).__name__
            raise InputError(who, f"{name}={value!r} is no finite number", "A bound is missing", f"Try {who}(1, 10)")
        return float(value)

    def natural(self, column: Float[np.ndarray, " n"]) -> Float[np.ndarray, " n"]:
        """The numbers that a column stands for; both ends exactly."""
        u = np.clip(column, 0.0, 1.0)
        if not self.log:
            return (1.0 - u) * self.low + u * self.high
        inside = np.clip(np.exp((1.0 - u) * math.log(self.low) + u * math.log(self.high)), self.low, self.high)
        return np.where(u == 0.0, self.low, np.where(u == 1.0, self.high, inside))

    def encoded(self, numbers: Float[np.ndarray, " n"]) -> Float[np.ndarray, " n"]:
        """The column that stands for numbers."""
        if not self.log:
            return (numbers - self.low) / (self.high - self.low)
        return (np.log(numbers) - math.log(self.low)) / (math.log(self.high) - math.log(self.low))

    def encode(self, values: Sequence[Any]) -> Float[np.ndarray, " n"]:
        return self.encoded(np.asarray(values, dtype=np.float64))

    def why_not(self, value: Any, outside: bool = False) -> str | None:
        if not is_number(value) or not math.isfinite(value):
            return f"is {value!r}, which is no finite number"
        if self.log and value <= 0:
            return f"is {value}, which has no place on a log scale"
        if not outside and not self.low <= value <= self.high:
            beyond = f"below {self.low}" if value < self.low else f"above {self.high}"
            return f"is {value}, {beyond}"
        return None

    def first_refused(self, values: Sequence[Any], outside: bool = False) -> tuple[int, str] | None:
        array = np.asarray(values) if len(values) else np.zeros(0)
        if array.dtype.kind in "iuf" and not outside and self._all_right(array):
            truths = any(isinstance(value, (bool, np.bool_)) for value in values)  # beside numbers they become numbers
            if not truths:
                return None
        return super().first_refused(values, outside)

    def _all_right(self, array: np.ndarray) -> bool:
        return bool(np.all((array >= self.low) & (array <= self.high)))

    @property
    def values_in_words(self) -> str:
        return f"{self.low:g} to {self.high:g}" + (", log scale" if self.log else "")

    def __repr__(self) -> str:
        log = ", log=True" if self.log else ""
        when = f", when={self.when!r}" if self.when else ""
        return f"{type(self).__name__}({self.low!r}, {self.high!r}{log}{when})"


@dataclass(frozen=True, repr=False)
class Real(Range):
    """Any number from `low` to `high`; ``log=True`` spreads them evenly over orders of magnitude.

    ``when={"other": value or tuple of values}`` makes it conditional: it is there only when the other parameter has
    (one of) these values.

    >>> Real(1e-5, 1, log=True)
    Real(1e-05, 1.0, log=True)
    """

    @property
    def middle(self) -> float:
        return 0.5

    def column(self, name: str, fixed: float | None = None) -> ColumnKind:
        return ColumnKind(name, "continuous", fixed=fixed)

    def decode(self, column: Float[np.ndarray, " n"]) -> list[Any]:
        return self.natural(column).tolist()

    def snap(self, column: Float[np.ndarray, " n"]) -> Float[np.ndarray, " n"]:
        return np.clip(column, 0.0, 1.0)

    def plain(self, values: Sequence[Any]) -> list[Any]:
        return [float(value) for value in values]

    def place(self, unit: Float[np.ndarray, " n"]) -> Float[np.ndarray, " n"]:
        return unit


@dataclass(frozen=True, repr=False)
class Integer(Range, Discrete):
    """A whole number from `low` to `high`, both included; `log` and `when` as for [](#credo.represent.Real).

    >>> Integer(1, 13).decode(np.array([0.0, 0.5, 1.0]))
    [1, 7, 13]
    """

    def _bound(self, name: str, value: Any) -> float | int:
        number = super()._bound(name, value)
        if number != round(number) or abs(number) > _LARGEST:
            what = f"{name}={value!r} is no whole number of at most 2**40"
            raise InputError("Integer", what, "It is counted in steps of one", "Choose a whole bound, or Real")
        return round(number)

    @property
    def levels(self) -> int:
        return int(self.high) - int(self.low) + 1

    def column(self, name: str, fixed: float | None = None) -> ColumnKind:
        step = None if self.log else 1.0 / (self.levels - 1)
        return ColumnKind(name, "integer", self.levels, step, fixed)

    @property
    def middle(self) -> float:
        # Without a log scale two whole numbers may be as near: count, and leave nothing to round-off.
        return float(self.snap(np.array([0.5]))[0]) if self.log else super().middle

    def index_of(self, column: Float[np.ndarray, " n"]) -> Int[np.ndarray, " n"]:
        """The nearer one, in the encoding, of the two whole numbers around."""
        u = np.clip(column, 0.0, 1.0)
        below = np.clip(np.floor(self.natural(u)), self.low, self.high - 1)
        nearer = np.where(u - self.encoded(below) <= self.encoded(below + 1.0) - u, below, below + 1.0)
        return nearer.astype(np.int64) - int(self.low)

    def column_of(self, index: Int[np.ndarray, " n"]) -> Float[np.ndarray, " n"]:
        return self.encoded(index + float(self.low))

    def decode(self, column: Float[np.ndarray, " n"]) -> list[Any]:
        return (self.index_of(column) + int(self.low)).tolist()

    def plain(self, values: Sequence[Any]) -> list[Any]:
        return [int(value) for value in values]

    def place(self, unit: Float[np.ndarray, " n"]) -> Float[np.ndarray, " n"]:
        """As often as each other, or on a log scale in proportion to the log of the number's cell."""
        if not self.log:
            return Discrete.place(self, unit)
        first, last = math.log(self.low - 0.5), math.log(self.high + 0.5)
        whole = np.clip(np.rint(np.exp(first + unit * (last - first))), self.low, self.high)
        return self.encoded(whole)

    def why_not(self, value: Any, outside: bool = False) -> str | None:
        reason = super().why_not(value, outside)
        if reason is None and value != round(value):
            return f"is {value}, which is not whole"
        return reason

    def _all_right(self, array: np.ndarray) -> bool:
        return super()._all_right(array) and bool(np.all(array == np.rint(array)))


def is_number(value: Any) -> bool:
    """A real number of Python or NumPy; a truth value is none."""
    return isinstance(value, numbers.Real) and not isinstance(value, (bool, np.bool_))


def range_of(name: str, low: float, high: float, *, log: bool = False, whole: bool = False) -> Range:
    """The parameter of that name, of bounds that somebody typed.

    >>> range_of("depth", 1.0, 12.0, whole=True)
    Integer(1, 12)
    """
    if not whole:
        return Real(low, high, log=log)
    if low % 1.0 or high % 1.0:
        raise InputError("Space", f"{name!r} is whole from {low:g} to {high:g}", "", "Give whole bounds")
    return Integer(int(low), int(high), log=log)

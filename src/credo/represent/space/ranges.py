"""Numbers between two bounds: any, in steps, or whole ones; evenly or on a log scale."""

import math
import numbers
from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from functools import cached_property
from typing import Any

import numpy as np
from jaxtyping import Bool, Float, Int

from credo.errors import InputError
from credo.represent.space.parameter import ColumnKind, Conditions, Discrete, Parameter, conditions_of

__all__ = ["Grid", "Integer", "Range", "Real", "is_number", "range_of"]

_LARGEST = 2**40  # above, a whole number does not survive the way through its logarithm
_OFF = 1e-6  # of a step, by which a number may be off it
_EXACT_POWER = 22  # of ten, up to which it is a number of the machine
_EXACT_DIGITS = 2.0**53  # below which all whole numbers are


@dataclass(frozen=True)
class Range(Parameter):
    """Numbers from `low` to `high`, both included."""

    low: float
    high: float
    log: bool = False
    when: Conditions = field(default_factory=dict, kw_only=True)

    def __post_init__(self) -> None:
        who = self.kind_in_words
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
            who = self.kind_in_words
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

    With ``step=0.5`` only ``low + k * 0.5`` for whole k, up to `high`, which has to be one of them: what a dial or a
    balance can be set to. Such numbers are finitely many, and numbers for a surrogate as all others. With ``log=True``,
    too, they are as far apart in their own units, so that on the log scale they lie closer at its upper end. Past runs,
    and values that are held or given, may lie between them. ``when={"other": value or tuple of values}`` makes it
    conditional: it is there only when the other parameter has (one of) these values.

    >>> Real(1e-5, 1, log=True)
    Real(1e-05, 1.0, log=True)
    >>> Real(20, 21, step=0.5).decode(np.array([0.0, 0.4, 1.0]))
    [20.0, 20.5, 21.0]
    """

    step: float | None = field(default=None, kw_only=True)

    def __new__(cls, *bounds: Any, step: Any = None, **more: Any) -> "Real":
        """One with a step is of the class of those that are counted."""
        return super().__new__(SteppedReal if cls is Real and step is not None else cls)

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


class Grid(Range, Discrete):
    """Numbers that are equally far from one to the next, in their own units; `low` and `high` are two of them."""

    def _require_steps(self, step: Any) -> None:
        """That the step is a positive number, and takes the low bound to the high one."""
        who = self.kind_in_words
        if not is_number(step) or not math.isfinite(step) or step <= 0.0:
            remedy = "Try step=5, or leave it out where every number can be set"
            raise InputError(who, f"step={step!r} is not a positive number", "", remedy)
        steps = (self.high - self.low) / step
        if steps > _LARGEST:
            what = f"from {self.low} to {self.high} are {steps:.2g} steps of {step}"
            raise InputError(who, what, "At most 2**40 can be counted", "Leave step out")
        if round(steps) < 1 or abs(steps - round(steps)) > _OFF:
            last = self.low + step * math.floor(steps)
            near = [f"{end:.10g}" for end in (last, last + step) if end > self.low]
            what = f"high={self.high} cannot be reached from low={self.low} in steps of {step}"
            raise InputError(who, what, "Both bounds must be values that can be set", f"Try high={' or '.join(near)}")

    def _between(self, value: Any) -> str | None:
        """What is wrong with a number that is between two steps."""
        if self._are_steps(np.asarray([value], dtype=np.float64))[0]:
            return None
        around = math.floor((value - self.low) / self.spacing) + np.arange(2)
        below, above = (f"{number:.15g}" for number in self.number_of(around))
        return f"is {value}, which lies between the steps {below} and {above} (step={self.spacing:g})"

    def _are_steps(self, numbers: Float[np.ndarray, " n"]) -> Bool[np.ndarray, " n"]:
        """Which numbers are on a step, up to round-off."""
        steps = (numbers - self.low) / self.spacing
        round_off = 2.0 * np.spacing(np.abs(numbers)) / self.spacing
        return np.abs(steps - np.rint(steps)) <= _OFF + round_off

    def _all_right(self, array: np.ndarray) -> bool:
        return super()._all_right(array) and bool(np.all(self._are_steps(np.asarray(array, dtype=np.float64))))

    @property
    @abstractmethod
    def spacing(self) -> float:
        """From one to the next."""

    @property
    def levels(self) -> int:
        return round((self.high - self.low) / self.spacing) + 1

    def column(self, name: str, fixed: float | None = None) -> ColumnKind:
        step = None if self.log else 1.0 / (self.levels - 1)
        return ColumnKind(name, "integer", self.levels, step, fixed)

    @property
    def middle(self) -> float:
        # Without a log scale two of the numbers may be as near: count, and leave nothing to round-off.
        return float(self.snap(np.array([0.5]))[0]) if self.log else Discrete.middle.fget(self)  # type: ignore[attr-defined]

    def number_of(self, index: Int[np.ndarray, " n"]) -> Float[np.ndarray, " n"]:
        """The numbers at these places, counted from 0."""
        return self.low + self.spacing * np.asarray(index, dtype=np.float64)

    def index_of(self, column: Float[np.ndarray, " n"]) -> Int[np.ndarray, " n"]:
        """The nearer one, in the encoding, of the two numbers around."""
        u = np.clip(column, 0.0, 1.0)
        below = np.clip(np.floor((self.natural(u) - self.low) / self.spacing), 0, self.levels - 2).astype(np.int64)
        nearer = u - self.column_of(below) <= self.column_of(below + 1) - u
        return np.where(nearer, below, below + 1)

    def column_of(self, index: Int[np.ndarray, " n"]) -> Float[np.ndarray, " n"]:
        return self.encoded(self.number_of(index))

    def place(self, unit: Float[np.ndarray, " n"]) -> Float[np.ndarray, " n"]:
        """As often as each other, or on a log scale in proportion to the log of the number's cell."""
        if not self.log:
            return Discrete.place(self, unit)
        half = 0.5 * self.spacing
        first, last = math.log(max(self.low - half, 0.5 * self.low)), math.log(self.high + half)
        index = np.rint((np.exp(first + unit * (last - first)) - self.low) / self.spacing)
        return self.column_of(np.clip(index, 0, self.levels - 1).astype(np.int64))


@dataclass(frozen=True, repr=False)
class SteppedReal(Real, Grid):
    """A [](#credo.represent.Real) with a step, which is what makes one of these."""

    def __post_init__(self) -> None:
        super().__post_init__()
        self._require_steps(self.step)
        object.__setattr__(self, "step", float(self.step or 0.0))

    @cached_property
    def _places(self) -> int | None:
        """Decimal places of all of the numbers; None where they do not end."""
        places = max(-int(Decimal(repr(x)).as_tuple().exponent) for x in (self.low, self.spacing))
        largest = max(abs(self.low), abs(self.high))
        if places > _EXACT_POWER or largest * 10.0 ** max(places, 0) >= _EXACT_DIGITS:
            return None
        return max(places, 0)

    @property
    def kind_in_words(self) -> str:
        return "Real"

    @property
    def spacing(self) -> float:
        assert self.step is not None
        return self.step

    @property
    def middle(self) -> float:
        return Grid.middle.fget(self)  # type: ignore[attr-defined]

    def column(self, name: str, fixed: float | None = None) -> ColumnKind:
        return Grid.column(self, name, fixed)

    def number_of(self, index: Int[np.ndarray, " n"]) -> Float[np.ndarray, " n"]:
        """As one would write them: 0.3 and not 0.30000000000000004."""
        numbers = super().number_of(index)
        numbers = numbers if self._places is None else np.round(numbers, self._places)
        return np.clip(numbers, self.low, self.high) + 0.0  # one zero, not two

    def decode(self, column: Float[np.ndarray, " n"]) -> list[Any]:
        return self.number_of(self.index_of(column)).tolist()

    def snap(self, column: Float[np.ndarray, " n"]) -> Float[np.ndarray, " n"]:
        return Discrete.snap(self, column)

    def place(self, unit: Float[np.ndarray, " n"]) -> Float[np.ndarray, " n"]:
        return Grid.place(self, unit)

    def plain(self, values: Sequence[Any]) -> list[Any]:
        """Numbers on a step as one would write them; those between steps as they are."""
        numbers = np.asarray(values, dtype=np.float64)
        near = self.number_of(self.index_of(self.encoded(numbers)))
        on_step = self._are_steps(numbers) & (numbers >= self.low) & (numbers <= self.high)
        return np.where(on_step, near, numbers).tolist()

    def why_not(self, value: Any, outside: bool = False) -> str | None:
        reason = self.why_not_held(value, outside)
        return self._between(value) if reason is None and not outside else reason

    def why_not_held(self, value: Any, outside: bool = False) -> str | None:
        """What is held or given may lie between the steps."""
        return Range.why_not(self, value, outside)

    @property
    def values_in_words(self) -> str:
        return f"{super().values_in_words}, in steps of {self.spacing:g}"

    def __repr__(self) -> str:
        when = f", when={self.when!r}" if self.when else ""
        log = ", log=True" if self.log else ""
        return f"Real({self.low!r}, {self.high!r}{log}, step={self.step!r}{when})"


@dataclass(frozen=True, repr=False)
class Integer(Grid):
    """A whole number from `low` to `high`, both included; `log`, `step` and `when` as for [](#credo.represent.Real).

    >>> Integer(1, 13).decode(np.array([0.0, 0.5, 1.0]))
    [1, 7, 13]
    """

    step: int = field(default=1, kw_only=True)

    def __post_init__(self) -> None:
        super().__post_init__()
        self._require_steps(self.step)
        if self.step != round(self.step):
            raise InputError("Integer", f"step={self.step!r} is not whole", "", "Choose a whole step, or Real")
        object.__setattr__(self, "step", round(self.step))

    def _bound(self, name: str, value: Any) -> float | int:
        number = super()._bound(name, value)
        if number != round(number) or abs(number) > _LARGEST:
            what = f"{name}={value!r} is no whole number of at most 2**40"
            raise InputError("Integer", what, "It is counted in whole steps", "Choose a whole bound, or Real")
        return round(number)

    @property
    def spacing(self) -> float:
        return float(self.step)

    def decode(self, column: Float[np.ndarray, " n"]) -> list[Any]:
        return (self.step * self.index_of(column) + int(self.low)).tolist()

    def plain(self, values: Sequence[Any]) -> list[Any]:
        return [int(value) for value in values]

    def why_not(self, value: Any, outside: bool = False) -> str | None:
        reason = self.why_not_held(value, outside)
        return self._between(value) if reason is None and not outside else reason

    def why_not_held(self, value: Any, outside: bool = False) -> str | None:
        """What is held or given may lie between the steps, but is whole."""
        reason = Range.why_not(self, value, outside)
        if reason is None and value != round(value):
            return f"is {value}, which is not whole"
        return reason

    def _all_right(self, array: np.ndarray) -> bool:
        return super()._all_right(array) and bool(np.all(array == np.rint(array)))

    @property
    def values_in_words(self) -> str:
        return super().values_in_words + (f", in steps of {self.step}" if self.step != 1 else "")

    def __repr__(self) -> str:
        plain = super().__repr__()
        if self.step == 1:
            return plain
        at = plain.index(", when=") if self.when else len(plain) - 1
        return f"{plain[:at]}, step={self.step!r}{plain[at:]}"


def is_number(value: Any) -> bool:
    """A real number of Python or NumPy; a truth value is none."""
    return isinstance(value, numbers.Real) and not isinstance(value, (bool, np.bool_))


def range_of(
    name: str, low: float, high: float, *, log: bool = False, whole: bool = False, step: float | None = None
) -> Range:
    """The parameter of that name, of bounds that somebody typed.

    >>> range_of("depth", 1.0, 12.0, whole=True)
    Integer(1, 12)
    """
    if not whole:
        return Real(low, high, log=log, step=step)
    if low % 1.0 or high % 1.0:
        raise InputError("Space", f"{name!r} is whole from {low:g} to {high:g}", "", "Give whole bounds")
    return Integer(int(low), int(high), log=log, step=1 if step is None else step)  # type: ignore[arg-type]

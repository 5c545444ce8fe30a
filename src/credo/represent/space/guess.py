"""What the columns of a table of past runs look like as parameters, with the reason of each guess."""

import math
from collections.abc import Sequence
from decimal import Decimal
from typing import Any, NamedTuple

import numpy as np
from jaxtyping import Float

from credo.errors import InputError
from credo.represent.space.choice import Choice
from credo.represent.space.layout import as_table
from credo.represent.space.parameter import Discrete, Parameter
from credo.represent.space.ranges import Grid, Integer, Real

__all__ = ["guessed", "readable_bounds"]

_WIDER = 0.1  # of the observed range, on each side
_DECADES = 3  # from which numbers are on a log scale
_FEW = 3  # different numbers, from which a step is looked for
_DIGITS = 10  # of the largest number, among which its step is
_HIGHEST = 300  # power of ten by which numbers are multiplied
_ROUND_OFF = 1e-14  # of the largest number: by so much decimal numbers may be off
_REPEATED = 3.0  # times that each number comes, from which its last digit is the step
_CHANCE = 0.01  # that last digits are multiples of a larger step
_LARGEST = 2**40  # of a whole number, bounds included
_LEFT = 3  # settings that steps have to leave
_MANY = 20  # different texts, in as many rows, are names of the runs


class _Guess(NamedTuple):
    """A parameter, or None where the column is left out, and why."""

    parameter: Parameter | None
    reason: str


def guessed(frame: Any, target: str | Sequence[str] | None) -> tuple[dict[str, Parameter], dict[str, str]]:
    """A parameter for each column but the target, where there is one to guess, and a reason for every column."""
    who = "Space.from_frame"
    table = as_table(who, frame)
    targets = [target] if isinstance(target, str) else list(target or ())
    absent = [name for name in targets if name not in table.columns]
    if absent:
        known = ", ".join(map(repr, table.columns[:20]))
        raise InputError(who, f"the target {absent[0]!r} is no column", f"There are {known}", "Correct the name")
    if len(table) < 2:
        what = f"the frame has {len(table)} rows"
        raise InputError(who, what, "A range is guessed from several runs", "Write the space by hand")
    chosen = [name for name in table.columns if name not in targets]
    guesses = {name: _of_column(table[name], True) for name in chosen}
    if _is_used_up(table, guesses):
        guesses = {name: _of_column(table[name], False) for name in chosen}
    parameters = {name: guess.parameter for name, guess in guesses.items() if guess.parameter is not None}
    reasons = {name: guess.reason for name, guess in guesses.items()}
    if not parameters:
        cause = "; ".join(f"{name}: {reason}" for name, reason in list(reasons.items())[:5]) or "There are no columns"
        raise InputError(who, "no column varies as a parameter does", cause, "Write the space by hand")
    return parameters, reasons


def _is_used_up(table: Any, guesses: dict[str, _Guess]) -> bool:
    """Whether numbers in steps, with all else counted as well, leave fewer settings than one asks for at once."""
    parameters = [guess.parameter for guess in guesses.values() if guess.parameter is not None]
    if not any(isinstance(p, Grid) and not (isinstance(p, Integer) and p.step == 1) for p in parameters):
        return False
    if not all(isinstance(p, Discrete) for p in parameters):
        return False
    names = [name for name, guess in guesses.items() if guess.parameter is not None]
    count = math.prod(p.levels for p in parameters if isinstance(p, Discrete))
    return count - len(table.select(names).unique()) < _LEFT


def _of_column(series: Any, steps: bool) -> _Guess:
    import narwhals as nw

    values = series.drop_nulls()
    if values.dtype.is_float():
        values = values.filter(~values.is_nan())
    missing = len(series) - len(values)
    some = f"; {missing} missing" if missing else ""
    if not len(values):
        return _Guess(None, "it is empty")
    if values.dtype.is_numeric():
        guess = _of_numbers(np.asarray(values.cast(nw.Float64).to_numpy(), dtype=np.float64), steps)
    elif values.dtype.is_temporal():
        return _Guess(None, f"it has the type {values.dtype}; a date or time is rarely chosen")
    else:
        guess = _of_options(values)
    return _Guess(guess.parameter, guess.reason + some)


def _of_options(values: Any) -> _Guess:
    import narwhals as nw

    words = values.to_list()
    different = list(dict.fromkeys(words))
    if not all(isinstance(word, (str, bool, int, float)) for word in different):
        return _Guess(None, f"it has the type {values.dtype}")
    if len(different) == 1:
        return _Guess(None, f"it is {different[0]!r} in every row")
    if len(different) == len(words) and len(words) >= _MANY:
        return _Guess(None, f"all {len(words)} texts are different, as names of the runs are")
    declared = _declared_order(values)
    if declared is not None:
        options = [option for option in declared if option in set(different)]
        return _Guess(Choice(*options, ordered=True), f"{len(options)} ordered categories")
    kind = "truth values" if values.dtype == nw.Boolean else "different texts"
    return _Guess(Choice(*sorted(different, key=lambda o: (str(type(o)), o))), f"{len(different)} {kind}")


def _declared_order(values: Any) -> list[Any] | None:
    """The levels of an ordered category of pandas; no other library says that levels have an order."""
    native = values.to_native()
    if values.implementation.is_pandas_like() and getattr(getattr(native, "cat", None), "ordered", False):
        return list(native.cat.categories)
    return None


def _of_numbers(values: Float[np.ndarray, " n"], steps: bool) -> _Guess:
    low, high = float(np.min(values)), float(np.max(values))
    if not math.isfinite(low) or not math.isfinite(high):
        return _Guess(None, "it has infinite numbers")
    if low == high:
        return _Guess(None, f"it is {low:g} in every row")
    if not math.isfinite(high - low):
        return _Guess(None, f"its numbers, from {low:g} to {high:g}, are too far apart")
    log = low > 0.0 and math.log10(high / low) >= _DECADES
    decades = f", over {math.log10(high / low):.1f} decades" if log else ""
    step = _common_step(values) if steps and not log else None
    if step is not None:
        reason = f"numbers from {low:g} to {high:g}, all multiples of {step:g}; bounds widened"
        return _Guess(_in_steps(low, high, step), reason)
    if np.all(values == np.rint(values)) and 2 * max(abs(low), abs(high)) < _LARGEST:
        first, last = _whole_bounds(round(low), round(high), log)
        wider = ", a tenth wider" if (first, last) != (low, high) else ""
        return _Guess(Integer(first, last, log=log), f"whole numbers from {low:g} to {high:g}{decades}{wider}")
    bounds = readable_bounds(low, high, log=log)
    return _Guess(Real(*bounds, log=log), f"numbers from {low:g} to {high:g}{decades}, a tenth wider")


def _common_step(values: Float[np.ndarray, " n"]) -> float | None:
    """The largest step of 1, 5 or 25 times a power of ten that all numbers are multiples of, where that is no chance.

    It is none where each different number comes three times, or where so many numbers would rarely have such last
    digits. A step of one of the last digit needs the former; whole numbers with that step are counted instead.
    """
    different = np.unique(values)
    first = -math.floor(math.log10(np.max(np.abs(different))))
    places = next((p for p in range(first, min(first + _DIGITS, _HIGHEST)) if _ends_after(different, p)), None)
    if len(different) < _FEW or places is None:
        return None
    digits = np.rint(_shifted(different, places)).astype(np.int64)
    common = math.gcd(*digits.tolist())
    factor = max(f for f in (1, 5, 25) if common % f == 0)
    repeated = len(values) >= _REPEATED * len(different)
    zeros = 10.0 ** max(-places, 0)  # at the end of whole numbers
    rare = (factor * zeros) ** (1 - len(different)) <= _CHANCE
    if (places == 0 and factor == 1) or not (repeated or rare):
        return None
    return float(f"{factor}e{-places}")


def _ends_after(values: Float[np.ndarray, " n"], places: int) -> bool:
    """Whether numbers have no more decimal places than that, which is negative where they end in zeros."""
    digits = _shifted(values, places)
    return bool(np.all(np.abs(digits - np.rint(digits)) <= _ROUND_OFF * np.max(np.abs(digits))))


def _shifted(values: Float[np.ndarray, " n"], places: int) -> Float[np.ndarray, " n"]:
    """Numbers with their point moved to the right; a negative power of ten would not be exact."""
    return values * 10.0**places if places >= 0 else values / 10.0**-places


def _in_steps(low: float, high: float, step: float) -> Grid | Real:
    """Numbers in steps, wider by a tenth or what is more to the next of them, not across zero."""
    ends = round(low / step), round(high / step)
    wider = _WIDER * (ends[1] - ends[0])
    first, last = _on_one_side(*ends, math.floor(ends[0] - wider), math.ceil(ends[1] + wider))
    if step == round(step) and max(abs(first), abs(last)) * step < _LARGEST:
        return Integer(round(step) * first, round(step) * last, step=round(step))
    return Real(float(Decimal(repr(step)) * first), float(Decimal(repr(step)) * last), step=step)


def _on_one_side(low: int, high: int, first: int, last: int) -> tuple[int, int]:
    """Wider bounds, but not from positive numbers to zero, nor from zero to negative ones."""
    first = max(first, 1 if low > 0 else 0 if low == 0 else first)
    return first, min(last, -1 if high < 0 else 0 if high == 0 else last)


def _whole_bounds(low: int, high: int, log: bool) -> tuple[int, int]:
    """Wider by a tenth, not from positive numbers to zero, nor from zero to negative ones; 0 and 1 stay."""
    if (low, high) == (0, 1):
        return low, high
    if log:
        first, last = readable_bounds(float(low), float(high), log=True)
        return max(1, math.floor(first)), math.ceil(last)
    wider = round(_WIDER * (high - low))
    return _on_one_side(low, high, low - wider, high + wider)


def readable_bounds(low: float, high: float, *, log: bool) -> tuple[float, float]:
    """Bounds a tenth wider than what was seen, rounded outward to two digits of the range, not across zero.

    >>> readable_bounds(0.12, 4.93, log=False)
    (0.1, 5.5)
    >>> readable_bounds(2e-5, 0.3, log=True)
    (7e-06, 0.8)
    """
    if log:
        factor = (high / low) ** _WIDER
        return _one_digit(low / factor, math.floor), _one_digit(high * factor, math.ceil)
    wider = _WIDER * (high - low)
    places = 1 - math.floor(math.log10(high - low))
    first, last = _rounded(low - wider, places, math.floor), _rounded(high + wider, places, math.ceil)
    if first <= 0.0 <= low:
        first = _one_digit(low, math.floor) if low > 0.0 else 0.0
    if high <= 0.0 <= last:
        last = -_one_digit(-high, math.floor) if high < 0.0 else 0.0
    return min(first, low), max(last, high)


def _one_digit(number: float, way: Any) -> float:
    return _rounded(number, -math.floor(math.log10(number)), way)


def _rounded(number: float, places: int, way: Any) -> float:
    """Rounded down or up to so many decimal places, as the decimal number that one would write."""
    if abs(places) > 300:
        return number
    tenths = way(round(number * 10.0**places, 9))  # 0.3 is not quite 3 tenths
    return float(f"{tenths}e{-places}")

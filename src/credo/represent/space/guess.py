"""What the columns of a table of past runs look like as parameters, with the reason of each guess."""

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from jaxtyping import Float

from credo.errors import InputError
from credo.represent.space.choice import Choice
from credo.represent.space.layout import as_table
from credo.represent.space.parameter import Parameter
from credo.represent.space.ranges import Integer, Real

__all__ = ["guessed", "readable_bounds"]

_WIDER = 0.1  # of the observed range, on each side
_DECADES = 3  # from which numbers are on a log scale
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
    guesses = {name: _of_column(table[name]) for name in table.columns if name not in targets}
    parameters = {name: guess.parameter for name, guess in guesses.items() if guess.parameter is not None}
    reasons = {name: guess.reason for name, guess in guesses.items()}
    if not parameters:
        cause = "; ".join(f"{name}: {reason}" for name, reason in list(reasons.items())[:5]) or "There are no columns"
        raise InputError(who, "no column varies as a parameter does", cause, "Write the space by hand")
    return parameters, reasons


def _of_column(series: Any) -> _Guess:
    import narwhals as nw

    values = series.drop_nulls()
    if values.dtype.is_float():
        values = values.filter(~values.is_nan())
    missing = len(series) - len(values)
    some = f"; {missing} missing" if missing else ""
    if not len(values):
        return _Guess(None, "it is empty")
    if values.dtype.is_numeric():
        guess = _of_numbers(np.asarray(values.cast(nw.Float64).to_numpy(), dtype=np.float64))
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


def _of_numbers(values: Float[np.ndarray, " n"]) -> _Guess:
    low, high = float(np.min(values)), float(np.max(values))
    if not math.isfinite(low) or not math.isfinite(high):
        return _Guess(None, "it has infinite numbers")
    if low == high:
        return _Guess(None, f"it is {low:g} in every row")
    if not math.isfinite(high - low):
        return _Guess(None, f"its numbers, from {low:g} to {high:g}, are too far apart")
    log = low > 0.0 and math.log10(high / low) >= _DECADES
    decades = f", over {math.log10(high / low):.1f} decades" if log else ""
    if np.all(values == np.rint(values)) and max(abs(low), abs(high)) < 2**39:
        first, last = _whole_bounds(round(low), round(high), log)
        wider = ", a tenth wider" if (first, last) != (low, high) else ""
        return _Guess(Integer(first, last, log=log), f"whole numbers from {low:g} to {high:g}{decades}{wider}")
    bounds = readable_bounds(low, high, log=log)
    return _Guess(Real(*bounds, log=log), f"numbers from {low:g} to {high:g}{decades}, a tenth wider")


def _whole_bounds(low: int, high: int, log: bool) -> tuple[int, int]:
    """Wider by a tenth, not from positive numbers to zero, nor from zero to negative ones; 0 and 1 stay."""
    if (low, high) == (0, 1):
        return low, high
    if log:
        first, last = readable_bounds(float(low), float(high), log=True)
        return max(1, math.floor(first)), math.ceil(last)
    wider = round(_WIDER * (high - low))
    first, last = low - wider, high + wider
    first = max(first, 1 if low > 0 else 0 if low == 0 else first)
    last = min(last, -1 if high < 0 else 0 if high == 0 else last)
    return first, last


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

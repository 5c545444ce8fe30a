"""What a column of a table probably means, with the reason; and the same values under a scale that was said."""

import datetime
from collections.abc import Sequence
from typing import Any

import numpy as np

from credo.errors import InputError
from credo.represent.table.column import Column
from credo.represent.table.scales import SCALES, Scale

__all__ = ["guessed_column", "known_column", "said_column"]

_EPOCH = datetime.date(1970, 1, 1).toordinal()
_FEW = 2  # different whole numbers, which are names rather than counts
_YEARS = (1500, 2200)
_LARGEST = 1e150  # its square, summed over all rows, is still a number
_MOMENTS = ("%Y-%m-%d", "%Y-%m-%d %H:%M", "%Y-%m-%d %H:%M:%S", "%Y-%m-%dT%H:%M:%S", "%d.%m.%Y", "%d.%m.%Y %H:%M")
_NAMES = ("zip", "postcode", "postal", "plz", "code", "id")  # of whole numbers that are names
# In names of columns whose zero is no nothing: anywhere, and as a word.
_INTERVALS, _INTERVAL_WORDS = ("temp", "celsius", "fahrenheit", "°c", "°f"), ("year", "ph")
_ORDERS = (
    ("very low", "low", "medium", "high", "very high"),
    ("very small", "small", "medium", "large", "very large"),
    ("very bad", "bad", "fair", "good", "very good"),
    ("never", "rarely", "sometimes", "often", "always"),
    ("xs", "s", "m", "l", "xl", "xxl"),
    ("first", "second", "third", "fourth"),
    ("mild", "moderate", "severe"),
)


def guessed_column(name: str, series: Any) -> Column:
    """The scale that its type, its values and its name speak for."""
    import polars as pl

    dtype = series.dtype
    if dtype == pl.Null:
        return Column(name, "nominal", "it is empty", series.cast(pl.String))
    if dtype == pl.Boolean:
        return _names(name, series, "two truth values")
    if dtype in (pl.Duration, pl.Time):
        seconds = series.cast(pl.Int64) / {"ns": 1e9, "us": 1e6, "ms": 1e3}[getattr(dtype, "time_unit", "ns")]
        return Column(name, "interval", "a span of time, in seconds", seconds)
    if dtype.is_temporal():
        return Column(name, "time", f"it has the type {dtype}", _datable(name, series))
    if dtype.is_numeric():
        return _of_numbers(name, _finite(name, series), "")
    if isinstance(dtype, pl.Enum):
        return _ordered(name, series.cast(pl.String), tuple(dtype.categories.to_list()), "categories in an order")
    if dtype in (pl.String, pl.Categorical):
        return _of_text(name, series.cast(pl.String).str.strip_chars())
    raise InputError("Table", f"column {name!r} has the type {dtype}", "It holds lists or structures", "Leave it out")


def said_column(name: str, series: Any, scale: Scale | Sequence[str]) -> Column:
    """The column under a scale that the user states: its name, or the levels of an order from the lowest."""
    import polars as pl

    if not isinstance(scale, str):
        return _stated_order(name, series.cast(pl.String), tuple(map(str, scale)))
    if scale not in SCALES:
        raise InputError("Table", f"the scale of {name!r} is {scale!r}", "", f"Known are {', '.join(SCALES)}")
    guess = guessed_column(name, series)
    if scale == guess.scale:
        return Column(name, scale, "as said", guess.series, guess.levels)
    if scale == "nominal":
        return _names(name, guess.series if series.dtype.is_numeric() else series, "as said")
    if scale == "ordinal":
        return _said_order(name, guess)
    if scale == "time":
        raise _cannot(name, scale, guess, "It has no dates", "Write them as 2024-05-31 or 2024-05-31 14:30")
    if guess.scale in ("nominal", "ordinal", "time"):
        numbers = _as_numbers(series.cast(pl.String)) if guess.scale != "time" else None
        if numbers is None:
            raise _cannot(name, scale, guess, "Its values are no numbers", 'Correct them, or say "nominal"')
        guess = Column(name, "interval", "", _finite(name, numbers))
    return _said_numbers(name, scale, guess)


def known_column(name: str, series: Any, scale: Scale, levels: tuple[str, ...] = ()) -> Column:
    """New values of a column whose scale, and of names and orders the levels, are known: nothing is guessed that is
    clear, and each value is read on its own. A word that is a level is that level, "08001" also where all others are
    numbers; of one that is none, "3.0", the number may be.
    """
    import polars as pl

    if scale in ("nominal", "ordinal"):
        if series.dtype not in (pl.String, pl.Categorical):
            return Column(name, scale, "", said_column(name, series, "nominal").series)
        words = series.cast(pl.String).str.strip_chars()
        strange = words.filter(~(words.is_in(levels) | words.is_null())).unique().to_list()
        if strange:
            words = words.replace({word: _number_word(word) for word in strange})
        return Column(name, scale, "", words)
    if series.null_count() == len(series):
        return Column(name, scale, "", series.cast(pl.Datetime("us") if scale == "time" else pl.Float64))
    if scale != "time" and series.dtype.is_numeric():
        return Column(name, "interval", "", _finite(name, series))
    return said_column(name, series, scale if scale == "time" else "interval")


def _said_order(name: str, guess: Column) -> Column:
    import polars as pl

    if guess.scale in ("interval", "ratio", "absolute"):
        levels = tuple(_word(value) for value in guess.series.drop_nulls().unique().sort().to_list())
        words = pl.Series(name, [None if value is None else _word(value) for value in guess.series.to_list()])
        return Column(name, "ordinal", "as said, by their size", words, levels)
    raise _cannot(
        name, "ordinal", guess, "The order of its levels is not known", f'List them: "{name}=low,medium,high"'
    )


def _said_numbers(name: str, scale: Scale, guess: Column) -> Column:
    there = guess.series.drop_nulls()
    if scale in ("ratio", "absolute") and len(there) and there.min() < 0:
        raise _cannot(name, scale, guess, f"It has {there.min():g}", 'Say "interval"')
    if scale == "absolute" and not bool((there == there.round()).all()):
        raise _cannot(name, scale, guess, "A count is whole", 'Say "ratio"')
    return Column(name, scale, "as said", guess.series)


def _cannot(name: str, scale: str, guess: Column, cause: str, remedy: str) -> InputError:
    what = f"column {name!r} was said to be {scale}, and looks {guess.scale} ({guess.reason or 'by its values'})"
    return InputError("Table", what, cause, remedy)


def _finite(name: str, series: Any) -> Any:
    """Numbers with those that are none missing; infinite ones are refused, and such whose squares would be."""
    import polars as pl

    numbers = series.cast(pl.Float64).fill_nan(None)
    if numbers.is_infinite().any():
        what = f"column {name!r} has infinite numbers"
        raise InputError("Table", what, "Something was divided by zero, or overflowed", "Leave these cells empty")
    if bool((numbers.abs() > _LARGEST).any()):
        what = f"column {name!r} has numbers as large as {numbers.abs().max():.3g}, which is too large"
        raise InputError(
            "Table", what, "Their squares are more than a number can be", "Take another unit, or logarithms"
        )
    whole = series.dtype.is_integer() and not series.dtype.is_unsigned_integer()
    small = series.cast(pl.Int64, strict=False) if whole else None
    return small if small is not None and small.null_count() == series.null_count() else numbers


def _datable(name: str, series: Any) -> Any:
    """Moments, unless one lies where there is no date."""
    import polars as pl

    per_day = {"ms": 86400 * 10**3, "us": 86400 * 10**6, "ns": 86400 * 10**9}
    ticks = per_day[series.dtype.time_unit] if series.dtype == pl.Datetime else 1
    first, end = datetime.date.min.toordinal() - _EPOCH, datetime.date.max.toordinal() - _EPOCH + 1
    if not bool(series.to_physical().drop_nulls().is_between(first * ticks, end * ticks, closed="left").all()):
        what = f"column {name!r} has moments outside of the years 1 to 9999"
        raise InputError("Table", what, "They were written in another unit, or as what they are not", "Correct them")
    return series


def _of_text(name: str, series: Any) -> Column:
    there = series.drop_nulls()
    numbers = _as_numbers(series)
    if numbers is not None:
        comma = ", with a decimal comma" if bool(there.str.contains(",", literal=True).any()) else ""
        found = _of_numbers(name, _finite(name, numbers), comma)
        zeros = found.scale == "nominal" and bool(there.str.contains(r"^0\d").any())
        return _names(name, series, found.reason) if zeros else found  # 08001 is not 8001
    moments = _as_moments(series)
    if moments is not None:
        return Column(name, "time", "its texts are dates", moments)
    seen = set(there.unique().to_list())
    lower = {word.lower(): word for word in seen}
    for order in _ORDERS:
        if len(seen) >= 3 and len(lower) == len(seen) and set(lower) <= set(order):
            levels = tuple(lower[word] for word in order if word in lower)
            return _ordered(name, series, levels, f"words with an order: {' < '.join(levels)}")
    return _names(name, series, f"{len(seen)} different texts")


def _as_numbers(series: Any) -> Any | None:
    """Text as numbers, where all of it is; with a decimal comma where there is no point."""
    import polars as pl

    there = series.drop_nulls()
    if not len(there):
        return None
    for text in (series, series.str.replace_all(",", ".", literal=True)):
        whole = text.cast(pl.Int64, strict=False)
        if whole.null_count() == series.null_count():
            return whole
        numbers = text.cast(pl.Float64, strict=False)
        if numbers.null_count() == series.null_count():
            return numbers
        if there.str.contains(".", literal=True).any():
            return None
    return None


def _as_moments(series: Any) -> Any | None:
    there = series.drop_nulls()
    if not len(there) or not bool(there.head(100).str.contains(r"^\d{1,4}[-./]\d{1,2}[-./]\d{1,4}").all()):
        return None
    import polars as pl

    for form in _MOMENTS:
        moments = series.str.to_datetime(form, strict=False, exact=True)
        if moments.null_count() == series.null_count():
            return moments.cast(pl.Datetime("us")) if bool((moments.drop_nulls().dt.year() > 0).all()) else None
    return None


def _of_numbers(name: str, series: Any, how: str) -> Column:
    import polars as pl

    there = series.drop_nulls()
    if not len(there):
        return Column(name, "nominal", "it is empty", series.cast(pl.String))
    values = np.asarray(there.to_numpy(), dtype=np.float64)
    low, high, different = float(values.min()), float(values.max()), len(np.unique(values))
    whole = bool(np.all(values == np.rint(values)))
    words = set(_parts(name))
    if whole and different <= _FEW:
        return _names(name, series, f"{different} different whole numbers")
    if whole and words & set(_NAMES):
        return _names(name, series, "whole numbers that are names, by the name of the column")
    if whole and low >= _YEARS[0] and high <= _YEARS[1] and "year" in words:
        return Column(name, "interval", f"years from {low:g} to {high:g}", series)
    if any(hint in name.lower() for hint in _INTERVALS) or words & set(_INTERVAL_WORDS):
        return Column(name, "interval", f"numbers whose zero is no nothing, by the name of the column{how}", series)
    if whole and low >= 0.0:
        return Column(name, "absolute", f"whole numbers from {low:g} to {high:g}{how}", series)
    if low >= 0.0:
        return Column(name, "ratio", f"no number is negative, from {low:g} to {high:g}{how}", series)
    return Column(name, "interval", f"numbers from {low:g} to {high:g}, some negative{how}", series)


def _parts(name: str) -> list[str]:
    return "".join(letter.lower() if letter.isalnum() else " " for letter in name).split()


def _stated_order(name: str, series: Any, levels: tuple[str, ...]) -> Column:
    strange = [word for word in series.drop_nulls().unique().to_list() if word not in levels]
    if strange:
        what = f"column {name!r} has {strange[0]!r}, which is none of {', '.join(levels)}"
        raise InputError("Table", what, "The order that was said leaves it out", "Name every level")
    return _ordered(name, series, levels, "as said")


def _ordered(name: str, series: Any, levels: tuple[str, ...], reason: str) -> Column:
    there = set(series.drop_nulls().unique().to_list())
    return Column(name, "ordinal", reason, series, tuple(level for level in levels if level in there))


def _names(name: str, series: Any, reason: str) -> Column:
    import polars as pl

    words = pl.Series(name, [None if value is None else _word(value) for value in series.to_list()], dtype=pl.String)
    levels = words.drop_nulls().unique().sort().to_list()
    return Column(name, "nominal", reason, words, tuple(levels))


def _word(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        return f"{value:.15g}"
    return str(value)


def _number_word(word: str) -> str:
    """A number in text as it is written as a name, other text as it is."""
    try:
        return _word(float(word)) if not word.startswith("0") or float(word) < 1.0 else word
    except ValueError:
        return word

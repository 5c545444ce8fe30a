"""What a column of a table probably means, with the reason."""

import datetime
from dataclasses import replace
from typing import Any

import numpy as np

from credo.errors import InputError
from credo.represent.table.column import Column, short
from credo.represent.table.moments import read_moments
from credo.represent.table.texts import NumberForm, read_numbers, strange_among_numbers, without_marks

__all__ = ["DATES", "finite", "guessed_column", "names_column", "names_rows", "word_of"]

#: What the reason of moments in text begins with.
DATES = "its texts are dates"

_EPOCH = datetime.date(1970, 1, 1).toordinal()
_FEW = 2  # different whole numbers, which are names rather than counts
_YEARS = (1500, 2200)
_LARGEST = 1e150  # its square, summed over all rows, is still a number
_WHOLE = 2.0**53  # from which all numbers are whole, so that this says nothing
_NAMES = {"zip", "postcode", "postal", "plz", "code", "id"}  # in names of columns whose whole numbers are names
# In names of columns whose zero is arbitrary: anywhere, and as a word.
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
        return names_column(name, series, "two truth values")
    if dtype in (pl.Duration, pl.Time):
        seconds = series.cast(pl.Int64) / {"ns": 1e9, "us": 1e6, "ms": 1e3}[getattr(dtype, "time_unit", "ns")]
        return Column(name, "interval", "a span of time, in seconds", seconds)
    if dtype.is_temporal():
        return Column(name, "time", f"it has the type {dtype}", _datable(name, series))
    if dtype.is_numeric():
        return _of_numbers(name, finite(name, series), "")
    if isinstance(dtype, pl.Enum):
        levels = tuple(dtype.categories.to_list())
        return Column(name, "ordinal", "categories in an order", series.cast(pl.String), levels)
    if dtype in (pl.String, pl.Categorical):
        return _of_text(name, without_marks(series))
    raise InputError("Table", f"column {name!r} has the type {dtype}", "It holds lists or structures", "Leave it out")


def finite(name: str, series: Any) -> Any:
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
    numbers = read_numbers(series)
    if numbers is not None:
        return _of_number_texts(name, series, *numbers)
    moments = read_moments(series)
    if moments is not None:
        values, form, how = moments
        return Column(name, "time", f"{DATES}{how}", values, form=form)
    seen = set(series.drop_nulls().unique().to_list())
    lower = {word.lower(): word for word in seen}
    for order in _ORDERS:
        if len(seen) >= 3 and len(lower) == len(seen) and set(lower) <= set(order):
            levels = tuple(lower[word] for word in order if word in lower)
            return Column(name, "ordinal", f"words with an order: {' < '.join(levels)}", series, levels)
    return names_column(name, series, f"{len(seen)} different texts{_nearly_numbers(series)}")


def _of_number_texts(name: str, series: Any, numbers: Any, form: NumberForm) -> Column:
    found = _of_numbers(name, finite(name, numbers), form.words)
    if found.scale != "nominal":
        return replace(found, form=form)
    texts = without_marks(series, maybe=True)
    zeros = bool(texts.drop_nulls().str.contains(r"^0\d").any())
    if zeros or form.before or form.behind:  # 08001 is not 8001, and 5 kg and 10 kg are names as they are written
        return names_column(name, texts, found.reason + form.words)
    return replace(found, form=form)


def _nearly_numbers(series: Any) -> str:
    """What is said of texts that are numbers but for a few: one of these, which somebody may want to correct."""
    strange, total = strange_among_numbers(series)
    if not len(strange) or 2 * len(strange) >= total:
        return ""
    return f", numbers but for {len(strange)} such as {short(strange[0])!r}"


def _of_numbers(name: str, series: Any, how: str) -> Column:
    import polars as pl

    there = series.drop_nulls()
    if not len(there):
        return Column(name, "nominal", "it is empty", series.cast(pl.String))
    values = np.asarray(there.to_numpy(), dtype=np.float64)
    low, high, different = float(values.min()), float(values.max()), len(np.unique(values))
    whole = bool(np.all(values == np.rint(values))) and max(-low, high) < _WHOLE
    words = set(_parts(name))
    if whole and different <= _FEW:
        return names_column(name, series, f"{different} different whole numbers")
    if whole and names_rows(name):
        return names_column(name, series, "whole numbers that are names, by the name of the column")
    if whole and low >= _YEARS[0] and high <= _YEARS[1] and "year" in words:
        return Column(name, "interval", f"years from {low:g} to {high:g}", series)
    if any(hint in name.lower() for hint in _INTERVALS) or words & set(_INTERVAL_WORDS):
        return Column(name, "interval", f"numbers whose zero is arbitrary, by the name of the column{how}", series)
    if whole and low >= 0.0:
        return Column(name, "absolute", f"whole numbers from {low:g} to {high:g}{how}", series)
    if low >= 0.0:
        return Column(name, "ratio", f"no number is negative, from {low:g} to {high:g}{how}", series)
    return Column(name, "interval", f"numbers from {low:g} to {high:g}, some negative{how}", series)


def names_rows(name: str) -> bool:
    """Whether the name of a column says that its values are names, whatever they look like.

    >>> names_rows("order-id"), names_rows("idle time")
    (True, False)
    """
    return not _NAMES.isdisjoint(_parts(name))


def _parts(name: str) -> list[str]:
    return "".join(letter.lower() if letter.isalnum() else " " for letter in name).split()


def names_column(name: str, series: Any, reason: str) -> Column:
    """Values of any type as names without an order."""
    import polars as pl

    words = pl.Series(name, [None if value is None else word_of(value) for value in series.to_list()], dtype=pl.String)
    levels = words.drop_nulls().unique().sort().to_list()
    return Column(name, "nominal", reason, words, tuple(levels))


def word_of(value: Any) -> str:
    """A value as a name: 3 also where a gap in the column has made it 3.0.

    >>> word_of(3.0), word_of(True)
    ('3', 'true')
    """
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        return f"{value:.15g}"
    return str(value)

"""Columns under a scale that was said, or that is known from the rows that were learnt from."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from credo.errors import InputError
from credo.represent.table.column import Column, short
from credo.represent.table.guess import DATES, finite, guessed_column, names_column, word_of
from credo.represent.table.moments import MomentForm
from credo.represent.table.scales import SCALES, Scale
from credo.represent.table.texts import NumberForm, read_numbers, without_marks

__all__ = ["known_column", "said_column"]

_SEEN = 1000  # values among which one is looked for that is no number


def said_column(name: str, series: Any, scale: Scale | Sequence[Any]) -> Column:
    """The column under a scale that the user states: its name, or the levels of an order from the lowest."""
    import polars as pl

    if not isinstance(scale, str):
        return _stated_order(name, series, tuple(map(word_of, scale)))
    if scale not in SCALES:
        raise InputError("Table", f"the scale of {name!r} is {scale!r}", "", f"Known are {', '.join(SCALES)}")
    guess = guessed_column(name, series)
    if scale == guess.scale:
        return replace(guess, reason=f"as said{_how(guess)}")
    if scale == "nominal":
        text = series.dtype in (pl.String, pl.Categorical)
        return names_column(name, without_marks(series) if text else guess.series, "as said")
    if scale == "ordinal":
        return _said_order(name, guess)
    if scale == "time":
        raise _cannot(name, scale, guess, "It has no dates", "Write them as 2024-05-31 or 2024-05-31 14:30")
    if guess.scale in ("nominal", "ordinal", "time"):
        found = read_numbers(without_marks(series)) if guess.scale != "time" else None
        if found is None:
            raise _cannot(name, scale, guess, _no_number(series), 'Correct what is none, or say "nominal"')
        guess = Column(name, "interval", "", finite(name, found[0]), form=found[1])
    return _said_numbers(name, scale, guess)


def known_column(
    name: str,
    series: Any,
    scale: Scale,
    levels: tuple[str, ...] = (),
    form: NumberForm | MomentForm | None = None,
) -> Column:
    """New values of a column whose scale, and of names and orders the levels, are known: nothing is guessed that is
    clear, and each value is read on its own. A word that is a level is that level, "08001" also where all others are
    numbers; of one that is none, "3.0", the number may be. Numbers and moments in text are read as they were written
    in the rows that were learnt from, by their `form`, where that is known.
    """
    import polars as pl

    if scale in ("nominal", "ordinal"):
        return Column(name, scale, "", _as_levels(_words(name, series, levels), levels, form))
    if scale != "time" and series.dtype.is_numeric():
        return Column(name, "interval", "", finite(name, series))
    text = series.dtype in (pl.String, pl.Categorical)
    series = without_marks(series, maybe=True) if text else series
    if series.null_count() == len(series):
        return Column(name, scale, "", series.cast(pl.Datetime("us") if scale == "time" else pl.Float64))
    kind: Scale = scale if scale == "time" else "interval"
    return said_column(name, series, kind) if form is None or not text else _written_so(name, series, kind, form)


def _stated_order(name: str, series: Any, levels: tuple[str, ...]) -> Column:
    """All levels that were said keep their places, also those that these rows lack: others may have them."""
    words = _as_levels(_words(name, series, levels), levels, None)
    strange = [word for word in words.drop_nulls().unique().to_list() if word not in levels]
    if strange:
        what = f"column {name!r} has {short(strange[0])!r}, which is none of {', '.join(levels)}"
        raise InputError("Table", what, "The order that was said leaves it out", "Name every level")
    return Column(name, "ordinal", "as said", words, levels)


def _said_order(name: str, guess: Column) -> Column:
    import polars as pl

    if guess.scale in ("interval", "ratio", "absolute"):
        levels = tuple(word_of(value) for value in guess.series.drop_nulls().unique().sort().to_list())
        words = pl.Series(name, [None if value is None else word_of(value) for value in guess.series.to_list()])
        return Column(name, "ordinal", "as said, by their size", words, levels, guess.form)
    order = "Say its levels from the lowest instead of the scale: low<medium<high on the command line, a list in Python"
    raise _cannot(name, "ordinal", guess, "The order of its levels is not known", order)


def _said_numbers(name: str, scale: Scale, guess: Column) -> Column:
    there = guess.series.drop_nulls()
    if scale in ("ratio", "absolute") and len(there) and there.min() < 0:
        raise _cannot(name, scale, guess, f"It has {there.min():g}", 'Say "interval"')
    if scale == "absolute" and not bool((there == there.round()).all()):
        raise _cannot(name, scale, guess, "A count is whole", 'Say "ratio"')
    return Column(name, scale, f"as said{_how(guess)}", guess.series, form=guess.form)


def _written_so(name: str, texts: Any, scale: Scale, form: NumberForm | MomentForm) -> Column:
    """Texts by a form that is known; those that are not written so by whatever they look like among themselves."""
    import polars as pl

    kind = pl.Datetime("us") if scale == "time" else pl.Float64
    values = form.read(texts).cast(kind)
    others = values.is_null() & texts.is_not_null()
    if bool(others.any()):
        values = values.scatter(others.arg_true(), said_column(name, texts.filter(others), scale).series.cast(kind))
    return Column(name, scale, "", values if scale == "time" else finite(name, values))


def _words(name: str, series: Any, levels: tuple[str, ...]) -> Any:
    """The values as names; a mark of what is missing stays one where it is a level."""
    import polars as pl

    if series.dtype in (pl.String, pl.Categorical):
        return without_marks(series, names=levels)
    if series.dtype.is_numeric():
        return names_column(name, finite(name, series), "").series
    return said_column(name, series, "nominal").series


def _as_levels(words: Any, levels: tuple[str, ...], form: NumberForm | MomentForm | None) -> Any:
    """Words, those that are no level as the level that they stand for: a number, or a truth value in other letters."""
    strange = words.filter(~(words.is_in(levels) | words.is_null())).unique().to_list()
    if not strange:
        return words
    truths = {level.lower(): level for level in levels if level.lower() in ("true", "false")}
    return words.replace({word: truths.get(word.lower()) or _number_word(word, form) for word in strange})


def _number_word(word: str, form: NumberForm | MomentForm | None = None) -> str:
    """A number in text as it is written as a name, other text as it is."""
    import polars as pl

    try:
        return word_of(float(word)) if not word.startswith("0") or float(word) < 1.0 else word
    except ValueError:
        number = form.read(pl.Series([word]))[0] if isinstance(form, NumberForm) else None
        return word if number is None else word_of(number)


def _how(column: Column) -> str:
    """How its texts were read, for a reason that does not say it yet."""
    if isinstance(column.form, NumberForm):
        return column.form.words
    return "" if column.form is None else column.reason.removeprefix(DATES)


def _no_number(series: Any) -> str:
    """The first value that is none, or that they are written in several ways, where each alone might be one."""
    import polars as pl

    there = without_marks(series, maybe=True).drop_nulls().unique(maintain_order=True).head(_SEEN).to_list()
    strange = next((word for word in there if read_numbers(pl.Series([word])) is None), None)
    return "Its numbers have several signs or units" if strange is None else f"{short(strange)!r} is no number"


def _cannot(name: str, scale: str, guess: Column, cause: str, remedy: str) -> InputError:
    what = f"column {name!r} was said to be {scale}, and looks {guess.scale} ({guess.reason or 'by its values'})"
    return InputError("Table", what, cause, remedy)

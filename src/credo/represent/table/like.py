"""Values as texts, written as a table wrote its own: so that new rows can be appended to its file."""

from typing import Any

from credo.represent.table.column import Column
from credo.represent.table.moments import MomentForm
from credo.represent.table.table import Table
from credo.represent.table.texts import NumberForm

__all__ = ["written_like"]


def written_like(frame: Any, table: Table) -> Any:
    """The frame with the numbers and moments of columns that the table knows in its forms; numbers of other columns
    have its decimal sign. Text stays as it is.

    >>> import polars as pl
    >>> table = Table.from_frame(pl.DataFrame({"price": ["1,50 €", "2 €", "0,99 €"]}))
    >>> written_like(pl.DataFrame({"price": [3.25], "mean": [0.5]}), table).rows()
    [('3,25 €', '0,5')]
    """
    columns = table.columns
    forms = [column.form for column in columns.values()]
    comma = any(isinstance(form, NumberForm) and form.decimal == "," for form in forms)
    sign = "," if comma else "."
    return frame.with_columns(_written(frame[name], columns.get(name), sign) for name in frame.columns)


def _written(series: Any, column: Column | None, sign: str) -> Any:
    import polars as pl

    form = None if column is None else column.form
    if series.dtype.is_numeric():
        return _number_form(column, sign).write(_whole(series, column))
    if series.dtype in (pl.Date, pl.Datetime) and isinstance(form, MomentForm):
        return form.write(series)
    if series.dtype == pl.String and column is not None and isinstance(form, NumberForm):
        return _names(series, column.levels, form)
    return series


def _number_form(column: Column | None, sign: str) -> NumberForm:
    """That of the column; where none of its numbers has decimals, these are written as elsewhere in the table."""
    if column is None or not isinstance(column.form, NumberForm):
        return NumberForm(decimal=sign)
    undecided = column.form.thousands != "," and column.series.dtype.is_integer()
    return column.form._replace(decimal=sign) if undecided and sign == "," else column.form


def _whole(series: Any, column: Column | None) -> Any:
    """Numbers without decimals where neither they nor those of the table have any."""
    import polars as pl

    if column is None or not column.series.dtype.is_integer() or not series.dtype.is_float():
        return series
    whole = series.fill_nan(None).cast(pl.Int64, strict=False)
    same = whole.null_count() == series.fill_nan(None).null_count() and bool((whole == series).all())
    return whole if same else series


def _names(series: Any, levels: tuple[str, ...], form: NumberForm) -> Any:
    """Names that are numbers and were made of texts, 1.5 of "1,5", as these texts; others as they are."""
    import polars as pl

    known = pl.Series([word for word in series.drop_nulls().unique().to_list() if word in levels], dtype=pl.String)
    numbers = known.cast(pl.Float64, strict=False)
    other = numbers.is_not_null() & ~form.read(known).cast(pl.Float64).eq_missing(numbers)
    return series.replace(known.filter(other), form.write(numbers.filter(other)))

"""Columns of a frame of any library (pandas, polars, pyarrow) as arrays, complete, with the levels of categories."""

from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np

from credo.errors import InputError

__all__ = ["FrameColumn", "as_frame", "frame_columns"]


class FrameColumn(NamedTuple):
    """The values of a column, and where it holds text or categories its levels that occur, in their order."""

    values: np.ndarray
    levels: list[Any] | None


def as_frame(
    frame: Any,
    who: str,
    *,
    wrong: str = "no frame",
    cause: str = "A formula speaks of columns by name",
    remedy: str = "Pass a pandas or polars frame, or a pyarrow table, in memory",
) -> Any:
    """A frame in the words of narwhals, whichever library's it is; an `InputError` in these words if it is none."""
    import narwhals as nw

    try:
        return nw.from_native(frame, eager_only=True)
    except TypeError as error:
        raise InputError(who, f"a {type(frame).__name__} is {wrong}", cause, remedy) from error


def frame_columns(frame: Any, names: Iterable[str], who: str) -> dict[str, FrameColumn]:
    """The columns `names` of a frame. Missing columns, missing values and dates raise an `InputError`.

    Levels stand in the order that an enumeration or a pandas category declares, otherwise sorted; those that do not
    occur are left out.

    >>> import polars as pl
    >>> frame_columns(pl.DataFrame({"z": ["b", "a", "b"]}), ["z"], "me")["z"].levels
    ['a', 'b']
    """
    table = as_frame(frame, who)
    names = sorted(names)
    absent = [name for name in names if name not in table.columns]
    if absent:
        what = f"the frame has no column {', '.join(map(repr, absent))}"
        known = ", ".join(table.columns[:20])
        raise InputError(who, what, f"A name is misspelt, or no function of formulas; there are {known}", "Add it")
    return {name: _column(name, table[name], who) for name in names}


def _column(name: str, series: Any, who: str) -> FrameColumn:
    import narwhals as nw

    # Polars tells null from not-a-number, pandas does not.
    missing = int(series.null_count()) or (int(series.is_nan().sum()) if series.dtype.is_float() else 0)
    if missing:
        cause, remedy = "Values are missing in the frame", "Drop those rows or impute first"
        raise InputError(who, f"column {name!r} has {missing} missing values", cause, remedy)
    if series.dtype.is_numeric() or series.dtype == nw.Boolean:
        whole = series.dtype.is_integer() or series.dtype == nw.Boolean
        return FrameColumn(np.asarray(series.to_numpy() if whole else series.cast(nw.Float64).to_numpy()), None)
    if not isinstance(series.dtype, (nw.String, nw.Categorical, nw.Enum)):
        what = f"column {name!r} has the type {series.dtype}"
        raise InputError(who, what, "Numbers, text and categories are read", "Make it one of them")
    words = series.to_list()
    if not all(type(word) in (str, int, float, bool) for word in words):
        what = f"column {name!r} has categories that are neither text nor numbers"
        raise InputError(who, what, "Dates, say", "Make them text")
    values = np.empty(len(words), dtype=object)
    values[:] = words
    return FrameColumn(values, _levels(series, set(words)))


def _levels(series: Any, there: set[Any]) -> list[Any]:
    import narwhals as nw

    if isinstance(series.dtype, nw.Enum):
        declared = list(series.dtype.categories)
    elif isinstance(series.dtype, nw.Categorical) and series.implementation.is_pandas_like():
        declared = series.to_native().cat.categories.tolist()
    else:  # polars numbers the levels of an undeclared category as they come, which is no order
        declared = sorted(there)
    return [level for level in declared if level in there]

"""The rows of a table of any kind along some of its columns, the others held still."""

from collections.abc import Mapping, Sequence
from typing import Any

import narwhals as nw
import numpy as np
from jaxtyping import Float

from credo.errors import InputError

__all__ = ["along", "named_table", "numeric_column", "position_of"]


def named_table(X: Any) -> tuple[Any, list[str]]:
    """A frame in the words of narwhals, or a matrix; and the names of its columns, those of a matrix by their place.

    >>> named_table([[1.0, 2.0]])[1]
    ['column 0', 'column 1']
    """
    frame = nw.from_native(X, eager_only=True, pass_through=True)
    if isinstance(frame, nw.DataFrame):
        return frame, frame.columns
    matrix = np.asarray(X)
    if matrix.ndim != 2 or matrix.shape[1] == 0:
        raise InputError("plot", f"X has shape {matrix.shape}", "X is rows by columns", "Try X.reshape(-1, 1)")
    return matrix, [f"column {i}" for i in range(matrix.shape[1])]


def position_of(column: int | str, names: Sequence[str]) -> int:
    """Where a column stands that is named, or counted from 0, or from the end as -1."""
    if isinstance(column, str) and column in names:
        return list(names).index(column)
    if isinstance(column, int) and -len(names) <= column < len(names):
        return column % len(names)
    raise InputError("plot", f"column={column!r} is not in X", "", f"Its columns are: {', '.join(names[:20])}")


def numeric_column(table: Any, at: int, names: Sequence[str]) -> Float[np.ndarray, " n"]:
    """The numbers of one column, all of them finite."""
    column = table[names[at]].to_numpy() if isinstance(table, nw.DataFrame) else table[:, at]
    try:
        values = np.asarray(column, dtype=np.float64)
    except (TypeError, ValueError) as error:
        what = f"{names[at]!r} is not numeric"
        raise InputError("plot", what, "The picture runs along numbers", "Name another column") from error
    if values.size == 0 or not np.all(np.isfinite(values)):
        raise InputError("plot", f"{names[at]!r} is empty or not finite", "", "Drop those rows first")
    return values


def along(table: Any, moved: Mapping[int, Float[np.ndarray, " k"]]) -> Any:
    """Rows with these values in some columns, in the kind of table that was given.

    The other columns stand at their median where they are numbers, else at their most frequent value.

    >>> along(np.array([[1.0, 5.0], [3.0, 7.0]]), {0: np.array([0.0, 9.0])}).tolist()
    [[0.0, 6.0], [9.0, 6.0]]
    """
    count = len(next(iter(moved.values())))
    if not isinstance(table, nw.DataFrame):
        rows = np.tile(np.median(np.asarray(table, dtype=np.float64), axis=0), (count, 1))
        for at, values in moved.items():
            rows[:, at] = values
        return rows
    columns: dict[str, Any] = {}
    for i, name in enumerate(table.columns):
        series = table[name]
        still = series.median() if series.dtype.is_numeric() else series.mode(keep="all").to_list()[0]
        columns[name] = moved.get(i, [still] * count)
    return nw.from_dict(columns, backend=nw.get_native_namespace(table)).to_native()

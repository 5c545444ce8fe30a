"""The rows of a table of any kind along some of its columns, the others held still."""

from collections.abc import Mapping
from typing import Any

import numpy as np
from jaxtyping import Float

from credo.errors import InputError
from credo.validate.columns import Table, as_table

__all__ = ["along", "numeric_column"]


def numeric_column(table: Table, column: Any) -> tuple[int, Float[np.ndarray, " n"]]:
    """Where a column stands that is named or counted, and its numbers, all of them finite."""
    at = table.position(column, "plot")
    values, name = table.numbers(at), table.names[at]
    if values is None:
        raise InputError(
            "plot", f"{name!r} is not numeric", "The picture runs along numbers", "Name another with column="
        )
    if values.size == 0 or not np.all(np.isfinite(values)):
        raise InputError("plot", f"{name!r} is empty or not finite", "", "Drop those rows first")
    return at, values


def along(table: Table, moved: Mapping[int, Float[np.ndarray, " k"]]) -> Any:
    """Rows with these values in some columns, in the kind of table that was given.

    The other columns stand at their median where they are numbers, else at their most frequent value.

    >>> along(as_table(np.array([[1.0, 5.0], [3.0, 7.0]]), "me"), {0: np.array([0.0, 9.0])}).tolist()
    [[0.0, 6.0], [9.0, 6.0]]
    """
    count = len(next(iter(moved.values())))
    rows = table.some(np.zeros(count, dtype=int))
    for at in range(len(table.names)):
        values = moved[at] if at in moved else _still(table, at, count)
        rows = as_table(rows.replaced(at, values), "plot")
    return rows.native


def _still(table: Table, at: int, count: int) -> Any:
    column, numbers = table.column(at), table.numbers(at)
    words = np.asarray(column.to_numpy() if hasattr(column, "to_numpy") else column)
    if numbers is not None and words.dtype.kind != "b":
        return np.full(count, np.nanmedian(numbers))
    first, times = np.unique(words.astype(str), return_index=True, return_counts=True)[1:]
    return column[np.full(count, first[np.argmax(times)])]

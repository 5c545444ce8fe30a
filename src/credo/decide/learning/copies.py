"""Rows that are copies of others: whoever has learnt from one knows the other, and says nothing by being right there.

Of columns with few values rows are equal because that is how the table is, and are learnt as often as they come. A
copy has values that no other row has: a number with many digits that is found twice, and each time with all the rest.
"""

from typing import Any

import numpy as np
from jaxtyping import Bool, Int

__all__ = ["copies_of"]

_MANY = 0.3  # different values, of the rows: a column whose values tell rows apart
_DIFFERENT = 0.25  # of the rows: where fewer are, equal ones are how the table is


def copies_of(frame: Any, y: np.ndarray) -> Bool[np.ndarray, " n"]:
    """Whether each row of a frame of Polars, with its target, is a copy of an earlier one.

    Equal rows are copies where a value of theirs is in no other row, in a column of many values or in two columns.

    >>> import polars as pl
    >>> t = [0.5, 1.5, 1.5, 2.5, 3.5, 4.5, 4.5, 5.5]
    >>> np.flatnonzero(copies_of(pl.DataFrame({"t": t}), np.array(t) ** 2)).tolist()
    [2, 6]
    >>> int(np.sum(copies_of(pl.DataFrame({"lot": ["a", "b"] * 6}), np.repeat([1.0, 2.0], 6))))
    0
    """
    n = len(y)
    codes = np.stack([*(_codes(frame[:, j].to_list()) for j in range(frame.width)), _codes(y.tolist())], axis=1)
    _, first, group = np.unique(codes, axis=0, return_index=True, return_inverse=True)
    group = group.reshape(-1)
    if len(first) == n or len(first) < _DIFFERENT * n:
        return np.zeros(n, dtype=bool)
    times = np.bincount(group)[group]
    own = np.stack([np.bincount(column)[column] == times for column in codes.T], axis=1)
    many = np.max(codes, axis=0) + 1 >= _MANY * n
    told = np.any(own & many, axis=1) | (np.sum(own, axis=1) >= 2)
    return told & (np.arange(n) != first[group])


def _codes(values: list[Any]) -> Int[np.ndarray, " n"]:
    seen: dict[Any, int] = {}
    return np.array([seen.setdefault(value, len(seen)) for value in values])

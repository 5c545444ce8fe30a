"""Padding and merging of rows: both speak in weights, and there is no second mask.

A padded row is a row of weight zero, so an engine that takes weights needs to know nothing of padding. Padding
happens once, between estimator and engine, and gives arrays one of few lengths: engines compile once for each
length.
"""

from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from credo.errors import InputError

__all__ = ["Merged", "bucket", "filled", "merge_rows", "pad", "trim"]

_SMALLEST = 16
_LEADING = 8  # columns that are looked at before all of them


def bucket(n: int) -> int:
    """The padded length for n rows: a power of two up to 128, at most a quarter apart to 1024, an eighth above.

    >>> [bucket(n) for n in (3, 30, 129, 500, 1000, 1025)]
    [16, 32, 160, 512, 1024, 1152]
    """
    if n < 1:
        raise InputError("bucket", f"{n} rows", "The table is empty", "Pass at least one row")
    octave = 1 << (n - 1).bit_length()  # the power of two that holds n
    if octave <= 128:
        return max(octave, _SMALLEST)
    parts = 4 if octave <= 1024 else 8
    step = octave // 2 // parts
    return -(-n // step) * step


def pad(*arrays: Any, weights: Any = None, rows: int | None = None) -> tuple[np.ndarray, ...]:
    """The arrays and then the weights, lengthened along axis 0 with zeros to `rows` (default: their bucket).

    Weights that are left out are ones. Zeros, not NaN: an engine may compute with a padded row, it only counts it
    nothing.

    >>> X, w = pad(np.ones((3, 2)))
    >>> X.shape, float(w.sum())
    ((16, 2), 3.0)
    """
    columns = [a if sparse.issparse(a) else np.asarray(a) for a in arrays]
    n = _rows("pad", columns if weights is None else [*columns, np.asarray(weights)])
    weight = np.ones(n) if weights is None else np.asarray(weights, dtype=np.float64)
    length = bucket(n) if rows is None else rows
    if length < n:
        raise InputError("pad", f"rows={rows} is below the {n} rows given", "", "Leave rows out")
    widths = [[(0, length - n)] + [(0, 0)] * (a.ndim - 1) for a in (*columns, weight)]
    return tuple(np.pad(a, width) for a, width in zip((*columns, weight), widths, strict=True))


def filled(X: Any) -> Any:
    """Rows up to the next padded length, each the last one again: where zero may be no point of a kernel.

    Sparse rows stay sparse.

    >>> float(filled(np.array([[1.0], [2.0]])).sum())
    31.0
    """
    rows = X.shape[0]
    if not isinstance(X, np.ndarray):
        return X[np.minimum(np.arange(bucket(rows)), rows - 1)]
    return np.pad(X, [(0, bucket(rows) - rows), *[(0, 0)] * (X.ndim - 1)], mode="edge")


def trim(rows: int, *arrays: Any) -> tuple[Any, ...]:
    """The first `rows` rows of each array: what is stored after padded work."""
    short = [len(a) for a in arrays if len(a) < rows]
    if short:
        raise InputError("trim", f"{rows} rows were asked of {short[0]}", "The array is not a padded one", "")
    return tuple(a[:rows] for a in arrays)


class Merged(NamedTuple):
    """Distinct rows in lexicographic order, their summed weights, and where each given row went (−1: weight zero)."""

    arrays: tuple[Any, ...]
    weights: np.ndarray
    inverse: np.ndarray


def merge_rows(*arrays: Any, weights: Any = None) -> Merged:
    """Drop rows of weight zero, merge equal rows by adding their weights, order what is left canonically.

    A row is what stands at one index in all `arrays` together (X, y, an offset…). After this a row twice and a row
    of weight 2, or the rows in another order, are the same input to the last bit, so an iterative fit cannot tell
    them apart. O(n log n). Sparse rows have an order of their own, and stay sparse.

    >>> (X, y), w, _ = merge_rows(np.array([[2.0], [1.0], [2.0]]), np.array([0.0, 5.0, 0.0]))
    >>> X.ravel().tolist(), y.tolist(), w.tolist()
    ([1.0, 2.0], [5.0, 0.0], [1.0, 2.0])
    """
    columns = [a if sparse.issparse(a) else np.asarray(a) for a in arrays]
    if not columns:
        raise InputError("merge_rows", "no array was given", "", "Try merge_rows(X, y, weights=w)")
    n = _rows("merge_rows", columns if weights is None else [*columns, np.asarray(weights)])
    weight = np.ones(n) if weights is None else _checked_weights(weights)
    kept = np.flatnonzero(weight)
    order, first = _ordered([_as_keys(a) for a in columns], kept, weight[kept])
    starts = np.flatnonzero(first)
    inverse = np.full(n, -1)
    inverse[kept[order]] = np.cumsum(first) - 1
    rows = kept[order][starts]
    return Merged(tuple(_plain_zero(a[rows]) for a in columns), np.add.reduceat(weight[kept[order]], starts), inverse)


def _ordered(keys: list[np.ndarray], kept: np.ndarray, weight: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The order of the kept rows, and which of them, so ordered, differ from the one before.

    Few leading columns mostly tell all rows apart, and then the others do not matter: a table has thousands of columns.
    """
    for most in (_LEADING, None):
        table = np.concatenate([key[kept, :most] for key in keys[: 1 if most else None]], axis=1)
        # Equal rows lie together, and in one group by weight, so that even the rounding of their sum is canonical.
        order = np.lexsort((weight, *table.T[::-1]))
        table = table[order]
        same = np.all((table[1:] == table[:-1]) | (np.isnan(table[1:]) & np.isnan(table[:-1])), axis=1)
        if not np.any(same):
            break
    return order, np.concatenate([[True], ~same])


def _rows(who: str, arrays: list[Any]) -> int:
    lengths = {a.shape[0] if a.ndim else 0 for a in arrays}
    if len(lengths) != 1 or 0 in lengths:
        shapes = ", ".join(str(a.shape) for a in arrays)
        raise InputError(
            who,
            f"the arrays have shapes {shapes}",
            "They are empty or of different lengths",
            "Pass one entry for each row",
        )
    return lengths.pop()


def _checked_weights(weights: Any) -> np.ndarray:
    weight = np.asarray(weights, dtype=np.float64)
    if weight.ndim != 1 or not np.all(np.isfinite(weight)) or np.any(weight < 0) or not np.any(weight):
        raise InputError(
            "merge_rows",
            f"the weights have shape {weight.shape} and range from {weight.min():g} to {weight.max():g}",
            "A weight counts how often a row was seen: a finite number, zero or more, and not all zero",
            "Try weights=np.ones(n)",
        )
    return weight


def _as_keys(array: Any) -> np.ndarray:
    if sparse.issparse(array):
        return _sparse_keys(array)
    if array.dtype.kind not in "biuf":
        raise InputError(
            "merge_rows",
            f"an array has dtype {array.dtype}",
            "Text or objects were passed",
            "Encode categories as numbers",
        )
    return array.reshape(array.shape[0], -1).astype(np.float64, copy=False)


def _sparse_keys(array: sparse.sparray) -> np.ndarray:
    """A number for each row, the same for equal rows only: its place among the rows as strings of bytes."""
    rows = sparse.csr_array(array, copy=True)
    rows.sum_duplicates()
    rows.eliminate_zeros()
    bounds = pairwise(rows.indptr.tolist())
    texts = [rows.indices[start:end].tobytes() + rows.data[start:end].tobytes() for start, end in bounds]
    ranks = {text: rank for rank, text in enumerate(sorted(set(texts)))}
    return np.array([[float(ranks[text])] for text in texts])


def _plain_zero(array: Any) -> Any:
    """−0 equals 0, so it must not survive as another bit pattern."""
    return array + 0.0 if array.dtype.kind == "f" and not sparse.issparse(array) else array

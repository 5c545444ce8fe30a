"""The columns of a table of any kind: their names, their numbers, and the table with one of them replaced.

A question about one column must leave all others as they came: text for a pipeline that encodes it, zeros for an
estimator of sparse rows, the frame for one that looks at names. Frames are read through narwhals (pandas, polars,
pyarrow), sparse tables through SciPy; everything else is a NumPy array.
"""

from abc import ABC, abstractmethod
from typing import Any

import numpy as np
from jaxtyping import Float, Int
from scipy import sparse
from sklearn.utils import _safe_indexing

from credo.errors import InputError
from credo.infer.testing import names_of

__all__ = ["Table", "as_table"]


class Table(ABC):
    """Rows and named columns. `native` is the table in its own kind, which estimators take and rows are picked from."""

    native: Any
    names: tuple[str, ...]

    @abstractmethod
    def column(self, at: int) -> Any:
        """One column, as it is: an array, or a series of narwhals."""

    @abstractmethod
    def replaced(self, at: int, values: Any) -> Any:
        """A table of the same kind with another column in the place of one, numbers or what `column` returns.

        O(n d) for an array, O(n + nonzeros) for a sparse table, O(n) for a frame.
        """

    def numbers(self, at: int) -> Float[np.ndarray, " n"] | None:
        """A column as numbers, missing ones NaN; None where it is text, a category or a time."""
        return _as_numbers(self.column(at))

    def shuffled(self, at: int, order: Int[np.ndarray, " n"]) -> Any:
        """A table of the same kind, in which one column comes in another order of the rows."""
        return self.replaced(at, self.column(at)[order])

    def some(self, rows: Int[np.ndarray, " m"]) -> "Table":
        """Some of the rows."""
        return as_table(_safe_indexing(self.native, rows), "Table")

    def position(self, column: Any, who: str) -> int:
        """Where a column stands that is named, or counted from 0, or from the end as -1."""
        d = len(self.names)
        if isinstance(column, str) and column in self.names:
            return self.names.index(column)
        if isinstance(column, int | np.integer) and -d <= column < d:
            return int(column) % d
        known = ", ".join(self.names[:20]) + (", …" if d > 20 else "")
        cause = "The name is misspelt" if isinstance(column, str) else f"Positions are 0 to {d - 1}"
        raise InputError(who, f"no column {column!r}", cause, f"Columns are: {known}")


class _Matrix(Table):
    """A NumPy array, of numbers or of objects."""

    def __init__(self, values: np.ndarray) -> None:
        self.native = values
        self.names = names_of(None, values.shape[1], intercept=False)

    def column(self, at: int) -> np.ndarray:
        return self.native[:, at]

    def replaced(self, at: int, values: Any) -> np.ndarray:
        # Halves in a table of whole numbers are not to be cut off.
        table = self.native.astype(np.result_type(self.native, values))
        table[:, at] = values
        return table


class _Sparse(Table):
    """A sparse array or matrix of SciPy, given back in its format."""

    def __init__(self, values: Any) -> None:
        self.native = values
        self.names = names_of(None, values.shape[1], intercept=False)
        self._by_column = values.tocsc()

    def column(self, at: int) -> np.ndarray:
        return np.asarray(self._by_column[:, [at]].toarray()).reshape(-1)

    def replaced(self, at: int, values: Any) -> Any:
        kind = sparse.csc_array if isinstance(self.native, sparse.sparray) else sparse.csc_matrix
        parts = [self._by_column[:, :at], kind(np.asarray(values)[:, None]), self._by_column[:, at + 1 :]]
        return sparse.hstack(parts, format=self.native.format)


class _Frame(Table):
    """A frame in the words of narwhals, given back as the library's own."""

    def __init__(self, frame: Any) -> None:
        self._frame = frame
        self.native = frame.to_native()
        self.names = tuple(str(name) for name in frame.columns)

    def column(self, at: int) -> Any:
        return self._frame[:, at]

    def numbers(self, at: int) -> Float[np.ndarray, " n"] | None:
        import narwhals as nw

        series = self.column(at)
        # A category may be coded by numbers, which pandas would hand out as such.
        return None if isinstance(series.dtype, nw.Categorical | nw.Enum) else _as_numbers(series.to_numpy())

    def replaced(self, at: int, values: Any) -> Any:
        import narwhals as nw

        if not isinstance(values, nw.Series):
            values = nw.new_series("", np.asarray(values), backend=self._frame.implementation)
        return self._frame.with_columns(values.alias(self._frame.columns[at])).to_native()


def as_table(X: Any, who: str) -> Table:
    """The columns of an array, a list of rows, a frame of pandas, polars or pyarrow, or a sparse table of SciPy.

    >>> table = as_table(np.array([[1, 2], [3, 4]]), "me")
    >>> table.names, table.replaced(1, np.array([0.5, 1.5])).tolist()
    (('x0', 'x1'), [[1.0, 0.5], [3.0, 1.5]])
    """
    import narwhals as nw
    from narwhals.exceptions import DuplicateError

    if sparse.issparse(X) and X.ndim == 2:
        return _Sparse(X if X.format in ("csr", "csc", "lil", "dok") else X.tocsr())
    try:
        frame = nw.from_native(X, eager_only=True, pass_through=True)
        if isinstance(frame, nw.DataFrame) and frame.columns:  # pandas finds out here that names are not unique
            return _Frame(frame)
    except DuplicateError as error:
        raise InputError(who, "two columns of X have one name", "Tables were joined", "Rename one") from error
    return _Matrix(_as_matrix(X, who))


def _as_matrix(X: Any, who: str) -> np.ndarray:
    try:
        values = np.asarray(X)
        if values.dtype.kind in "US" and not isinstance(X, np.ndarray):
            values = np.array(X, dtype=object)  # rows of text and numbers, which are not to become text
    except ValueError as error:
        raise InputError(who, "rows of X differ in length", "A value is missing in one", "Fill it in") from error
    if values.ndim != 2 or values.shape[1] == 0:
        what = f"X is a {type(X).__name__} of shape {values.shape}"
        raise InputError(who, what, "It is a table of rows and columns", "Try X.reshape(-1, 1) if it is one column")
    return values


def _as_numbers(column: np.ndarray) -> Float[np.ndarray, " n"] | None:
    """Numbers as they are, objects if they are numbers, and neither text that looks like them nor times."""
    if column.dtype.kind == "O":
        column = np.asarray(column.tolist())
    if column.dtype.kind not in "biufO":
        return None
    try:
        return np.asarray(column, dtype=np.float64)
    except (TypeError, ValueError):
        return None

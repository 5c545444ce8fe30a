"""A table as rows of numbers: a scikit-learn transformer that keeps names and treats each column by its scale."""

from collections.abc import Iterator, Mapping
from typing import Any, Self

import numpy as np
from jaxtyping import Bool, Float
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from credo.errors import InputError
from credo.represent.table.blocks import Block, block_of
from credo.represent.table.column import Column
from credo.represent.table.moments import MomentForm
from credo.represent.table.native import polars_frame
from credo.represent.table.said import known_column
from credo.represent.table.scales import Scale
from credo.represent.table.table import Table
from credo.represent.table.texts import NumberForm

__all__ = ["TableEncoder"]


class TableEncoder(TransformerMixin, BaseEstimator):
    """Columns of a frame as numbers: names as zeros and ones, orders by place, numbers centered and scaled (over a wide
    range in logarithms), moments also as points on circles.

    What is learnt (levels, means, middle values) is learnt from the rows of `fit` alone, so that in a pipeline it stays
    inside the cross-validation. Missing values get a column that says so and the middle value; a level that fit has not
    seen is none of those it has. `unknown` says which rows have a gap or a level that fit knew nothing of.

    Parameters
    ----------
    scales : mapping of names to scales or lists of levels
        As for [](#credo.represent.Table); columns that are not named are guessed from the rows of `fit`.

    Examples
    --------
    >>> import polars as pl
    >>> frame = pl.DataFrame({"t": [20.5, 80.0, -3.0], "lot": ["a", "b", "a"]})
    >>> encoder = TableEncoder().fit(frame)
    >>> encoder.get_feature_names_out().tolist()
    ['t', 'lot=a', 'lot=b']
    >>> encoder.transform(frame)[:, 1:].tolist()
    [[1.0, 0.0], [0.0, 1.0], [1.0, 0.0]]
    """

    scales_: dict[str, Scale]
    forms_: dict[str, NumberForm | MomentForm]
    blocks_: list[Block]

    def __init__(self, *, scales: Mapping[str, Any] | None = None) -> None:
        self.scales = scales

    def fit(self, X: Any, y: Any = None) -> Self:
        """Learn what each column is made of."""
        table = self._read(X)
        blocks = [block_of(column) for column in table.columns.values()]
        if not blocks:
            raise InputError("TableEncoder", "the frame has no columns", "", "Pass some")
        self.scales_ = {name: column.scale for name, column in table.columns.items()}
        self.forms_ = {name: column.form for name, column in table.columns.items() if column.form is not None}
        self.blocks_ = blocks
        self.feature_names_in_ = np.asarray(list(table), dtype=object)
        self.n_features_in_ = len(blocks)
        return self

    def _read(self, X: Any) -> Table:
        if isinstance(X, Table):
            return X.with_scales(self.scales) if self.scales else X
        return Table.from_frame(X, scales=self.scales)

    def transform(self, X: Any) -> Float[np.ndarray, "n k"]:
        """The numbers of rows with the same columns."""
        return np.concatenate([block.encode(column) for block, column in self._as_learnt(X)], axis=1)

    def unknown(self, X: Any) -> Bool[np.ndarray, " n"]:
        """Rows with a value that fit has not seen the like of: a level it does not know, a gap in a column that had
        none, zero where all were so far above it that their logarithms were taken.

        `transform` makes something of them all the same (no level, the middle value), and what is predicted there
        does not know that it was made up.

        >>> import polars as pl
        >>> encoder = TableEncoder().fit(pl.DataFrame({"t": [20.5, 80.0, -3.0], "lot": ["a", "b", "a"]}))
        >>> encoder.unknown(pl.DataFrame({"t": [5.0, 5.0, None], "lot": ["b", "c", "a"]})).tolist()
        [False, True, True]
        """
        return np.any([block.unknown(column) for block, column in self._as_learnt(X)], axis=0)

    def transform_with_unknown(self, X: Any) -> tuple[Float[np.ndarray, "n k"], Bool[np.ndarray, " n"]]:
        """What `transform` and `unknown` say, from one reading of the rows."""
        columns = list(self._as_learnt(X))
        numbers = np.concatenate([block.encode(column) for block, column in columns], axis=1)
        return numbers, np.any([block.unknown(column) for block, column in columns], axis=0)

    def _as_learnt(self, X: Any) -> Iterator[tuple[Block, Column]]:
        """The columns of new rows, each under the scale that fit knew it by."""
        check_is_fitted(self)
        table = X.frame if isinstance(X, Table) else polars_frame(X, "TableEncoder")
        absent = [name for name in self.scales_ if name not in table.columns]
        if absent:
            known = ", ".join(map(repr, table.columns[:20]))
            raise InputError("TableEncoder", f"there is no column {absent[0]!r}", f"There are {known}", "Add it")
        forms = getattr(self, "forms_", {})  # models of older files have none
        for block in self.blocks_:
            levels, form = getattr(block, "levels", ()), forms.get(block.name)
            yield block, known_column(block.name, table[block.name], self.scales_[block.name], levels, form)

    def get_feature_names_out(self, input_features: Any = None) -> np.ndarray:
        """A name for each number."""
        check_is_fitted(self)
        return np.asarray([name for block in self.blocks_ for name in block.names()], dtype=object)

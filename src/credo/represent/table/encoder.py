"""A table as rows of numbers: a scikit-learn transformer that keeps names and treats each column by its scale."""

from collections.abc import Mapping
from typing import Any, Self

import numpy as np
from jaxtyping import Float
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from credo.errors import InputError
from credo.represent.frame import as_frame
from credo.represent.table.blocks import Block, block_of
from credo.represent.table.column import Column
from credo.represent.table.guess import known_column
from credo.represent.table.scales import Scale
from credo.represent.table.table import Table

__all__ = ["TableEncoder"]


class TableEncoder(TransformerMixin, BaseEstimator):
    """Columns of a frame as numbers: names as zeros and ones, orders by place, numbers centered and scaled (over a wide
    range in logarithms), moments also as points on circles.

    What is learnt (levels, means, middle values) is learnt from the rows of `fit` alone, so that in a pipeline it stays
    inside the cross-validation. Missing values get a column that says so and the middle value; a level that fit has not
    seen is none of those it has.

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
    blocks_: list[Block]

    def __init__(self, *, scales: Mapping[str, Any] | None = None) -> None:
        self.scales = scales

    def fit(self, X: Any, y: Any = None) -> Self:
        """Learn what each column is made of."""
        table = X if isinstance(X, Table) else Table.from_frame(X, scales=self.scales)
        blocks = [block_of(column) for column in table.columns.values()]
        if not blocks:
            raise InputError("TableEncoder", "the frame has no columns", "", "Pass some")
        self.scales_ = {name: column.scale for name, column in table.columns.items()}
        self.blocks_ = blocks
        self.feature_names_in_ = np.asarray(list(table), dtype=object)
        self.n_features_in_ = len(blocks)
        return self

    def transform(self, X: Any) -> Float[np.ndarray, "n k"]:
        """The numbers of rows with the same columns."""
        check_is_fitted(self)
        table = (
            X.frame
            if isinstance(X, Table)
            else as_frame(X, "TableEncoder", cause="A table has named columns").to_polars()
        )
        absent = [name for name in self.scales_ if name not in table.columns]
        if absent:
            known = ", ".join(map(repr, table.columns[:20]))
            raise InputError("TableEncoder", f"there is no column {absent[0]!r}", f"There are {known}", "Add it")
        parts = [block.encode(self._as_learnt(block, table[block.name])) for block in self.blocks_]
        return np.concatenate(parts, axis=1)

    def _as_learnt(self, block: Block, series: Any) -> Column:
        """A new column under the scale that fit knew it by."""
        return known_column(block.name, series, self.scales_[block.name], getattr(block, "levels", ()))

    def get_feature_names_out(self, input_features: Any = None) -> np.ndarray:
        """A name for each number."""
        check_is_fitted(self)
        return np.asarray([name for block in self.blocks_ for name in block.names()], dtype=object)

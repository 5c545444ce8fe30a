"""The design of a linear predictor: columns, an intercept that takes no copy of them, an offset. Dense or sparse."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse

from credo.numerics.semidefinite import row_forms

__all__ = ["LinearDesign", "weighted_gram"]

_BLOCK = 2**18  # numbers of a block of rows: one that stays in the cache while it is scaled and multiplied
_NARROW = 16  # columns, that fewer count as: each row has a few numbers of its own


@dataclass(frozen=True)
class LinearDesign:
    """Rows X (n × d), whether a column of ones stands in front of them, and a known part of the predictor."""

    X: Any
    intercept: bool
    offset: np.ndarray

    @property
    def columns(self) -> int:
        """Coefficients, the intercept included."""
        return self.X.shape[1] + self.intercept

    def predictor(self, beta: np.ndarray) -> np.ndarray:
        """offset + Xβ. O(n d)."""
        eta = self.X @ beta[int(self.intercept) :] + self.offset
        return eta + beta[0] if self.intercept else eta

    def against(self, r: np.ndarray) -> np.ndarray:
        """X' r. O(n d)."""
        slopes = self.X.T @ r
        return np.concatenate([[np.sum(r)], slopes]) if self.intercept else slopes

    def predictors(self, beta: np.ndarray) -> np.ndarray:
        """Several predictors, one a column of β. O(n d K)."""
        eta = self.X @ beta[int(self.intercept) :]
        eta += self.offset[:, None] if np.any(self.offset) else 0.0
        return eta + beta[0] if self.intercept else eta

    def against_all(self, r: np.ndarray) -> np.ndarray:
        """X' r, one column a predictor. O(n d K)."""
        slopes = self.X.T @ r
        return np.concatenate([np.sum(r, axis=0)[None], slopes]) if self.intercept else slopes

    def gram(self, w: np.ndarray) -> np.ndarray:
        """X' diag(w) X for non-negative w. O(n d²)."""
        inner = weighted_gram(self.X, w)
        if not self.intercept:
            return inner
        border = self.X.T @ w
        return np.block([[np.array([[np.sum(w)]]), border[None]], [border[:, None], inner]])

    def penalties(self, ridge: float | np.ndarray) -> np.ndarray:
        """A penalty on each slope, and none on the intercept."""
        slopes = np.broadcast_to(np.asarray(ridge, dtype=np.float64), (self.X.shape[1],))
        return np.concatenate([np.zeros(int(self.intercept)), slopes])

    def variances(self, w: np.ndarray) -> np.ndarray:
        """Of the columns, about their mean where there is an intercept; one where a column does not vary."""
        total = np.sum(w)
        second = (self.X.multiply(self.X) if sparse.issparse(self.X) else np.square(self.X)).T @ w / total
        variance = second - (self.X.T @ w / total) ** 2 if self.intercept else second
        return np.where(variance > 1e-12 * second, variance, 1.0)

    def rows(self, chosen: np.ndarray | slice) -> "LinearDesign":
        """Some of the rows."""
        return LinearDesign(self.X[chosen], self.intercept, self.offset[chosen])

    def whole(self) -> Any:
        """All columns as one array, sparse where X is."""
        if not self.intercept:
            return self.X
        ones = np.ones((self.X.shape[0], 1))
        return sparse.csr_array(sparse.hstack([ones, self.X])) if sparse.issparse(self.X) else np.hstack([ones, self.X])

    def blocks(self) -> list[slice]:
        """All rows, so many at a time as stay in the cache; sparse ones at once."""
        rows, columns = self.X.shape
        step = rows if sparse.issparse(self.X) else max(1, _BLOCK // max(columns, _NARROW))
        return [slice(start, start + step) for start in range(0, rows, step)]

    def dense_parts(self) -> Iterator[np.ndarray]:
        """All columns, dense: at once where X is dense, else a block of rows after the other."""
        whole, step = self.whole(), max(1, _BLOCK // max(1, self.columns))
        if not sparse.issparse(whole):
            yield whole
            return
        for start in range(0, whole.shape[0], step):
            yield whole[start : start + step].toarray()

    def forms(self, matrix: np.ndarray) -> np.ndarray:
        """x'Mx of each row. O(n d²)."""
        return np.concatenate([row_forms(part, matrix) for part in self.dense_parts()])


def weighted_gram(X: Any, w: np.ndarray) -> np.ndarray:
    """X' diag(w) X, a block of rows at a time, so that no scaled copy of X is written to memory."""
    if sparse.issparse(X):
        return np.asarray((X.T @ X.multiply(w[:, None])).toarray())
    root = np.sqrt(w)
    step = max(1, _BLOCK // max(1, X.shape[1]))
    gram = np.zeros((X.shape[1], X.shape[1]))
    scaled = np.empty((min(step, len(X)), X.shape[1]))
    for start in range(0, len(X), step):
        part = X[start : start + step]
        block = np.multiply(part, root[start : start + step, None], out=scaled[: len(part)])
        gram += block.T @ block
    return gram

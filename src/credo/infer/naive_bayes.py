r"""Naive Bayes: columns that are independent given the class, each normal, 0 or 1, or a share of counts.

Log densities of columns add: $\log P(k \mid x) = \log\pi_k + \sum_j\log p(x_j \mid k)$ up to a constant of the row
(Hastie, Tibshirani & Friedman 2009, eq. 6.26). Probabilities are the means of conjugate posteriors, Beta or Dirichlet,
whose prior counts are the smoothing. A fit costs O(n d), and so do scores, a class.
"""

from typing import NamedTuple, TypeAlias

import numpy as np
from jaxtyping import Bool, Float, Int
from scipy import sparse

from credo.errors import InputError
from credo.infer.discriminant import class_means
from credo.numerics.scalar import LOG_2PI

__all__ = [
    "BinaryColumns",
    "CountColumns",
    "NormalColumns",
    "binary_columns",
    "count_columns",
    "normal_columns",
]

Rows: TypeAlias = Float[np.ndarray, "n d"] | sparse.csr_array


class NormalColumns(NamedTuple):
    r"""$x_j \mid k \sim \mathcal N(\mu_{kj}, v_{kj})$, the smoothing included in v; constant columns say nothing."""

    means: Float[np.ndarray, "k d"]
    variances: Float[np.ndarray, "k d"]
    varying: Bool[np.ndarray, " d"]
    smoothed: int  # variances that are zero but for the smoothing

    def scores(self, X: Float[np.ndarray, "n d"]) -> Float[np.ndarray, "n k"]:
        """The log density of each class at each row, of the columns that vary."""
        rows, means, variances = X[:, self.varying], self.means[:, self.varying], self.variances[:, self.varying]
        squares = [np.sum((rows - m) ** 2 / v, axis=1) for m, v in zip(means, variances, strict=True)]
        return -0.5 * (np.stack(squares, axis=1) + np.sum(np.log(variances) + LOG_2PI, axis=1))


class BinaryColumns(NamedTuple):
    r"""$P(x_j = 1 \mid k) = (n_{kj} + a)/(n_k + 2a)$, the mean of Beta(a + ones, a + zeros), by its logarithms.

    Columns have posteriors of their own, so these are the predictive probabilities of a whole row too.
    """

    log_one: Float[np.ndarray, "k d"]
    log_zero: Float[np.ndarray, "k d"]

    def scores(self, X: Rows) -> Float[np.ndarray, "n k"]:
        """The log probability of each row of zeros and ones under each class."""
        return X @ (self.log_one - self.log_zero).T + np.sum(self.log_zero, axis=1)


class CountColumns(NamedTuple):
    r"""$\theta_{kj} = (N_{kj} + a)/(N_k + da)$, the mean of Dirichlet(a + counts), by its logarithms."""

    log_shares: Float[np.ndarray, "k d"]

    def scores(self, X: Rows) -> Float[np.ndarray, "n k"]:
        """The log probability of each row of counts under each class, without the number of their orders."""
        return X @ self.log_shares.T


def normal_columns(
    X: Float[np.ndarray, "n d"],
    codes: Int[np.ndarray, " n"],
    weights: Float[np.ndarray, " n"],
    classes: int,
    smoothing: float,
    who: str = "normal_columns",
) -> NormalColumns:
    """Mean and variance of each column in each class; to each variance goes `smoothing` times that of its column."""
    found = class_means(X, codes, weights, classes)
    residuals, varying = found.residuals, found.varying
    variances = (
        np.stack([weights[codes == k] @ residuals[codes == k] ** 2 for k in range(classes)]) / found.counts[:, None]
    )
    added = smoothing * np.average((X - found.center) ** 2, axis=0, weights=weights) * varying
    zero = (variances == 0.0) & varying
    k, j = np.argwhere(zero)[0] if np.any(zero) else (0, 0)
    if np.any(zero & (added == 0.0)):
        raise InputError(
            who,
            f"column {j} varies, but not inside class number {k}",
            "A normal density without variance is infinite",
            "Try var_smoothing=1e-9, or drop the column",
        )
    if not np.all(np.isfinite(variances)):
        raise InputError(who, "the variance of a column is not finite", "Its values are too large", "Scale the columns")
    return NormalColumns(found.means, variances + added, varying, int(np.sum(zero)))


def binary_columns(
    X: Rows,
    codes: Int[np.ndarray, " n"],
    weights: Float[np.ndarray, " n"],
    classes: int,
    smoothing: float,
) -> BinaryColumns:
    """Probabilities of columns of zeros and ones; `smoothing` ones and zeros are counted before any row."""
    ones = _totals(X, codes, weights, classes)
    zeros = np.maximum(np.bincount(codes, weights, classes)[:, None] - ones, 0.0)
    log_both = np.log(ones + zeros + 2.0 * smoothing)
    return BinaryColumns(np.log(ones + smoothing) - log_both, np.log(zeros + smoothing) - log_both)


def count_columns(
    X: Rows,
    codes: Int[np.ndarray, " n"],
    weights: Float[np.ndarray, " n"],
    classes: int,
    smoothing: float,
) -> CountColumns:
    """The share of each column in the counts of a class; `smoothing` of each are counted before any row."""
    totals = _totals(X, codes, weights, classes) + smoothing
    return CountColumns(np.log(totals) - np.log(np.sum(totals, axis=1, keepdims=True)))


def _totals(
    X: Rows, codes: Int[np.ndarray, " n"], weights: Float[np.ndarray, " n"], classes: int
) -> Float[np.ndarray, "k d"]:
    return np.stack([weights[codes == k] @ X[codes == k] for k in range(classes)])

r"""Standard units of the columns of a design: centered and of unit spread, so that no unit and no origin costs digits.

A fit works on $z = (x - c)/s$ and $\eta = \gamma_0 + z^\top\gamma$. The coefficients of the columns as they came are
$\beta = \gamma/s$ and $\beta_0 = \gamma_0 - c^\top\beta$. Where a column lies far from zero the difference $x - c$ is
exact in floating point, so rows to predict at keep all their digits too.
"""

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from credo.errors import InputError
from credo.infer.glm.design import LinearDesign

__all__ = ["ColumnUnits", "StandardEstimates", "standardized"]

_CONSTANT = 16.0 * np.finfo(float).eps  # of the center: a column that spreads less varies by rounding alone
_TINY = 1e-200  # a mean square below may have lost digits
_EXTREME = 1e152  # a unit whose square is nearly beyond the range of numbers


class ColumnUnits(NamedTuple):
    """Center and scale of each column, and whether the model has an intercept.

    The center is zero where nothing is subtracted, the scale one where a column does not vary.
    """

    center: np.ndarray
    scale: np.ndarray
    intercept: bool

    def of(self, X: Any) -> Any:
        """The rows in these units, sparse where X is. O(n d)."""
        if sparse.issparse(X):
            return _scaled(_shifted(sparse.csr_array(X), self.center), self.scale)
        rows = X - self.center
        rows /= self.scale
        return rows

    def ridge(self, ridge: float | np.ndarray) -> np.ndarray:
        """Penalties on squared coefficients of the columns as they came, one per slope in these units."""
        return np.asarray(ridge) / self.scale**2

    def lasso(self, lasso: float | np.ndarray) -> np.ndarray:
        """Penalties on absolute coefficients of the columns as they came, one per slope in these units."""
        return np.asarray(lasso) / self.scale

    def coefficients(self, standard: np.ndarray) -> np.ndarray:
        """Coefficients (p, or p × K) of the columns as they came."""
        slopes = (standard[int(self.intercept) :].T / self.scale).T
        return np.concatenate([standard[:1] - self.center @ slopes, slopes]) if self.intercept else slopes

    def standard(self, coefficients: np.ndarray) -> np.ndarray:
        """Coefficients in these units, from those of the columns as they came."""
        first = int(self.intercept)
        slopes = coefficients[first:]
        level = coefficients[:first] + self.center @ slopes  # nothing without an intercept
        return np.concatenate([level, slopes * self.scale])

    def covariance(self, standard: np.ndarray) -> np.ndarray:
        """The covariance of those coefficients; for K classes of p each it is Kp × Kp, class by class."""
        if not standard.size:
            return standard
        first = int(self.intercept)
        back = np.diag(np.concatenate([np.ones(first), 1.0 / self.scale]))
        back[:first, first:] = -self.center / self.scale
        blocks = standard.reshape(len(standard) // len(back), len(back), -1, len(back))
        return np.einsum("ij,ajbk,lk->aibl", back, blocks, back, optimize=True).reshape(standard.shape)


@dataclass(frozen=True)
class StandardEstimates:
    """Coefficients and their inverse information in the standard units of the columns, and these units."""

    standard_coefficients: np.ndarray
    standard_inverse: np.ndarray
    units: ColumnUnits

    @property
    def coefficients(self) -> np.ndarray:
        """The coefficients in the units of the given columns."""
        return self.units.coefficients(self.standard_coefficients)

    @property
    def inverse_information(self) -> np.ndarray:
        """The inverse information about these coefficients."""
        return self.units.covariance(self.standard_inverse)


def standardized(
    design: LinearDesign, weights: np.ndarray, *, who: str = "standardized"
) -> tuple[LinearDesign, ColumnUnits]:
    """The same model on columns in standard units, and these units. O(n d).

    Without an intercept nothing is subtracted. A sparse design stays sparse: columns without a zero entry are centered,
    and a column with one is never far from zero, in its own spread.
    """
    share = weights / np.sum(weights)
    center, rows, squares = _centered_sparse(design, share) if sparse.issparse(design.X) else _centered(design, share)
    spread = np.sqrt(squares)
    if np.any((squares < _TINY) | (squares > 1.0 / _TINY)):
        spread = _careful_spread(rows, share)
    varies = spread > _CONSTANT * np.abs(center)
    _require_range(spread, varies, who)
    units = ColumnUnits(center, np.where(varies, spread, 1.0), design.intercept)
    divisors = np.where(varies, spread, np.inf)  # what varies by rounding alone becomes zero
    if sparse.issparse(rows):
        rows = _scaled(rows, divisors)
    else:
        rows /= divisors
    return LinearDesign(rows, design.intercept, design.offset), units


def _centered(design: LinearDesign, share: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Center, centered rows and their mean squares, a block of rows at a time.

    Means are corrected once. They are then exact to rounding, so that a constant column has itself as its mean.
    """
    X, blocks = design.X, design.blocks()
    rows, center = np.empty_like(X), np.zeros(X.shape[1])
    for _ in range(2 * design.intercept):
        change = np.zeros_like(center)
        for part in blocks:
            change += share[part] @ np.subtract(X[part], center, out=rows[part])
        center = center + change
    squares = np.zeros_like(center)
    with np.errstate(over="ignore", under="ignore"):
        for part in blocks:
            squares += share[part] @ np.square(np.subtract(X[part], center, out=rows[part]))
    return center, rows, squares


def _centered_sparse(design: LinearDesign, share: np.ndarray) -> tuple[np.ndarray, sparse.csr_array, np.ndarray]:
    """The same of a sparse design, whose columns with a zero entry keep their zeros."""
    X, center = sparse.csr_array(design.X), np.zeros(design.X.shape[1])
    whole = _without_zeros(X) if design.intercept else np.zeros(0, dtype=int)
    if len(whole):
        center[whole] = _centered(LinearDesign(X[:, whole].toarray(), True, design.offset), share)[0]
    rows = _shifted(X, center)
    with np.errstate(over="ignore", under="ignore"):
        return center, rows, np.asarray(rows.multiply(rows).T @ share)


def _careful_spread(rows: Any, share: np.ndarray) -> np.ndarray:
    """Root mean squares in units of the largest entry of each column, where squares are out of range."""
    if sparse.issparse(rows):
        largest = np.asarray(abs(rows).max(axis=0).toarray()).ravel()
        unit = np.where(largest > 0.0, largest, 1.0)
        scaled = _scaled(rows, unit)
        return unit * np.sqrt(np.asarray(scaled.multiply(scaled).T @ share))
    largest = np.max(np.abs(rows), axis=0, initial=0.0)
    unit = np.where(largest > 0.0, largest, 1.0)
    return unit * np.sqrt(share @ np.square(rows / unit))


def _without_zeros(X: Any) -> np.ndarray:
    """The columns of a sparse array without a zero entry."""
    return np.flatnonzero(np.bincount(X.nonzero()[1], minlength=X.shape[1]) == X.shape[0])


def _shifted(X: sparse.csr_array, center: np.ndarray) -> sparse.csr_array:
    """X less a center, which fills the columns where that is not zero."""
    moved = np.flatnonzero(center)
    if not len(moved):
        return X
    ends = len(moved) * np.arange(X.shape[0] + 1)
    filled = np.tile(center[moved], X.shape[0]), np.tile(moved, X.shape[0]), ends
    return sparse.csr_array(X - sparse.csr_array(filled, shape=X.shape))


def _scaled(X: sparse.csr_array, scale: np.ndarray) -> sparse.csr_array:
    return sparse.csr_array((X.data / scale[X.indices], X.indices, X.indptr), shape=X.shape)


def _require_range(spread: np.ndarray, varies: np.ndarray, who: str) -> None:
    wrong = varies & ~((spread > 1.0 / _EXTREME) & (spread < _EXTREME))
    if np.any(wrong):
        column = int(np.argmax(wrong))
        raise InputError(
            who,
            f"column {column} of X has a spread of {spread[column]:.3g}",
            f"Below {1.0 / _EXTREME:g} and above {_EXTREME:g} variances of coefficients leave the range of numbers",
            "Change the unit of that column, for example by StandardScaler",
        )

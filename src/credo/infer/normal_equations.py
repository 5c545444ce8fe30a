r"""Least squares of many rows by normal equations, for designs that lose no digits by them.

$A^\top A = R^\top R$ squares the condition of the design. With centered columns in units of their length it is often
below a hundred, and then a Cholesky factor R and a correction by the residuals (Björck 1996, §6.6.5: corrected
seminormal equations) have the twelve digits of a QR factor at a fraction of its cost: four passes in blocks, and no
copy of the rows. Up to a condition of $10^4$ the columns of $AR^{-1}$ are nearly orthogonal, and the same equations for
them lose nothing (Yamamoto et al. 2015: CholeskyQR2). Everything else is left to the caller.
"""

from collections.abc import Iterator
from contextlib import nullcontext
from typing import NamedTuple

import numpy as np
from jaxtyping import Float
from scipy import linalg

from credo.numerics.threads import OneBlasThread

__all__ = ["NormalSolution", "normal_equations"]

_BLOCK = 2**14  # rows
_NARROW = 64  # columns up to which waking threads for the products of a block can cost more than the products
_CONDITION = 1e4  # of the scaled Gram matrix, up to which its Cholesky factor has twelve digits
_TRIANGLE = 1e4  # of the scaled design, up to which two Cholesky factors keep ten or more
_LEFT = 1e-7  # of the spread of the targets: below, a residual of plain sums is rounding
_LARGE = 1e140  # root of a sum of squares whose products stay finite; below its reciprocal they vanish


class NormalSolution(NamedTuple):
    """Coefficients, the intercept first, the inverse Gram matrix, residuals, and the condition of the columns."""

    coefficients: Float[np.ndarray, "p m"]
    inverse_gram: Float[np.ndarray, "p p"]
    residuals: Float[np.ndarray, "n m"]
    condition: float


class _Rows(NamedTuple):
    X: np.ndarray
    y: np.ndarray
    weights: np.ndarray
    center: np.ndarray
    level: np.ndarray

    def blocks(self) -> Iterator[tuple[slice, np.ndarray, np.ndarray | None]]:
        """Each block's place, its centered columns, and its weights where they are not all one."""
        plain = bool(np.all(self.weights == 1.0))
        for start in range(0, len(self.X), _BLOCK):
            at = slice(start, start + _BLOCK)
            yield at, self.X[at] - self.center, None if plain else self.weights[at, None]


def normal_equations(
    X: Float[np.ndarray, "n d"], y: Float[np.ndarray, "n m"], weights: Float[np.ndarray, " n"], *, intercept: bool
) -> NormalSolution | None:
    """Minimize the weighted squares, or None where digits would be lost or entries are not finite. O(n d²).

    >>> X = np.array([[0.0], [1.0], [2.0]])
    >>> normal_equations(X, np.array([[1.0], [3.0], [6.0]]), np.ones(3), intercept=True).coefficients.round(12).tolist()
    [[0.833333333333], [2.5]]
    """
    with OneBlasThread() if X.shape[1] <= _NARROW else nullcontext():
        return _solution(X, y, weights, intercept)


def _solution(X: np.ndarray, y: np.ndarray, weights: np.ndarray, intercept: bool) -> NormalSolution | None:
    total = float(np.sum(weights))
    with np.errstate(over="ignore", invalid="ignore"):
        center, level = intercept * (weights @ X) / total, intercept * (weights @ y) / total
        rows = _Rows(X, y, weights, center, level)
        gram, cross = _sums(rows)
    size = np.sqrt(np.diagonal(gram))
    if not _representable(size, cross):
        return None
    factor, condition = _factored(gram / size / size[:, None])
    if factor is None:
        return None
    slopes = _solved(factor, size, cross)
    if condition**2 <= _CONDITION:
        slopes, inverse = slopes + _solved(factor, size, _pull(rows, slopes)), _solved(factor, size, np.eye(len(size)))
    else:
        slopes, inverse, condition = _orthogonalized(rows, size, factor, slopes)
    if not condition <= _TRIANGLE:
        return None
    residuals = np.concatenate([rows.y[at] - level - block @ slopes for at, block, _ in rows.blocks()])
    moved = intercept * (weights @ residuals) / total  # what rounding of the center took from the level
    residuals -= moved
    if np.any(np.sum(residuals**2, axis=0) <= _LEFT**2 * np.sum((y - level) ** 2, axis=0)):
        return None
    found = np.concatenate([(level + moved - center @ slopes)[None], slopes]) if intercept else slopes
    inverse = _bordered(0.5 * (inverse + inverse.T), center, total) if intercept else inverse
    return NormalSolution(found, inverse, residuals, condition)


def _sums(rows: _Rows) -> tuple[np.ndarray, np.ndarray]:
    """The Gram matrix of the centered columns, and their products with the targets."""
    d = rows.X.shape[1]
    gram, cross = np.zeros((d, d)), np.zeros((d, rows.y.shape[1]))
    for at, block, w in rows.blocks():
        weighted = block if w is None else w * block
        gram += block.T @ weighted
        cross += weighted.T @ (rows.y[at] - rows.level)
    return gram, cross


def _pull(rows: _Rows, slopes: np.ndarray) -> np.ndarray:
    """What the residuals at these slopes still have in common with the columns."""
    pull = np.zeros_like(slopes)
    for at, block, w in rows.blocks():
        left = rows.y[at] - rows.level - block @ slopes
        pull += block.T @ (left if w is None else w * left)
    return pull


def _representable(size: np.ndarray, cross: np.ndarray) -> bool:
    """Whether products neither overflow nor vanish, and no column is constant."""
    within = (size > 1.0 / _LARGE) & (size < _LARGE)
    return bool(len(size)) and bool(np.all(within)) and bool(np.all(np.isfinite(cross)))


def _factored(scaled: np.ndarray) -> tuple[np.ndarray | None, float]:
    """The Cholesky factor and the condition of the columns; no factor where rounding leaves none."""
    factor, failed = linalg.lapack.dpotrf(scaled, lower=1, clean=1)
    if failed:
        return None, np.inf
    reciprocal, _ = linalg.lapack.dpocon(factor, np.linalg.norm(scaled, 1), uplo="L")
    return factor, float(1.0 / np.sqrt(max(reciprocal, np.finfo(float).tiny)))


def _orthogonalized(
    rows: _Rows, size: np.ndarray, factor: np.ndarray, slopes: np.ndarray
) -> tuple[np.ndarray, np.ndarray, float]:
    """The slopes corrected in columns that the factor makes nearly orthogonal, the inverse Gram matrix, the condition.

    One pass sums the products of those columns with each other and with the residuals at the slopes given.
    """
    turn = linalg.solve_triangular(factor, np.eye(len(size)), lower=True, check_finite=False).T / size[:, None]
    gram, pull = np.zeros_like(factor), np.zeros_like(slopes)
    for at, block, w in rows.blocks():
        turned = block @ turn
        weighted = turned if w is None else w * turned
        gram += turned.T @ weighted
        pull += weighted.T @ (rows.y[at] - rows.level - block @ slopes)
    second, failed = linalg.lapack.dpotrf(gram, lower=1, clean=1)
    if failed:
        return slopes, turn @ turn.T, np.inf
    slopes = slopes + turn @ linalg.lapack.dpotrs(second, pull, lower=1)[0]
    root = linalg.solve_triangular(second, turn.T, lower=True, check_finite=False)
    reciprocal, _ = linalg.lapack.dtrcon((factor @ second).T)
    return slopes, root.T @ root, float(1.0 / max(reciprocal, np.finfo(float).tiny))


def _solved(factor: np.ndarray, size: np.ndarray, right: np.ndarray) -> np.ndarray:
    return np.asarray(linalg.lapack.dpotrs(factor, right / size[:, None], lower=1)[0]) / size[:, None]


def _bordered(inverse: np.ndarray, center: np.ndarray, total: float) -> np.ndarray:
    """The inverse for columns that were not centered, behind a column of ones."""
    across = -inverse @ center
    corner = np.array([[1.0 / total - center @ across]])
    return np.block([[corner, across[None]], [across[:, None], inverse]])

r"""Least squares to the last digits: columns of one length, a QR factor, and refinement in extended precision.

Columns are scaled by powers of two, so that nothing is rounded. $A = QR$, and pivoting is left to the small $R$, which
shows the rank. Then the augmented system $r + A\beta = b,\ A^\top r = c$ is refined (Björck 1967; Björck 1996, §2.9.3),
with its own residuals in twice the precision: the solution is right in every digit as long as the condition of $A$ is
below $10^{15}$. With $b = 0$ and $c$ a unit vector the same system gives a column of $-(A^\top A)^{-1}$, so that
standard errors are as good as coefficients. Many rows of a well-conditioned design need none of this: ten digits
or more come from their normal equations, which are tried first.
"""

from typing import NamedTuple

import numpy as np
from jaxtyping import Float
from scipy import linalg

from credo.errors import InputError
from credo.infer.normal_equations import normal_equations
from credo.numerics.certificate import Certificate, Solution
from credo.numerics.extended import residual, transposed_product

__all__ = ["LeastSquares", "least_squares"]

_RANK = 16.0  # a pivot below this many rounding errors, times the columns, of the largest one is zero
_SWEEPS = 10
_AFFORDABLE = 2**23  # products in one sweep; beyond, what is well conditioned is left as it is
_GOOD = 1e4  # condition up to which a QR solution has twelve digits by itself


class LeastSquares(NamedTuple):
    r"""What minimizes $\sum_i w_i \lVert y_i - x_i^\top\beta\rVert^2$, and what inference needs about the design.

    ``inverse_gram`` is $(X^\top W X)^{-1}$; where the rank is below p it is the pseudo-inverse of the rows' span, and
    the coefficients are those of least norm.
    """

    coefficients: Float[np.ndarray, "p m"]
    inverse_gram: Float[np.ndarray, "p p"]
    residuals: Float[np.ndarray, "n m"]
    rank: int
    condition: float


class _Factor(NamedTuple):
    """A P = Q R, with the rows of weight and the columns' scale taken in."""

    A: np.ndarray
    Q: np.ndarray
    R: np.ndarray
    pivots: np.ndarray
    rank: int
    condition: float


def least_squares(
    X: Float[np.ndarray, "n d"],
    y: Float[np.ndarray, "n m"],
    weights: Float[np.ndarray, " n"] | None = None,
    *,
    intercept: bool = False,
    who: str = "least_squares",
) -> Solution[LeastSquares]:
    """The coefficients of least squares, of least norm where several fit alike. O(n p²).

    With an `intercept` it is the first coefficient, and no part of that norm. The certificate has the condition of the
    design (columns scaled to one length, and centered where normal equations served), the relative size of the last
    refinement as residual if rounding was not reached, and a note where the rank is below the number of columns.

    >>> X = np.array([[0.0], [1.0], [2.0]])
    >>> least_squares(X, np.array([[1.0], [3.0], [5.0]]), intercept=True).value.coefficients.ravel().tolist()
    [1.0, 2.0]
    """
    w = np.ones(len(X)) if weights is None else weights
    if not _affordable(len(X), X.shape[1] + intercept, y.shape[1]):
        quick = normal_equations(X, y, w, intercept=intercept)
        if quick is not None:
            rank = len(quick.coefficients)
            value = LeastSquares(quick.coefficients, quick.inverse_gram, quick.residuals, rank, quick.condition)
            return Solution(value, Certificate("exact", condition=quick.condition), {})
    if not (np.all(np.isfinite(X)) and np.all(np.isfinite(y))):
        raise InputError(who, "X or y has NaN or infinite entries", "Values are missing", "Drop those rows")
    root = np.sqrt(w)[:, None]
    design = np.column_stack([np.ones(len(X)), X]) if intercept else np.asarray(X, dtype=np.float64)
    scale = _scale(root * design)
    factor = _factored(root * design / scale)
    if factor.rank < design.shape[1]:
        found, gram, change = *_of_least_norm(X, y, w, intercept), 0.0
    else:
        found, gram, change = _refined(factor, root * y)
        found, gram = found / scale[:, None], gram / scale / scale[:, None]
    value = LeastSquares(
        coefficients=found,
        inverse_gram=gram,
        residuals=residual(y, design, found),
        rank=factor.rank,
        condition=factor.condition,
    )
    return Solution(value, _certificate(factor, change), {})


def _scale(A: np.ndarray) -> np.ndarray:
    """The power of two nearest to the length of each column; one for a column of zeros."""
    lengths = np.linalg.norm(A / np.maximum(np.max(np.abs(A), axis=0, initial=0.0), np.finfo(float).tiny), axis=0)
    lengths = lengths * np.max(np.abs(A), axis=0, initial=0.0)
    return np.exp2(np.round(np.log2(np.where(lengths > 0, lengths, 1.0))))


def _factored(A: np.ndarray) -> _Factor:
    Q, R = linalg.qr(A, mode="economic", check_finite=False)
    small, R, pivots = linalg.qr(R, mode="economic", pivoting=True, check_finite=False)
    diagonal = np.abs(np.diagonal(R))
    largest = np.max(diagonal, initial=0.0)
    rank = int(np.sum(diagonal > _RANK * np.finfo(float).eps * A.shape[1] * largest))
    triangle = R[:rank, :rank]
    condition = _condition(triangle) if rank else 1.0
    return _Factor(A, Q @ small, R, pivots, rank, condition)


def _condition(triangle: np.ndarray) -> float:
    """In the 1-norm, as LAPACK estimates it."""
    reciprocal, _ = linalg.lapack.dtrcon(triangle)
    return float(1.0 / max(reciprocal, np.finfo(float).tiny))


def _affordable(rows: int, columns: int, outputs: int) -> bool:
    """Whether coefficients and the inverse Gram matrix are refined together."""
    return rows * columns * (outputs + columns) <= _AFFORDABLE


def _refined(factor: _Factor, target: np.ndarray) -> tuple[np.ndarray, np.ndarray, float]:
    """Coefficients, inverse Gram matrix, and the relative size of the last refinement."""
    n, p = factor.A.shape
    m = target.shape[1]
    if _affordable(n, p, m):
        b = np.concatenate([target, np.zeros((n, p))], axis=1)
        c = np.concatenate([np.zeros((p, m)), np.eye(p)], axis=1)
        r, beta = _solved(factor, b, c)
        change = _refine(factor, b, c, r, beta)
        gram = -beta[:, m:]
        return beta[:, :m], 0.5 * (gram + gram.T), change
    none = np.zeros((p, m))
    r, beta = _solved(factor, target, none)
    change = _refine(factor, target, none, r, beta) if factor.condition > _GOOD else 0.0
    root = np.empty((p, p))
    root[factor.pivots] = linalg.solve_triangular(factor.R, np.eye(p), check_finite=False)
    return beta, root @ root.T, change


def _refine(factor: _Factor, b: np.ndarray, c: np.ndarray, r: np.ndarray, beta: np.ndarray) -> float:
    """Refine r and beta in place until corrections are rounding, or no longer shrink. Returns the last one's size."""
    change = np.inf
    for _ in range(_SWEEPS):
        f = residual(b, factor.A, beta, minus=r)
        g = c - transposed_product(factor.A, r)
        dr, dbeta = _solved(factor, f, g)
        size = float(np.max(np.abs(dbeta) / np.maximum(np.abs(beta), np.finfo(float).tiny), initial=0.0))
        if not size < change:
            break
        r += dr
        beta += dbeta
        change = size
        if size <= 2 * np.finfo(float).eps:
            break
    return change


def _solved(factor: _Factor, b: np.ndarray, c: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """r and β of r + Aβ = b, A'r = c: with R'h = P'c, r = b − QQ'b + Qh and R P'β = Q'b − h."""
    h = linalg.solve_triangular(factor.R, c[factor.pivots], trans="T", check_finite=False)
    d = factor.Q.T @ b
    beta = np.empty((factor.A.shape[1], b.shape[1]))
    beta[factor.pivots] = linalg.solve_triangular(factor.R, d - h, check_finite=False)
    return b - factor.Q @ (d - h), beta


def _of_least_norm(X: np.ndarray, y: np.ndarray, w: np.ndarray, intercept: bool) -> tuple[np.ndarray, np.ndarray]:
    """The smallest coefficients and the pseudo-inverse of the Gram matrix, about the mean where there is an intercept.

    A = Q₁ T with T of full row rank, in the units of X: β = T⁺ Q₁' y (Golub & Van Loan 2013, §5.5.4).
    """
    center = intercept * np.average(X, axis=0, weights=w)
    level = intercept * np.average(y, axis=0, weights=w)
    root = np.sqrt(w)[:, None]
    scale = _scale(root * (X - center))
    factor = _factored(root * (X - center) / scale)
    rows = np.empty((factor.rank, X.shape[1]))
    rows[:, factor.pivots] = factor.R[: factor.rank]
    backward, triangle = linalg.qr((rows * scale).T, mode="economic", check_finite=False)
    pseudo = backward @ linalg.solve_triangular(triangle, np.eye(factor.rank), trans="T", check_finite=False)
    slopes = pseudo @ (factor.Q[:, : factor.rank].T @ (root * (y - level)))
    gram = pseudo @ pseudo.T
    if not intercept:
        return slopes, gram
    across = -gram @ center
    corner = 1.0 / np.sum(w) - center @ across
    found = np.concatenate([(level - center @ slopes)[None], slopes])
    return found, np.block([[np.array([[corner]]), across[None]], [across[:, None], gram]])


def _certificate(factor: _Factor, change: float) -> Certificate:
    columns = factor.A.shape[1]
    notes = (
        ()
        if factor.rank == columns
        else (
            f"rank {factor.rank} of {columns} columns: some are combinations of others, and of all that fit equally "
            "well these coefficients are the smallest",
        )
    )
    left = change if change > 4 * np.finfo(float).eps else None
    return Certificate("exact", residual=left, condition=factor.condition, notes=notes)

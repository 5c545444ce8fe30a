r"""Ridge regression in closed form for every penalty at once, from one singular value decomposition.

With the rows weighted and centered, $A = U S V^\top$, and $\hat\beta(\lambda) = V (S^2 + \lambda)^{-1} S U^\top y$:
each direction is shrunk by $s^2/(s^2 + \lambda)$, and the sum of these factors is the number of coefficients in
effect (Hastie, Tibshirani & Friedman 2009, §3.4.1). The decomposition costs O(n d min(n, d)). Where one side of a
large table is much the shorter one and its Gram matrix is well conditioned, its eigenvectors have the twelve digits of
a singular value decomposition for less, and the longer side's are left as combinations of rows.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from jaxtyping import Float
from scipy import linalg

from credo.infer.testing import akaike, bayes_criterion, normal_log_likelihood

__all__ = ["RidgePath", "RidgePosterior", "RidgeSpectrum", "ridge_path", "ridge_spectrum"]

_GRID = 100  # penalties that are looked at before the best is refined
_FINER, _REFINEMENTS = 17, 4  # points between the neighbors of the best one, its own among them, and how often
_BLOCK = 2**12  # rows whose errors at all penalties are held at once
_LARGE = 2**16  # entries of a table above which the Gram matrix of its shorter side is tried first
_CONDITION = 1e4  # of that Gram matrix, up to which twelve digits are left
_SMALL = 1e-280  # below, an eigenvalue has lost digits

_Decomposition = tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray | None]


class RidgePosterior(NamedTuple):
    """What a prediction needs: the slopes, the directions that the rows span, and the penalty on all of them.

    The directions are the columns of `right`, combined by `mixing` where that is given; without `right` they are the
    columns of X themselves.
    """

    coefficients: Float[np.ndarray, "d m"]
    right: Float[np.ndarray, "d k"] | None
    singular: Float[np.ndarray, " r"]
    center: Float[np.ndarray, " d"]
    level: Float[np.ndarray, " m"]
    level_variance: float
    penalty: float
    mixing: Float[np.ndarray, "k r"] | None = None

    def location(self, X: Float[np.ndarray, "k d"]) -> Float[np.ndarray, "k m"]:
        """The fitted value at each row."""
        return self.level + (X - self.center) @ self.coefficients

    def spread(self, X: Float[np.ndarray, "k d"]) -> Float[np.ndarray, " k"]:
        r"""The variance of the fitted value in units of the noise, with the penalty for a prior: O(k d r).

        $x^\top (A^\top A + \lambda)^{-1} x$ of the centered row, and $1/\sum w$ for the intercept.
        """
        offsets = X - self.center
        within = offsets if self.right is None else offsets @ self.right
        within = within if self.mixing is None else within @ self.mixing
        spread = np.square(within) @ (1.0 / (self.singular**2 + self.penalty)) + self.level_variance
        if self.penalty == 0.0 or len(self.singular) == X.shape[1] or self.right is None:
            return spread
        # The difference of the squares would have the rounding of the larger one, which a small penalty blows up.
        spanned = (within if self.mixing is None else within @ self.mixing.T) @ self.right.T
        return spread + np.sum(np.square(offsets - spanned), axis=1) / self.penalty


class RidgeSpectrum(NamedTuple):
    """The decomposition, of directions whose singular value is positive, and the targets in its coordinates.

    The right directions are as in `RidgePosterior`: columns of `right`, combined by `mixing` where that is given.
    """

    left: Float[np.ndarray, "n r"]
    singular: Float[np.ndarray, " r"]
    right: Float[np.ndarray, "d k"] | None
    projected: Float[np.ndarray, "r m"]
    targets: Float[np.ndarray, "n m"]  # weighted and centered
    center: Float[np.ndarray, " d"]
    level: Float[np.ndarray, " m"]
    root: Float[np.ndarray, " n"]  # of the weights
    intercept: bool
    mixing: Float[np.ndarray, "k r"] | None = None

    @property
    def directions(self) -> Float[np.ndarray, "d r"]:
        """The right singular vectors. O(d r²) where they are combinations."""
        right = np.eye(len(self.singular)) if self.right is None else self.right
        return right if self.mixing is None else right @ self.mixing

    @property
    def weight(self) -> float:
        """Σw."""
        return float(np.sum(self.root**2))

    def shrinkage(self, penalty: float) -> Float[np.ndarray, " r"]:
        """s²/(s² + λ), each direction's share of what least squares would say; one for λ = 0."""
        square = self.singular**2
        return square / (square + penalty)

    def coefficients(self, penalty: float) -> Float[np.ndarray, "d m"]:
        """The slopes. O(d r m)."""
        along = (self.shrinkage(penalty) / self.singular)[:, None] * self.projected
        along = along if self.mixing is None else self.mixing @ along
        return along if self.right is None else self.right @ along

    def degrees(self, penalty: float) -> float:
        """Coefficients in effect, the intercept included: the trace of the hat matrix."""
        return float(np.sum(self.shrinkage(penalty))) + self.intercept

    def residuals(self, penalty: float) -> Float[np.ndarray, "n m"]:
        """Of the weighted rows: √w (y − ŷ)."""
        return self.targets - self.left @ (self.shrinkage(penalty)[:, None] * self.projected)

    def leverages(self, penalty: float) -> Float[np.ndarray, " n"]:
        """The weight that each single observation has in its own fitted value."""
        own = np.square(self.left) @ self.shrinkage(penalty) / self.root**2
        return own + self.intercept / self.weight

    def leave_one_out(self, penalty: float) -> Float[np.ndarray, "n m"]:
        """The error at each row of the fit without it (without one of its repeats): e/(1 − h) (Allen 1974)."""
        rest = np.maximum(1.0 - self.leverages(penalty), np.finfo(float).eps)
        return self.residuals(penalty) / (self.root * rest)[:, None]

    def loo_errors(self, penalties: Float[np.ndarray, " k"]) -> Float[np.ndarray, " k"]:
        """The mean square of those errors over rows, summed over outputs, for each penalty. O(n r k), in blocks."""
        shrunk = self.singular[:, None] ** 2
        shrunk = shrunk / (shrunk + penalties)
        total = np.zeros(len(penalties))
        for start in range(0, len(self.left), _BLOCK):
            rows = slice(start, start + _BLOCK)
            left = self.left[rows]
            own = (np.square(left) @ shrunk) / self.root[rows, None] ** 2 + self.intercept / self.weight
            rest = np.maximum(1.0 - own, np.finfo(float).eps)
            for targets, projected in zip(self.targets[rows].T, self.projected.T, strict=True):
                error = (targets[:, None] - left @ (shrunk * projected[:, None])) / rest
                total += np.einsum("nk,nk->k", error, error)
        return total / self.weight

    def gcv_errors(self, penalties: Float[np.ndarray, " k"]) -> Float[np.ndarray, " k"]:
        """Generalized cross-validation: the same with every leverage at their mean (Golub, Heath & Wahba 1979)."""
        beyond = np.sum((self.targets - self.left @ self.projected) ** 2)  # what no penalty reaches
        square = self.singular[:, None] ** 2
        kept = penalties / (square + penalties)
        squares = beyond + np.sum(self.projected**2, axis=1) @ kept**2
        rest = 1.0 - (np.sum(1.0 - kept, axis=0) + self.intercept) / self.weight
        return squares / self.weight / np.maximum(rest, np.finfo(float).eps) ** 2

    def posterior(self, penalty: float) -> RidgePosterior:
        """What a prediction needs, without the rows."""
        return RidgePosterior(
            self.coefficients(penalty),
            self.right,
            self.singular,
            self.center,
            self.level,
            self.intercept / self.weight,
            float(penalty),
            self.mixing,
        )

    def grid(self, count: int) -> Float[np.ndarray, " k"]:
        """Penalties from where nothing is shrunk to where nothing is left, over the squared singular values."""
        if not len(self.singular):
            return np.ones(count)
        return np.geomspace(1e-6 * self.singular[-1] ** 2, 1e4 * self.singular[0] ** 2, count)

    def best(self, errors: Callable[[np.ndarray], np.ndarray]) -> float:
        """The penalty of least error: the best of a grid over squared singular values, then of finer ones around it."""
        if not len(self.singular):
            return 0.0
        grid = np.log(self.grid(_GRID))
        for _ in range(_REFINEMENTS + 1):
            at = int(np.argmin(errors(np.exp(grid))))
            found = grid[at]
            grid = np.linspace(grid[max(at - 1, 0)], grid[min(at + 1, len(grid) - 1)], _FINER)
        return float(np.exp(found))

    def variances(self, penalty: float) -> Float[np.ndarray, " r"]:
        """The variance of each direction's coefficient in units of the noise: s²/(s² + λ)², and 1/s² for λ = 0."""
        square = self.singular**2
        return square / (square + penalty) ** 2


def ridge_spectrum(
    X: Float[np.ndarray, "n d"], y: Float[np.ndarray, "n m"], weights: Float[np.ndarray, " n"], *, intercept: bool
) -> RidgeSpectrum:
    """Decompose the weighted, centered rows. Directions that they span by rounding alone are left out."""
    center = intercept * np.average(X, axis=0, weights=weights)
    level = intercept * np.average(y, axis=0, weights=weights)
    root, targets = np.sqrt(weights), y - level
    A = X - center
    if np.any(root != 1.0):
        A *= root[:, None]
        targets = root[:, None] * targets
    left, singular, right, mixing = _decomposed(A, root if intercept else None)
    return RidgeSpectrum(left, singular, right, left.T @ targets, targets, center, level, root, intercept, mixing)


def _decomposed(A: np.ndarray, null: np.ndarray | None) -> _Decomposition:
    """A = left · singular · (right · mixing)ᵀ; `null` is a vector with nullᵀA = 0."""
    n, d = A.shape
    if n * d > _LARGE and n >= 2 * d:
        of_columns = _well_conditioned(A.T @ A)
        if of_columns is not None:
            singular, right = of_columns
            return A @ (right / singular), singular, right, None
    if n * d > _LARGE and d >= 2 * n:
        of_rows = _well_conditioned(A @ A.T, null)
        if of_rows is not None:
            singular, left = of_rows
            return left, singular, A.T, left / singular
    left, singular, right = linalg.svd(A, full_matrices=False, check_finite=False)
    spanned = singular > np.finfo(float).eps * max(A.shape) * np.max(singular, initial=0.0)
    return left[:, spanned], singular[spanned], right[spanned].T, None


def _well_conditioned(gram: np.ndarray, null: np.ndarray | None = None) -> tuple[np.ndarray, np.ndarray] | None:
    """Roots of the eigenvalues, falling, and the eigenvectors but for the known `null`; None where digits are lost."""
    if null is not None:  # lifted above all others, so that it mixes with none, and left out
        unit = null / np.linalg.norm(null)
        gram = gram + 2.0 * np.linalg.norm(gram, np.inf) * np.outer(unit, unit)
    if not np.all(np.isfinite(gram)):
        return None
    values, vectors = np.linalg.eigh(gram)
    if null is not None:
        values, vectors = values[:-1], vectors[:, :-1]
    if not len(values) or not values[0] * _CONDITION >= values[-1] > _SMALL:
        return None
    return np.sqrt(values[::-1]), np.ascontiguousarray(vectors[:, ::-1])


class RidgePath(NamedTuple):
    """The slopes at each penalty, and what speaks for each of them; errors are mean squares, summed over outputs.

    AIC and BIC count the coefficients in effect of each output and not its noise variance, as `LinearRegression` does.
    """

    penalties: Float[np.ndarray, " k"]
    coefficients: Float[np.ndarray, "k d m"]
    intercepts: Float[np.ndarray, "k m"]
    degrees: Float[np.ndarray, " k"]  # coefficients in effect, the intercept included
    loo: Float[np.ndarray, " k"]
    gcv: Float[np.ndarray, " k"]
    aic: Float[np.ndarray, " k"]
    bic: Float[np.ndarray, " k"]

    @property
    def ways(self) -> tuple[str, ...]:
        """How a point can be chosen."""
        return ("loo", "gcv", "aic", "bic")

    def best(self, by: str) -> int:
        """The index of the least "loo", "gcv", "aic" or "bic"."""
        return int(np.argmin({"loo": self.loo, "gcv": self.gcv, "aic": self.aic, "bic": self.bic}[by]))


def ridge_path(spectrum: RidgeSpectrum, penalties: Float[np.ndarray, " k"]) -> RidgePath:
    """Everything along the penalty from the one decomposition. O((n + d) r) a penalty."""
    posteriors = [spectrum.posterior(float(penalty)) for penalty in penalties]
    degrees = np.array([spectrum.degrees(float(penalty)) for penalty in penalties])
    outputs = spectrum.targets.shape[1]
    squares = np.array([np.sum(spectrum.residuals(float(penalty)) ** 2, axis=0) for penalty in penalties])
    variances = np.maximum(squares / spectrum.weight, np.finfo(float).tiny)
    log_likelihood = np.sum(normal_log_likelihood(variances, spectrum.weight), axis=1)
    parameters = outputs * degrees
    return RidgePath(
        penalties=np.asarray(penalties, dtype=np.float64),
        coefficients=np.stack([posterior.coefficients for posterior in posteriors]),
        intercepts=np.stack([posterior.level - posterior.center @ posterior.coefficients for posterior in posteriors]),
        degrees=degrees,
        loo=spectrum.loo_errors(np.asarray(penalties, dtype=np.float64)),
        gcv=spectrum.gcv_errors(np.asarray(penalties, dtype=np.float64)),
        aic=akaike(log_likelihood, parameters),
        bic=bayes_criterion(log_likelihood, parameters, spectrum.weight),
    )

r"""Ridge regression in closed form for every penalty at once, from one singular value decomposition.

With the rows weighted and centered, $A = U S V^\top$, and $\hat\beta(\lambda) = V (S^2 + \lambda)^{-1} S U^\top y$:
each direction is shrunk by $s^2/(s^2 + \lambda)$, and the sum of these factors is the number of coefficients in
effect (Hastie, Tibshirani & Friedman 2009, §3.4.1). The decomposition costs O(n d min(n, d)): the cheaper of primal
and dual.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from jaxtyping import Float
from scipy import linalg, optimize

from credo.infer.testing import akaike, bayes_criterion, normal_log_likelihood

__all__ = ["RidgePath", "RidgePosterior", "RidgeSpectrum", "ridge_path", "ridge_spectrum"]

_GRID = 100  # penalties that are looked at before the best is refined


class RidgePosterior(NamedTuple):
    r"""What a prediction needs: the slopes, the directions that the rows span, and the penalty on all of them."""

    coefficients: Float[np.ndarray, "d m"]
    right: Float[np.ndarray, "d r"]
    singular: Float[np.ndarray, " r"]
    center: Float[np.ndarray, " d"]
    level: Float[np.ndarray, " m"]
    level_variance: float
    penalty: float

    def location(self, X: Float[np.ndarray, "k d"]) -> Float[np.ndarray, "k m"]:
        """The fitted value at each row."""
        return self.level + (X - self.center) @ self.coefficients

    def spread(self, X: Float[np.ndarray, "k d"]) -> Float[np.ndarray, " k"]:
        r"""The variance of the fitted value in units of the noise, with the penalty for a prior: O(k d r).

        $x^\top (A^\top A + \lambda)^{-1} x$ of the centered row, and $1/\sum w$ for the intercept.
        """
        offsets = X - self.center
        within = offsets @ self.right
        spread = np.square(within) @ (1.0 / (self.singular**2 + self.penalty)) + self.level_variance
        if self.penalty == 0.0 or self.right.shape[1] == self.right.shape[0]:
            return spread
        # The difference of the squares would have the rounding of the larger one, which a small penalty blows up.
        return spread + np.sum(np.square(offsets - within @ self.right.T), axis=1) / self.penalty


class RidgeSpectrum(NamedTuple):
    """The decomposition, of directions whose singular value is positive, and the targets in its coordinates."""

    left: Float[np.ndarray, "n r"]
    singular: Float[np.ndarray, " r"]
    right: Float[np.ndarray, "d r"]
    projected: Float[np.ndarray, "r m"]
    targets: Float[np.ndarray, "n m"]  # weighted and centered
    center: Float[np.ndarray, " d"]
    level: Float[np.ndarray, " m"]
    root: Float[np.ndarray, " n"]  # of the weights
    intercept: bool

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
        return self.right @ ((self.shrinkage(penalty) / self.singular)[:, None] * self.projected)

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

    def loo_error(self, penalty: float) -> float:
        """The mean square of those errors over rows, summed over outputs."""
        return float(self.root**2 @ np.sum(self.leave_one_out(penalty) ** 2, axis=1)) / self.weight

    def gcv_error(self, penalty: float) -> float:
        """Generalized cross-validation: the same with every leverage at their mean (Golub, Heath & Wahba 1979)."""
        rest = 1.0 - self.degrees(penalty) / self.weight
        return float(np.sum(self.residuals(penalty) ** 2)) / self.weight / max(rest, np.finfo(float).eps) ** 2

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
        )

    def grid(self, count: int) -> Float[np.ndarray, " k"]:
        """Penalties from where nothing is shrunk to where nothing is left, over the squared singular values."""
        if not len(self.singular):
            return np.ones(count)
        return np.geomspace(1e-6 * self.singular[-1] ** 2, 1e4 * self.singular[0] ** 2, count)

    def best(self, error: Callable[[float], float]) -> float:
        """The penalty of least `error`: the best of a grid over squared singular values, refined between neighbors."""
        if not len(self.singular):
            return 0.0
        grid = self.grid(_GRID)
        values = [error(penalty) for penalty in grid]
        at = int(np.argmin(values))
        around = np.log(grid[[max(at - 1, 0), min(at + 1, _GRID - 1)]])
        found = optimize.minimize_scalar(lambda t: error(float(np.exp(t))), bounds=around, method="bounded")
        return float(np.exp(found.x)) if found.fun < values[at] else float(grid[at])

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
    root = np.sqrt(weights)
    left, singular, right = linalg.svd(root[:, None] * (X - center), full_matrices=False, check_finite=False)
    spanned = singular > np.finfo(float).eps * max(X.shape) * np.max(singular, initial=0.0)
    targets = root[:, None] * (y - level)
    left, singular, right = left[:, spanned], singular[spanned], right[spanned].T
    return RidgeSpectrum(left, singular, right, left.T @ targets, targets, center, level, root, intercept)


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
        loo=np.array([spectrum.loo_error(float(penalty)) for penalty in penalties]),
        gcv=np.array([spectrum.gcv_error(float(penalty)) for penalty in penalties]),
        aic=akaike(log_likelihood, parameters),
        bic=bayes_criterion(log_likelihood, parameters, spectrum.weight),
    )

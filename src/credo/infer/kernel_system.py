r"""Kernel ridge regression at a penalty that is given: one Cholesky factor instead of all eigenvalues.

With the weighted, centered Gram matrix $G$ of [](#credo.infer.kernel_spectrum), $A = G + \lambda I = LL^\top$ and
$z = A^{-1}\sqrt w(y - \bar y)$, the fit is $\bar y + \sum_i\sqrt{w_i}z_i\langle\phi(x) - \bar\phi, \phi(x_i) -
\bar\phi\rangle$ and its weighted residuals are $\lambda z$. Leverages need the diagonal of $A^{-1}$, as much
work as the factor, so they are computed when they are first used (Saunders, Gammerman & Vovk 1998).
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from jaxtyping import Float

from credo.infer.kernel_ridge import KernelCentering, kernel_centering
from credo.numerics.lapack import factor_in_place, inverse_diagonal, solve_lower_in_place

__all__ = ["FactoredSolution", "factored_solution"]

_CONDITION = 1e10  # of A, up to which six digits of z and more of the fit are left
_TILE = 256  # rows of the Gram matrix that are formed at once and stay in cache


@dataclass(frozen=True)
class FactoredSolution:
    """Kernel ridge at one penalty, from the factor: what a prediction and its belief need."""

    lower: Float[np.ndarray, "n n"]  # L; what is above its diagonal means nothing
    centering: KernelCentering
    root: Float[np.ndarray, " n"]  # of the weights
    dual: Float[np.ndarray, " n"]  # z
    level: float
    level_variance: float  # 1/Σw with an intercept, else zero
    penalty: float
    paid: float  # λ‖f‖²
    condition: float  # an upper bound, by the Frobenius norm of the Gram matrix

    @property
    def scatter(self) -> float:
        """The weighted sum of squared residuals."""
        return self.penalty**2 * float(self.dual @ self.dual)

    @cached_property
    def residual_shares(self) -> Float[np.ndarray, " n"]:
        """1 − H for the diagonal H of the matrix that maps weighted targets to fitted values. O(n³) when first used."""
        left = self.penalty * inverse_diagonal(self.lower)
        return np.maximum(left - self.level_variance * self.root**2, np.finfo(float).eps)

    @property
    def degrees(self) -> float:
        """Coefficients in effect, the intercept included: the trace of the matrix that `residual_shares` are of."""
        return len(self.dual) - float(np.sum(self.residual_shares))

    @property
    def loo_error(self) -> float:
        """The mean squared error at each row of the fit without it, or without one of its repeats (Allen 1974)."""
        weights = self.root**2
        rest = np.maximum((weights - 1.0 + self.residual_shares) / weights, np.finfo(float).eps)
        return float(np.sum((self.penalty * self.dual / rest) ** 2) / np.sum(weights))

    def location(self, cross: Float[np.ndarray, "k n"]) -> Float[np.ndarray, " k"]:
        """The fitted value at points, from their covariances with the rows. O(k n)."""
        slopes = self.root * self.dual  # of centered covariances, here summed before they are formed
        constant = self.level + (self.centering.mean_square - self.centering.mean) @ slopes
        return constant + cross @ (slopes - np.sum(slopes) * self.centering.shares)

    def spread(self, cross: Float[np.ndarray, "k n"], diagonal: Float[np.ndarray, " k"]) -> Float[np.ndarray, " k"]:
        """The variance of the fitted value in units of the noise, with the penalty for a prior. O(k n²)."""
        sides = np.ascontiguousarray((self.centering.of(cross) * self.root).T)
        solve_lower_in_place(self.lower, sides)
        unknown = self.centering.squares(cross, diagonal) - np.sum(np.square(sides), axis=0)
        return np.maximum(unknown, 0.0) / self.penalty + self.level_variance


def factored_solution(
    covariance: Float[np.ndarray, "n n"],
    y: Float[np.ndarray, " n"],
    weights: Float[np.ndarray, " n"],
    penalty: float,
    *,
    intercept: bool,
) -> FactoredSolution | None:
    """The solution at a positive penalty, or None where rounding would cost it too many digits.

    >>> K = np.array([[2.0, 1.0], [1.0, 2.0]])
    >>> solution = factored_solution(K, np.array([1.0, -1.0]), np.ones(2), 1.0, intercept=False)
    >>> solution.location(K).round(12).tolist()
    [0.5, -0.5]
    """
    centering, root = kernel_centering(covariance, weights, intercept=intercept), np.sqrt(weights)
    trace = float(weights @ (np.diagonal(covariance) - 2.0 * centering.mean + centering.mean_square))
    if not trace < _CONDITION * penalty:
        return None
    lower, norm = _lower_gram(covariance, centering, root)
    lower.flat[:: len(lower) + 1] += penalty
    if not factor_in_place(lower):
        return None
    level = float(intercept * (weights @ y) / np.sum(weights))
    targets = root * (y - level)
    dual = targets.copy()
    for transposed in (False, True):
        solve_lower_in_place(lower, dual[:, None], transposed=transposed)
    return FactoredSolution(
        lower=lower,
        centering=centering,
        root=root,
        dual=dual,
        level=level,
        level_variance=intercept / float(np.sum(weights)),
        penalty=penalty,
        paid=penalty * max(float(dual @ (targets - penalty * dual)), 0.0),
        condition=norm / penalty + 1.0,
    )


def _lower_gram(
    covariance: np.ndarray, centering: KernelCentering, root: np.ndarray
) -> tuple[Float[np.ndarray, "n n"], float]:
    """The lower triangle of the weighted, centered Gram matrix, and the Frobenius norm of all of it. O(n²)."""
    n, squares = len(root), 0.0
    gram = np.zeros((n, n))
    for start in range(0, n, _TILE):
        stop = min(start + _TILE, n)
        tile = gram[start:stop, :stop]
        np.subtract(covariance[start:stop, :stop], centering.mean[:stop], out=tile)
        tile -= (centering.mean[start:stop] - centering.mean_square)[:, None]
        tile *= root[:stop]
        tile *= root[start:stop, None]
        squares += 2.0 * float(np.sum(np.square(tile))) - float(np.sum(np.square(tile[:, start:])))
    return gram, float(np.sqrt(squares))

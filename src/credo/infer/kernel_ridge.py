r"""Kernel ridge regression: ridge in the coordinates that a covariance spans on the rows.

With weights $w$, shares $v = w/\sum w$ and points $\phi(x)$ whose products are the kernel, the weighted, centered rows
have the Gram matrix $\sqrt{w_iw_j}\,\langle\phi(x_i) - \bar\phi, \phi(x_j) - \bar\phi\rangle = USSU^\top$, which is
the decomposition that ridge needs: one eigenvalue problem, O(n³). Ridge on it minimizes $\sum_i w_i(y_i - \alpha -
f(x_i))^2 + \lambda\lVert f\rVert_k^2$, with everything that it has in closed form: leave-one-out, effective degrees,
the choice of λ (Saunders, Gammerman & Vovk 1998). What a new point has beyond those coordinates is unknown altogether.
"""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from jaxtyping import Float

from credo.infer.ridge import RidgePosterior, RidgeSpectrum

__all__ = ["KernelCentering", "KernelCoordinates", "SpectralSolution", "kernel_centering", "kernel_spectrum"]


class KernelCentering(NamedTuple):
    """How covariances with the rows become products with centered points: φ̄ is the mean by the `shares` of the rows."""

    shares: Float[np.ndarray, " n"]  # zeros without an intercept
    mean: Float[np.ndarray, " n"]  # of the covariance of each row with all
    mean_square: float  # of the mean point

    def of(self, cross: Float[np.ndarray, "k n"]) -> Float[np.ndarray, "k n"]:
        """⟨φ(x) − φ̄, φ(xᵢ) − φ̄⟩ of points x, from their covariances with the rows xᵢ. O(k n)."""
        centered = cross - (cross @ self.shares)[:, None]
        centered += self.mean_square - self.mean
        return centered

    def squares(self, cross: Float[np.ndarray, "k n"], diagonal: Float[np.ndarray, " k"]) -> Float[np.ndarray, " k"]:
        """‖φ(x) − φ̄‖² of points x, from their covariances with the rows; `diagonal` is k(x, x)."""
        return diagonal - 2.0 * (cross @ self.shares) + self.mean_square


def kernel_centering(
    covariance: Float[np.ndarray, "n n"], weights: Float[np.ndarray, " n"], *, intercept: bool
) -> KernelCentering:
    """The centering by the weighted mean of the rows, or none without an intercept. O(n²)."""
    shares = intercept * weights / np.sum(weights)
    mean = covariance @ shares
    return KernelCentering(shares, mean, float(shares @ mean))


class KernelCoordinates(NamedTuple):
    """Centered points in the coordinates that the rows span: products with the rows, whitened."""

    whitener: Float[np.ndarray, "n r"]
    centering: KernelCentering

    def of(self, cross: Float[np.ndarray, "k n"]) -> Float[np.ndarray, "k r"]:
        """φ − φ̄ of points, from their covariances with the rows. O(k n r)."""
        return self.centering.of(cross) @ self.whitener

    def beyond(
        self, phi: Float[np.ndarray, "k r"], cross: Float[np.ndarray, "k n"], diagonal: Float[np.ndarray, " k"]
    ) -> Float[np.ndarray, " k"]:
        """The square of what φ − φ̄ has outside these coordinates; `diagonal` is k(x, x)."""
        return np.maximum(self.centering.squares(cross, diagonal) - np.sum(np.square(phi), axis=1), 0.0)


@dataclass(frozen=True)
class SpectralSolution:
    """Kernel ridge at one penalty, from the decomposition: what a prediction and its belief need."""

    coordinates: KernelCoordinates
    posterior: RidgePosterior
    degrees: float  # coefficients in effect, the intercept included
    loo_error: float  # mean squared leave-one-out error
    scatter: float  # weighted sum of squared residuals
    condition: float

    @classmethod
    def of(cls, coordinates: KernelCoordinates, spectrum: RidgeSpectrum, penalty: float) -> "SpectralSolution":
        """The solution at a positive penalty."""
        return cls(
            coordinates=coordinates,
            posterior=spectrum.posterior(penalty),
            degrees=spectrum.degrees(penalty),
            loo_error=float(spectrum.loo_errors(np.array([penalty]))[0]),
            scatter=float(np.sum(spectrum.residuals(penalty) ** 2)),
            condition=(float(np.max(spectrum.singular, initial=0.0)) ** 2 + penalty) / penalty,
        )

    @property
    def paid(self) -> float:
        """λ‖f‖²."""
        return self.posterior.penalty * float(np.sum(self.posterior.coefficients**2))

    def location(self, cross: Float[np.ndarray, "k n"]) -> Float[np.ndarray, " k"]:
        """The fitted value at points, from their covariances with the rows. O(k n r)."""
        return self.posterior.location(self.coordinates.of(cross))[:, 0]

    def spread(self, cross: Float[np.ndarray, "k n"], diagonal: Float[np.ndarray, " k"]) -> Float[np.ndarray, " k"]:
        """The variance of the fitted value in units of the noise, with the penalty for a prior. O(k n r)."""
        phi = self.coordinates.of(cross)
        return self.posterior.spread(phi) + self.coordinates.beyond(phi, cross, diagonal) / self.posterior.penalty


def kernel_spectrum(
    covariance: Float[np.ndarray, "n n"],
    y: Float[np.ndarray, " n"],
    weights: Float[np.ndarray, " n"],
    *,
    intercept: bool,
) -> tuple[KernelCoordinates, RidgeSpectrum]:
    """The coordinates, and ridge in them. Directions that are rounding are left out.

    >>> K = np.array([[2.0, 1.0], [1.0, 2.0]])
    >>> coordinates, _ = kernel_spectrum(K, np.ones(2), np.ones(2), intercept=False)
    >>> phi = coordinates.of(K)
    >>> (phi @ phi.T).round(12).tolist()
    [[2.0, 1.0], [1.0, 2.0]]
    """
    root, centering = np.sqrt(weights), kernel_centering(covariance, weights, intercept=intercept)
    gram = (covariance - centering.mean - centering.mean[:, None] + centering.mean_square) * root * root[:, None]
    values, vectors = np.linalg.eigh(gram)
    largest = np.max(np.diagonal(covariance) * weights, initial=0.0)
    kept = values > len(values) * np.finfo(float).eps * np.max(values, initial=largest)
    singular, left = np.sqrt(values[kept])[::-1], np.ascontiguousarray(vectors[:, kept][:, ::-1])
    level = intercept * np.array([weights @ y / np.sum(weights)])
    targets = (root * (y - level))[:, None]
    coordinates = KernelCoordinates(root[:, None] * left / singular, centering)
    center = np.zeros(len(singular))
    spectrum = RidgeSpectrum(left, singular, None, left.T @ targets, targets, center, level, root, intercept)
    return coordinates, spectrum

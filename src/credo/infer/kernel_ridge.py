r"""Kernel ridge regression: ridge in the coordinates that a covariance spans on the rows.

With weights $w$, shares $v = w/\sum w$ and points $\phi(x)$ whose products are the kernel, the weighted, centered rows
have the Gram matrix $\sqrt{w_iw_j}\,\langle\phi(x_i) - \bar\phi, \phi(x_j) - \bar\phi\rangle = USSU^\top$, which is
the decomposition that ridge needs: one eigenvalue problem, O(n³). Ridge on it minimizes $\sum_i w_i(y_i - \alpha -
f(x_i))^2 + \lambda\lVert f\rVert_k^2$, with everything that it has in closed form: leave-one-out, effective degrees,
the choice of λ (Saunders, Gammerman & Vovk 1998). What a new point has beyond those coordinates is unknown altogether.
"""

from typing import NamedTuple

import numpy as np
from jaxtyping import Float

from credo.infer.ridge import RidgeSpectrum

__all__ = ["KernelCoordinates", "kernel_spectrum"]


class KernelCoordinates(NamedTuple):
    """How covariances with the rows become coordinates: centered by the `shares` of the rows, then whitened."""

    whitener: Float[np.ndarray, "n r"]
    shares: Float[np.ndarray, " n"]  # zeros without an intercept
    mean: Float[np.ndarray, " n"]  # of the covariance of each row with all
    mean_square: float  # of the mean point

    def of(self, cross: Float[np.ndarray, "k n"]) -> Float[np.ndarray, "k r"]:
        """φ − φ̄ of points, from their covariances with the rows. O(k n r)."""
        centered = cross - (cross @ self.shares)[:, None]
        centered += self.mean_square - self.mean
        return centered @ self.whitener

    def beyond(
        self, phi: Float[np.ndarray, "k r"], cross: Float[np.ndarray, "k n"], diagonal: Float[np.ndarray, " k"]
    ) -> Float[np.ndarray, " k"]:
        """The square of what φ − φ̄ has outside these coordinates; `diagonal` is k(x, x)."""
        whole = diagonal - 2.0 * (cross @ self.shares) + self.mean_square
        return np.maximum(whole - np.sum(np.square(phi), axis=1), 0.0)


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
    root, shares = np.sqrt(weights), intercept * weights / np.sum(weights)
    mean = covariance @ shares
    mean_square = float(shares @ mean)
    gram = (covariance - mean - mean[:, None] + mean_square) * root * root[:, None]
    values, vectors = np.linalg.eigh(gram)
    largest = np.max(np.diagonal(covariance) * weights, initial=0.0)
    kept = values > len(values) * np.finfo(float).eps * np.max(values, initial=largest)
    singular, left = np.sqrt(values[kept])[::-1], np.ascontiguousarray(vectors[:, kept][:, ::-1])
    level = intercept * np.array([weights @ y / np.sum(weights)])
    targets = (root * (y - level))[:, None]
    coordinates = KernelCoordinates(root[:, None] * left / singular, shares, mean, mean_square)
    center = np.zeros(len(singular))
    spectrum = RidgeSpectrum(left, singular, None, left.T @ targets, targets, center, level, root, intercept)
    return coordinates, spectrum

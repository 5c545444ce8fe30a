r"""Kernel ridge regression: ridge in the coordinates that a covariance spans on the rows.

$K = U\Lambda U^\top$, and $\phi(x) = \Lambda^{-1/2}U^\top k(X, x)$ are coordinates with $\phi(x_i)^\top\phi(x_j) =
K_{ij}$. Ridge on them minimizes $\sum_i w_i(y_i - \alpha - f(x_i))^2 + \lambda\lVert f\rVert_k^2$, with everything that
it has in closed form: leave-one-out, effective degrees, the choice of λ (Saunders, Gammerman & Vovk 1998). What a new
point has beyond those coordinates, $k(x, x) - \lVert\phi(x)\rVert^2$, is unknown altogether.
"""

from typing import NamedTuple

import numpy as np
from jaxtyping import Float

__all__ = ["KernelCoordinates", "kernel_coordinates"]


class KernelCoordinates(NamedTuple):
    """U Λ^(-1/2), for the directions of a covariance that are more than rounding."""

    whitener: Float[np.ndarray, "n r"]

    def of(self, cross: Float[np.ndarray, "k n"]) -> Float[np.ndarray, "k r"]:
        """φ of points, from their covariances with the rows. O(k n r)."""
        return cross @ self.whitener

    def beyond(self, phi: Float[np.ndarray, "k r"], diagonal: Float[np.ndarray, " k"]) -> Float[np.ndarray, " k"]:
        """k(x, x) − ‖φ(x)‖²."""
        return np.maximum(diagonal - np.sum(np.square(phi), axis=1), 0.0)


def kernel_coordinates(covariance: Float[np.ndarray, "n n"]) -> KernelCoordinates:
    """From the eigenvectors of a covariance. O(n³).

    >>> K = np.array([[2.0, 1.0], [1.0, 2.0]])
    >>> phi = kernel_coordinates(K).of(K)
    >>> (phi @ phi.T).round(12).tolist()
    [[2.0, 1.0], [1.0, 2.0]]
    """
    values, vectors = np.linalg.eigh(covariance)
    kept = values > len(values) * np.finfo(float).eps * np.max(values, initial=0.0)
    return KernelCoordinates(vectors[:, kept] / np.sqrt(values[kept]))

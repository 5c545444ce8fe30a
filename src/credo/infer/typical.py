"""A kernel for rows about which nothing is known: an RBF as wide as they are apart."""

import jax.numpy as jnp
import numpy as np
from jaxtyping import Float
from scipy.spatial.distance import pdist

from credo.kernels import RBF, Kernel
from credo.numerics.padding import filled

__all__ = ["kernel_for", "typical_rbf"]

_ROWS = 500  # that the length-scale is measured on


def kernel_for(X: Float[np.ndarray, "n d"], given: Kernel | None, who: str) -> Kernel:
    """The kernel that was given, or else a typical one; refused in the name of `who` where rows are no points of it."""
    kernel = typical_rbf(X) if given is None else given
    kernel.require_points(filled(X), who)
    return kernel


def typical_rbf(X: Float[np.ndarray, "n d"]) -> RBF:
    """The RBF whose length-scale is the median distance between rows, of 500 that lie evenly among them.

    One where all rows are one point.

    >>> float(typical_rbf(np.array([[0.0], [1.0], [3.0]])).lengthscale)
    2.0
    """
    some = X[np.linspace(0, len(X) - 1, min(len(X), _ROWS)).astype(int)]
    distances = pdist(some)
    return RBF(lengthscale=jnp.asarray(float(np.median(distances)) if np.any(distances) else 1.0))

"""Inverse of a positive semi-definite matrix on the host, where its rank is part of the answer."""

import numpy as np
from jaxtyping import Float
from scipy import linalg

__all__ = ["scaled_inverse"]

_ROUNDING = 1e-13  # of the largest eigenvalue, a row: what information matrices were summed to


def scaled_inverse(matrix: Float[np.ndarray, "p p"]) -> tuple[Float[np.ndarray, "p p"], int]:
    """The inverse and the rank; where rows are combinations of others, the inverse on what they span.

    It is taken in units of the diagonal, so that the units of columns do not decide about the rank. O(p³).

    >>> inverse, rank = scaled_inverse(np.array([[4.0, 0.0], [0.0, 0.0]]))
    >>> inverse.tolist(), rank
    ([[0.25, 0.0], [0.0, 0.0]], 1)
    """
    diagonal = np.diagonal(matrix)
    scale = 1.0 / np.sqrt(np.where(diagonal > 0.0, diagonal, 1.0))
    values, vectors = linalg.eigh(matrix * scale * scale[:, None], check_finite=False)
    spanned = values > _ROUNDING * len(values) * np.max(values, initial=0.0)
    root = scale[:, None] * vectors[:, spanned] / np.sqrt(values[spanned])
    return root @ root.T, int(np.sum(spanned))

"""Positive semi-definite matrices on the host, where the rank is part of the answer."""

from typing import NamedTuple

import numpy as np
from jaxtyping import Bool, Float
from scipy import linalg

__all__ = ["ScaledSpectrum", "row_forms", "scaled_inverse", "scaled_inverses", "scaled_spectrum"]

_ROUNDING = 1e-13  # of the largest eigenvalue, a row: what information matrices were summed to
_BLOCK = 2048  # rows whose product with the matrix is formed at once


def scaled_inverse(matrix: Float[np.ndarray, "p p"]) -> tuple[Float[np.ndarray, "p p"], int]:
    """The inverse and the rank; where rows are combinations of others, the inverse on what they span.

    It is taken in units of the diagonal, so that the units of columns do not decide about the rank. O(p³).

    >>> inverse, rank = scaled_inverse(np.array([[4.0, 0.0], [0.0, 0.0]]))
    >>> inverse.tolist(), rank
    ([[0.25, 0.0], [0.0, 0.0]], 1)
    """
    scale, values, vectors, spanned = scaled_spectrum(matrix)
    root = scale[:, None] * vectors[:, spanned] / np.sqrt(values[spanned])
    return root @ root.T, int(np.sum(spanned))


def scaled_inverses(
    matrices: Float[np.ndarray, "b p p"],
) -> tuple[Float[np.ndarray, "b p p"], Float[np.ndarray, " b"]]:
    """The inverses of many, and the condition of each in units of its diagonal (of the 1-norm). O(b p³).

    Where the condition is infinite there is no inverse, and what is returned for it is not to be used.

    >>> inverses, condition = scaled_inverses(np.array([[[4.0]], [[0.0]]]))
    >>> float(inverses[0, 0, 0]), condition.tolist()
    (0.25, [1.0, inf])
    """
    diagonal = np.einsum("bii->bi", matrices)
    proper = np.isfinite(np.sum(matrices, axis=(1, 2))) & np.all(diagonal > 0.0, axis=1)
    safe = np.where(proper[:, None, None], matrices, np.eye(matrices.shape[-1]))
    scale = 1.0 / np.sqrt(np.einsum("bii->bi", safe))
    units = scale[:, :, None] * scale[:, None, :]
    scaled = safe * units
    inverses = _inverses(scaled)
    norms = [np.max(np.sum(np.abs(part), axis=1), axis=1, initial=0.0) for part in (scaled, inverses)]
    condition = np.where(proper, norms[0] * norms[1], np.inf)
    return inverses * units, np.where(np.isnan(condition), np.inf, condition)


def _inverses(matrices: np.ndarray) -> np.ndarray:
    """NaN where there is none."""
    try:
        return np.linalg.inv(matrices)
    except np.linalg.LinAlgError:
        if len(matrices) == 1:
            return np.full_like(matrices, np.nan)
        return np.concatenate([_inverses(matrix[None]) for matrix in matrices])


class ScaledSpectrum(NamedTuple):
    """The eigenvalues and vectors of S M S with S = diag(scale), and which of them are more than rounding."""

    scale: Float[np.ndarray, " p"]
    values: Float[np.ndarray, " p"]
    vectors: Float[np.ndarray, "p p"]
    spanned: Bool[np.ndarray, " p"]


def scaled_spectrum(matrix: Float[np.ndarray, "p p"]) -> ScaledSpectrum:
    """In units of the diagonal, one over its root (one where it is zero). O(p³)."""
    diagonal = np.diagonal(matrix)
    scale = 1.0 / np.sqrt(np.where(diagonal > 0.0, diagonal, 1.0))
    values, vectors = linalg.eigh(matrix * scale * scale[:, None], check_finite=False)
    return ScaledSpectrum(scale, values, vectors, values > _ROUNDING * len(values) * np.max(values, initial=0.0))


def row_forms(
    rows: Float[np.ndarray, "n p"], matrix: Float[np.ndarray, "p p"], center: Float[np.ndarray, " p"] | float = 0.0
) -> Float[np.ndarray, " n"]:
    """(x − c)'M(x − c) for each row x. O(n p²) time; a block of rows at a time stays in the cache of a core."""
    forms = np.empty(len(rows))
    for start in range(0, len(rows), _BLOCK):
        block = slice(start, start + _BLOCK)
        offsets = rows[block] - center
        np.einsum("ij,ij->i", offsets @ matrix, offsets, out=forms[block])
    return forms

"""What the samplers learn while they warm up: how wide the target is, and along which directions."""

import numpy as np

__all__ = ["LEAST_WINDOW", "doubling_windows", "pooled_covariance", "principal_directions"]

LEAST_WINDOW = 10  # draws of a chain, fewer of which show no scale to adapt to
_RESOLUTION = 1e-8  # of a coordinate that has not moved: the least standard deviation, relative to its size


def doubling_windows(n_warmup: int) -> list[int]:
    """Lengths of stretches after each of which a sampler adapts: doubling, so the last forgets how it all began.

    The first is short, because until its end the target may be badly scaled and its draws dear; the last takes half of
    all or more. Below `LEAST_WINDOW` there is one, too short to learn from.

    >>> doubling_windows(500)
    [16, 32, 64, 128, 260]
    """
    sizes, size, left = [], max(n_warmup // 31, LEAST_WINDOW), n_warmup
    while left >= 3 * size:
        sizes.append(size)
        left -= size
        size *= 2
    return [*sizes, left] if left else sizes


def pooled_covariance(values: np.ndarray) -> np.ndarray:
    r"""The covariance of the draws of all chains together, shrunk to its own diagonal while they are few. O(n p²).

    The weight of the diagonal, $1 / (1 + (n/p)^2)$ for n draws of p coordinates, is one half where the draws just
    span the space and vanishes quickly beyond. It knows no unit: scaled coordinates have the scaled covariance.
    """
    flat = values.reshape(-1, values.shape[-1])
    count, p = flat.shape
    center = np.mean(flat, axis=0)
    centered = flat - center
    covariance = centered.T @ centered / max(count - 1, 1)
    variances = np.maximum(np.diagonal(covariance), (_RESOLUTION * (1.0 + np.abs(center))) ** 2)
    weight = 1.0 / (1.0 + (count / p) ** 2)
    shrunk = (1.0 - weight) * covariance
    np.fill_diagonal(shrunk, variances)
    return shrunk


def principal_directions(covariance: np.ndarray) -> np.ndarray:
    """Rows that are uncorrelated directions of one standard deviation each: rowsᵀ rows is the covariance.

    They are the eigenvectors of the correlation matrix, in units of the coordinates, so units do not matter.
    """
    scales = np.sqrt(np.diagonal(covariance))
    eigenvalues, vectors = np.linalg.eigh(covariance / scales[:, None] / scales)
    floor = np.finfo(np.float64).eps * len(scales)
    return (vectors * np.sqrt(np.maximum(eigenvalues, floor))).T * scales

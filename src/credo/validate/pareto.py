r"""Pareto-smoothed importance weights: the tail of many rows of ratios at once, with its shape.

Moments of the ratios up to 1/k exist when their tail is a generalized Pareto of shape k: its estimate says whether an
importance-weighted mean has a variance (k < 1/2) or is within reach of the draws there are (k < 0.7).
"""

import numpy as np
from jaxtyping import Float
from scipy import special

__all__ = ["fit_generalized_pareto", "smoothed_log_weights"]

_FEWEST = 5  # points in the tail that a shape can be fitted to
_PRIOR_WEIGHT, _PRIOR_SHAPE = 10.0, 0.5  # the shape is drawn towards one half as by ten points
_LOG_TINY = np.log(np.finfo(np.float64).tiny)


def smoothed_log_weights(
    log_ratios: Float[np.ndarray, "n s"], relative_efficiency: Float[np.ndarray, " n"]
) -> tuple[Float[np.ndarray, "n s"], Float[np.ndarray, " n"]]:
    r"""Normalized log weights from S log ratios for each of n rows, and the Pareto shape of each row.

    The largest $M = \lceil\min(S/5, 3\sqrt{S/r_{eff}})\rceil$ ratios of a row are replaced by the quantiles $(j -
    1/2)/M$ of a generalized Pareto above the largest ratio below them, none larger than the largest ratio (Vehtari et
    al. 2024). Where fewer than five ratios are above it the weights stay raw and the shape is infinite; where all
    ratios of a row are equal it is zero: nothing is in the tail. O(nS log S).

    >>> log_weights, shape = smoothed_log_weights(np.random.default_rng(0).normal(size=(1, 2000)), np.ones(1))
    >>> bool(0.0 < shape[0] < 0.5), round(float(np.exp(log_weights).sum()), 12)
    (True, 1.0)
    """
    shifted = log_ratios - np.max(log_ratios, axis=1, keepdims=True)
    n, draws = shifted.shape
    order = np.argsort(shifted, axis=1, kind="stable")
    ordered = np.take_along_axis(shifted, order, axis=1)
    nominal = np.ceil(np.minimum(draws / 5.0, 3.0 * np.sqrt(draws / relative_efficiency))).astype(int)
    cutoff = np.maximum(ordered[np.arange(n), draws - np.minimum(nominal, draws - 1) - 1], _LOG_TINY)
    sizes = np.sum(ordered > cutoff[:, None], axis=1)  # fewer than planned where ratios tie with the cutoff
    shape = np.where(ordered[:, 0] == 0.0, 0.0, np.inf)
    for size in np.unique(sizes[sizes >= _FEWEST]):
        rows = np.flatnonzero(sizes == size)
        base = np.exp(cutoff[rows, None])
        fitted, scale = fit_generalized_pareto(np.exp(ordered[rows, draws - size :]) - base)
        levels = (np.arange(size) + 0.5) / size
        tail = np.log(base + _quantiles(levels, fitted[:, None], scale[:, None]))
        ordered[rows, draws - size :] = np.minimum(tail, 0.0)
        shape[rows] = fitted
    smoothed = np.empty_like(ordered)
    np.put_along_axis(smoothed, order, ordered, axis=1)
    return smoothed - special.logsumexp(smoothed, axis=1, keepdims=True), shape


def fit_generalized_pareto(
    excesses: Float[np.ndarray, "n m"],
) -> tuple[Float[np.ndarray, " n"], Float[np.ndarray, " n"]]:
    r"""Shape k and scale σ of $P(X > x) = (1 + kx/\sigma)^{-1/k}$ for each row of positive, ascending excesses.

    An empirical Bayes estimate: in $\theta = -k/\sigma$ the log profile likelihood is $m\,(\log(-\theta/k) - k - 1)$
    with $k(\theta) = \frac1m\sum\log(1 - \theta x)$; θ is averaged over a grid of $30 + \sqrt m$ points under it
    (Zhang & Stephens 2009). k is then drawn to one half as by ten points (Vehtari et al. 2024). $O(nm^{3/2})$, a point
    of the grid at a time, so that memory stays at that of the rows.

    >>> x = np.sort(np.random.default_rng(0).pareto(2.0, size=(1, 2000)), axis=1)  # shape 1/2, scale 1/2
    >>> [round(float(part[0]), 1) for part in fit_generalized_pareto(x)]
    [0.5, 0.5]
    """
    m = excesses.shape[1]
    points = 30 + int(np.sqrt(m))
    quartile = excesses[:, int(m / 4.0 + 0.5) - 1]
    spread = 1.0 - np.sqrt(points / (np.arange(points) + 0.5))
    theta = 1.0 / excesses[:, -1] + spread[:, None] / (3.0 * quartile)  # points × rows
    theta = np.where(theta == 0.0, np.finfo(np.float64).eps / excesses[:, -1], theta)  # there k/θ is 0/0
    mean_log = np.stack([np.mean(np.log1p(-at[:, None] * excesses), axis=1) for at in theta])
    profile = m * (np.log(-theta / mean_log) - mean_log - 1.0)
    average = np.sum(theta * special.softmax(profile, axis=0), axis=0)
    k = np.mean(np.log1p(-average[:, None] * excesses), axis=1)
    return (m * k + _PRIOR_WEIGHT * _PRIOR_SHAPE) / (m + _PRIOR_WEIGHT), -k / average


def _quantiles(p: np.ndarray, shape: np.ndarray, scale: np.ndarray) -> np.ndarray:
    """σ((1 − p)^{−k} − 1)/k, and −σ log(1 − p) at k = 0."""
    small = np.abs(shape) < 1e-12
    k = np.where(small, 1.0, shape)
    log_survival = np.log1p(-p)
    return scale * np.where(small, -log_survival, np.expm1(-k * log_survival) / k)

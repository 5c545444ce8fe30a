r"""Have the chains mixed, and how many independent draws are theirs worth?

Rank-normalized split R-hat, bulk and tail effective sample size and the Monte Carlo standard error of the mean, after
Vehtari, Gelman, Simpson, Carpenter & Bürkner (2021). All functions take values of shape (chains, draws, …), treat each
of the trailing entries by itself, and run on the host: O(n log n) an entry, for n draws in all.
"""

from typing import Any, NamedTuple

import numpy as np
from scipy import fft
from scipy.special import ndtri

from credo.errors import InputError
from credo.infer.mcmc.draws import Draws

__all__ = ["Diagnostics", "diagnose", "ess_bulk", "ess_mean", "ess_tail", "mcse", "rhat"]

_TAILS = (0.05, 0.95)
_FEWEST = 4  # draws in a chain: two in each half


class Diagnostics(NamedTuple):
    """For each coordinate: R-hat, bulk and tail effective sample size, Monte Carlo standard error of the mean."""

    rhat: np.ndarray
    ess_bulk: np.ndarray
    ess_tail: np.ndarray
    mcse: np.ndarray


def diagnose(draws: Draws) -> Diagnostics:
    """The diagnostics of every coordinate.

    >>> draws = Draws(np.random.default_rng(0).normal(size=(4, 250, 2)), np.zeros((4, 250)))
    >>> found = diagnose(draws)
    >>> bool(np.all(found.rhat < 1.01)), bool(np.all(found.ess_bulk > 800))
    (True, True)
    """
    values = np.asarray(draws.values)
    return Diagnostics(rhat(values), ess_bulk(values), ess_tail(values), mcse(values))


def rhat(values: Any) -> np.ndarray:
    r"""Rank-normalized split $\hat R$: near one when every half of every chain tells the same.

    Of the split chains, $\hat R = \sqrt{\hat V / W}$ with $W$ the mean variance within and $\hat V = \frac{n-1}{n} W +
    \frac{1}{n} B$; the larger one of that for the normal scores of the ranks (location) and that for those of the
    distances from the median (scale). NaN for a coordinate that never moved.

    >>> apart = np.random.default_rng(0).normal(size=(4, 100)) + np.array([[0.0], [0.0], [0.0], [5.0]])
    >>> bool(rhat(apart) > 1.5)
    True
    """
    halves = _split(_checked(values))
    folded = np.abs(halves - np.median(halves, axis=(0, 1)))
    return np.asarray(np.fmax(_plain_rhat(_normal_scores(halves)), _plain_rhat(_normal_scores(folded))))


def ess_bulk(values: Any) -> np.ndarray:
    """The effective sample size of the normal scores of the ranks: how well the bulk of the distribution is known.

    It exists also where the mean does not. Zero for a coordinate that never moved.
    """
    return _ess(_normal_scores(_split(_checked(values))))


def ess_tail(values: Any) -> np.ndarray:
    """The smaller one of the effective sample sizes for the 5% and the 95% quantile.

    A quantile that is the largest value of all, as tied values have it, says nothing and is left out.
    """
    halves = _split(_checked(values))
    below = [halves <= np.quantile(halves, p, axis=(0, 1)) for p in _TAILS]
    sizes = np.stack([_ess(side.astype(np.float64)) for side in below])
    smallest = np.min(np.where(sizes > 0.0, sizes, np.inf), axis=0)
    return np.asarray(np.where(np.isinf(smallest), 0.0, smallest))


def ess_mean(values: Any) -> np.ndarray:
    """The effective sample size of the values themselves: as many independent draws would have as good a mean."""
    return _ess(_split(_checked(values)))


def mcse(values: Any) -> np.ndarray:
    """The Monte Carlo standard error of the mean: the standard deviation over the root of `ess_mean`.

    Of an indicator it is the standard error of a probability. Infinite for a coordinate that never moved.
    """
    values = _checked(values)
    with np.errstate(divide="ignore", invalid="ignore"):
        error = np.std(values, axis=(0, 1), ddof=1) / np.sqrt(ess_mean(values))
    return np.where(np.isnan(error), np.inf, error)


def _checked(values: Any) -> np.ndarray:
    values = np.asarray(values, dtype=np.float64)
    if values.ndim < 2 or values.shape[0] < 1 or values.shape[1] < _FEWEST:
        raise InputError(
            "diagnostics",
            f"values have shape {values.shape}",
            f"They are at least one chain of at least {_FEWEST} draws",
            "Pass shape (chains, draws, …)",
        )
    if not np.all(np.isfinite(values)):
        raise InputError(
            "diagnostics", "values have NaN or infinite entries", "A chain has left the support", "Check the sampler"
        )
    return values


def _split(values: np.ndarray) -> np.ndarray:
    """Each chain as two, so that a drift within it shows as a difference between chains; an odd middle is left out."""
    half = values.shape[1] // 2
    return np.concatenate([values[:, :half], values[:, -half:]])


def _normal_scores(values: np.ndarray) -> np.ndarray:
    """Φ⁻¹((rank − 3/8) / (n + 1/4)) over all chains together; equal values share their mean rank (Blom 1958)."""
    flat = values.reshape(-1, *values.shape[2:])
    count = flat.shape[0]
    order = np.argsort(flat, axis=0, kind="stable")
    ordered = np.take_along_axis(flat, order, axis=0)
    place = np.arange(count).reshape(-1, *(1,) * (flat.ndim - 1))
    rises = np.diff(ordered, axis=0) > 0
    edge = np.ones((1, *flat.shape[1:]), dtype=bool)
    first = np.maximum.accumulate(np.where(np.concatenate([edge, rises]), place, 0), axis=0)
    last = np.where(np.concatenate([rises, edge]), place, count)
    last = np.minimum.accumulate(last[::-1], axis=0)[::-1]
    scores = np.empty(flat.shape)
    np.put_along_axis(scores, order, ndtri((0.5 * (first + last) + 1.0 - 0.375) / (count + 0.25)), axis=0)
    return scores.reshape(values.shape)


def _plain_rhat(values: np.ndarray) -> np.ndarray:
    count = values.shape[1]
    within = np.mean(np.var(values, axis=1, ddof=1), axis=0)
    between = np.var(np.mean(values, axis=1), axis=0, ddof=1)  # B / n
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray(np.sqrt((count - 1) / count + between / within))


def _ess(values: np.ndarray) -> np.ndarray:
    r"""$M N / \hat\tau$ of M chains of N draws: pooled autocorrelations, cut by Geyer's initial monotone sequence.

    $\hat\rho_t = 1 - (W - \frac1M \sum_m c_{tm}) / \hat V$ (eq. 10), summed in pairs $\hat\rho_{2k} + \hat\rho_{2k+1}$
    for as long as they are positive and not above their predecessors. Antithetic chains may be worth more than their
    draws; $\hat\tau \ge 1 / \log_{10}(MN)$ keeps that from running away. Zero where nothing varies.
    """
    chains, count = values.shape[:2]
    covariances = np.mean(_autocovariance(values), axis=0)
    within = covariances[0] * count / (count - 1)
    total = covariances[0] + (np.var(np.mean(values, axis=1), axis=0, ddof=1) if chains > 1 else 0.0)
    moving = total > 0.0
    rho = 1.0 - (within - covariances) / np.where(moving, total, 1.0)
    rho[0] = 1.0
    pairs = count // 2
    even = rho[: 2 * pairs : 2]
    sums = even + rho[1 : 2 * pairs : 2]
    used = np.logical_and.accumulate(sums > 0.0, axis=0)
    monotone = np.where(used, np.minimum.accumulate(sums, axis=0), 0.0)
    # Where the pairs stop, half of the next one is still signal when it is positive (section 3.2 of the paper).
    stop = np.minimum(np.sum(used, axis=0), pairs - 1)
    left_over = np.where(np.all(used, axis=0), 0.0, np.take_along_axis(even, stop[None], axis=0)[0])
    tau = -1.0 + 2.0 * np.sum(monotone, axis=0) + np.maximum(left_over, 0.0)
    size = chains * count
    return np.where(moving, size / np.maximum(tau, 1.0 / np.log10(size)), 0.0)


def _autocovariance(values: np.ndarray) -> np.ndarray:
    """Of each chain at every lag, divided by its length; by FFT, padded so that the ends do not meet."""
    count = values.shape[1]
    centered = values - np.mean(values, axis=1, keepdims=True)
    length = fft.next_fast_len(2 * count, real=True)
    power = np.abs(fft.rfft(centered, length, axis=1)) ** 2
    return fft.irfft(power, length, axis=1)[:, :count] / count

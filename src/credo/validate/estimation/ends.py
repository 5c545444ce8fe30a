r"""The ends of bootstrap intervals from the statistic's resampled values, each with its Monte Carlo error.

An end is a quantile of B values, possibly at a probability that was estimated from the same values. To first order its
error is that of the empirical distribution function, divided by the density there, which the spacing of the values
tells (Serfling 1980, §2.3.3).
"""

from typing import NamedTuple

import numpy as np
from jaxtyping import Float
from scipy import special

from credo.errors import UndefinedError

__all__ = ["Ends", "basic_ends", "bca_ends", "percentile_ends", "studentized_ends"]


class Ends(NamedTuple):
    """An interval, the Monte Carlo standard errors of its ends, and what must be said of it."""

    low: float
    high: float
    low_error: float
    high_error: float
    notes: tuple[str, ...] = ()


def percentile_ends(values: Float[np.ndarray, " b"], level: float) -> Ends:
    r"""From the $\alpha$ to the $1 - \alpha$ quantile of the values, $\alpha = (1 - \text{level})/2$.

    (Efron & Tibshirani 1993, eq. 13.5.)
    """
    low, high = _quantiles(values, _tails(level))
    low_error, high_error = _quantile_errors(values, _tails(level))
    return Ends(float(low), float(high), float(low_error), float(high_error))


def basic_ends(values: Float[np.ndarray, " b"], estimate: float, level: float) -> Ends:
    r"""$2\hat\theta$ minus the quantiles in reverse: the error $\theta^* - \hat\theta$ stands for $\hat\theta - \theta$
    (Davison & Hinkley 1997, eq. 5.6).
    """
    ends = percentile_ends(values, level)
    return Ends(2.0 * estimate - ends.high, 2.0 * estimate - ends.low, ends.high_error, ends.low_error)


def studentized_ends(
    values: Float[np.ndarray, " b"], errors: Float[np.ndarray, " b"], estimate: float, own_error: float, level: float
) -> Ends:
    r"""$\hat\theta - \hat\sigma\, t^*_{1-\alpha}$ to $\hat\theta - \hat\sigma\, t^*_\alpha$ with $t^* = (\theta^* -
    \hat\theta)/\sigma^*$, each resample with its own standard error (Davison & Hinkley 1997, eq. 5.7).
    """
    flat = int(np.sum(errors <= 0.0))
    if flat or not own_error > 0.0:
        raise UndefinedError(
            "bootstrap_interval",
            f"the standard error of the statistic is zero in {flat} of {len(values)} resamples",
            "The rows have few distinct values, so that some resamples show no spread",
            'Try method="bca" or "percentile", or more rows',
        )
    ends = percentile_ends((values - estimate) / errors, level)
    return Ends(
        estimate - own_error * ends.high,
        estimate - own_error * ends.low,
        own_error * ends.high_error,
        own_error * ends.low_error,
    )


def bca_ends(values: Float[np.ndarray, " b"], estimate: float, left_out: Float[np.ndarray, " n"], level: float) -> Ends:
    r"""Percentiles at probabilities corrected for bias and acceleration (Efron 1987).

    $$p_\alpha = \Phi\Bigl(z_0 + \frac{z_0 + z_\alpha}{1 - a\,(z_0 + z_\alpha)}\Bigr)$$

    with $z_0$ the normal quantile of the share of values below the estimate (of those equal to it, half) and $a$ the
    skewness of the jackknife values `left_out`, $\sum d_i^3 / 6(\sum d_i^2)^{3/2}$, $d_i = \bar\theta_{(\cdot)} -
    \theta_{(i)}$ (Efron & Tibshirani 1993, eqs. 14.10 and 14.15).
    """
    share = float(np.mean(values < estimate) + 0.5 * np.mean(values == estimate))
    if not 0.0 < share < 1.0:
        raise UndefinedError(
            "bootstrap_interval",
            f"all {len(values)} resamples lie {'below' if share else 'above'} the estimate {estimate:.6g}",
            "The statistic is so biased on resamples that BCa cannot correct it",
            'Try method="basic" or "studentized"',
        )
    acceleration, notes = _acceleration(left_out)
    z0 = special.ndtri(share)
    shifted = z0 + special.ndtri(_tails(level))
    pole = 1.0 - acceleration * shifted
    if not np.all(pole > 0.0):
        raise UndefinedError(
            "bootstrap_interval",
            f"the acceleration is {acceleration:.3g}, beyond what BCa can correct at level {level}",
            "One row moves the statistic more than all others together",
            'Try method="percentile", or look at that row',
        )
    corrected = z0 + shifted / pole
    at = special.ndtr(corrected)
    low, high = _quantiles(values, at)
    # How the probability moves with the share: through z₀, which is in both terms.
    slope = np.exp(0.5 * (z0**2 - corrected**2)) * (1.0 + pole**-2.0)
    low_error, high_error = _quantile_errors(values, at, share, slope)
    if np.any((at * len(values) < 1.0) | ((1.0 - at) * len(values) < 1.0)):
        notes = (*notes, "an end lies at the outermost resample: more resamples would tell it better")
    return Ends(float(low), float(high), float(low_error), float(high_error), notes)


def _acceleration(left_out: Float[np.ndarray, " n"]) -> tuple[float, tuple[str, ...]]:
    """A sixth of the skewness of the jackknife values."""
    if not np.all(np.isfinite(left_out)):
        row = int(np.flatnonzero(~np.isfinite(left_out))[0])
        raise UndefinedError(
            "bootstrap_interval",
            f"the statistic has no value without row {row}",
            "BCa leaves out each row once, and that one is needed",
            'Try method="percentile", or more rows',
        )
    gaps = np.mean(left_out) - left_out
    scale = float(np.max(np.abs(gaps)))
    if scale <= 1e-14 * float(np.max(np.abs(left_out))):
        return 0.0, ("leaving out a row never changes the statistic, so the acceleration was taken as zero",)
    gaps = gaps / scale  # cubes of small numbers would underflow
    return float(np.sum(gaps**3) / (6.0 * np.sum(gaps**2) ** 1.5)), ()


def _tails(level: float) -> Float[np.ndarray, "2"]:
    return np.array([0.5 - 0.5 * level, 0.5 + 0.5 * level])


def _quantiles(values: Float[np.ndarray, " b"], at: Float[np.ndarray, "2"]) -> np.ndarray:
    return np.asarray(np.quantile(values, at))


def _quantile_errors(
    values: Float[np.ndarray, " b"], at: Float[np.ndarray, "2"], share: float = 0.5, slope: np.ndarray | float = 0.0
) -> np.ndarray:
    r"""Standard errors of quantiles at probabilities that are known, or that move by `slope` with the estimated
    `share`: of $\hat F$ at two points the covariance is $(\min(p, q) - pq)/B$.
    """
    B = len(values)
    variance = at * (1.0 - at) + slope**2 * share * (1.0 - share) - 2.0 * slope * (np.minimum(at, share) - at * share)
    reach = np.maximum(2.0 * np.sqrt(at * (1.0 - at) / B), 1.0 / B)  # wide enough for a few dozen values
    below, above = np.maximum(at - reach, 0.0), np.minimum(at + reach, 1.0)
    per_probability = (np.quantile(values, above) - np.quantile(values, below)) / (above - below)
    return np.asarray(np.sqrt(np.maximum(variance, 0.0) / B) * per_probability)

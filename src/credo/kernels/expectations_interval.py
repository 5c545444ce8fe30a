r"""Averages of correlations of one variable over intervals and Gaussians on the line.

With $\rho(t)$ the correlation at distance t in length-scales, $F(t) = \int_0^t\rho$ and $G(t) = \int_0^t F$, the mean
over an interval is a difference of F, and the mean over two is a second difference of G. Where an interval is shorter
than a length-scale the differences cancel, and a Gauss rule is exact to round-off: it takes their place.
"""

from collections.abc import Callable
from typing import NamedTuple

import jax.numpy as jnp
import numpy as np
from jax import Array
from jax.scipy.special import erf, ndtr

from credo.kernels.stationary import RBF, Matern12, Matern32, Matern52, Stationary
from credo.numerics.normal_tails import erfcx, truncated_gap, truncated_variance
from credo.numerics.quadrature import gauss_legendre

__all__ = ["INTEGRALS", "gaussian_mean", "interval_double_mean", "interval_mean"]

_NODES, _WEIGHTS = gauss_legendre(12, 0.0, 1.0)  # exact to round-off for these correlations over one length-scale
_SQRT_2 = float(np.sqrt(2.0))
_SQRT_HALF_PI = float(np.sqrt(0.5 * np.pi))
_ROOTS = {Matern12: 1.0, Matern32: float(np.sqrt(3.0)), Matern52: float(np.sqrt(5.0))}  # √2ν


class Integrals(NamedTuple):
    """F and G as functions of a distance t ≥ 0 in length-scales."""

    first: Callable[[Array], Array]
    second: Callable[[Array], Array]


def _rbf_first(t: Array) -> Array:
    return _SQRT_HALF_PI * erf(t / _SQRT_2)


def _rbf_second(t: Array) -> Array:
    return t * _rbf_first(t) + jnp.expm1(-0.5 * t**2)


def _matern(nu: float, first: tuple[float, ...], second: tuple[float, ...]) -> Integrals:
    """$F = (p_0 - p(a)e^{-a})/\\sqrt{2ν}$ and $G = (p_0 a - q_0 + q(a)e^{-a})/2ν$ with $a = \\sqrt{2ν}\\,t$."""
    root = float(np.sqrt(2.0 * nu))
    p, q = (np.array(coefficients[::-1]) for coefficients in (first, second))

    def f(t: Array) -> Array:
        return (first[0] - jnp.polyval(p, root * t) * jnp.exp(-root * t)) / root

    def g(t: Array) -> Array:
        return (first[0] * root * t - second[0] + jnp.polyval(q, root * t) * jnp.exp(-root * t)) / root**2

    return Integrals(f, g)


#: F and G of the kernels that have them in closed form.
INTEGRALS: dict[type[Stationary], Integrals] = {
    RBF: Integrals(_rbf_first, _rbf_second),
    Matern12: _matern(0.5, (1.0,), (1.0,)),
    Matern32: _matern(1.5, (2.0, 1.0), (3.0, 1.0)),
    Matern52: _matern(2.5, (8.0 / 3.0, 5.0 / 3.0, 1.0 / 3.0), (5.0, 7.0 / 3.0, 1.0 / 3.0)),
}


def interval_mean(kernel: Stationary, x: Array, low: Array, high: Array) -> Array:
    """The mean of ρ(|x − z|) over z from low to high, all in length-scales and broadcast against each other."""
    x, low, high = jnp.broadcast_arrays(x, low, high)
    width = high - low
    inside = (x >= low) & (x <= high)
    within = _first(kernel, jnp.clip(x - low, 0.0, width)) + _first(kernel, jnp.clip(high - x, 0.0, width))
    near = jnp.maximum(jnp.maximum(low - x, x - high), 0.0)
    wide = INTEGRALS[type(kernel)].first(near + width) - INTEGRALS[type(kernel)].first(near)
    narrow = _ruled(lambda u: _correlation(kernel, near[..., None] + width[..., None] * u))
    return jnp.where(inside, within / width, jnp.where(width < 1.0, narrow, wide / width))


def interval_double_mean(kernel: Stationary, first: tuple[Array, Array], second: tuple[Array, Array]) -> Array:
    """The mean of ρ(|z − z'|) over z in one interval (low, high) and z' in another."""
    swap = first[1] - first[0] > second[1] - second[0]
    a, b = (jnp.where(swap, y, x) for x, y in zip(first, second, strict=True))  # the shorter one
    c, d = (jnp.where(swap, x, y) for x, y in zip(first, second, strict=True))
    g = INTEGRALS[type(kernel)].second
    wide = g(jnp.abs(b - c)) - g(jnp.abs(a - c)) - g(jnp.abs(b - d)) + g(jnp.abs(a - d))
    # Cut at the ends of the longer one, beyond which the inner mean is another analytic function.
    cuts = jnp.stack([a, jnp.clip(c, a, b), jnp.clip(d, a, b), b], axis=-1)
    starts, lengths = cuts[..., :-1, None], jnp.diff(cuts, axis=-1)
    ends = c[..., None, None], d[..., None, None]
    means = interval_mean(kernel, starts + lengths[..., None] * _NODES, *ends) @ _WEIGHTS
    narrow = jnp.sum(lengths * means, axis=-1) / (b - a)
    return jnp.where(b - a < 1.0, narrow, wide / ((b - a) * (d - c)))


def _correlation(kernel: Stationary, t: Array) -> Array:
    return kernel.of_squared_distance(t**2)


def _first(kernel: Stationary, t: Array) -> Array:
    """F, without the cancellation of its closed form near zero."""
    short = jnp.minimum(t, 1.0)
    near = short * _ruled(lambda u: _correlation(kernel, short[..., None] * u))
    return jnp.where(t < 1.0, near, INTEGRALS[type(kernel)].first(t))


def _ruled(function: Callable[[np.ndarray], Array]) -> Array:
    """The mean over (0, 1)."""
    return function(_NODES) @ _WEIGHTS


def gaussian_mean(kernel: Stationary, distance: Array, scale: Array) -> Array:
    r"""The mean of ρ(|t|) over a normal t, in length-scales, for the Matérn family.

    With $a = \sqrt{2\nu}\,t \sim \mathcal{N}(m, s^2)$ and ρ a polynomial times $e^{-a}$, completing the square leaves
    moments of a normal cut at zero, $e^{-m + s^2/2}\,\mathbb{E}[a^k; a > 0]$ under $\mathcal{N}(m - s^2, s^2)$, and
    their mirror image.
    """
    root = _ROOTS[type(kernel)]
    m, s = root * distance, root * scale
    return _half(kernel, m, s) + _half(kernel, -m, s)


def _half(kernel: Stationary, m: Array, s: Array) -> Array:
    """The part from a > 0."""
    z = m / s - s
    # e^{-m + s²/2} Φ(z), written so that it neither overflows nor cancels on either side.
    left = 0.5 * erfcx(jnp.maximum(-z, 0.0) / _SQRT_2) * jnp.exp(-0.5 * (m / s) ** 2)
    right = jnp.exp(jnp.where(z > 0.0, 0.5 * s**2 - m, 0.0)) * ndtr(z)
    mass = jnp.where(z > 0.0, right, left)
    if isinstance(kernel, Matern12):
        return mass
    gap = s * truncated_gap(z)  # the mean of what is left of the normal
    if isinstance(kernel, Matern32):
        return mass * (1.0 + gap)
    return mass * (1.0 + gap + (s**2 * truncated_variance(z) + gap**2) / 3.0)

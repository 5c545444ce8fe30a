"""Differences of log-gamma functions without cancellation: normalizers of Beta, Student and count families."""

import jax.numpy as jnp
from jax import Array
from jax.scipy.special import gammaln
from jaxtyping import ArrayLike

__all__ = ["log_beta", "log_choose", "log_gamma_ratio", "log_multivariate_beta", "stirling_remainder"]

_LARGE = 15.0  # from here on Stirling's series with five terms is exact to round-off


def stirling_remainder(x: Array) -> Array:
    """log Γ(x) minus Stirling's formula (x − ½) log x − x + ½ log 2π, for x of 15 or more."""
    inverse_square = 1.0 / x**2
    series = -1.0 / 1680.0 + inverse_square / 1188.0
    for coefficient in (1.0 / 1260.0, -1.0 / 360.0, 1.0 / 12.0):
        series = coefficient + inverse_square * series
    return series / x


def log_gamma_ratio(x: ArrayLike, h: ArrayLike) -> Array:
    r"""$\log\Gamma(x + h) - \log\Gamma(x)$ for x > 0, h ≥ 0, accurate for large x, where the two terms nearly cancel.

    >>> f"{log_gamma_ratio(1e12, 1.0):.10f}"  # log x
    '27.6310211159'
    """
    x, h = jnp.broadcast_arrays(jnp.asarray(x, dtype=jnp.float64), jnp.asarray(h, dtype=jnp.float64))
    large = x >= _LARGE
    z = jnp.where(large, x, _LARGE)
    stirling = (z - 0.5) * jnp.log1p(h / z) + h * jnp.log(z + h) - h + stirling_remainder(z + h) - stirling_remainder(z)
    z = jnp.where(large, 1.0, x)
    return jnp.where(large, stirling, gammaln(z + jnp.where(large, 1.0, h)) - gammaln(z))


def log_beta(a: ArrayLike, b: ArrayLike) -> Array:
    r"""$\log B(a, b) = \log\Gamma(a) + \log\Gamma(b) - \log\Gamma(a + b)$.

    >>> f"{log_beta(2.0, 3.0):.6f}"  # log 1/12
    '-2.484907'
    """
    a, b = jnp.broadcast_arrays(jnp.asarray(a, dtype=jnp.float64), jnp.asarray(b, dtype=jnp.float64))
    smaller, larger = jnp.where(a <= b, a, b), jnp.where(a <= b, b, a)
    return gammaln(smaller) - log_gamma_ratio(larger, smaller)


def log_choose(n: ArrayLike, k: ArrayLike) -> Array:
    r"""$\log \binom{n}{k}$ for 0 ≤ k ≤ n.

    >>> f"{jnp.exp(log_choose(5, 2)):.6f}"
    '10.000000'
    """
    n, k = jnp.broadcast_arrays(jnp.asarray(n, dtype=jnp.float64), jnp.asarray(k, dtype=jnp.float64))
    return -jnp.log1p(n) - log_beta(n - k + 1.0, k + 1.0)


def log_multivariate_beta(concentration: Array) -> Array:
    r"""$\sum_i \log\Gamma(\alpha_i) - \log\Gamma(\sum_i \alpha_i)$ along the last axis: a chain of Beta functions."""
    before = jnp.cumsum(concentration, axis=-1)[..., :-1]
    return jnp.sum(log_beta(concentration[..., 1:], before), axis=-1)

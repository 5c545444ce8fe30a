r"""Quantiles as functions of the normal score $z = \Phi^{-1}(u)$, for degrees of freedom that are known beforehand.

As functions of z, $\log\chi^2$ and $\operatorname{arsinh}(t/\sqrt\nu)$ are analytic, so a Chebyshev series does what a
solver for quantiles does, to nine digits. It compiles in a fraction of the time, which is most of what drawing Fourier
features costs.
"""

from collections.abc import Callable
from functools import lru_cache

import jax.numpy as jnp
import numpy as np
from jax import Array, lax

__all__ = ["chi_square_from_score", "student_from_score"]

_REACH = 8.5  # of z; 1e-17 of a normal lies beyond
_DEGREE = 80


def chi_square_from_score(df: float, z: Array) -> Array:
    """The chi-square with `df` degrees of freedom that has the same probability below it as a normal has below z.

    >>> f"{chi_square_from_score(3.0, jnp.asarray(0.0)):.6f}"
    '2.365974'
    """
    return jnp.exp(_series(_chi_square_coefficients(df), z))


def student_from_score(df: float, z: Array) -> Array:
    """The Student t with `df` degrees of freedom that has the same probability below it as a normal has below z.

    >>> f"{student_from_score(1.0, jnp.asarray(1.0)):.6f}"
    '1.837337'
    """
    return np.sqrt(df) * jnp.sinh(_series(_student_coefficients(df), z))


def _series(coefficients: np.ndarray, z: Array) -> Array:
    """The sum by Clenshaw's recurrence, which needs no memory beyond some copies of z."""
    x = jnp.clip(z / _REACH, -1.0, 1.0)

    def step(state: tuple[Array, Array], coefficient: Array) -> tuple[tuple[Array, Array], None]:
        last, one_before = state
        return (coefficient + 2.0 * x * last - one_before, last), None

    zeros = jnp.zeros_like(x)
    (last, one_before), _ = lax.scan(step, (zeros, zeros), jnp.asarray(coefficients[:0:-1]))
    return coefficients[0] + x * last - one_before


@lru_cache
def _chi_square_coefficients(df: float) -> np.ndarray:
    from scipy.special import gammainccinv, gammaincinv, ndtr

    def log_quantile(z: np.ndarray) -> np.ndarray:
        below = gammaincinv(0.5 * df, ndtr(np.minimum(z, 0.0)))  # each tail from its own small probability
        above = gammainccinv(0.5 * df, ndtr(-np.maximum(z, 0.0)))
        return np.log(2.0 * np.where(z < 0.0, below, above))

    return _interpolated(log_quantile)


@lru_cache
def _student_coefficients(df: float) -> np.ndarray:
    from scipy.special import ndtr, stdtrit

    return _interpolated(lambda z: -np.sign(z) * np.arcsinh(stdtrit(df, ndtr(-np.abs(z))) / np.sqrt(df)))


def _interpolated(function: Callable[[np.ndarray], np.ndarray]) -> np.ndarray:
    return np.polynomial.chebyshev.chebinterpolate(lambda x: function(_REACH * x), _DEGREE)

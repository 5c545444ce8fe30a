r"""Cosine and sine together, as polynomials that the compiler vectorizes.

XLA computes both functions number by number on a CPU, some 6 ns each in double precision. After the whole turns are
taken off, they are polynomials in the square of what is left, which is five times faster and as exact to 15 digits.
"""

from collections.abc import Callable
from functools import lru_cache

import jax.numpy as jnp
import numpy as np
from jax import Array

__all__ = ["cosine_and_sine"]

_DEGREE = 11  # in the square of half a turn


def cosine_and_sine(x: Array) -> tuple[Array, Array]:
    """The pair at every entry, with an error below 1e-14 and that of x as a double: 1e-16 |x|.

    >>> [f"{value:.6f}" for value in cosine_and_sine(jnp.asarray(7.0))]
    ['0.753902', '0.656987']
    """
    turns = x * (0.5 / np.pi)
    left = turns - jnp.round(turns)
    square = left**2
    of_cosine, of_sine = _coefficients()
    return _horner(of_cosine, square), left * _horner(of_sine, square)


def _horner(coefficients: tuple[float, ...], x: Array) -> Array:
    total = jnp.full_like(x, coefficients[-1])
    for coefficient in coefficients[-2::-1]:
        total = total * x + coefficient
    return total


@lru_cache
def _coefficients() -> tuple[tuple[float, ...], tuple[float, ...]]:
    turn = 2.0 * np.pi
    return (
        _interpolated(lambda square: np.cos(turn * np.sqrt(square))),
        _interpolated(lambda square: turn * np.sinc(2.0 * np.sqrt(square))),
    )


def _interpolated(function: Callable[[np.ndarray], np.ndarray]) -> tuple[float, ...]:
    """Coefficients of the powers of t² for t up to half a turn, by interpolation at Chebyshev points."""
    series = np.polynomial.Chebyshev.interpolate(function, _DEGREE, domain=[0.0, 0.25])
    return tuple(float(c) for c in series.convert(kind=np.polynomial.Polynomial).coef)

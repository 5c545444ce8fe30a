r"""Frequencies drawn more often far out than the spectral measure has them, and weighted for it.

The variance of a Gaussian process between close measurements comes from waves that are shorter than their distance.
The spectral measure has very few of them, and a sample of it mostly none. Here half of the frequencies are drawn from
the far end of the measure, evenly over its decades, and a weight per frequency keeps averages unbiased: importance
sampling from a defensive mixture (Owen and Zhou 2000), whose weights are at most 2.
"""

from functools import singledispatch
from typing import NamedTuple

import jax.numpy as jnp
import numpy as np
from jax import Array
from jaxtyping import Float

from credo.kernels.base import Kernel
from credo.kernels.frequencies import uniforms_needed
from credo.kernels.stationary import Matern12, Matern32, Matern52

__all__ = ["Tail", "stretch", "tails"]

_SHARE = 0.5  # of the frequencies
_NEAREST, _FARTHEST = float(np.log(4.0)), 34.0  # -log of the probability of what lies farther out


class Tail(NamedTuple):
    """An end of the unit interval, of one of the uniform numbers of a frequency, where frequencies are high."""

    position: int
    is_upper: bool


@singledispatch
def tails(kernel: Kernel, d: int) -> tuple[Tail, ...]:
    """The ends at which the frequencies of the kernel may be high: both ends of every number, unless registered."""
    return tuple(Tail(i, is_upper) for i in range(uniforms_needed(kernel, d)) for is_upper in (False, True))


@tails.register(Matern12)
@tails.register(Matern32)
@tails.register(Matern52)
def _(kernel: Kernel, d: int) -> tuple[Tail, ...]:
    """A small chi-square, by which normal numbers are divided, except in one column, which takes a Student t."""
    return (Tail(0, False), Tail(0, True)) if d == 1 else (Tail(d, False),)


def stretch(
    uniforms: Float[Array, "m e"], choice: Float[Array, " m"], ends: tuple[Tail, ...]
) -> tuple[Float[Array, "m e"], Float[Array, " m"]]:
    r"""Uniform numbers moved to the given ends, and weights w with $\mathbb{E}\,w\,g(u) = \int g$ for any function g.

    `choice` is a further uniform number per row: below one half, it chooses the end to which the row is moved. There
    the logarithm of $-\log u$ is uniform, with u the distance to the end, from 1/4 down to $e^{-34}$.

    >>> points = (jnp.arange(4096.0)[:, None] + 0.5) / 4096
    >>> moved, weights = stretch(points, (789.0 * points[:, 0]) % 1.0, (Tail(0, False),))
    >>> f"{jnp.mean(weights):.2f}, {jnp.mean(weights * moved[:, 0]):.2f}, {jnp.min(moved):.0e}"
    '1.00, 0.50, 2e-15'
    """
    if not ends:
        return uniforms, jnp.ones_like(choice)
    chosen = jnp.floor(choice / _SHARE * len(ends))
    ratio = np.log(_FARTHEST / _NEAREST)
    moved, density = uniforms, jnp.zeros_like(choice)
    for number, end in enumerate(ends):
        distance = jnp.exp(-_NEAREST * jnp.exp(ratio * uniforms[:, end.position]))
        place = 1.0 - distance if end.is_upper else distance
        moved = moved.at[:, end.position].set(jnp.where(chosen == number, place, moved[:, end.position]))
    for end in ends:
        coordinate = moved[:, end.position]
        distance = jnp.maximum(1.0 - coordinate if end.is_upper else coordinate, np.exp(-_FARTHEST))
        depth = -jnp.log(distance)  # never beyond the farthest, also where 1 - u was rounded to less
        is_near = depth < _NEAREST
        density = density + jnp.where(is_near, 0.0, 1.0 / (distance * jnp.where(is_near, 1.0, depth) * ratio))
    return moved, 1.0 / (1.0 - _SHARE + _SHARE * density / len(ends))

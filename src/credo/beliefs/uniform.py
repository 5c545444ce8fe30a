"""The uniform distribution on an interval."""

import jax
import jax.numpy as jnp
from jax import Array
from jaxtyping import ArrayLike, Float

from credo.beliefs.base import Belief
from credo.beliefs.matrices import require
from credo.numerics.constraints import Real
from credo.numerics.parameters import parameter

__all__ = ["Uniform"]


class Uniform(Belief):
    r"""Density $1/(\mathrm{high} - \mathrm{low})$ from `low` to `high`, both included.

    scipy: ``uniform(loc=low, scale=high - low)``.

    >>> low, high = Uniform(0.0, 10.0).interval(0.9)
    >>> f"{low:.1f} to {high:.1f}"
    '0.5 to 9.5'
    """

    low: Float[Array, "*batch"] = parameter(Real())
    high: Float[Array, "*batch"] = parameter(Real())

    def __check_init__(self) -> None:
        ordered = self.low < self.high
        require(
            ordered,
            "Uniform",
            f"low={self.low} is not below high={self.high}",
            "The ends are swapped or equal",
            "Swap them",
        )

    @property
    def width(self) -> Array:
        """high − low."""
        return self.high - self.low

    @property
    def mean(self) -> Array:
        return self.low + 0.5 * self.width

    @property
    def variance(self) -> Array:
        return self.width**2 / 12.0

    def log_prob(self, x: ArrayLike) -> Array:
        x = jnp.asarray(x, dtype=jnp.float64)
        outside = (x < self.low) | (x > self.high)
        return jnp.where(outside, -jnp.inf, -jnp.log(self.width) + jnp.where(jnp.isnan(x), x, 0.0))

    def cdf(self, x: ArrayLike) -> Array:
        return jnp.clip((x - self.low) / self.width, 0.0, 1.0)

    def quantile(self, p: ArrayLike) -> Array:
        return self.low + self._checked(p) * self.width

    def draw(self, key: Array, shape: tuple[int, ...]) -> Array:
        return self.low + self.width * jax.random.uniform(key, shape + self.batch_shape, dtype=jnp.float64)

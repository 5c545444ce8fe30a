"""The Laplace distribution of a number: two exponentials back to back."""

import jax
import jax.numpy as jnp
from jax import Array
from jaxtyping import ArrayLike, Float

from credo.beliefs.base import Belief
from credo.numerics.constraints import Positive, Real
from credo.numerics.parameters import parameter

__all__ = ["Laplace"]


class Laplace(Belief):
    r"""Density $\exp(-|x - \mu|/b) / 2b$ with `loc` $\mu$ and `scale` $b$; the standard deviation is $\sqrt{2}\,b$.

    Not an exponential family in $\mu$; the log density has no derivative at `loc`.

    >>> f"{Laplace(0.0, 1.0).quantile(0.975):.4f}"
    '2.9957'
    """

    loc: Float[Array, "*batch"] = parameter(Real())
    scale: Float[Array, "*batch"] = parameter(Positive())

    @property
    def mean(self) -> Array:
        return self.loc

    @property
    def variance(self) -> Array:
        return 2.0 * self.scale**2

    def log_prob(self, x: ArrayLike) -> Array:
        return -jnp.abs(x - self.loc) / self.scale - jnp.log(2.0 * self.scale)

    def cdf(self, x: ArrayLike) -> Array:
        z = (x - self.loc) / self.scale
        tail = 0.5 * jnp.exp(-jnp.abs(z))
        return jnp.where(z < 0, tail, 1.0 - tail)

    def quantile(self, p: ArrayLike) -> Array:
        p = self._checked(p)
        lower = p < 0.5
        tail = jnp.where(lower, p, 1.0 - p)
        distance = -jnp.log(2.0 * tail)
        return self.loc + self.scale * jnp.where(lower, -distance, distance)

    def draw(self, key: Array, shape: tuple[int, ...]) -> Array:
        return self.loc + self.scale * jax.random.laplace(key, shape + self.batch_shape, dtype=jnp.float64)

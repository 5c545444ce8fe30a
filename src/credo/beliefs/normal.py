"""The normal distribution of a number."""

import jax
import jax.numpy as jnp
from jax import Array
from jax.scipy.special import log_ndtr, ndtr, ndtri
from jaxtyping import ArrayLike, Float

from credo.beliefs.exponential import ExponentialFamily
from credo.numerics.constraints import Positive, Real
from credo.numerics.parameters import parameter
from credo.numerics.scalar import LOG_2PI

__all__ = ["Normal"]


class Normal(ExponentialFamily):
    r"""$\mathcal{N}(\mu, \sigma^2)$ with `loc` $\mu$ and `scale` $\sigma$, the standard deviation.

    Natural form: $T(x) = (x, x^2)$, $\eta = (\mu/\sigma^2, -1/2\sigma^2)$ (Bishop 2006, eq. 2.220).

    >>> low, high = Normal(10.0, 2.0).interval(0.95)
    >>> f"{low:.2f} to {high:.2f}"
    '6.08 to 13.92'
    """

    loc: Float[Array, "*batch"] = parameter(Real())
    scale: Float[Array, "*batch"] = parameter(Positive())

    @property
    def mean(self) -> Array:
        return self.loc

    @property
    def variance(self) -> Array:
        return self.scale**2

    @property
    def std(self) -> Array:
        return self.scale

    def log_prob(self, x: ArrayLike) -> Array:
        z = (jnp.asarray(x, dtype=jnp.float64) - self.loc) / self.scale
        return -0.5 * z**2 - jnp.log(self.scale) - 0.5 * LOG_2PI

    def cdf(self, x: ArrayLike) -> Array:
        return ndtr((x - self.loc) / self.scale)

    def log_cdf(self, x: ArrayLike) -> Array:
        """log P(y ≤ x), accurate far in the tail."""
        return log_ndtr((x - self.loc) / self.scale)

    def quantile(self, p: ArrayLike) -> Array:
        return self.loc + self.scale * ndtri(self._checked(p))

    def draw(self, key: Array, shape: tuple[int, ...]) -> Array:
        return self.loc + self.scale * jax.random.normal(key, shape + self.batch_shape, dtype=jnp.float64)

    @property
    def natural(self) -> Array:
        precision = 1.0 / self.variance
        return jnp.stack([self.loc * precision, -0.5 * precision], axis=-1)

    def with_natural(self, natural: Array) -> "Normal":
        variance = -0.5 / natural[..., 1]
        return Normal(natural[..., 0] * variance, jnp.sqrt(variance))

    def statistics(self, x: ArrayLike) -> Array:
        x = jnp.asarray(x, dtype=jnp.float64)
        return jnp.stack([x, x**2], axis=-1)

    def log_partition(self, natural: Array) -> Array:
        first, second = natural[..., 0], natural[..., 1]
        return -(first**2) / (4.0 * second) - 0.5 * jnp.log(-2.0 * second)

    def log_base(self, x: ArrayLike) -> Array:
        return jnp.full(jnp.shape(x), -0.5 * LOG_2PI)

    def maximum_likelihood(self, mean_statistics: Array) -> "Normal":
        first, second = mean_statistics[..., 0], mean_statistics[..., 1]
        return Normal(first, jnp.sqrt(second - first**2))

"""The distribution of a positive number whose logarithm is normal."""

import jax.numpy as jnp
from jax import Array
from jaxtyping import ArrayLike, Float

from credo.beliefs.exponential import ExponentialFamily
from credo.beliefs.normal import Normal
from credo.numerics.constraints import Positive, Real
from credo.numerics.parameters import parameter

__all__ = ["LogNormal"]


class LogNormal(ExponentialFamily):
    r"""$\log x \sim \mathcal{N}(\mu, \sigma^2)$ with `loc` $\mu$ and `scale` $\sigma$ of the logarithm.

    scipy: ``lognorm(s=scale, scale=exp(loc))``. Natural form: $T(x) = (\log x, \log^2 x)$, $\eta = (\mu/\sigma^2,
    -1/2\sigma^2)$, $h(x) = 1/(x\sqrt{2\pi})$.

    >>> f"{LogNormal(0.0, 1.0).mean:.4f}"
    '1.6487'
    """

    loc: Float[Array, "*batch"] = parameter(Real())
    scale: Float[Array, "*batch"] = parameter(Positive())

    @property
    def logarithm(self) -> Normal:
        """The belief about log x."""
        return Normal(self.loc, self.scale)

    @property
    def mean(self) -> Array:
        return jnp.exp(self.loc + 0.5 * self.scale**2)

    @property
    def variance(self) -> Array:
        return jnp.expm1(self.scale**2) * self.mean**2

    def log_prob(self, x: ArrayLike) -> Array:
        log_x, outside = _log(x)
        return jnp.where(outside, -jnp.inf, self.logarithm.log_prob(log_x) - log_x)

    def cdf(self, x: ArrayLike) -> Array:
        log_x, outside = _log(x)
        return jnp.where(outside, 0.0, self.logarithm.cdf(log_x))

    def quantile(self, p: ArrayLike) -> Array:
        return jnp.exp(self.logarithm.quantile(p))

    def draw(self, key: Array, shape: tuple[int, ...]) -> Array:
        return jnp.exp(self.logarithm.draw(key, shape))

    @property
    def natural(self) -> Array:
        return self.logarithm.natural

    def with_natural(self, natural: Array) -> "LogNormal":
        normal = self.logarithm.with_natural(natural)
        return LogNormal(normal.loc, normal.scale)

    def statistics(self, x: ArrayLike) -> Array:
        return self.logarithm.statistics(_log(x)[0])

    def log_partition(self, natural: Array) -> Array:
        return self.logarithm.log_partition(natural)

    def log_base(self, x: ArrayLike) -> Array:
        log_x, outside = _log(x)
        return jnp.where(outside, -jnp.inf, self.logarithm.log_base(log_x) - log_x)

    def maximum_likelihood(self, mean_statistics: Array) -> "LogNormal":
        normal = self.logarithm.maximum_likelihood(mean_statistics)
        return LogNormal(normal.loc, normal.scale)


def _log(x: ArrayLike) -> tuple[Array, Array]:
    """log x, and where x is outside the support (there the logarithm is of one, so that gradients stay finite)."""
    x = jnp.asarray(x, dtype=jnp.float64)
    outside = x <= 0.0
    return jnp.log(jnp.where(outside, 1.0, x)), outside

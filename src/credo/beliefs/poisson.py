"""The Poisson distribution of a count."""

import jax
import jax.numpy as jnp
from jax import Array
from jax.scipy.special import gammaincc, gammaln
from jaxtyping import ArrayLike, Float

from credo.beliefs.exponential import ExponentialFamily
from credo.beliefs.inverse import first_integer
from credo.numerics.constraints import Positive
from credo.numerics.parameters import parameter
from credo.numerics.scalar import xlogy

__all__ = ["Poisson"]


class Poisson(ExponentialFamily):
    r"""$P(x) = e^{-\lambda}\lambda^x / x!$ with `rate` $\lambda$, mean and variance in one.

    Natural form: $T(x) = x$, $\eta = \log\lambda$, $A(\eta) = e^\eta$, $h(x) = 1/x!$.

    >>> int(Poisson(4.0).quantile(0.95))
    8
    """

    rate: Float[Array, "*batch"] = parameter(Positive())

    is_discrete = True

    @property
    def mean(self) -> Array:
        return self.rate

    @property
    def variance(self) -> Array:
        return self.rate

    def log_prob(self, x: ArrayLike) -> Array:
        x, outside = whole_part(x)
        return jnp.where(outside, -jnp.inf, xlogy(x, self.rate) - self.rate - gammaln(x + 1.0))

    def cdf(self, x: ArrayLike) -> Array:
        return _poisson_cdf(self.rate, jnp.asarray(x, dtype=jnp.float64))

    def quantile(self, p: ArrayLike) -> Array:
        return _poisson_quantile(self.rate, self._checked(p))

    def draw(self, key: Array, shape: tuple[int, ...]) -> Array:
        return jax.random.poisson(key, self.rate, shape + self.batch_shape).astype(jnp.float64)

    @property
    def natural(self) -> Array:
        return jnp.log(self.rate)[..., None]

    def with_natural(self, natural: Array) -> "Poisson":
        return Poisson(jnp.exp(natural[..., 0]))

    def statistics(self, x: ArrayLike) -> Array:
        return jnp.asarray(x, dtype=jnp.float64)[..., None]

    def log_partition(self, natural: Array) -> Array:
        return jnp.exp(natural[..., 0])

    def log_base(self, x: ArrayLike) -> Array:
        x, outside = whole_part(x)
        return jnp.where(outside, -jnp.inf, -gammaln(x + 1.0))

    def maximum_likelihood(self, mean_statistics: Array) -> "Poisson":
        return Poisson(mean_statistics[..., 0])


def whole_part(x: ArrayLike) -> tuple[Array, Array]:
    """x with zeros where it is not one of 0, 1, 2, …, so that gradients stay finite, and where that is. NaN stays."""
    x = jnp.asarray(x, dtype=jnp.float64)
    outside = (x < 0.0) | jnp.isinf(x) | ((x != jnp.floor(x)) & ~jnp.isnan(x))
    return jnp.where(outside, 0.0, x), outside


def _poisson_cdf(rate: Array, x: Array) -> Array:
    """Q(k + 1, λ) for k = ⌊x⌋ (Johnson, Kemp and Kotz 2005, eq. 4.14)."""
    rate, k = jnp.broadcast_arrays(rate, jnp.floor(x))
    usable = (k >= 0) & jnp.isfinite(k)
    inner = gammaincc(jnp.where(usable, k, 0.0) + 1.0, rate)
    return jnp.where(jnp.isnan(k), jnp.nan, jnp.where(usable, inner, jnp.where(k < 0, 0.0, 1.0)))


@jax.jit
def _poisson_quantile(rate: Array, p: Array) -> Array:
    rate, p = jnp.broadcast_arrays(rate, p)
    return first_integer(lambda k: _poisson_cdf(rate, k), p, 0.0, jnp.inf)

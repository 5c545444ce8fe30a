"""The Gamma distribution of a positive number, and the Exponential, which is its member of shape one."""

import jax
import jax.numpy as jnp
from jax import Array
from jax.scipy.special import gammainc, gammaln
from jaxtyping import ArrayLike, Float

from credo.beliefs.exponential import ExponentialFamily
from credo.beliefs.inverse import implicit, log_gamma_quantile
from credo.numerics.constraints import Positive
from credo.numerics.parameters import parameter
from credo.numerics.scalar import xlogy

__all__ = ["Exponential", "Gamma"]


class Gamma(ExponentialFamily):
    r"""Density $\frac{\beta^\alpha}{\Gamma(\alpha)} x^{\alpha-1} e^{-\beta x}$ with `shape` $\alpha$ and `rate`
    $\beta$ (not its inverse).

    scipy: ``gamma(a=shape, scale=1/rate)``. Natural form: $T(x) = (\log x, x)$, $\eta = (\alpha, -\beta)$, $h(x) =
    1/x$.

    >>> f"{Gamma(2.0, 0.5).mean:.1f}"
    '4.0'
    """

    shape: Float[Array, "*batch"] = parameter(Positive())
    rate: Float[Array, "*batch"] = parameter(Positive())

    @property
    def mean(self) -> Array:
        return self.shape / self.rate

    @property
    def variance(self) -> Array:
        return self.shape / self.rate**2

    def log_prob(self, x: ArrayLike) -> Array:
        x, outside = _clear_of_support(x, below=0.0)
        inside = xlogy(self.shape - 1.0, x) - self.rate * x + self.shape * jnp.log(self.rate) - gammaln(self.shape)
        return jnp.where(outside, -jnp.inf, inside)

    def cdf(self, x: ArrayLike) -> Array:
        x = jnp.maximum(jnp.asarray(x, dtype=jnp.float64), 0.0)
        return gammainc(*jnp.broadcast_arrays(self.shape, self.rate * x))

    def quantile(self, p: ArrayLike) -> Array:
        return implicit(_quantile, self, self._checked(p))

    def draw(self, key: Array, shape: tuple[int, ...]) -> Array:
        return jax.random.gamma(key, self.shape, shape + self.batch_shape, dtype=jnp.float64) / self.rate

    @property
    def natural(self) -> Array:
        return jnp.stack([self.shape, -self.rate], axis=-1)

    def with_natural(self, natural: Array) -> "Gamma":
        return Gamma(natural[..., 0], -natural[..., 1])

    def statistics(self, x: ArrayLike) -> Array:
        x = jnp.asarray(x, dtype=jnp.float64)
        return jnp.stack([jnp.log(x), x], axis=-1)

    def log_partition(self, natural: Array) -> Array:
        shape, rate = natural[..., 0], -natural[..., 1]
        return _log_partition(shape, rate)

    def log_base(self, x: ArrayLike) -> Array:
        x = jnp.asarray(x, dtype=jnp.float64)
        return jnp.where(x <= 0.0, -jnp.inf, -jnp.log(jnp.where(x <= 0.0, 1.0, x)))


class Exponential(ExponentialFamily):
    r"""Density $\lambda e^{-\lambda x}$ for $x \ge 0$ with `rate` $\lambda$: the waiting time that has no memory.

    scipy: ``expon(scale=1/rate)``. Natural form: $T(x) = x$, $\eta = -\lambda$, $h = 1$.

    >>> f"{Exponential(2.0).quantile(0.5):.4f}"
    '0.3466'
    """

    rate: Float[Array, "*batch"] = parameter(Positive())

    @property
    def mean(self) -> Array:
        return 1.0 / self.rate

    @property
    def variance(self) -> Array:
        return 1.0 / self.rate**2

    def log_prob(self, x: ArrayLike) -> Array:
        x, outside = _clear_of_support(x, below=0.0)
        return jnp.where(outside, -jnp.inf, jnp.log(self.rate) - self.rate * x)

    def cdf(self, x: ArrayLike) -> Array:
        return -jnp.expm1(-self.rate * jnp.maximum(jnp.asarray(x, dtype=jnp.float64), 0.0))

    def quantile(self, p: ArrayLike) -> Array:
        return -jnp.log1p(-self._checked(p)) / self.rate

    def draw(self, key: Array, shape: tuple[int, ...]) -> Array:
        return jax.random.exponential(key, shape + self.batch_shape, dtype=jnp.float64) / self.rate

    @property
    def natural(self) -> Array:
        return -self.rate[..., None]

    def with_natural(self, natural: Array) -> "Exponential":
        return Exponential(-natural[..., 0])

    def statistics(self, x: ArrayLike) -> Array:
        return jnp.asarray(x, dtype=jnp.float64)[..., None]

    def log_partition(self, natural: Array) -> Array:
        rate = -natural[..., 0]
        return jnp.where(rate > 0, -jnp.log(jnp.where(rate > 0, rate, 1.0)), jnp.inf)

    def log_base(self, x: ArrayLike) -> Array:
        return jnp.where(jnp.asarray(x, dtype=jnp.float64) < 0.0, -jnp.inf, 0.0)

    def maximum_likelihood(self, mean_statistics: Array) -> "Exponential":
        return Exponential(1.0 / mean_statistics[..., 0])


def _quantile(belief: Gamma, p: Array) -> Array:
    return jnp.exp(log_gamma_quantile(belief.shape, p, 1.0 - p)) / belief.rate


def _clear_of_support(x: ArrayLike, below: float) -> tuple[Array, Array]:
    """x with harmless numbers where it is outside the support, so that gradients stay finite, and where that is."""
    x = jnp.asarray(x, dtype=jnp.float64)
    outside = (x < below) | (x == jnp.inf)
    return jnp.where(outside, 1.0, x), outside


def _log_partition(shape: Array, rate: Array) -> Array:
    """log Γ(α) − α log β; infinite outside the domain, which log |Γ| would not notice."""
    inside = (shape > 0) & (rate > 0)
    shape, rate = jnp.where(inside, shape, 1.0), jnp.where(inside, rate, 1.0)
    return jnp.where(inside, gammaln(shape) - shape * jnp.log(rate), jnp.inf)

"""The inverse Gaussian distribution of a positive number: when a drifting Brownian motion first reaches a level."""

import jax
import jax.numpy as jnp
from jax import Array
from jax.scipy.special import ndtr
from jaxtyping import ArrayLike, Float

from credo.beliefs.exponential import ExponentialFamily
from credo.beliefs.inverse import implicit, increasing_root
from credo.beliefs.inverse_gamma import positive_part
from credo.numerics.constraints import Positive
from credo.numerics.normal_tails import erfcx
from credo.numerics.parameters import parameter
from credo.numerics.scalar import LOG_2PI

__all__ = ["InverseGaussian"]

_EXPONENT = 745.0  # exp of minus this is the smallest number above zero


class InverseGaussian(ExponentialFamily):
    r"""Density $\sqrt{\lambda/2\pi x^3}\,e^{-\lambda(x-\mu)^2/2\mu^2 x}$ with `loc` $\mu$, the mean, and `shape`
    $\lambda$.

    scipy: ``invgauss(mu=loc/shape, scale=shape)``. The variance is $\mu^3/\lambda$. Natural form: $T(x) = (x, 1/x)$,
    $\eta = (-\lambda/2\mu^2, -\lambda/2)$, $h(x) = 1/\sqrt{2\pi x^3}$.

    >>> f"{InverseGaussian(2.0, 4.0).variance:.1f}"
    '2.0'
    """

    loc: Float[Array, "*batch"] = parameter(Positive())
    shape: Float[Array, "*batch"] = parameter(Positive())

    @property
    def mean(self) -> Array:
        return self.loc

    @property
    def variance(self) -> Array:
        return self.loc**3 / self.shape

    def log_prob(self, x: ArrayLike) -> Array:
        x, outside = positive_part(x)
        outside = outside | jnp.isinf(x)
        x = jnp.where(outside, 1.0, x)
        square = self.shape * ((x - self.loc) / self.loc) ** 2 / x
        return jnp.where(outside, -jnp.inf, 0.5 * (jnp.log(self.shape) - LOG_2PI - 3.0 * jnp.log(x) - square))

    def cdf(self, x: ArrayLike) -> Array:
        x, outside = positive_part(x)
        return jnp.where(outside, 0.0, jnp.where(jnp.isinf(x), 1.0, _tails(self, jnp.where(jnp.isinf(x), 1.0, x))[0]))

    def quantile(self, p: ArrayLike) -> Array:
        return implicit(_quantile, self, self._checked(p))

    def draw(self, key: Array, shape: tuple[int, ...]) -> Array:
        """By the two roots of a chi-squared (Michael, Schucany & Haas 1976), the smaller written without cancelling."""
        of_normal, of_root = jax.random.split(key)
        full = shape + self.batch_shape
        half = 0.5 * self.loc * jax.random.normal(of_normal, full, dtype=jnp.float64) ** 2 / self.shape
        ratio = 1.0 / (1.0 + half + jnp.sqrt(half * (2.0 + half)))
        first = jax.random.uniform(of_root, full, dtype=jnp.float64) * (1.0 + ratio) <= 1.0
        return self.loc * jnp.where(first, ratio, 1.0 / ratio)

    @property
    def natural(self) -> Array:
        return -0.5 * jnp.stack([self.shape / self.loc**2, self.shape], axis=-1)

    def with_natural(self, natural: Array) -> "InverseGaussian":
        return InverseGaussian(jnp.sqrt(natural[..., 1] / natural[..., 0]), -2.0 * natural[..., 1])

    def statistics(self, x: ArrayLike) -> Array:
        x, _ = positive_part(x)
        return jnp.stack([x, 1.0 / x], axis=-1)

    def log_partition(self, natural: Array) -> Array:
        return -2.0 * jnp.sqrt(natural[..., 0] * natural[..., 1]) - 0.5 * jnp.log(-2.0 * natural[..., 1])

    def log_base(self, x: ArrayLike) -> Array:
        x, outside = positive_part(x)
        return jnp.where(outside, -jnp.inf, -0.5 * LOG_2PI - 1.5 * jnp.log(x))

    def maximum_likelihood(self, mean_statistics: Array) -> "InverseGaussian":
        mean, reciprocal = mean_statistics[..., 0], mean_statistics[..., 1]
        return InverseGaussian(mean, 1.0 / (reciprocal - 1.0 / mean))


def _tails(belief: InverseGaussian, x: Array) -> tuple[Array, Array]:
    r"""Both tails: $\Phi(a) + \varphi(a)\,m(b)$ and $\Phi(-a) - \varphi(a)\,m(b)$, m Mills' ratio, $a, b =
    \sqrt{\lambda/x}(x/\mu \mp 1)$. The factor $e^{2\lambda/\mu}$ of the textbook, which overflows, is gone.
    """
    root = jnp.sqrt(belief.shape / x)
    a, b = root * (x / belief.loc - 1.0), root * (x / belief.loc + 1.0)
    density = jnp.exp(-0.5 * a**2)
    mirrored = 0.5 * density * erfcx(b / jnp.sqrt(2.0))
    # Above the mean both terms of the upper tail are a density times a Mills' ratio.
    upper = jnp.where(a > 0.0, 0.5 * density * erfcx(jnp.maximum(a, 0.0) / jnp.sqrt(2.0)), ndtr(-a)) - mirrored
    return ndtr(a) + mirrored, upper


@jax.jit
def _quantile(belief: InverseGaussian, p: Array) -> Array:
    """Newton in log x on the logarithm of the smaller tail, inside a bracket that the tails' exponents give."""
    p, mean, shape = jnp.broadcast_arrays(p, belief.loc, belief.shape)
    at_end = (p <= 0.0) | (p >= 1.0)
    q = jnp.where(at_end, 0.5, p)
    below = q < 0.5
    whole = InverseGaussian(mean, shape)

    def tail(u: Array) -> tuple[Array, Array]:
        lower, upper = _tails(whole, jnp.exp(u))
        density = jnp.exp(whole.log_prob(jnp.exp(u)) + u)
        tiny = jnp.finfo(jnp.float64).tiny
        lower, upper = jnp.maximum(lower, tiny), jnp.maximum(upper, tiny)
        value = jnp.where(below, jnp.log(lower / q), jnp.log((1.0 - q) / upper))
        return value, density / jnp.where(below, lower, upper)

    low = jnp.log(jnp.minimum(mean, shape)) - jnp.log(4.0 * _EXPONENT)
    high = jnp.log(mean) + jnp.log1p(8.0 * _EXPONENT * (mean / shape + jnp.sqrt(mean / shape)))
    u = increasing_root(tail, jnp.log(mean), low, high)
    return jnp.where(p <= 0.0, 0.0, jnp.where(p >= 1.0, jnp.inf, jnp.exp(u)))

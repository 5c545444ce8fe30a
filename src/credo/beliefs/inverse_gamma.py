"""The inverse Gamma distribution of a positive number: what is believed about a variance."""

import jax
import jax.numpy as jnp
from jax import Array
from jax.scipy.special import gammaincc, gammaln
from jaxtyping import ArrayLike, Float

from credo.beliefs.exponential import ExponentialFamily
from credo.beliefs.gamma import Gamma
from credo.beliefs.inverse import implicit, log_gamma_quantile
from credo.numerics.constraints import Positive
from credo.numerics.parameters import parameter

__all__ = ["InverseGamma", "positive_part"]


class InverseGamma(ExponentialFamily):
    r"""Density $\frac{\beta^\alpha}{\Gamma(\alpha)} x^{-\alpha-1} e^{-\beta/x}$ with `shape` $\alpha$ and `scale`
    $\beta$; $1/x$ is Gamma($\alpha$, rate $\beta$).

    scipy: ``invgamma(a=shape, scale=scale)``. The mean is infinite for $\alpha \le 1$, the variance for $\alpha \le
    2$. Natural form: $T(x) = (\log x, 1/x)$, $\eta = (-\alpha, -\beta)$, $h(x) = 1/x$.

    >>> f"{InverseGamma(3.0, 4.0).mean:.1f}"
    '2.0'
    """

    shape: Float[Array, "*batch"] = parameter(Positive())
    scale: Float[Array, "*batch"] = parameter(Positive())

    @property
    def reciprocal(self) -> Gamma:
        """The belief about 1/x."""
        return Gamma(self.shape, self.scale)

    @property
    def mean(self) -> Array:
        exists = self.shape > 1.0
        return jnp.where(exists, self.scale / jnp.where(exists, self.shape - 1.0, 1.0), jnp.inf)

    @property
    def variance(self) -> Array:
        exists = self.shape > 2.0
        return jnp.where(exists, self.mean**2 / jnp.where(exists, self.shape - 2.0, 1.0), jnp.inf)

    def log_prob(self, x: ArrayLike) -> Array:
        x, outside = positive_part(x)
        log_x = jnp.log(x)
        kernel = -(self.shape + 1.0) * log_x - self.scale / x
        return jnp.where(outside, -jnp.inf, kernel + self.shape * jnp.log(self.scale) - gammaln(self.shape))

    def cdf(self, x: ArrayLike) -> Array:
        x, outside = positive_part(x)
        return jnp.where(outside, 0.0, gammaincc(*jnp.broadcast_arrays(self.shape, self.scale / x)))

    def quantile(self, p: ArrayLike) -> Array:
        return implicit(_quantile, self, self._checked(p))

    def draw(self, key: Array, shape: tuple[int, ...]) -> Array:
        log_gamma = jax.random.loggamma(key, self.shape, shape + self.batch_shape, dtype=jnp.float64)
        return self.scale * jnp.exp(-log_gamma)

    @property
    def natural(self) -> Array:
        return -jnp.stack([self.shape, self.scale], axis=-1)

    def with_natural(self, natural: Array) -> "InverseGamma":
        return InverseGamma(-natural[..., 0], -natural[..., 1])

    def statistics(self, x: ArrayLike) -> Array:
        x = jnp.asarray(x, dtype=jnp.float64)
        return jnp.stack([jnp.log(x), 1.0 / x], axis=-1)

    def log_partition(self, natural: Array) -> Array:
        flipped = natural * jnp.array([-1.0, 1.0])
        return self.reciprocal.log_partition(flipped)

    def log_base(self, x: ArrayLike) -> Array:
        return self.reciprocal.log_base(x)

    def maximum_likelihood(self, mean_statistics: Array) -> "InverseGamma":
        """That of the reciprocals, which are Gamma."""
        gamma = self.reciprocal.maximum_likelihood(mean_statistics * jnp.array([-1.0, 1.0]))
        return InverseGamma(gamma.shape, gamma.rate)


def _quantile(belief: InverseGamma, p: Array) -> Array:
    return belief.scale * jnp.exp(-log_gamma_quantile(belief.shape, 1.0 - p, p))


def positive_part(x: ArrayLike) -> tuple[Array, Array]:
    """x with ones where it is not positive, so that gradients stay finite, and where that is."""
    x = jnp.asarray(x, dtype=jnp.float64)
    outside = x <= 0.0
    return jnp.where(outside, 1.0, x), outside

"""The Beta distribution of a number between zero and one."""

import jax
import jax.numpy as jnp
from jax import Array
from jax.scipy.special import expit
from jaxtyping import ArrayLike, Float

from credo.beliefs.exponential import ExponentialFamily
from credo.beliefs.incomplete_beta import incomplete_beta
from credo.beliefs.inverse import implicit, logit_beta_quantile
from credo.beliefs.log_gamma import log_beta
from credo.numerics.constraints import Positive
from credo.numerics.parameters import parameter
from credo.numerics.scalar import xlogy

__all__ = ["Beta"]


class Beta(ExponentialFamily):
    r"""Density $x^{a-1}(1-x)^{b-1}/B(a, b)$ on $[0, 1]$; $a$ and $b$ count successes and failures.

    Natural form: $T(x) = (\log x, \log(1-x))$, $\eta = (a, b)$, $h(x) = 1/(x(1-x))$. The derivative of `cdf` and
    `quantile` in $a$ and $b$ is not available (JAX has none of the incomplete Beta function). `cdf` is right to some 12
    digits up to parameters of $10^7$, and loses half a digit for each further factor of ten.

    >>> f"{Beta(3.0, 1.0).mean:.2f}"
    '0.75'
    """

    a: Float[Array, "*batch"] = parameter(Positive())
    b: Float[Array, "*batch"] = parameter(Positive())

    @property
    def mean(self) -> Array:
        return self.a / (self.a + self.b)

    @property
    def variance(self) -> Array:
        total = self.a + self.b
        return (self.a / total) * (self.b / total) / (total + 1.0)

    def log_prob(self, x: ArrayLike) -> Array:
        x, outside = _within(x)
        inside = xlogy(self.a - 1.0, x) + xlogy(self.b - 1.0, 1.0 - x) - log_beta(self.a, self.b)
        return jnp.where(outside, -jnp.inf, inside)

    def cdf(self, x: ArrayLike) -> Array:
        x = jnp.clip(jnp.asarray(x, dtype=jnp.float64), 0.0, 1.0)
        return incomplete_beta(self.a, self.b, x, 1.0 - x)

    def quantile(self, p: ArrayLike) -> Array:
        return implicit(_quantile, self, self._checked(p))

    def draw(self, key: Array, shape: tuple[int, ...]) -> Array:
        # From the logarithms of two Gamma draws: with a and b far below one, the draws themselves underflow to 0/0.
        first, second = jax.random.split(key)
        full = shape + self.batch_shape
        log_odds = jax.random.loggamma(first, self.a, full, jnp.float64) - jax.random.loggamma(
            second, self.b, full, jnp.float64
        )
        return expit(log_odds)

    @property
    def natural(self) -> Array:
        return jnp.stack([self.a, self.b], axis=-1)

    def with_natural(self, natural: Array) -> "Beta":
        return Beta(natural[..., 0], natural[..., 1])

    def statistics(self, x: ArrayLike) -> Array:
        x = jnp.asarray(x, dtype=jnp.float64)
        return jnp.stack([jnp.log(x), jnp.log1p(-x)], axis=-1)

    def log_partition(self, natural: Array) -> Array:
        a, b = natural[..., 0], natural[..., 1]
        inside = (a > 0) & (b > 0)  # log |Γ| is finite outside too
        return jnp.where(inside, log_beta(jnp.where(inside, a, 1.0), jnp.where(inside, b, 1.0)), jnp.inf)

    def log_base(self, x: ArrayLike) -> Array:
        x = jnp.asarray(x, dtype=jnp.float64)
        outside = (x <= 0.0) | (x >= 1.0)
        safe = jnp.where(outside, 0.5, x)
        return jnp.where(outside, -jnp.inf, -jnp.log(safe) - jnp.log1p(-safe))


def _quantile(belief: Beta, p: Array) -> Array:
    return expit(logit_beta_quantile(belief.a, belief.b, p, 1.0 - p))


def _within(x: ArrayLike) -> tuple[Array, Array]:
    """x with harmless numbers where it is outside [0, 1], so that gradients stay finite, and where that is."""
    x = jnp.asarray(x, dtype=jnp.float64)
    outside = (x < 0.0) | (x > 1.0)
    return jnp.where(outside, 0.5, x), outside

"""Successes in n trials when the probability itself is uncertain."""

from typing import ClassVar

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array
from jaxtyping import ArrayLike, Float

from credo.beliefs.base import Belief
from credo.beliefs.inverse import first_integer
from credo.beliefs.log_gamma import log_beta, log_choose
from credo.beliefs.matrices import nan_through
from credo.numerics.constraints import Positive, Whole
from credo.numerics.parameters import parameter

__all__ = ["BetaBinomial"]

_BLOCK = 64  # probabilities summed at once


class BetaBinomial(Belief):
    r"""$\binom{n}{x} B(x + a, n - x + b) / B(a, b)$: a Binomial of Beta(a, b) probability, the predictive of counts.

    >>> BetaBinomial(4, 1.0, 1.0).mean.item()
    2.0
    """

    trials: Float[Array, "*batch"] = parameter(Whole())
    a: Float[Array, "*batch"] = parameter(Positive())
    b: Float[Array, "*batch"] = parameter(Positive())

    is_discrete: ClassVar[bool] = True

    @property
    def mean(self) -> Array:
        return self.trials * self.a / (self.a + self.b)

    @property
    def variance(self) -> Array:
        total = self.a + self.b
        return self.trials * self.a * self.b * (total + self.trials) / (total**2 * (total + 1.0))

    def log_prob(self, x: ArrayLike) -> Array:
        x = jnp.asarray(x, dtype=jnp.float64)
        inside = (x >= 0.0) & (x <= self.trials) & (x == jnp.floor(x))
        k = jnp.where(inside, x, 0.0)
        ratio = log_beta(k + self.a, self.trials - k + self.b) - log_beta(self.a, self.b)
        return nan_through(x, jnp.where(inside, log_choose(self.trials, k) + ratio, -jnp.inf))

    def cdf(self, x: ArrayLike) -> Array:
        """The sum of the probabilities up to x: O(x), since there is no closed form."""
        return _summed(self, jnp.floor(jnp.asarray(x, dtype=jnp.float64)))

    def quantile(self, p: ArrayLike) -> Array:
        return _first(self, self._checked(p))

    def draw(self, key: Array, shape: tuple[int, ...]) -> Array:
        beta_key, binomial_key = jax.random.split(key)
        whole = shape + self.batch_shape
        probability = jax.random.beta(beta_key, self.a, self.b, whole, dtype=jnp.float64)
        return jax.random.binomial(binomial_key, self.trials, probability, whole, dtype=jnp.float64)


@jax.jit
def _summed(belief: BetaBinomial, x: Array) -> Array:
    last = jnp.minimum(jnp.where(jnp.isnan(x), 0.0, x), belief.trials)
    block = np.arange(_BLOCK, dtype=np.float64)

    def add(state: tuple[Array, Array]) -> tuple[Array, Array]:
        start, total = state
        k = start + block
        log_mass = jax.vmap(belief.log_prob, out_axes=-1)(k)
        return start + _BLOCK, total + jnp.sum(jnp.where(k <= last[..., None], jnp.exp(log_mass), 0.0), axis=-1)

    _, total = jax.lax.while_loop(lambda state: jnp.any(state[0] <= last), add, (jnp.zeros(()), jnp.zeros_like(last)))
    exact = jnp.where(x >= belief.trials, 1.0, jnp.minimum(total, 1.0))
    return jnp.where(jnp.isnan(x), jnp.nan, exact)


@jax.jit
def _first(belief: BetaBinomial, p: Array) -> Array:
    return first_integer(lambda k: _summed(belief, k), p, 0.0, belief.trials)

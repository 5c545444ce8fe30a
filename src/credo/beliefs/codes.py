"""What beliefs over finitely many classes share: draws are codes 0 to k − 1, moments those of the one-hot vector."""

from abc import abstractmethod
from typing import ClassVar

import equinox as eqx
import jax
import jax.numpy as jnp
from jax import Array
from jaxtyping import ArrayLike, Float

from credo.beliefs.exponential import ExponentialFamily
from credo.beliefs.matrices import nan_through

__all__ = ["Codes"]


class Codes(ExponentialFamily):
    r"""One of the classes $0, \dots, k - 1$, whatever their probabilities come from.

    Draws and the argument of `log_prob` are class codes, of event shape (). Codes are names, so `mean` and `variance`
    are those of the one-hot vector, and cdf, quantile and interval are undefined.
    """

    probabilities: eqx.AbstractVar[Float[Array, "*batch k"]]

    is_discrete: ClassVar[bool] = True

    @property
    @abstractmethod
    def log_probabilities(self) -> Array:
        """log pᵢ, true minus infinity where pᵢ is zero, of shape ``batch_shape + (k,)``."""

    @property
    def mean(self) -> Array:
        """The probabilities: the mean of the one-hot vector, of shape ``batch_shape + (k,)``."""
        return self.probabilities

    @property
    def variance(self) -> Array:
        """pᵢ (1 − pᵢ): the variances of the one-hot vector, of shape ``batch_shape + (k,)``."""
        return self.probabilities * (1.0 - self.probabilities)

    def log_prob(self, x: ArrayLike) -> Array:
        """The log probability of class code x, broadcast against the batch; minus infinity for what is no code."""
        x, log_p = jnp.asarray(x), self.log_probabilities
        k = log_p.shape[-1]
        valid = _is_code(x, k)
        code = jnp.where(valid, x, 0).astype(jnp.int64)
        shape = jnp.broadcast_shapes(x.shape, log_p.shape[:-1])
        table = jnp.broadcast_to(log_p, (*shape, k))
        picked = jnp.take_along_axis(table, jnp.broadcast_to(code, shape)[..., None], axis=-1)[..., 0]
        return nan_through(x, jnp.where(valid, picked, -jnp.inf))

    def draw(self, key: Array, shape: tuple[int, ...]) -> Array:
        return jax.random.categorical(key, self.log_probabilities, axis=-1, shape=shape + self.batch_shape)

    def log_base(self, x: ArrayLike) -> Array:
        return jnp.where(_is_code(x, self.log_probabilities.shape[-1]), 0.0, -jnp.inf)


def _is_code(x: ArrayLike, k: int) -> Array:
    x = jnp.asarray(x)
    return (x >= 0) & (x < k) & (x == jnp.floor(x))

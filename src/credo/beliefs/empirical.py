"""Weighted samples as a belief: posterior draws, particles, bootstrap replicates."""

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jax import Array
from jaxtyping import ArrayLike, Float

from credo.beliefs.base import Belief
from credo.beliefs.matrices import finite_array, nan_through, require
from credo.errors import InputError
from credo.numerics.constraints import Fixed
from credo.numerics.parameters import Parameterized, parameter
from credo.numerics.scalar import safe_log

__all__ = ["Empirical"]

_ROUND_OFF = 1e-12  # a cumulated weight this close below p counts as p: ten weights of 0.1 reach 0.8 at the eighth


class Empirical(Belief):
    r"""$\sum_i w_i\,\delta_{s_i}$: the `samples` $s_i$ with their `weights` $w_i$.

    Weights are non-negative, are scaled to sum to one, and are equal if left out. `samples` has shape ``batch + (n,) +
    event``, with `event_ndim` axes of the event (none unless told), and `weights` ``batch + (n,)``. It is discrete:
    `log_prob` is the logarithm of the mass of the samples that equal x exactly, minus infinity elsewhere. The quantile
    is the inverse of the weighted step cdf. The moments are those of the samples; how far they are from those of what
    was sampled is for the budget.

    >>> Empirical([3.0, 1.0, 2.0], [1.0, 1.0, 2.0]).quantile(0.5).item()
    2.0
    """

    samples: Float[Array, "..."] = parameter(Fixed())
    weights: Float[Array, "*batch n"] = parameter(Fixed(), default=None)
    event_ndim: int = eqx.field(default=0, kw_only=True, static=True)  # type: ignore[misc]

    is_discrete = True

    def __post_init__(self) -> None:
        self.samples = finite_array("Empirical", "samples", self.samples)
        if self.weights is None:
            self.weights = jnp.ones(self.samples.shape[: max(self.samples.ndim - self.event_ndim, 0)])
        Parameterized.__post_init__(self)
        lead = self.samples.shape[: self.samples.ndim - self.event_ndim]
        try:
            shape = jnp.broadcast_shapes(lead, self.weights.shape)
        except ValueError:
            shape = ()
        if not shape or 0 in shape or lead[-1:] != shape[-1:] or self.weights.shape[-1:] != shape[-1:]:
            raise InputError(
                "Empirical",
                f"samples have shape {self.samples.shape}, weights {self.weights.shape}, event_ndim={self.event_ndim}",
                "There must be one weight a sample, and one sample at least",
                "Pass samples of shape batch + (n,) + event and weights of shape batch + (n,)",
            )
        require(
            self.weights >= 0.0, "Empirical", "weights has negative entries", "Weights are masses", "Drop or clip them"
        )
        total = jnp.sum(self.weights, axis=-1, keepdims=True)
        require(total > 0.0, "Empirical", "the weights sum to zero", "Every sample was ruled out", "Check the weights")
        self.samples = jnp.broadcast_to(self.samples, shape + self.event_shape)
        self.weights = jnp.broadcast_to(self.weights / total, shape)

    @property
    def batch_shape(self) -> tuple[int, ...]:
        return tuple(self.weights.shape[:-1])

    @property
    def event_shape(self) -> tuple[int, ...]:
        return tuple(self.samples.shape[self.samples.ndim - self.event_ndim :])

    @property
    def mean(self) -> Array:
        return self.expectation(self.samples)

    @property
    def variance(self) -> Array:
        """Σ w (s − mean)², without a correction of the degrees of freedom: the variance of this very distribution."""
        center = jnp.expand_dims(self.mean, len(self.batch_shape))
        return self.expectation((self.samples - center) ** 2)

    @property
    def effective_size(self) -> Array:
        """1 / Σ w²: how many equally weighted samples are worth as much (Kong 1992)."""
        return 1.0 / jnp.sum(self.weights**2, axis=-1)

    def expectation(self, values: Array) -> Array:
        """Σ w values for values of shape ``batch + (n, ...)``, one a sample."""
        weights = self.weights.reshape(self.weights.shape + (1,) * (values.ndim - self.weights.ndim))
        return jnp.sum(weights * values, axis=len(self.batch_shape))

    def log_prob(self, x: ArrayLike) -> Array:
        x = jnp.asarray(x)
        equal = self.samples == jnp.expand_dims(x, -1 - self.event_ndim)
        equal = jnp.all(equal, axis=tuple(range(-self.event_ndim, 0))) if self.event_ndim else equal
        return nan_through(x, safe_log(jnp.sum(jnp.where(equal, self.weights, 0.0), axis=-1)), self.event_ndim)

    def cdf(self, x: ArrayLike) -> Array:
        if self.event_ndim:
            raise self._undefined("cdf")
        x = jnp.asarray(x)
        below = jnp.sum(jnp.where(self.samples <= x[..., None], self.weights, 0.0), axis=-1)
        return nan_through(x, jnp.minimum(below, 1.0))

    def quantile(self, p: ArrayLike) -> Array:
        """The smallest sample whose cumulated weight reaches p. O(n log n) for the sort, O(n) each p."""
        if self.event_ndim:
            raise self._undefined("quantile")
        p = self._checked(p)
        order = jnp.argsort(self.samples, axis=-1)
        ordered = jnp.take_along_axis(self.samples, order, axis=-1)
        cumulated = jnp.cumsum(jnp.take_along_axis(self.weights, order, axis=-1), axis=-1)
        too_low = (cumulated < p[..., None] - _ROUND_OFF) | (cumulated <= 0.0)
        position = jnp.minimum(jnp.sum(too_low, axis=-1), ordered.shape[-1] - 1)
        table = jnp.broadcast_to(ordered, position.shape + ordered.shape[-1:])
        return nan_through(p, jnp.take_along_axis(table, position[..., None], axis=-1)[..., 0])

    def draw(self, key: Array, shape: tuple[int, ...]) -> Array:
        choice = jax.random.categorical(key, safe_log(self.weights), axis=-1, shape=shape + self.batch_shape)
        rows = np.ix_(*(np.arange(n) for n in self.batch_shape))
        return self.samples[(*rows, choice)]

"""A weighted mixture of beliefs of one family: posterior averages, clusters, ensembles."""

from functools import partial
from typing import Any, Self

import equinox as eqx
import jax
import jax.numpy as jnp
from jax import Array
from jax.scipy.special import logsumexp
from jaxtyping import ArrayLike, Float

from credo.beliefs.base import Belief, numbered_rows, rows_of
from credo.beliefs.inverse import implicit
from credo.errors import InputError
from credo.numerics.constraints import Simplex
from credo.numerics.parameters import parameter
from credo.numerics.scalar import safe_log

__all__ = ["Mixture"]

_HALVINGS = 90  # from any bracket met in practice down to neighboring numbers
_ROUND_OFF = 32 * 2.0**-52


class Mixture(Belief):
    r"""$p(y) = \sum_j w_j\, p_j(y)$, where `components` is one belief whose last batch axis is the component.

    Batch and event shape are what is left of the components'. The variance is $\sum_j w_j \operatorname{Var}_j$
    (`within`) plus $\sum_j w_j (m_j - m)^2$ (`between`). When the components are draws of a parameter, these are the
    noise and the parameter part of the budget: ``mixture.with_budget(UncertaintyBudget(noise=mixture.within,
    parameter=mixture.between))``.

    >>> from credo.beliefs import Normal
    >>> two = Mixture([0.5, 0.5], Normal([-1.0, 1.0], 1.0))
    >>> two.within.item(), two.between.item(), two.variance.item()
    (1.0, 1.0, 2.0)
    """

    weights: Float[Array, "*batch k"] = parameter(Simplex(), event_ndim=1)
    components: Belief = eqx.field()  # type: ignore[misc]

    def __post_init__(self) -> None:
        super().__post_init__()
        shape = self.components.batch_shape
        try:
            fits = (
                bool(shape)
                and jnp.broadcast_shapes(shape, self.weights.shape) == shape
                and shape[-1] == self.weights.shape[-1]
            )
        except ValueError:
            fits = False
        if not fits:
            raise InputError(
                "Mixture",
                f"weights have shape {self.weights.shape}, but the components have batch shape {shape}",
                "The last batch axis of the components must be the one of the weights",
                "Try Mixture([0.5, 0.5], Normal([0.0, 1.0], 1.0))",
            )
        self.weights = jnp.broadcast_to(self.weights, shape)

    @property
    def batch_shape(self) -> tuple[int, ...]:
        return tuple(self.weights.shape[:-1])

    @property
    def event_shape(self) -> tuple[int, ...]:
        return self.components.event_shape

    @property
    def event_ndim(self) -> int:  # type: ignore[override]
        """The number of axes of one draw."""
        return self.components.event_ndim

    @property
    def is_discrete(self) -> bool:  # type: ignore[override]
        """Whether the components are."""
        return self.components.is_discrete

    @property
    def mean(self) -> Array:
        return self._average(self.components.mean)

    @property
    def variance(self) -> Array:
        return self.within + self.between

    @property
    def within(self) -> Array:
        """The average variance of the components."""
        return self._average(self.components.variance)

    @property
    def between(self) -> Array:
        """The variance of the means of the components; infinite where a mean is."""
        means = self.components.mean
        center = jnp.expand_dims(self.mean, len(self.batch_shape))
        return self._average(
            jnp.where(jnp.isfinite(means), (means - jnp.where(jnp.isfinite(center), center, 0.0)) ** 2, jnp.inf)
        )

    def log_prob(self, x: ArrayLike) -> Array:
        return logsumexp(safe_log(self.weights) + self.components.log_prob(self._against(x)), axis=-1)

    def responsibilities(self, x: ArrayLike) -> Array:
        """The posterior probability of each component given x, along the last axis."""
        return jax.nn.softmax(safe_log(self.weights) + self.components.log_prob(self._against(x)), axis=-1)

    def cdf(self, x: ArrayLike) -> Array:
        if self.event_shape:
            raise self._undefined("cdf")
        return jnp.minimum(jnp.sum(self.weights * self.components.cdf(self._against(x)), axis=-1), 1.0)

    def quantile(self, p: ArrayLike) -> Array:
        """Bisection between the smallest and the largest quantile of the components: 90 evaluations of the cdf."""
        if self.event_shape:
            raise self._undefined("quantile")
        p = self._checked(p)
        return _quantile(self, p) if self.is_discrete else implicit(_quantile, self, p)

    def draw(self, key: Array, shape: tuple[int, ...]) -> Array:
        return _draw(self, key, shape)

    def __getitem__(self, index: Any) -> Self:
        chosen = super().__getitem__(index)
        rows = numbered_rows(type(self).__name__, self.batch_shape, index)
        pick = partial(rows_of, batch=self.batch_shape, rows=rows)
        return eqx.tree_at(lambda mixture: mixture.components, chosen, jax.tree.map(pick, self.components))

    def _against(self, x: ArrayLike) -> Array:
        return jnp.expand_dims(jnp.asarray(x), -1 - len(self.event_shape))

    def _average(self, values: Array) -> Array:
        """Σ_j w_j values_j; a component of weight zero counts nothing, even where it is infinite."""
        weights = self.weights.reshape(self.weights.shape + (1,) * (values.ndim - self.weights.ndim))
        return jnp.sum(jnp.where(weights > 0.0, weights * values, 0.0), axis=len(self.batch_shape))


@eqx.filter_jit
def _quantile(mixture: Mixture, p: Array) -> Array:
    quantiles = mixture.components.quantile(p[..., None])
    wanted = p * (1.0 - _ROUND_OFF) if mixture.is_discrete else p  # so that the cdf of an atom leads back to the atom
    present = mixture.weights > 0.0
    low = jnp.min(jnp.where(present, quantiles, jnp.inf), axis=-1)
    high = jnp.max(jnp.where(present, quantiles, -jnp.inf), axis=-1)

    def halve(_: ArrayLike, ends: tuple[Array, Array]) -> tuple[Array, Array]:
        low, high = ends
        middle = low + 0.5 * (high - low)
        enough = mixture.cdf(middle) >= wanted
        return jnp.where(enough, low, middle), jnp.where(enough, middle, high)

    at_low = (mixture.cdf(low) >= wanted) | (low == high)
    finite_low, finite_high = jnp.where(jnp.isfinite(low), low, 0.0), jnp.where(jnp.isfinite(high), high, 0.0)
    _, found = jax.lax.fori_loop(0, _HALVINGS, halve, (finite_low, finite_high))
    return jnp.where(p >= 1.0, high, jnp.where((p <= 0.0) | at_low, low, found))


@eqx.filter_jit
def _draw(mixture: Mixture, key: Array, shape: tuple[int, ...]) -> Array:
    """Component after component, keeping the draws that fell to it: the memory is that of the result, whatever k."""
    choice_key, draw_key = jax.random.split(key)
    axis, k = len(mixture.batch_shape), mixture.weights.shape[-1]
    choice = jax.random.categorical(choice_key, safe_log(mixture.weights), axis=-1, shape=shape + mixture.batch_shape)
    choice = choice.reshape(choice.shape + (1,) * len(mixture.event_shape))

    def has_component_axis(leaf: Any) -> bool:
        return eqx.is_array(leaf) and leaf.shape[: axis + 1] == mixture.weights.shape

    varying, constant = eqx.partition(mixture.components, has_component_axis)
    varying = jax.tree.map(lambda leaf: jnp.moveaxis(leaf, axis, 0), varying)

    def keep(drawn: Array, step: tuple[Array, Array, Any]) -> tuple[Array, None]:
        j, step_key, component = step
        new = eqx.combine(component, constant).draw(step_key, shape)
        return jnp.where(choice == j, new, drawn), None

    dtype = jax.eval_shape(lambda: mixture.components.draw(draw_key, ())).dtype
    start = jnp.zeros(shape + mixture.batch_shape + mixture.event_shape, dtype=dtype)
    steps = (jnp.arange(k), jax.random.split(draw_key, k), varying)
    return jax.lax.scan(keep, start, steps)[0]

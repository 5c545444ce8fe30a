"""Proper scores of a belief at what was observed: lower is better, and in expectation the truth scores best.

One score a row, broadcast over the batch; the caller averages. Gneiting and Raftery (2007) is the reference for all
of them. The continuous ranked probability score is in `crps`.
"""

from functools import singledispatch
from typing import Any

import jax
import jax.numpy as jnp
from jax import Array
from jaxtyping import ArrayLike

from credo.beliefs.base import Belief
from credo.beliefs.bernoulli import Bernoulli
from credo.beliefs.categorical import Categorical
from credo.beliefs.empirical import Empirical
from credo.beliefs.matrices import require
from credo.errors import InputError, UndefinedError
from credo.numerics.concrete import is_known
from credo.numerics.random import RandomState, as_key

__all__ = ["brier", "energy", "interval_score", "log_score", "pinball"]


def log_score(belief: Belief, y: ArrayLike) -> Array:
    r"""$-\log p(y)$, in nats; infinite where the belief had ruled y out.

    >>> from credo.beliefs import Normal
    >>> f"{log_score(Normal(0.0, 1.0), 0.0):.4f}"
    '0.9189'
    """
    return -belief.log_prob(_observed("log_score", y))


def interval_score(belief: Belief, y: ArrayLike, level: float = 0.9) -> Array:
    r"""$(u - l) + \frac{2}{\alpha}(l - y)_+ + \frac{2}{\alpha}(y - u)_+$ for the central interval $(l, u)$ of level
    $1 - \alpha$.

    Its width, plus what a miss costs: the score of interval forecasts (Gneiting and Raftery 2007, eq. 43).

    >>> from credo.beliefs import Uniform
    >>> f"{interval_score(Uniform(0.0, 10.0), 5.0, level=0.8):.1f}"
    '8.0'
    """
    y = _observed("interval_score", y)
    low, high = belief.interval(level)
    miss = jnp.maximum(low - y, 0.0) + jnp.maximum(y - high, 0.0)
    return (high - low) + 2.0 / (1.0 - level) * miss


def pinball(belief: Belief, y: ArrayLike, p: ArrayLike) -> Array:
    r"""$(p - 1\{y < q\})\,(y - q)$ for the quantile $q$ at `p`: the loss of quantile regression.

    Twice its integral over p is the continuous ranked probability score.

    >>> from credo.beliefs import Uniform
    >>> f"{pinball(Uniform(0.0, 1.0), 0.75, 0.5):.3f}"
    '0.125'
    """
    q = belief.quantile(p)
    y = _observed("pinball", y)
    return jnp.maximum(p * (y - q), (jnp.asarray(p) - 1.0) * (y - q))


@singledispatch
def brier(belief: Belief, y: ArrayLike) -> Array:
    r"""The squared distance of the probabilities from what happened.

    For a Bernoulli $(p - y)^2$, from 0 to 1; for a Categorical $\sum_k (p_k - 1\{y = k\})^2$, from 0 to 2, so that
    with two classes it is twice that of the Bernoulli.

    >>> f"{brier(Bernoulli(0.8), 1):.2f}"
    '0.04'
    """
    raise UndefinedError(
        "brier",
        f"a {type(belief).__name__} has no class probabilities",
        "It is the score of classes",
        "Try log_score or crps",
    )


@brier.register
def _(belief: Bernoulli, y: ArrayLike) -> Array:
    y = _observed("brier", y)
    require(
        (y == 0) | (y == 1),
        "brier",
        f"y={y} is not 0 or 1",
        "Another coding of the classes was used",
        "Pass y == positive_class",
    )
    return (belief.probability - y) ** 2


@brier.register
def _(belief: Categorical, y: ArrayLike) -> Array:
    y = _observed("brier", y)
    k = belief.probabilities.shape[-1]
    require(
        (y >= 0) & (y < k) & (y == jnp.floor(y)),
        "brier",
        f"y={y} is not a class code from 0 to {k - 1}",
        "Labels were passed",
        "Pass codes",
    )
    happened = jax.nn.one_hot(y.astype(jnp.int32), k, dtype=jnp.float64)
    return jnp.sum((belief.probabilities - happened) ** 2, axis=-1)


@singledispatch
def energy(belief: Belief, y: ArrayLike, draws: int = 1024, random_state: RandomState = 0) -> Array:
    r"""$\mathbb{E}\|X - y\| - \tfrac12\mathbb{E}\|X - X'\|$: the continuous ranked probability score of vectors.

    From draws, except for Empirical, where it is exact: unbiased, with a standard error of about the spread of the
    belief over $\sqrt{\mathrm{draws}}$, and the same draws for the same `random_state`, so that a comparison of
    beliefs is not noisier than it must be. O(draws) a row. Gneiting and Raftery (2007), eq. 22.

    >>> from credo.beliefs import MultivariateNormal
    >>> belief = MultivariateNormal([0.0, 0.0], [[1.0, 0.0], [0.0, 1.0]])
    >>> f"{energy(belief, jnp.zeros(2), draws=100_000):.2f}"
    '0.37'
    """
    if draws < 2:
        raise InputError("energy", f"draws={draws}", "The mean distance between draws needs two", "Try draws=1024")
    y = _observed("energy", y)
    axes = tuple(range(-len(belief.event_shape), 0))
    points = belief.draw(as_key(random_state), (draws,))
    # From each draw to the next one around the circle: every draw counts equally, none is compared with itself.
    apart = jnp.mean(_norm(points - jnp.roll(points, 1, axis=0), axes), axis=0)
    return jnp.mean(_norm(points - y, axes), axis=0) - 0.5 * apart


@energy.register
def _(belief: Empirical, y: ArrayLike, draws: int = 1024, random_state: RandomState = 0) -> Array:
    """Σ w‖s − y‖ − ½ΣΣ w w'‖s − s'‖, exact, in O(n²) time and O(n) memory."""
    y = _observed("energy", y)
    axes = tuple(range(-len(belief.event_shape), 0))
    position = len(belief.batch_shape)
    distance = jnp.sum(belief.weights * _norm(belief.samples - jnp.expand_dims(y, -1 - len(axes)), axes), axis=-1)

    def with_sample(total: Array, j: Array) -> tuple[Array, None]:
        one = jnp.take(belief.samples, j[None], axis=position)
        weight = jnp.take(belief.weights, j, axis=-1)
        return total + weight * jnp.sum(belief.weights * _norm(belief.samples - one, axes), axis=-1), None

    apart, _ = jax.lax.scan(with_sample, jnp.zeros(belief.batch_shape), jnp.arange(belief.weights.shape[-1]))
    return distance - 0.5 * apart


def _norm(x: Array, axes: tuple[int, ...]) -> Array:
    return jnp.sqrt(jnp.sum(x**2, axis=axes)) if axes else jnp.abs(x)


def _observed(who: str, y: Any) -> Array:
    """What was observed, as numbers; NaN is refused, for a missing observation has no score."""
    try:
        y = jnp.asarray(y, dtype=jnp.float64)
    except (TypeError, ValueError) as error:
        raise InputError(
            who, f"y is {y!r}, which is not numeric", "Text or a ragged list was passed", "Pass numbers"
        ) from error
    if is_known(y):
        require(~jnp.isnan(y), who, "y has NaN", "An observation is missing", "Drop the rows without an observation")
    return y

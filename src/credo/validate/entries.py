"""Functions of a belief and what was observed at many entries, in padded blocks: a new number compiles nothing."""

from collections.abc import Callable
from typing import Any, NamedTuple

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jax import Array
from jaxtyping import Bool, Float

from credo.beliefs import Belief, UncertaintyBudget, crps, interval_score, log_score
from credo.numerics.padding import bucket

__all__ = ["LEVELS", "Place", "dice", "each_crps", "each_interval_score", "each_log_score", "places"]

_OWN_SEED = (314159, 265358)
LEVELS = (0.5, 0.8, 0.9, 0.95)
_BLOCK = 2**16
_NO_BUDGET = UncertaintyBudget.unsplit("not asked for")


class Place(NamedTuple):
    """Where the truth lies in beliefs: its probability integral transform, and in which central intervals.

    Of a belief about counts, or of samples, the transform is at a random place between the probabilities below and up
    to the truth, so that it is uniform too where the belief is right (Czado, Gneiting & Held 2009), and the truth is
    inside where its transform is: the whole numbers of a central interval hold more than its level, which is no fault
    of the belief.
    """

    pit: Float[np.ndarray, " m"]
    inside: Bool[np.ndarray, "l m"]
    std: Float[np.ndarray, " m"]


def each_log_score(belief: Belief, y: np.ndarray) -> np.ndarray:
    """The logarithmic score at each entry of a batch."""
    return _blocks(_log_score, belief, y)


def each_crps(belief: Belief, y: np.ndarray) -> np.ndarray:
    """The continuous ranked probability score at each entry of a batch."""
    return _blocks(_crps, belief, y)


def each_interval_score(belief: Belief, y: np.ndarray) -> np.ndarray:
    """The score of the 90 % interval at each entry of a batch."""
    return _blocks(_interval_score, belief, y)


def dice(rows: int) -> Float[np.ndarray, " n"]:
    """A number between 0 and 1 for each row of a table: where in a jump of its belief the truth is put.

    They are drawn once for all rows, so that those of two folds are independent; and always the same, so that an answer
    does not change when it is asked for again; and not of the seed that somebody's simulation may have, too.
    """
    return np.random.default_rng(_OWN_SEED).random(rows)


def places(
    belief: Belief, y: Float[np.ndarray, " m"], thrown: Float[np.ndarray, " m"], levels: tuple[float, ...] = LEVELS
) -> Place:
    """Where each truth lies in its belief; in a jump, where `thrown` says ([](#credo.validate.entries.dice))."""
    below, upto, std = _blocks(_place, belief, y)
    pit = below + thrown * (upto - below)
    # Between two quantiles is where the distribution function is between their probabilities.
    return Place(pit, np.abs(2.0 * pit - 1.0) <= np.asarray(levels)[:, None], std)


_log_score = eqx.filter_jit(log_score)
_crps = eqx.filter_jit(crps)
_interval_score = eqx.filter_jit(interval_score)


@eqx.filter_jit
def _place(belief: Belief, y: Array) -> tuple[Array, ...]:
    upto = belief.cdf(y)
    # A jump at the truth is what a count has, or a sample; a continuous belief has none, up to rounding.
    below = belief.cdf(jnp.nextafter(y, -jnp.inf)) if belief.is_discrete else upto
    return below, upto, belief.std


def _blocks(function: Callable[[Belief, Array], Any], belief: Belief, y: np.ndarray) -> Any:
    shape = tuple(belief.batch_shape)
    flat = belief.with_budget(_NO_BUDGET)
    targets = np.broadcast_to(y, shape).reshape(-1)
    positions = np.arange(len(targets))
    answers = []
    for start in range(0, len(targets), _BLOCK):
        rows = positions[start : start + _BLOCK]
        padded = rows[np.minimum(np.arange(bucket(len(rows))), len(rows) - 1)]
        answer = function(flat[np.unravel_index(padded, shape)], jnp.asarray(targets[padded]))
        answers.append(jax.tree.map(lambda a, count=len(rows): np.asarray(a)[:count], answer))
    joined = jax.tree.map(lambda *parts: np.concatenate(parts), *answers)
    return jax.tree.map(lambda a: a.reshape(*shape, *a.shape[1:]), joined)

"""Expectations under a belief that need no sampling: all values of a finite one, and mean distances from a point."""

from typing import Any, NamedTuple

import numpy as np
from jaxtyping import Float

from credo.beliefs import Belief, Bernoulli, Empirical, Mixture, Normal
from credo.beliefs.codes import Codes
from credo.errors import UndefinedError
from credo.numerics import log_expected_excess

__all__ = ["Support", "class_probabilities", "expected_distances", "support_of"]


class Support(NamedTuple):
    """The values of a belief that has finitely many, ``(k,) + batch + event``, and their masses, ``(k,) + batch``."""

    y: np.ndarray
    weights: np.ndarray


def support_of(belief: Belief) -> Support | None:
    """All values of a belief over classes, of a coin or of weighted samples; None for every other."""
    if isinstance(belief, Empirical):
        lead = len(belief.batch_shape)
        return Support(np.moveaxis(np.asarray(belief.samples), lead, 0), np.moveaxis(np.asarray(belief.weights), -1, 0))
    if isinstance(belief, (Codes, Bernoulli)):
        weights = np.moveaxis(class_probabilities(belief), -1, 0)
        codes = np.arange(len(weights)).reshape((-1,) + (1,) * (weights.ndim - 1))
        return Support(np.broadcast_to(codes, weights.shape), weights)
    return None


def class_probabilities(belief: Belief) -> Float[np.ndarray, "*batch k"]:
    """The probability of each class, of a belief over classes; a coin has two."""
    if isinstance(belief, Bernoulli):
        p = np.asarray(belief.probability)
        return np.stack([1.0 - p, p], axis=-1)
    if isinstance(belief, Codes):
        return np.asarray(belief.probabilities)
    raise UndefinedError(
        "bayes_action",
        f"a {type(belief).__name__} is no belief over classes",
        "Costs of classes are for Categorical and Bernoulli",
        'Try loss="squared", or a function of (action, y)',
    )


def expected_distances(
    belief: Belief, a: Float[np.ndarray, "*batch"]
) -> tuple[Float[np.ndarray, "*batch"], Float[np.ndarray, "*batch"]] | None:
    """E(y − a)₊ and E(a − y)₊, for normal beliefs, mixtures of them and finitely many values; None for others."""
    up: Any
    down: Any
    if isinstance(belief, Normal):
        scale = np.asarray(belief.scale)
        z = (a - np.asarray(belief.loc)) / scale
        up, down = (scale * np.exp(np.asarray(log_expected_excess(side))) for side in (-z, z))
    elif isinstance(belief, Mixture):
        sides = expected_distances(belief.components, np.broadcast_to(a[..., None], belief.components.batch_shape))
        if sides is None:
            return None
        up, down = (np.sum(np.asarray(belief.weights) * side, axis=-1) for side in sides)
    else:
        support = support_of(belief)
        if support is None:
            return None
        gap = support.y - a
        up, down = (np.sum(support.weights * np.maximum(side, 0.0), axis=0) for side in (gap, -gap))
    return np.asarray(up), np.asarray(down)

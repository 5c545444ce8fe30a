"""A mean averaged over the normal approximation of its linear predictor."""

import jax.numpy as jnp
import numpy as np
from jaxtyping import ArrayLike

from credo.beliefs import Categorical, UncertaintyBudget
from credo.numerics.quadrature import Rule, gauss_normal

__all__ = ["predictor_rule", "two_class_belief"]

# Nodes for the predictor's normal, by the largest standard error: a probability is right to 1e-11 up to the third,
# to 3e-8 up to the fourth, and with 60 nodes to 6e-3 at a standard error of 11.
_NODES = ((0.1, 5), (0.3, 8), (0.5, 12), (1.5, 24), (np.inf, 60))


def predictor_rule(errors: np.ndarray) -> Rule:
    """Gauss–Hermite nodes and weights that do for standard errors of the predictor as large as these.

    >>> len(predictor_rule(np.array([0.1, 0.4])).nodes), len(predictor_rule(np.array([0.1, 3.0])).nodes)
    (12, 60)
    """
    largest = float(np.max(errors, initial=0.0))
    return gauss_normal(next(count for reach, count in _NODES if largest <= reach))


def two_class_belief(probability: ArrayLike, budget: UncertaintyBudget) -> Categorical:
    """The belief about a class that is the second of two with some probability, of whose variance this is the budget.

    The one-hot vector has the same variance in both entries, and the same parts of it.
    """
    p = jnp.asarray(probability)
    belief = Categorical(jnp.stack([1.0 - p, p], axis=-1))
    if not budget.is_split:
        return belief.with_budget(budget)
    both = lambda part: jnp.stack([part, part], axis=-1)  # noqa: E731
    return belief.with_budget(UncertaintyBudget(noise=both(budget.noise), parameter=both(budget.parameter)))

"""A belief averaged over the normal approximation of its linear predictor, and over an estimated dispersion."""

import jax.numpy as jnp
import numpy as np
from jaxtyping import ArrayLike

from credo.beliefs import Categorical, UncertaintyBudget
from credo.numerics.quadrature import Rule, gauss_laguerre, gauss_normal

__all__ = ["dispersion_rule", "predictor_rule", "two_class_belief"]

# Nodes for the predictor's normal, by the largest standard error: a probability is right to 1e-11 up to the third,
# to 3e-8 up to the fourth, and with 60 nodes to 6e-3 at a standard error of 11.
_NODES = ((0.1, 5), (0.3, 8), (0.5, 12), (1.5, 24), (np.inf, 60))
# Nodes for the dispersion, by the degrees of freedom: 90 % intervals of a normal are right to 1 % from three on.
_DISPERSION_NODES = ((6.0, 16), (200.0, 5))


def dispersion_rule(degrees: float) -> Rule:
    r"""Nodes and weights for $\phi/\hat\phi$, where $\nu\hat\phi/\phi$ is χ² of ν degrees of freedom.

    Exact for polynomials in $1/\phi$. From 200 degrees on the dispersion counts as known: intervals would be half a
    percent wider at most.

    >>> rule = dispersion_rule(10.0)
    >>> f"{rule.weights @ (1.0 / rule.nodes):.6f}"  # on average χ² is ν
    '1.000000'
    """
    count = next((count for below, count in _DISPERSION_NODES if degrees < below), None)
    if count is None:
        return Rule(np.ones(1), np.ones(1))
    rule = gauss_laguerre(count, 0.5 * degrees - 1.0)
    return Rule(0.5 * degrees / rule.nodes, rule.weights / np.sum(rule.weights))


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

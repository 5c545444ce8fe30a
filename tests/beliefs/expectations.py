"""Expectations under a belief that use only its density and quantiles: panels of Gauss–Legendre, sums, or draws."""

from typing import NamedTuple

import jax.numpy as jnp
import numpy as np

from credo.beliefs import Belief

# Panels between these quantiles; 2e-10 of the mass is left out.
_TAIL = [*10.0 ** np.arange(-10.0, -2.0, 0.5), 0.01, 0.03, 0.06, 0.1, 0.2, 0.35]
LEVELS = np.array([*_TAIL, 0.5, *(1.0 - np.array(_TAIL[::-1]))])
COUNTS = np.arange(400.0)
_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(16)


class Rule(NamedTuple):
    """Points along the first axis, their weights, and how many are independent draws (0: it is quadrature)."""

    points: jnp.ndarray
    weights: jnp.ndarray
    draws: int = 0

    def mean(self, values):
        """The weighted mean over the first axis."""
        values = jnp.asarray(values)
        weights = self.weights.reshape(self.weights.shape + (1,) * (values.ndim - self.weights.ndim))
        return np.asarray(jnp.sum(jnp.where(weights > 0, weights * values, 0.0), axis=0))

    def tolerance(self, values, quadrature=1e-7):
        """How far the mean may be from the truth: four standard errors of draws, or `quadrature` of the size."""
        values = np.asarray(values)
        if self.draws:
            return 4.0 * values.std(axis=0) / np.sqrt(self.draws) + 1e-9
        return quadrature * (1.0 + np.sqrt(self.mean(values**2)))


def panels(edges):
    """Points and weights of the Lebesgue integral between edges along the first axis: shape (panels, nodes, *batch)."""
    low, half = edges[:-1], 0.5 * jnp.diff(edges, axis=0)
    shape = (1, -1) + (1,) * (edges.ndim - 1)
    return low[:, None] + half[:, None] * (1.0 + _NODES.reshape(shape)), half[:, None] * _WEIGHTS.reshape(shape)


def rule_of(belief, draws=4000):
    """A rule for E under one belief: sums for counts, quadrature for numbers, draws for vectors and classes."""
    if belief.event_shape or type(belief).cdf is Belief.cdf:
        return Rule(belief.sample(draws, random_state=1), jnp.full(draws, 1.0 / draws), draws)
    if belief.is_discrete:
        return Rule(jnp.asarray(COUNTS), jnp.exp(belief.log_prob(COUNTS)))
    points, weights = (part.ravel() for part in panels(belief.quantile(LEVELS)))
    return Rule(points, weights * jnp.exp(belief.log_prob(points)))

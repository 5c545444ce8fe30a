r"""Averages of any kernel over a measure by quadrature, each with its error.

One column: Gauss–Legendre either side of x, where most kernels have their kink. Two and three columns: tensor products
of Gauss rules. More: eight randomly shifted Sobol sequences. The error is measured: twice the largest difference from
other rules, or four standard errors from the spread of the eight.
"""

from collections.abc import Callable
from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array, lax
from jax.scipy.special import ndtri
from jaxtyping import Float

from credo.beliefs.matrices import lower_factor
from credo.beliefs.normal import Normal
from credo.beliefs.uniform import Uniform
from credo.kernels.base import Kernel
from credo.kernels.measures import Measure, columns_of
from credo.kernels.sobol import shifted_sobol
from credo.numerics.quadrature import Rule, gauss_legendre, gauss_normal, tensor_rule

__all__ = ["Expectation", "averaged", "compared", "quadrature_mean"]

# Nodes a column, the finest rule first. Odd and even: on a kink the errors of rules of one parity agree, and their
# difference says nothing. So chosen, twice the largest difference is below the error in one case of a hundred.
_SIZES = {1: (192, 143, 101), 2: (40, 33, 27, 22, 18), 3: (14, 13, 12, 11, 10)}
_SEQUENCES, _POINTS = 8, 1024
_STANDARD_ERRORS = 4.0  # leave out one case in 200 where the mean of eight is nearly normal
_REACH = 9.0  # standard deviations; 2e-19 of a normal lies beyond
_ROUND_OFF = 2.0**-42
_ROWS = 4096


class Expectation(NamedTuple):
    """An average, and its error: zero where it is a closed form, else measured by comparing quadrature rules."""

    value: Float[Array, "*n"]
    error: Float[Array, "*n"]


def quadrature_mean(kernel: Kernel, X: Float[Array, "n d"], measure: Measure) -> Expectation:
    """E k(x, z) for every row x of X. O(n N d) with N some hundreds in one column, some thousands in more."""
    if X.shape[1] == 1:
        return _either_side(kernel, X, measure)
    nodes, weights = _rules(measure)
    return compared(kernel.times(X, nodes, weights))


def averaged(function: Callable[[Float[Array, "n d"]], Expectation], measure: Measure) -> Expectation:
    """E f(z) for a function of rows that has an error of its own."""
    nodes, weights = _rules(measure)
    inner = function(nodes)
    value, error = compared((inner.value @ weights)[None])
    return Expectation(value[0], error[0] + inner.error @ jnp.abs(weights[:, 0]))


def compared(estimates: Float[Array, "n r"]) -> Expectation:
    """From one exact rule, from several, the finest first, or from as many random ones as there are sequences."""
    if estimates.shape[1] == 1:
        return Expectation(estimates[:, 0], jnp.zeros(estimates.shape[0]))
    if estimates.shape[1] == _SEQUENCES:
        value = jnp.mean(estimates, axis=1)
        error = _STANDARD_ERRORS * jnp.std(estimates, axis=1, ddof=1) / np.sqrt(_SEQUENCES)
    else:
        value, error = estimates[:, 0], 2.0 * jnp.max(jnp.abs(estimates[:, :1] - estimates[:, 1:]), axis=1)
    return Expectation(value, error + _ROUND_OFF * jnp.abs(value))


def _rules(measure: Measure) -> tuple[Float[Array, "m d"], Float[Array, "m r"]]:
    """The nodes of all rules, one after the other, and the weights of each rule as a column."""
    from scipy.linalg import block_diag

    d = columns_of(measure)
    if d not in _SIZES:
        keys = jax.random.split(jax.random.key(0), _SEQUENCES)
        points = jnp.concatenate([shifted_sobol(key, _POINTS, d) for key in keys])
        standard = points if isinstance(measure, Uniform) else ndtri(points)
        return _moved(standard, measure), jnp.kron(jnp.eye(_SEQUENCES), jnp.full((_POINTS, 1), 1.0 / _POINTS))
    one = _unit_rule if isinstance(measure, Uniform) else gauss_normal
    rules = [tensor_rule([one(size)] * d) for size in _SIZES[d]]
    nodes = np.concatenate([rule.nodes for rule in rules])
    return _moved(jnp.asarray(nodes), measure), jnp.asarray(block_diag(*(rule.weights[:, None] for rule in rules)))


def _unit_rule(size: int) -> Rule:
    return gauss_legendre(size, 0.0, 1.0)


def _moved(standard: Float[Array, "m d"], measure: Measure) -> Float[Array, "m d"]:
    """Points of the unit box or the standard normal as points of the measure."""
    if isinstance(measure, Uniform):
        return measure.low + measure.width * standard
    if isinstance(measure, Normal):
        return measure.loc + measure.scale * standard
    return measure.loc + standard @ lower_factor(measure.covariance, "kernel_mean").T


def _either_side(kernel: Kernel, X: Float[Array, "n 1"], measure: Measure) -> Expectation:
    """Two panels that meet at x, or at the end next to it; a few thousand rows at a time."""
    low, high = _ends(measure)

    def estimate(x: Array, size: int) -> Array:
        rule, middle = _unit_rule(size), jnp.clip(x, low, high)
        nodes = jnp.concatenate([low + (middle - low) * rule.nodes, middle + (high - middle) * rule.nodes])
        weights = jnp.concatenate([(middle - low) * rule.weights, (high - middle) * rule.weights])
        return jnp.sum(weights * jnp.exp(measure.log_prob(nodes)) * kernel.cross(x[None], nodes[:, None])[0])

    def of_row(x: Array) -> Array:
        return jnp.stack([estimate(x, size) for size in _SIZES[1]])

    return compared(lax.map(of_row, X, batch_size=min(X.shape[0], _ROWS)))


def _ends(measure: Measure) -> tuple[Float[Array, " d"], Float[Array, " d"]]:
    if isinstance(measure, Uniform):
        return measure.low, measure.high
    return measure.mean - _REACH * measure.std, measure.mean + _REACH * measure.std

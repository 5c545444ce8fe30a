r"""What a log-likelihood says near a parameter: its score, its information, and the covariance that follows.

A log-likelihood is a JAX function ``(theta, data)`` of a vector of p numbers (a single number is a vector of one) and
of arrays whose first axis runs over independent rows. It returns one number a row, or their sum where rows are not
needed one by one.
"""

from collections.abc import Callable
from typing import Any, TypeAlias

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jax import Array
from jaxtyping import Float

from credo.errors import InputError, NumericalError
from credo.numerics.concrete import traced
from credo.numerics.precision import require_float64

__all__ = ["LogLikelihood", "covariance_of", "observed_information", "score", "scores"]

#: ``(theta, data)`` → one number a row, or their sum.
LogLikelihood: TypeAlias = Callable[[Any, Any], Any]


def score(log_likelihood: LogLikelihood, theta: Any, data: Any) -> Float[np.ndarray, " p"]:
    r"""$\nabla_\theta \log p(\text{data} \mid \theta)$, by reverse differentiation: the cost of a few evaluations.

    >>> score(lambda mean, x: -0.5 * (x - mean) ** 2, 1.0, np.array([1.0, 4.0])).tolist()
    [3.0]
    """
    value, slope = _gradient(log_likelihood, as_theta("score", theta), as_data("score", data))
    _finite("score", "the log-likelihood", value)
    return _finite("score", "the score", slope)


def scores(log_likelihood: LogLikelihood, theta: Any, data: Any) -> Float[np.ndarray, "n p"]:
    """The score of each row, whose sum is the score. O(p) evaluations, forwards.

    >>> scores(lambda mean, x: -0.5 * (x - mean) ** 2, 1.0, np.array([1.0, 4.0])).tolist()
    [[0.0], [3.0]]
    """
    rows = _row_gradients(log_likelihood, as_theta("scores", theta), as_data("scores", data))
    if rows.ndim != 2:
        raise InputError(
            "scores",
            f"the log-likelihood has shape {rows.shape[:-1]}",
            "Rows are looked at one by one here, and it was probably summed",
            "Return one number a row",
        )
    return _finite("scores", "a score", rows)


def observed_information(log_likelihood: LogLikelihood, theta: Any, data: Any) -> Float[np.ndarray, "p p"]:
    r"""$-\nabla^2_\theta \log p(\text{data} \mid \theta)$ of all rows, by differentiating twice: O(p) gradients.

    Its inverse at the maximum is the asymptotic covariance of the estimate (Efron & Hinkley 1978). Away from the
    maximum it need not be positive definite.

    >>> observed_information(lambda mean, x: -0.5 * (x - mean) ** 2, 1.0, np.array([1.0, 4.0])).tolist()
    [[2.0]]
    """
    who = "observed_information"
    value, curvature = _hessian(log_likelihood, as_theta(who, theta), as_data(who, data))
    _finite(who, "the log-likelihood", value)
    return _finite(who, "the second derivative", -0.5 * (curvature + curvature.T))


def covariance_of(information: Any, *, who: str = "covariance_of") -> Float[np.ndarray, "p p"]:
    """The inverse of an information matrix; one that is singular, or of no maximum, is refused. O(p³).

    Parameters are scaled to unit information first, so that their units do not matter.

    >>> covariance_of([[4.0]]).tolist()
    [[0.25]]
    """
    matrix = np.atleast_2d(np.asarray(information, dtype=np.float64))
    if matrix.ndim != 2 or matrix.shape[0] != matrix.shape[1] or not np.all(np.isfinite(matrix)):
        raise InputError(
            who, f"information of shape {matrix.shape}, or not finite", "It is p × p", "Pass a finite square matrix"
        )
    diagonal = np.diagonal(matrix)
    scale = 1.0 / np.sqrt(np.where(diagonal > 0.0, diagonal, 1.0))
    # One decomposition tells both whether there is an inverse and what it is.
    spectrum, vectors = np.linalg.eigh(scale[:, None] * (0.5 * (matrix + matrix.T)) * scale)
    smallest = float(spectrum[0])
    if not smallest > 1e-12:
        raise NumericalError(
            who,
            f"the information is not positive definite: its smallest eigenvalue is {smallest:.3g}, with unit diagonal",
            "Some combination of the parameters does not change the likelihood, or this is no maximum",
            "Fix a parameter, start elsewhere, or use the expected information",
        )
    half = scale[:, None] * vectors / np.sqrt(spectrum)
    return np.asarray(half @ half.T)


def as_theta(who: str, theta: Any) -> Array:
    """Parameters as a finite vector of 64 bit."""
    require_float64(who)
    vector = np.atleast_1d(np.asarray(theta, dtype=np.float64))
    if vector.ndim != 1 or not vector.size or not np.all(np.isfinite(vector)):
        raise InputError(
            who, f"theta is {theta!r}", "It is a finite number, or a vector of them", "Try theta=np.zeros(p)"
        )
    return jax.device_put(vector)


def as_data(who: str, data: Any) -> Any:
    """Columns as JAX arrays: an array, or a tuple or dictionary of them; entries that are NaN are refused."""

    def convert(leaf: Any) -> Any:
        array = leaf if isinstance(leaf, Array) else np.asarray(leaf)
        if not (np.issubdtype(array.dtype, np.number) or array.dtype == bool):
            raise InputError(who, f"data of dtype {array.dtype}", "Rows are numbers", "Encode them first")
        if array.dtype.kind == "f" and np.any(np.isnan(array)):
            raise InputError(who, "data have NaN entries", "Values are missing", "Drop those rows first")
        return array

    def is_column(leaf: Any) -> bool:
        return isinstance(leaf, list) or hasattr(leaf, "__array__")

    return traced(jax.tree.map(convert, data, is_leaf=is_column))


def total(log_likelihood: LogLikelihood, theta: Array, data: Any) -> Array:
    """The log-likelihood of all rows."""
    return jnp.sum(jnp.asarray(log_likelihood(theta, data)))


@eqx.filter_jit
def _gradient(log_likelihood: LogLikelihood, theta: Array, data: Any) -> tuple[Array, Array]:
    return jax.value_and_grad(lambda t: total(log_likelihood, t, data))(theta)


@eqx.filter_jit
def _row_gradients(log_likelihood: LogLikelihood, theta: Array, data: Any) -> Array:
    return jax.jacfwd(lambda t: jnp.asarray(log_likelihood(t, data)))(theta)


@eqx.filter_jit
def _hessian(log_likelihood: LogLikelihood, theta: Array, data: Any) -> tuple[Array, Array]:
    return total(log_likelihood, theta, data), jax.hessian(lambda t: total(log_likelihood, t, data))(theta)


def _finite(who: str, what: str, answer: Any) -> np.ndarray:
    array = np.asarray(answer, dtype=np.float64)
    if not np.all(np.isfinite(array)):
        raise NumericalError(
            who,
            f"{what} is NaN or infinite",
            "theta lies outside the parameter space, or a row has no likelihood under it",
            "Try another theta, or parameters that every number is allowed for",
        )
    return array

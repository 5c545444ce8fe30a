r"""The delta method: estimates of functions of estimates, with their covariance."""

from collections.abc import Callable, Sequence
from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

from credo.errors import InputError, NumericalError
from credo.infer.testing import Estimates
from credo.numerics.precision import require_float64

__all__ = ["delta_method"]


def delta_method(estimates: Estimates, function: Callable[[Any], Any], names: Sequence[str] | None = None) -> Estimates:
    r"""$g(\hat\theta)$ with covariance $G\,\Sigma\,G^\top$, $G = \partial g/\partial\theta$ at $\hat\theta$.

    `function` is a JAX function from the vector of estimates to a number or a vector. Exact for linear ones; for others
    right to first order, when g bends little within a few standard errors (van der Vaart 1998, theorem 3.1). Degrees of
    freedom are passed on. At a point where G vanishes the answer has no standard error, and that is refused. Cost: one
    derivative a parameter.

    >>> two = Estimates(("a", "b"), np.array([1.0, 2.0]), np.diag([0.04, 0.09]))
    >>> ratio = delta_method(two, lambda t: t[0] / t[1], ["a/b"])
    >>> ratio.values.tolist(), ratio.standard_errors.round(4).tolist()
    ([0.5], [0.125])
    """
    require_float64("delta_method")
    values, jacobian = (np.asarray(part) for part in _linearized(function, jax.device_put(estimates.values)))
    if values.ndim != 1 or not values.size:
        raise InputError(
            "delta_method", f"the function has shape {values.shape}", "It returns a number or a vector", "Ravel it"
        )
    if not (np.all(np.isfinite(values)) and np.all(np.isfinite(jacobian))):
        raise NumericalError(
            "delta_method",
            f"the function or its derivative is not finite at {estimates.values}",
            "The estimates lie at the edge of where it is defined",
            "Try a function that is smooth there",
        )
    flat = np.flatnonzero(~np.any(jacobian != 0.0, axis=1))
    if flat.size:
        raise InputError(
            "delta_method",
            f"entry {flat[0]} of the function does not change with the estimates",
            "Its derivative vanishes here, so that the first order says nothing about its error",
            "Try bootstrap_interval, or leave the entry out",
        )
    labels = tuple(f"g{i}" for i in range(len(values))) if names is None else tuple(str(name) for name in names)
    if len(labels) != len(values):
        raise InputError("delta_method", f"{len(labels)} names for {len(values)} values", "One each", "Pass as many")
    return Estimates(labels, values, jacobian @ estimates.covariance @ jacobian.T, estimates.degrees)


@eqx.filter_jit
def _linearized(function: Callable[[Any], Any], at: Array) -> tuple[Array, Array]:
    def vector(theta: Array) -> Array:
        return jnp.atleast_1d(jnp.asarray(function(theta), dtype=jnp.float64))

    return vector(at), jax.jacfwd(vector)(at)

r"""Restrictions $r(\theta) = 0$ on parameters, linear or not: what a hypothesis says."""

from abc import abstractmethod
from collections.abc import Callable
from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jax import Array
from jaxtyping import Float
from scipy import linalg, optimize

from credo.errors import InputError, NumericalError

__all__ = ["Linear", "Nonlinear", "Restriction", "as_restriction", "search_nonlinear"]


class Restriction(eqx.Module):
    """q independent equations of p parameters, zero where the hypothesis holds."""

    @abstractmethod
    def __call__(self, theta: Array) -> Array:
        """How far each is from holding; a JAX function."""

    def at(self, theta: Any) -> Float[np.ndarray, " q"]:
        """How far each is from holding."""
        return np.asarray(_values(self, jnp.asarray(theta)))

    def jacobian(self, theta: Any) -> Float[np.ndarray, "q p"]:
        """The derivatives of the equations."""
        return np.asarray(_jacobian(self, jnp.asarray(theta)))


class Linear(Restriction):
    """H θ = v."""

    matrix: Array
    value: Array

    def __call__(self, theta: Array) -> Array:
        """H θ − v."""
        return self.matrix @ theta - self.value

    def solutions(self, start: Float[np.ndarray, " p"]) -> tuple[Float[np.ndarray, " p"], Float[np.ndarray, "p f"]]:
        """The solution nearest to `start`, and an orthonormal basis of the directions that stay in it."""
        H = np.asarray(self.matrix)
        origin = start - np.linalg.lstsq(H, H @ start - np.asarray(self.value), rcond=None)[0]
        return origin, np.asarray(linalg.null_space(H))


class Nonlinear(Restriction):
    """h(θ) = v for a JAX function h."""

    function: Callable[[Any], Any] = eqx.field(static=True)
    value: Array

    def __call__(self, theta: Array) -> Array:
        """h(θ) − v."""
        return jnp.atleast_1d(jnp.asarray(self.function(theta), dtype=jnp.float64)) - self.value


def as_restriction(who: str, hypothesis: Any, value: Any, start: Array) -> Restriction:
    """A matrix H with Hθ = v, or a function h with h(θ) = v, checked: equations that do not follow from each other."""
    wanted = jnp.asarray(value, dtype=jnp.float64)
    restriction: Restriction
    if callable(hypothesis):
        restriction = Nonlinear(hypothesis, wanted)
    else:
        matrix = np.atleast_2d(np.asarray(hypothesis, dtype=np.float64))
        if matrix.ndim != 2 or matrix.shape[1] != start.shape[0] or not np.all(np.isfinite(matrix)):
            raise InputError(
                who,
                f"the hypothesis has shape {np.shape(hypothesis)}, or is not finite",
                f"Each row is a combination of {start.shape[0]} parameters",
                "Pass one row of coefficients for each statement, or a function",
            )
        if wanted.shape not in ((), (1,), (len(matrix),)):
            raise InputError(who, f"{wanted.shape} values for {len(matrix)} rows", "One each", "Pass as many")
        restriction = Linear(jnp.asarray(matrix), jnp.broadcast_to(wanted, (len(matrix),)))
    jacobian = restriction.jacobian(start)
    if jacobian.ndim != 2 or not np.all(np.isfinite(jacobian)) or np.linalg.matrix_rank(jacobian) < len(jacobian):
        raise InputError(
            who,
            f"the {jacobian.shape[0]} statements of the hypothesis are not independent at the start",
            "One follows from the others, or does not depend on the parameters there",
            "Leave it out, or start elsewhere",
        )
    return restriction


def search_nonlinear(
    who: str, negative: Callable[[Array, Any, Any], Array], data: Any, start: Array, restriction: Restriction
) -> tuple[np.ndarray, int]:
    """A point near the maximum on a curved restriction, by sequential quadratic programs (SciPy's SLSQP)."""
    p = start.shape[0]
    shared = (jnp.zeros(p), jnp.eye(p), data)

    def objective(theta: np.ndarray) -> tuple[float, np.ndarray]:
        value, gradient = _value_and_gradient(negative, jax.device_put(theta), shared)
        return float(value), np.asarray(gradient)

    equations = {"type": "eq", "fun": restriction.at, "jac": restriction.jacobian}
    found = optimize.minimize(
        objective,
        np.asarray(start),
        jac=True,
        method="SLSQP",
        constraints=[equations],
        options={"maxiter": 500, "ftol": 1e-12},
    )
    gap = restriction.at(found.x)
    if not np.all(np.isfinite(found.x)) or not np.all(np.abs(gap) <= 1e-4):
        raise NumericalError(
            who,
            f"no maximum under the hypothesis was found ({str(found.message).lower()})",
            "The start is far from it, or no parameters satisfy it",
            "Start at parameters that satisfy the hypothesis",
        )
    return np.asarray(found.x), int(found.nit)


@eqx.filter_jit
def _values(restriction: Restriction, theta: Array) -> Array:
    return restriction(theta)


@eqx.filter_jit
def _jacobian(restriction: Restriction, theta: Array) -> Array:
    return jax.jacfwd(restriction)(theta)


@eqx.filter_jit
def _value_and_gradient(negative: Callable[..., Array], theta: Array, shared: Any) -> tuple[Array, Array]:
    return jax.value_and_grad(lambda t: negative(t, shared, None))(theta)

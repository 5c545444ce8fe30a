r"""Maximum likelihood from any log-likelihood, free or under restrictions $r(\theta) = 0$.

A quasi-Newton search comes near, and Newton's method on the Lagrangian $\ell(\theta) - \lambda^\top r(\theta)$ ends it
to rounding, so that likelihood ratios and scores are those of the maximum.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple, TypeAlias

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jax import Array
from jaxtyping import Float

from credo.errors import InputError, NumericalError
from credo.infer.testing import Estimates
from credo.numerics import CONVERGED, STOPPED, Certificate, Info, Solution, certify, minimize
from credo.validate.estimation.likelihood import (
    LogLikelihood,
    as_data,
    as_theta,
    covariance_of,
    observed_information,
    scores,
    total,
)
from credo.validate.estimation.restrictions import Linear, Restriction, search_nonlinear

__all__ = ["InformationOf", "Maximum", "information_at", "maximize", "maximum_likelihood"]

#: Which information of all rows: second derivatives, products of the rows' scores, or a function of theta.
InformationOf: TypeAlias = Literal["observed", "scores"] | Callable[[Any], Any]

_STEPS = 20
_NATS = 1e-8  # of log-likelihood that one more step may gain
_SMALL = 1e-6  # share of a parameter that it may move


class Maximum(NamedTuple):
    """Where a log-likelihood is largest, how large it is there, and how that was found."""

    theta: Float[np.ndarray, " p"]
    value: float
    certificate: Certificate


def maximum_likelihood(
    log_likelihood: LogLikelihood,
    data: Any,
    start: Any,
    *,
    information: InformationOf = "observed",
    names: Sequence[str] | None = None,
) -> Solution[Estimates]:
    r"""The parameters of the largest likelihood, with their asymptotic covariance $I^{-1}$.

    The information of all rows is "observed" ($-\nabla^2\ell$), from products of the rows' "scores", or a function of θ
    such as n times the expected one. Right as n grows, in a regular model that holds (van der Vaart 1998, theorem
    5.39). The maximum is a local one, from `start`.

    >>> waits = np.array([0.5, 2.0, 3.5])
    >>> fit = maximum_likelihood(lambda t, x: t[0] - jnp.exp(t[0]) * x, waits, [0.0], names=["log rate"])
    >>> fit.value.values.round(4).tolist(), fit.value.standard_errors.round(4).tolist()
    ([-0.6931], [0.5774])
    """
    who = "maximum_likelihood"
    rows = as_data(who, data)
    found = maximize(who, log_likelihood, rows, as_theta(who, start))
    labels = tuple(f"theta{i}" for i in range(len(found.theta))) if names is None else tuple(str(n) for n in names)
    if len(labels) != len(found.theta):
        raise InputError(who, f"{len(labels)} names for {len(found.theta)} parameters", "One each", "Pass as many")
    covariance = covariance_of(information_at(log_likelihood, found.theta, rows, information), who=who)
    estimates = Estimates(labels, found.theta, covariance)
    return Solution(estimates, found.certificate, {"log_likelihood": found.value})


def information_at(
    log_likelihood: LogLikelihood, theta: np.ndarray, data: Any, information: Any
) -> Float[np.ndarray, "p p"]:
    """The information of all rows at theta, of the kind asked for."""
    if callable(information):
        return np.atleast_2d(np.asarray(information(theta), dtype=np.float64))
    if information == "observed":
        return observed_information(log_likelihood, theta, data)
    if information == "scores":
        rows = scores(log_likelihood, theta, data)
        return np.asarray(rows.T @ rows)
    raise InputError(
        "information",
        f"information={information!r} is not known",
        'It is "observed", "scores" or a function of theta',
        'Try information="observed"',
    )


@dataclass(frozen=True)
class _Negative:
    """Minus the log-likelihood along ``origin + basis @ u``; equal for equal functions, so it compiles once."""

    log_likelihood: LogLikelihood

    def __call__(self, u: Array, shared: Any, own: Any) -> Array:
        origin, basis, data = shared
        return -total(self.log_likelihood, origin + basis @ u, data)


def maximize(
    who: str, log_likelihood: LogLikelihood, data: Any, start: Array, restriction: Restriction | None = None
) -> Maximum:
    """The maximum reached from `start`, where `restriction` is zero if there is one. `data` are JAX arrays."""
    if restriction is None:
        near, searched = _search(who, log_likelihood, data, start, np.eye(start.shape[0]))
    elif isinstance(restriction, Linear):
        origin, basis = restriction.solutions(np.asarray(start))
        near, searched = _search(who, log_likelihood, data, jax.device_put(origin), basis)
    else:
        near, searched = search_nonlinear(who, _Negative(log_likelihood), data, start, restriction)
    return _polished(who, log_likelihood, data, near, restriction, searched)


def _search(
    who: str, log_likelihood: LogLikelihood, data: Any, origin: Array, basis: np.ndarray
) -> tuple[np.ndarray, int]:
    if not basis.shape[1]:  # as many restrictions as parameters leave one point
        return np.asarray(origin), 0
    shared = (origin, jax.device_put(basis), data)
    found = minimize(_Negative(log_likelihood), np.zeros(basis.shape[1]), shared=shared, rough=True, who=who)
    return np.asarray(origin) + basis @ found.value.x, found.certificate.iterations


def _polished(
    who: str, log_likelihood: LogLikelihood, data: Any, near: np.ndarray, restriction: Any, searched: int
) -> Maximum:
    """Newton's method on the Lagrangian, as long as each step takes its gradient at least halfway to zero."""
    p = len(near)
    z = np.concatenate([near, _multipliers(log_likelihood, data, near, restriction)])
    value, slope, curvature = _expanded(log_likelihood, restriction, z, p, data)
    iterations, step = 0, np.full(len(z), np.inf)
    while iterations < _STEPS and np.all(np.isfinite(slope)) and np.all(np.isfinite(curvature)):
        step = -np.linalg.lstsq(curvature, slope, rcond=None)[0]
        trial = _expanded(log_likelihood, restriction, z + step, p, data)
        if not np.max(np.abs(trial[1])) < 0.5 * np.max(np.abs(slope)):
            break
        z, (value, slope, curvature) = z + step, trial
        iterations += 1
    if not (np.isfinite(value) and np.all(np.isfinite(slope))):
        raise NumericalError(
            who,
            f"the log-likelihood or its derivatives are not finite at {z[:p]}",
            "The start lies outside the parameter space, or the maximum at its edge",
            "Try another start, or parameters that every number is allowed for",
        )
    settled = bool(np.all(np.abs(slope * step) <= _NATS)) and bool(
        np.all(np.abs(step[:p]) <= _SMALL * (1.0 + np.abs(z[:p])))
    )
    info = Info(CONVERGED if settled else STOPPED, searched + iterations, float(np.max(np.abs(slope))))
    return Maximum(z[:p], value, certify(info, "heuristic", who, notes=("a local maximum",)))


def _multipliers(log_likelihood: LogLikelihood, data: Any, near: np.ndarray, restriction: Any) -> np.ndarray:
    """Those with which the restrictions balance the score best."""
    if restriction is None:
        return np.zeros(0)
    p, jacobian = len(near), restriction.jacobian(near)
    _, slope, _ = _expanded(log_likelihood, restriction, np.concatenate([near, np.zeros(len(jacobian))]), p, data)
    return np.asarray(np.linalg.lstsq(jacobian.T, np.nan_to_num(slope[:p]), rcond=None)[0])


def _expanded(
    log_likelihood: LogLikelihood, restriction: Any, z: np.ndarray, p: int, data: Any
) -> tuple[float, np.ndarray, np.ndarray]:
    value, slope, curvature = _lagrangian(log_likelihood, restriction, jax.device_put(z), p, data)
    return float(value), np.asarray(slope), np.asarray(curvature)


@eqx.filter_jit
def _lagrangian(
    log_likelihood: LogLikelihood, restriction: Any, z: Array, p: int, data: Any
) -> tuple[Array, Array, Array]:
    def at(point: Array) -> Array:
        inner = total(log_likelihood, point[:p], data)
        return inner if restriction is None else inner - jnp.dot(point[p:], restriction(point[:p]))

    return total(log_likelihood, z[:p], data), jax.grad(at)(z), jax.hessian(at)(z)

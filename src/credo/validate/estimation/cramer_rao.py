r"""The Cramér–Rao bound: how small the mean squared error of an estimator can be, and how near one comes to it."""

from collections.abc import Callable
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array
from jaxtyping import Float

from credo.errors import InputError
from credo.numerics import Certificate
from credo.validate.estimation.information import Information
from credo.validate.estimation.likelihood import as_theta, covariance_of

__all__ = ["CramerRao", "cramer_rao"]


class CramerRao(NamedTuple):
    r"""Lower bounds, in the order of positive semi-definite matrices, on the covariance and on the mean squared error
    $E(T - g)(T - g)^\top$ of estimators with the bias given; the certificate says whether the information was exact.
    """

    covariance: Float[np.ndarray, "q q"]
    mean_squared_error: Float[np.ndarray, "q q"]
    certificate: Certificate


def cramer_rao(
    information: Any,
    theta: Any,
    *,
    rows: float = 1.0,
    estimand: Callable[[Any], Any] | None = None,
    bias: Callable[[Any], Any] | None = None,
) -> CramerRao:
    r"""The bound for estimators of g(θ) with expectation $m(\theta) = g(\theta) + b(\theta)$ from independent rows.

    $$\mathrm{Cov}\,T \succeq M\,(nI)^{-1} M^\top, \qquad E(T - g)(T - g)^\top \succeq M\,(nI)^{-1}M^\top + b\,b^\top$$

    with $M = \partial m/\partial\theta$; for unbiased estimators of θ itself the inverse information (Lehmann & Casella
    1998, chapter 2, section 6). `information` is of one row, a matrix or an
    [](#credo.validate.estimation.Information), whose error is passed on; `estimand` (θ itself if left out) and `bias`
    (none) are JAX functions of θ. It assumes a regular family: a range that does not depend on θ. O(p³).

    >>> shrunk = cramer_rao([[1.0]], 2.0, rows=10, bias=lambda mean: -0.5 * mean)
    >>> shrunk.covariance.round(6).tolist(), shrunk.mean_squared_error.round(6).tolist()
    ([[0.025]], [[1.025]])
    """
    who = "cramer_rao"
    at = as_theta(who, theta)
    known = information if isinstance(information, Information) else _exact(information)
    inverse = covariance_of(known.value, who=who) / _checked_rows(who, rows)
    if inverse.shape != (at.shape[0],) * 2:
        raise InputError(
            who,
            f"information of shape {inverse.shape} for {at.shape[0]} parameters",
            "It is p × p",
            "Pass that of this theta",
        )
    off, slope = _expectation(who, at, estimand, bias)
    covariance = slope @ inverse @ slope.T
    return CramerRao(covariance, covariance + np.outer(off, off), _certificate(known, slope @ inverse, rows))


def _exact(information: Any) -> Information:
    value = np.atleast_2d(np.asarray(information, dtype=np.float64))
    return Information(value, np.zeros_like(value), Certificate("exact"))


def _checked_rows(who: str, rows: float) -> float:
    if not rows > 0.0 or not np.isfinite(rows):
        raise InputError(who, f"rows is {rows}", "It counts observations", "Try rows=1")
    return float(rows)


def _expectation(
    who: str, theta: Array, estimand: Callable[[Any], Any] | None, bias: Callable[[Any], Any] | None
) -> tuple[np.ndarray, np.ndarray]:
    """The bias at θ, and the derivative of the expectation."""

    def target(t: Array) -> Array:
        return t if estimand is None else jnp.atleast_1d(jnp.asarray(estimand(t), dtype=jnp.float64))

    def offset(t: Array) -> Array:
        return jnp.zeros_like(target(t)) if bias is None else jnp.atleast_1d(jnp.asarray(bias(t), dtype=jnp.float64))

    off = np.asarray(offset(theta))
    if off.shape != target(theta).shape or off.ndim != 1:
        raise InputError(
            who,
            f"a bias of shape {off.shape} for an estimand of shape {target(theta).shape}",
            "Both are numbers, or vectors of one length",
            "Return one bias for each number that is estimated",
        )
    slope = np.asarray(jax.jacfwd(lambda t: target(t) + offset(t))(theta))
    if not (np.all(np.isfinite(off)) and np.all(np.isfinite(slope))):
        raise InputError(
            who, f"bias or estimand is not finite at {theta}", "They are smooth functions", "Check them there"
        )
    return off, slope


def _certificate(known: Information, gain: np.ndarray, rows: float) -> Certificate:
    """How far the error of the information moves the bound: |A| se |A|ᵀ, A the gain, as entries may err together."""
    if not np.any(known.standard_error):
        return known.certificate
    moved = rows * np.abs(gain) @ known.standard_error @ np.abs(gain).T
    note = "error is a first-order bound on the standard error that the information's gives"
    return Certificate("estimated", error=float(np.max(moved)), notes=(note,))

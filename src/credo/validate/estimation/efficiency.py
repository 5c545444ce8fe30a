"""How good an estimator is, by simulation: its bias, its mean squared error, and its share of the Cramér–Rao bound."""

from collections.abc import Callable
from typing import Any, NamedTuple

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jax import Array
from jaxtyping import Float

from credo.errors import InputError, NumericalError
from credo.numerics import Certificate, as_key
from credo.validate.estimation.cramer_rao import cramer_rao
from credo.validate.estimation.information import Sampler
from credo.validate.estimation.likelihood import as_theta

__all__ = ["Efficiency", "efficiency"]

_WHO = "efficiency"
_ENTRIES = 2**22  # rows simulated at a time


class Efficiency(NamedTuple):
    """Of each estimated number: bias, variance, mean squared error, its lower `bound`, and `efficiency`, bound divided
    by mean squared error; the Monte Carlo standard errors of bias, mean squared error and efficiency.
    """

    bias: Float[np.ndarray, " q"]
    variance: Float[np.ndarray, " q"]
    mean_squared_error: Float[np.ndarray, " q"]
    bound: Float[np.ndarray, " q"]
    efficiency: Float[np.ndarray, " q"]
    bias_error: Float[np.ndarray, " q"]
    mean_squared_error_error: Float[np.ndarray, " q"]
    efficiency_error: Float[np.ndarray, " q"]
    certificate: Certificate


def efficiency(
    estimator: Callable[[Any], Any],
    sampler: Sampler,
    theta: Any,
    information: Any,
    *,
    rows: int,
    simulations: int = 2000,
    estimand: Callable[[Any], Any] | None = None,
    bias: Callable[[Any], Any] | None = None,
    jax_estimator: bool = True,
    random_state: Any = None,
) -> Efficiency:
    r"""The bound of [](#credo.validate.estimation.cramer_rao) over the mean squared error in simulation.

    ``estimator(data)`` returns the estimates from the `rows` that ``sampler(theta, rows, key)`` drew; it is a JAX
    function and runs on all simulations at once, unless ``jax_estimator=False``, which calls it on NumPy arrays one
    after the other. Without `bias` the bound is that of unbiased estimators, which a biased one may beat: then the
    efficiency exceeds one. Errors are Monte Carlo standard errors over the simulations; where `information` has an
    error of its own, it is part of that of the efficiency. Cost: `simulations` estimates.

    >>> draw = lambda t, n, key: t[0] + jax.random.normal(key, (n,))
    >>> mean = efficiency(jnp.mean, draw, 0.0, [[1.0]], rows=20, random_state=0)
    >>> bool(abs(mean.efficiency[0] - 1.0) < 4 * mean.efficiency_error[0])
    True
    """
    at = as_theta(_WHO, theta)
    if int(rows) != rows or rows < 1 or int(simulations) != simulations or simulations < 2:
        raise InputError(
            _WHO, f"{rows} rows in {simulations} simulations", "Both count, and an error takes two", "Try more"
        )
    lowest = cramer_rao(information, at, rows=rows, estimand=estimand, bias=bias)
    bound = np.diagonal(lowest.mean_squared_error).copy()
    truth = np.asarray(at if estimand is None else jnp.atleast_1d(jnp.asarray(estimand(at), dtype=jnp.float64)))
    run = _estimates if jax_estimator else _estimates_one_by_one
    drawn = run(estimator, sampler, at, int(rows), int(simulations), as_key(random_state))
    return _judged(_checked(drawn, len(truth)) - truth, bound, lowest.certificate)


def _judged(errors: np.ndarray, bound: np.ndarray, certificate: Certificate) -> Efficiency:
    S = len(errors)
    squares = errors**2
    mse, mse_error = np.mean(squares, axis=0), np.std(squares, axis=0, ddof=1) / np.sqrt(S)
    if not np.all(mse > 0.0):
        raise NumericalError(_WHO, "an estimator without error", "It knows the truth", "Let it see the data only")
    share = bound / mse
    of_information = 0.0 if certificate.error is None else certificate.error / mse
    share_error = np.hypot(share * mse_error / mse, of_information)
    note = f"error is the largest standard error of an efficiency over {S} simulations"
    return Efficiency(
        bias=np.mean(errors, axis=0),
        variance=np.var(errors, axis=0, ddof=1),
        mean_squared_error=mse,
        bound=bound,
        efficiency=share,
        bias_error=np.std(errors, axis=0, ddof=1) / np.sqrt(S),
        mean_squared_error_error=mse_error,
        efficiency_error=share_error,
        certificate=Certificate("estimated", error=float(np.max(share_error)), notes=(note,)),
    )


def _estimates(
    estimator: Callable[[Any], Any], sampler: Sampler, theta: Array, rows: int, simulations: int, key: Array
) -> np.ndarray:
    size = min(simulations, max(1, _ENTRIES // rows))
    keys = jax.random.split(key, -(-simulations // size) * size)  # whole blocks: one compilation
    parts = [_block(estimator, sampler, theta, rows, keys[k : k + size]) for k in range(0, simulations, size)]
    return np.concatenate([np.asarray(part) for part in parts])[:simulations]


@eqx.filter_jit
def _block(estimator: Callable[[Any], Any], sampler: Sampler, theta: Array, rows: int, keys: Array) -> Array:
    return jax.vmap(lambda key: jnp.atleast_1d(jnp.asarray(estimator(sampler(theta, rows, key)))))(keys)


def _estimates_one_by_one(
    estimator: Callable[[Any], Any], sampler: Sampler, theta: Array, rows: int, simulations: int, key: Array
) -> np.ndarray:
    def estimate(own: Array) -> np.ndarray:
        data = jax.tree.map(np.asarray, _draw(sampler, theta, rows, own))
        return np.atleast_1d(np.asarray(estimator(data), dtype=np.float64))

    return np.stack([estimate(own) for own in jax.random.split(key, simulations)])


@eqx.filter_jit
def _draw(sampler: Sampler, theta: Array, rows: int, key: Array) -> Any:
    return sampler(theta, rows, key)


def _checked(drawn: np.ndarray, wanted: int) -> np.ndarray:
    if drawn.ndim != 2 or drawn.shape[1] != wanted:
        raise InputError(
            _WHO,
            f"estimates of shape {drawn.shape[1:]} for {wanted} numbers",
            "The estimator returns one for each entry of the estimand",
            "Pass estimand= where it does not estimate theta itself",
        )
    if not np.all(np.isfinite(drawn)):
        raise NumericalError(
            _WHO,
            f"{int(np.sum(~np.all(np.isfinite(drawn), axis=1)))} of {len(drawn)} estimates are not finite",
            "Some samples have no estimate",
            "Try more rows, or an estimator that always exists",
        )
    return drawn

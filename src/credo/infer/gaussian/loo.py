"""Leave-one-out and sequential prediction, in closed form from one factor."""

from typing import Any

import equinox as eqx
import jax.numpy as jnp
from jax import Array
from jaxtyping import Float, Int

from credo.beliefs.budget import UncertaintyBudget
from credo.beliefs.normal import Normal
from credo.infer.gaussian.averaged import AveragedPosterior, over_members
from credo.infer.gaussian.evidence import measurement_variance, padded_covariance, repeats, site_variances
from credo.infer.gaussian.observations import Observations
from credo.infer.gaussian.posterior import GPPosterior, conditioned, padded
from credo.infer.gaussian.process import Process
from credo.numerics.cholesky import Factor, factorize
from credo.numerics.scalar import LOG_2PI

__all__ = ["leave_one_out", "leave_one_out_each", "left_out_log_density", "sequential_log_densities"]


def leave_one_out(posterior: GPPosterior, y: Any, sites: Any) -> Normal:
    r"""The belief about each measurement from all the others, at the same parameters.

    `y` are the single measurements and `sites` the point each was made at. With $C = (K + D)^{-1}$ the function at a
    point, given all other points, has mean $\bar y_i - \alpha_i/C_{ii}$ and variance $1/C_{ii} - D_{ii}$ (Rasmussen and
    Williams 2006, eq. 5.12); where a point was measured w times, the other w − 1 are put back in. O(n³), one inverse.
    """
    return _leave_one_out(padded(posterior), jnp.asarray(y, dtype=jnp.float64), jnp.asarray(sites))


def leave_one_out_each(average: AveragedPosterior, y: Any, sites: Any) -> Normal:
    """`leave_one_out` at each draw of the parameters, draws × measurements. O(s n³)."""
    return _leave_one_out_each(average.members, jnp.asarray(y, dtype=jnp.float64), jnp.asarray(sites))


@eqx.filter_jit
def _leave_one_out(posterior: GPPosterior, y: Float[Array, " m"], sites: Int[Array, " m"]) -> Normal:
    return _left_out(posterior, y, sites)


@eqx.filter_jit
def _leave_one_out_each(members: GPPosterior, y: Float[Array, " m"], sites: Int[Array, " m"]) -> Normal:
    return over_members(lambda member: _left_out(member, y, sites), members)


def _left_out(posterior: GPPosterior, y: Float[Array, " m"], sites: Int[Array, " m"]) -> Normal:
    data = posterior.data
    single, shared = site_variances(posterior.process, data)
    inverse = jnp.diagonal(posterior.factor.inverse())
    without = data.y - posterior.alpha / inverse
    variance = jnp.maximum(1.0 / inverse - shared, 1e-14 / inverse)
    # The other measurements at the point: w − 1 of them, with the sum w ȳ − y.
    others = jnp.maximum(data.weights[sites] - 1.0, 0.0)
    noise = single[sites]
    noisy = noise > 0.0
    safe = jnp.where(noisy, noise, 1.0)
    precision = 1.0 / variance[sites] + jnp.where(noisy, others / safe, 0.0)
    settled = ~noisy & (others > 0.0)  # another measurement without noise says it all
    information = without[sites] / variance[sites]
    information += jnp.where(noisy & (others > 0.0), (data.weights[sites] * data.y[sites] - y) / safe, 0.0)
    round_off = 1e-14 * posterior.process.kernel.diagonal(data.X)[sites]
    latent = jnp.where(settled, round_off, 1.0 / precision)
    mean = jnp.where(settled, data.y[sites], information * latent)
    budget = UncertaintyBudget(noise=noise, parameter=latent)
    return Normal(mean, jnp.sqrt(latent + noise), budget=budget)


@eqx.filter_jit
def left_out_log_density(process: Process, data: Observations) -> Float[Array, ""]:
    r"""$\sum_i \log p(y_i \mid y_{-i})$, a point with all its measurements left out at a time.

    The pseudo-likelihood of Rasmussen and Williams 2006, eq. 5.11: what is measured at a point, predicted from the
    other points at the same parameters. O(n³), one inverse.
    """
    posterior = conditioned(process, data)
    inverse = jnp.diagonal(posterior.factor.inverse())
    each = 0.5 * (jnp.log(inverse) - LOG_2PI - posterior.alpha**2 / inverse)
    single, _ = site_variances(process, data)
    return jnp.sum(jnp.where(data.present, each, 0.0)) + repeats(single, data).total


@eqx.filter_jit
def sequential_log_densities(
    process: Process,
    X: Float[Array, "m d"],
    y: Float[Array, " m"],
    known: Float[Array, " m"],
    weights: Float[Array, " m"],
) -> Float[Array, " m"]:
    r"""$\log p(y_i \mid y_1, \dots, y_{i-1})$ for rows in their order; they add up to the log evidence.

    The factor of the covariance in that order has them on its diagonal: $-\tfrac12 (L^{-1}r)_i^2 - \log L_{ii} -
    \tfrac12 \log 2\pi$. Repeated points are rows like any other here. O(m³/3).
    """
    present = weights > 0.0
    lower, *_ = factorize(*padded_covariance(process.kernel, X, measurement_variance(process, X, known), present))
    residual = jnp.where(present, y - process.mean(X), 0.0)
    half = Factor(lower).half_solve(residual)
    return jnp.where(present, -0.5 * half**2 - jnp.log(jnp.diagonal(lower)) - 0.5 * LOG_2PI, 0.0)

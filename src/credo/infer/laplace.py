r"""Laplace's method for binary labels with a latent Gaussian prior: a Gaussian at the mode, with its curvature.

With $\psi(f) = \sum_i w_i \log p(y_i \mid f_i) - \tfrac12 (f - m)^\top K^{-1} (f - m)$, concave, the mode is
$\hat f = m + K\hat\alpha$ where $\hat\alpha = \nabla \log p(y \mid \hat f)$, and K is never inverted.
References: Rasmussen and Williams (2006) algorithms 3.1, 3.2 and 5.1.
"""

from functools import partial
from typing import Any, NamedTuple

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jax import Array
from jaxtyping import ArrayLike

from credo.infer.binary_likelihoods import BinaryLikelihood, LikelihoodDerivatives, LogitLikelihood
from credo.infer.latent import LatentApproximation, LatentProblem, latent_problem, raise_if_failed, site_factor
from credo.infer.latent_newton import Direction, SolvedMode, latent_newton, solved_mode
from credo.numerics.certificate import FAILED, Info
from credo.numerics.lapack import symmetric_part
from credo.numerics.scalar import safe_divide, safe_sqrt

__all__ = ["laplace_binary"]


def laplace_binary(
    covariance: ArrayLike,
    labels: ArrayLike,
    *,
    weights: ArrayLike | None = None,
    mean: ArrayLike | None = None,
    likelihood: BinaryLikelihood | None = None,
    max_iterations: int = 100,
    tolerance: float = 1e-8,
) -> LatentApproximation:
    r"""The Gaussian approximation at the mode of the posterior of a latent vector, given binary labels.

    Newton's method with step halving on a concave objective: it converges from anywhere. Each of some 5 to 20
    iterations costs one Cholesky, O(n³/3). The evidence is $\psi(\hat f) - \tfrac12 \log|B|$ with
    $B = I + W^{1/2} K W^{1/2}$ (Rasmussen and Williams 2006, eq. 3.32), and W is the negative second derivative.

    Parameters
    ----------
    covariance
        K, of shape (n, n): the prior covariance of the latent values. It may be singular.
    labels
        0 or 1, of shape (n,).
    weights
        How often each row was seen, ones by default. Weight w equals the row w times; weight zero, its absence,
        whatever the row holds.
    mean
        The prior mean m, zero by default.
    likelihood
        [](#credo.infer.LogitLikelihood), the default, or [](#credo.infer.ProbitLikelihood).
    max_iterations, tolerance
        Newton stops when its decrement, the distance to the mode in posterior standard deviations, is below
        `tolerance`, and takes one last step, which squares the error. ``info.residual`` is that decrement.

    Notes
    -----
    Derivatives in K and m are right to any order, both modes: α by implicit differentiation, the evidence by a rule
    of its own that costs one inverse of B (eqs. 5.21 to 5.24). Labels and weights count as constants. Works under jit
    and vmap; there bad input gives status FAILED, evidence minus infinity and gradient zero.

    >>> approximation = laplace_binary(np.array([[4.0]]), np.array([1]))
    >>> round(float(approximation.mean[0]), 6), round(float(approximation.log_evidence), 6)
    (1.042597, -0.723587)
    """
    problem = latent_problem("laplace_binary", covariance, labels, weights, mean)
    chosen = LogitLikelihood() if likelihood is None else likelihood
    approximation = _approximation(_Method(chosen, int(max_iterations), float(tolerance)), problem)
    raise_if_failed("laplace_binary", approximation.info)
    return approximation


class _Method(NamedTuple):
    """What is fixed while compiling."""

    likelihood: BinaryLikelihood
    max_iterations: int
    tolerance: float


@eqx.filter_jit
def _approximation(method: _Method, problem: LatentProblem) -> LatentApproximation:
    problem = problem.with_constant_labels()
    solved = _solve(method, *problem)
    latent = problem.mean + problem.covariance @ solved.alpha
    precision = -problem.weights * method.likelihood.derivatives(problem.labels, latent).second
    factor = site_factor(problem.covariance, safe_sqrt(precision))
    info = Info(solved.status, solved.iterations, solved.decrement, solved.jitter, factor.info.condition)
    return LatentApproximation(latent, solved.alpha, precision, factor, solved.log_evidence, info)


@partial(jax.custom_jvp, nondiff_argnums=(0,))
def _solve(method: _Method, covariance: Array, mean: Array, labels: Array, weights: Array) -> SolvedMode:
    """The mode and the evidence there."""
    problem = LatentProblem(covariance, mean, labels, weights)
    fit = partial(_log_likelihood, method, problem)
    mode = latent_newton(
        covariance, mean, fit, partial(_direction, method, problem), method.max_iterations, method.tolerance
    )
    precision = -weights * method.likelihood.derivatives(labels, mode.latent).second
    factor = site_factor(covariance, jnp.sqrt(precision))
    value = fit(mode.latent) - 0.5 * mode.alpha @ (mode.latent - mean) - 0.5 * factor.log_det
    return solved_mode(mode, value, factor.info.jitter, method.tolerance)


@_solve.defjvp
def _solve_jvp(method, primals, tangents):  # type: ignore[no-untyped-def]
    r"""Implicit differentiation at $\alpha = \nabla\log p(y \mid m + K\alpha)$.

    With $R = W^{1/2} B^{-1} W^{1/2}$: $d\alpha = -R\,(dK\,\alpha + dm)$. The evidence depends on the mode through W
    only: $s_i = \tfrac12 \Sigma_{ii} \nabla^3_i$, where $\Sigma_{ii} = (1 - B^{-1}_{ii}) / W_{ii}$ and the ratio
    $\nabla^3/W$ is at most of the size of f, so that tiny W do no harm. With $u = (I - R K)\,s$,

    $$\partial_K = \tfrac12 (\alpha\alpha^\top - R) + \tfrac12 (u\alpha^\top + \alpha u^\top), \qquad
    \partial_m = \alpha + u .$$
    """
    covariance, mean, labels, weights = primals
    solved = _solve(method, *primals)
    change, shift = symmetric_part(tangents[0]), tangents[1]
    of_label: LikelihoodDerivatives = method.likelihood.derivatives(labels, mean + covariance @ solved.alpha)
    root = safe_sqrt(-weights * of_label.second)
    inverse = site_factor(covariance, root).inverse()
    pull = root[:, None] * inverse * root
    slope = 0.5 * (1.0 - jnp.diagonal(inverse)) * safe_divide(of_label.third, -of_label.second)
    slope = slope - pull @ (covariance @ slope)
    failed = solved.status == FAILED
    of_mean = jnp.where(failed, 0.0, solved.alpha + slope)
    pull = jnp.where(failed, 0.0, pull)
    # ½ (ααᵀ + uαᵀ + αuᵀ − R) against a symmetric change is αᵀ dK (½ α + u) − ½ ⟨R, dK⟩.
    moved = change @ solved.alpha
    d_value = moved @ (of_mean - 0.5 * solved.alpha) - 0.5 * jnp.sum(pull * change) + of_mean @ shift
    nothing: Any = np.zeros((), jax.dtypes.float0)  # how the iteration ended has no derivative
    return solved, SolvedMode(-pull @ (moved + shift), d_value, nothing, nothing, jnp.zeros(()), jnp.zeros(()))


def _direction(method: _Method, problem: LatentProblem, latent: Array, alpha: Array) -> Direction:
    r"""$(I + W K)^{-1} g = g - W^{1/2} B^{-1} W^{1/2} K g$."""
    of_label = method.likelihood.derivatives(problem.labels, latent)
    root = jnp.sqrt(-problem.weights * of_label.second)
    factor = site_factor(problem.covariance, root)
    gradient = problem.weights * of_label.first - alpha
    step = gradient - root * factor.solve(root * (problem.covariance @ gradient))
    return Direction(gradient, step, jnp.asarray(factor.info.jitter))


def _log_likelihood(method: _Method, problem: LatentProblem, latent: Array) -> Array:
    return jnp.sum(problem.weights * method.likelihood.log_prob(problem.labels, latent))

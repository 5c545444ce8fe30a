r"""Laplace's method for C classes: a Gaussian at the mode of C latent functions with one prior covariance.

$p(y = c \mid f) = e^{f_c} / \sum_{c'} e^{f_{c'}}$. The C n by C n system of each Newton step comes apart into C
matrices of n rows and one that couples them, so it costs C + 1 factorizations.
References: Rasmussen and Williams (2006) algorithms 3.3 and 3.4; weights as in [](#credo.infer.SoftmaxApproximation).
"""

from functools import partial
from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jax import Array
from jaxtyping import ArrayLike, Float

from credo.errors import InputError
from credo.infer.latent import LatentProblem, Limits, latent_problem, raise_if_failed
from credo.infer.latent_newton import Direction, SolvedMode, latent_newton, solved_mode
from credo.infer.softmax_latent import SoftmaxApproximation
from credo.infer.softmax_sites import ClassCurvature, class_curvature
from credo.numerics.certificate import FAILED, Info
from credo.numerics.lapack import symmetric_part

__all__ = ["laplace_softmax"]


def laplace_softmax(
    covariance: ArrayLike,
    labels: ArrayLike,
    n_classes: int,
    *,
    weights: ArrayLike | None = None,
    mean: ArrayLike | None = None,
    max_iterations: int = 100,
    tolerance: float = 1e-8,
) -> SoftmaxApproximation:
    r"""The Gaussian approximation at the mode of the posterior of C latent vectors, given one class a row.

    Newton's method with step halving on a concave objective. Each of some 5 to 20 iterations costs C factorizations
    and inverses, O(C n³). The evidence is $\psi(\hat f) - \tfrac12\log|I + K W|$ (Rasmussen and Williams 2006, eq.
    3.44).

    Parameters
    ----------
    covariance
        K, of shape (n, n): the prior covariance of each latent function; the functions are independent a priori. It
        may be singular.
    labels
        0 to `n_classes` − 1, of shape (n,).
    n_classes
        C. A class may have no row.
    weights
        How often each row was seen, ones by default. Weight w equals the row w times; weight zero, its absence,
        whatever the row holds.
    mean
        The prior mean, of shape (n, C), zero by default.
    max_iterations, tolerance
        Newton stops when its decrement, the distance to the mode in posterior standard deviations, is below
        `tolerance`, and takes one last step, which squares the error. ``info.residual`` is that decrement.

    Notes
    -----
    Derivatives in K and the mean are right to any order, both modes, as those of
    [](#credo.infer.laplace_binary) are. Labels and weights count as constants. Works under jit and vmap; there bad
    input gives status FAILED, evidence minus infinity and gradient zero.

    >>> approximation = laplace_softmax(np.array([[1.0]]), np.array([2]), 3)
    >>> approximation.mean.round(6).tolist(), round(float(approximation.log_evidence), 6)
    ([[-0.244832, -0.244832, 0.489664]], -1.121184)
    """
    if n_classes < 2:
        raise InputError("laplace_softmax", f"n_classes={n_classes}", "There are two classes or more", "")
    problem = latent_problem("laplace_softmax", covariance, labels, weights, mean, int(n_classes))
    approximation = _approximation(Limits(int(max_iterations), float(tolerance)), problem)
    raise_if_failed("laplace_softmax", approximation.info)
    return approximation


def _curvature(problem: LatentProblem, latent: Array) -> ClassCurvature:
    return class_curvature(problem.covariance, problem.weights, jax.nn.softmax(latent, axis=1))


@eqx.filter_jit
def _approximation(limits: Limits, problem: LatentProblem) -> SoftmaxApproximation:
    problem = problem.with_constant_labels()
    solved = _solve(limits, *problem)
    latent = problem.mean + problem.covariance @ solved.alpha
    at = _curvature(problem, latent)
    info = Info(solved.status, solved.iterations, solved.decrement, solved.jitter, jnp.full((), jnp.nan))
    return SoftmaxApproximation(latent, solved.alpha, at.root, at.blocks, at.total, solved.log_evidence, info)


def _one_hot(problem: LatentProblem) -> Array:
    return (problem.labels[:, None] == jnp.arange(problem.mean.shape[1])).astype(jnp.float64)


def _log_likelihood(problem: LatentProblem, latent: Array) -> Array:
    return jnp.sum(problem.weights[:, None] * _one_hot(problem) * jax.nn.log_softmax(latent, axis=1))


def _direction(problem: LatentProblem, latent: Array, alpha: Array) -> Direction:
    r"""$(I + W K)^{-1} g = g - R K g$."""
    at = _curvature(problem, latent)
    gradient = problem.weights[:, None] * (_one_hot(problem) - at.sizes) - alpha
    return Direction(gradient, gradient - at.pull(problem.covariance @ gradient), at.jitter)


@partial(jax.custom_jvp, nondiff_argnums=(0,))
def _solve(limits: Limits, covariance: Array, mean: Array, labels: Array, weights: Array) -> SolvedMode:
    """The mode and the evidence there."""
    problem = LatentProblem(covariance, mean, labels, weights)
    fit = partial(_log_likelihood, problem)
    mode = latent_newton(covariance, mean, fit, partial(_direction, problem), limits.max_iterations, limits.tolerance)
    at = _curvature(problem, mode.latent)
    value = fit(mode.latent) - 0.5 * jnp.sum(mode.alpha * (mode.latent - mean)) - 0.5 * at.log_det
    return solved_mode(mode, value, at.jitter, limits.tolerance)


@_solve.defjvp
def _solve_jvp(limits, primals, tangents):  # type: ignore[no-untyped-def]
    r"""As for binary labels: $d\alpha = -R\,(dK\alpha + dm)$, and with $u = (I - R K)\,s$ and s the slope of
    $-\tfrac12 \log|I + K W|$ in f, $\partial_K = \sum_c \tfrac12 (\alpha_c\alpha_c^\top - R_{cc} + u_c\alpha_c^\top +
    \alpha_c u_c^\top)$ and $\partial_m = \alpha + u$."""
    problem = LatentProblem(*primals)
    solved = _solve(limits, *primals)
    change, shift = symmetric_part(tangents[0]), tangents[1]
    at = _curvature(problem, problem.mean + problem.covariance @ solved.alpha)
    half = jax.vmap(at.total.half_solve)(at.blocks)
    slope = _slope_of_log_det(problem, at, half)
    slope = slope - at.pull(problem.covariance @ slope)
    own = at.root[:, None] * (jnp.sum(at.blocks, axis=0) - jnp.einsum("cki,ckj->ij", half, half)) * at.root
    failed = solved.status == FAILED
    of_mean, own = jnp.where(failed, 0.0, solved.alpha + slope), jnp.where(failed, 0.0, own)
    moved = change @ solved.alpha
    d_value = jnp.sum(moved * (of_mean - 0.5 * solved.alpha)) - 0.5 * jnp.sum(own * change) + jnp.sum(of_mean * shift)
    d_alpha = jnp.where(failed, 0.0, -at.pull(moved + shift))
    nothing: Any = np.zeros((), jax.dtypes.float0)
    return solved, SolvedMode(d_alpha, d_value, nothing, nothing, jnp.zeros(()), jnp.zeros(()))


def _slope_of_log_det(problem: LatentProblem, at: ClassCurvature, half: Array) -> Float[Array, "n c"]:
    r"""$-\tfrac12 \operatorname{tr}(\Sigma_i\,\partial W_i/\partial f_{ik})$, with $\Sigma_i$ the belief's covariance.

    $\Sigma_i = \operatorname{diag}((1 - [B_c^{-1}]_{ii}) / (w\pi_c)) + X_i$, X from the coupling of the classes. W is
    $w\,(\operatorname{diag}\pi - \pi\pi^\top)$, whose derivative has a factor π for every 1/π here: nothing is divided.
    """
    across = jnp.einsum("cki,ij->ckj", half * at.root, problem.covariance)
    coupling = jnp.einsum("cki,dki->icd", across, across)
    pi = at.sizes
    alone = 1.0 - jnp.diagonal(at.inverses, axis1=1, axis2=2).T
    coupled = jnp.diagonal(coupling, axis1=1, axis2=2) - 2.0 * jnp.einsum("icd,id->ic", coupling, pi)
    parts = (1.0 - 2.0 * pi) * alone + problem.weights[:, None] * pi * coupled
    return -0.5 * (parts - pi * jnp.sum(parts, axis=1, keepdims=True))

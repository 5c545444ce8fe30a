r"""Expectation propagation for C classes: Gaussian sites whose moments match those of a softmax.

Every label is replaced by a Gaussian site with a C × C precision, chosen such that putting one label back in the place
of its site leaves the mean of its marginal as it is, and of the covariance what C numbers can match; for two and three
classes that is all of it. The precision has the form of Laplace's, $\operatorname{diag}(a) - a a^\top / \sum_c a_c$, so
an iteration needs C + 1 factorizations of n rows instead of one of C n. All sites are updated at once.
References: Minka (2001, 2004); Rasmussen and Williams (2006) section 3.6; Riihimäki, Jylänki and Vehtari (2013).
"""

from typing import NamedTuple

import equinox as eqx
import jax
import jax.numpy as jnp
from jax import Array, lax
from jaxtyping import ArrayLike, Float, Int

from credo.errors import InputError
from credo.infer.laplace_softmax import laplace_softmax
from credo.infer.latent import LatentProblem, Limits, latent_problem, raise_if_failed
from credo.infer.softmax_latent import SoftmaxApproximation
from credo.infer.softmax_sites import ClassCurvature, class_curvature, nearest_sizes, site_precision
from credo.infer.softmax_tilted import contrasts, tilted_softmax
from credo.numerics.batched_lapack import factor_lower, solve_lower, symmetric_eigen
from credo.numerics.certificate import CONVERGED, FAILED, STOPPED, Info
from credo.numerics.lapack import symmetric_part

__all__ = ["ep_softmax"]

_ROWS_AT_ONCE = 64  # bounds the memory of the quadrature points
_LEAST = 1e-10  # of the cavity's share of the precision, which is positive but for round-off
_JITTER = 1e-12  # variance added to a marginal, for rows at which the prior has none
_SHORTEST = 0.1  # step, in units of the full update


def ep_softmax(
    covariance: ArrayLike,
    labels: ArrayLike,
    n_classes: int,
    *,
    weights: ArrayLike | None = None,
    mean: ArrayLike | None = None,
    max_iterations: int = 100,
    tolerance: float = 1e-5,
) -> SoftmaxApproximation:
    r"""The Gaussian approximation of expectation propagation, given one class per row and the softmax likelihood.

    Its mean and covariance are close to exact where Laplace's method is off because the posterior is skewed. It starts
    from Laplace's solution; each of some 10 to 30 iterations costs O(C n³). The moments of a label are averages over
    2048 quasi-random points, the same at every call.

    Parameters
    ----------
    covariance
        K, of shape (n, n): the prior covariance of each latent function; the functions are independent a priori. It
        may be singular.
    labels
        0 to `n_classes` − 1, of shape (n,).
    n_classes
        C, two or more. A class may have no row.
    weights
        How often each row was seen, ones by default. Weight w equals the row w times: w equal sites, of which the
        cavity lacks one. A weight below one is one factor $\pi_y^w$, which the cavity lacks whole. Weight zero is the
        absence of the row.
    mean
        The prior mean, of shape (n, C), zero by default.
    max_iterations, tolerance
        The iteration has converged when no site, fully updated, would change its marginal by more than `tolerance`:
        the precision relative to itself, the mean in standard deviations. ``info.residual`` is the largest such
        change.

    Notes
    -----
    The result cannot be differentiated; that of [](#credo.infer.laplace_softmax) can. Works under jit and vmap, where
    bad input gives status FAILED and evidence minus infinity.

    >>> approximation = ep_softmax(jnp.array([[1.0]]), jnp.array([2]), 3)
    >>> round(float(approximation.mean[0, 2]), 2), round(float(jnp.exp(approximation.log_evidence)), 3)
    (0.52, 0.333)
    """
    if n_classes < 2:
        raise InputError("ep_softmax", f"n_classes={n_classes}", "There are two classes or more", "")
    problem = latent_problem("ep_softmax", covariance, labels, weights, mean, int(n_classes))
    approximation = _approximation(Limits(int(max_iterations), float(tolerance)), problem)
    raise_if_failed("ep_softmax", approximation.info)
    return approximation


class _Sites(NamedTuple):
    """a and ν of one copy of each label, and the mean of π under its tilted distribution, as far as it is known."""

    sizes: Float[Array, "n c"]
    shift: Float[Array, "n c"]
    guess: Float[Array, "n c"]


class _Looked(NamedTuple):
    """A site and its full update: both precisions, the new ν, the change of the marginal, the site's log evidence."""

    precision: Float[Array, "*n c c"]
    wanted: Float[Array, "*n c c"]
    shift: Float[Array, "*n c"]
    guess: Float[Array, "*n c"]
    change: Float[Array, "*n"]
    log_evidence: Float[Array, "*n"]


class _State(NamedTuple):
    sites: _Sites
    change: Float[Array, ""]
    step: Float[Array, ""]
    iterations: Int[Array, ""]
    jitter: Float[Array, ""]


@eqx.filter_jit
def _approximation(limits: Limits, problem: LatentProblem) -> SoftmaxApproximation:
    problem = problem.with_constant_labels()
    final = _iterate(limits, problem)
    at, found = _posterior(problem, final.sites)
    value = _log_evidence(problem, final.sites, at, found)
    failed = ~jnp.isfinite(value) | ~jnp.isfinite(final.change)
    status = jnp.where(failed, FAILED, jnp.where(final.change <= limits.tolerance, CONVERGED, STOPPED))
    residual = jnp.where(failed, jnp.inf, final.change)
    info = Info(status, final.iterations, residual, jnp.maximum(final.jitter, at.jitter), jnp.full((), jnp.nan))
    return eqx.tree_at(lambda a: (a.log_evidence, a.info), found, (jnp.where(failed, -jnp.inf, value), info))


def _iterate(limits: Limits, problem: LatentProblem) -> _State:
    """All sites at once, from Laplace's; the step is halved when the largest change grows and recovers slowly."""

    def iterate(state: _State) -> _State:
        at, found = _posterior(problem, state.sites)
        looked = _look(problem, state.sites, found)
        change = jnp.max(looked.change)
        grown = change > state.change
        step = jnp.where(grown, jnp.maximum(0.5 * state.step, _SHORTEST), jnp.minimum(1.2 * state.step, 1.0))
        # Sites that have converged are left as they were looked at.
        moved = _moved(problem, state.sites, looked, jnp.where(change <= limits.tolerance, 0.0, step))
        return _State(moved, change, step, state.iterations + 1, jnp.maximum(state.jitter, at.jitter))

    def keep_going(state: _State) -> Array:
        # Written so that NaN ends it.
        return (state.change > limits.tolerance) & (state.iterations < limits.max_iterations)

    start = _State(_laplace_sites(problem), jnp.asarray(jnp.inf), jnp.asarray(1.0), jnp.asarray(0), jnp.asarray(0.0))
    return lax.while_loop(keep_going, iterate, start)


def _one_hot(problem: LatentProblem) -> Float[Array, "n c"]:
    return (problem.labels[:, None] == jnp.arange(problem.mean.shape[1])).astype(jnp.float64)


def _laplace_sites(problem: LatentProblem) -> _Sites:
    r"""$a = \pi$ and $\nu = e_y - \pi + W \hat f$ at the mode."""
    covariance, mean, labels, weights = problem
    mode = laplace_softmax(covariance, labels, mean.shape[1], weights=weights, mean=mean).mean
    chances = jax.nn.softmax(mode, axis=1)
    pulled = chances * (mode - jnp.sum(chances * mode, axis=1, keepdims=True))
    return _Sites(chances, _one_hot(problem) - chances + pulled, chances)


def _posterior(problem: LatentProblem, sites: _Sites) -> tuple[ClassCurvature, SoftmaxApproximation]:
    r"""$\alpha = (I - R K)(\nu - W m)$ under the sites; evidence and info are not known yet."""
    at = class_curvature(problem.covariance, problem.weights, sites.sizes)
    share = sites.sizes / jnp.sum(sites.sizes, axis=1, keepdims=True)
    of_mean = sites.sizes * (problem.mean - jnp.sum(share * problem.mean, axis=1, keepdims=True))
    pulled = problem.weights[:, None] * (sites.shift - of_mean)
    alpha = pulled - at.pull(problem.covariance @ pulled)
    mean = problem.mean + problem.covariance @ alpha
    unknown = jnp.full((), jnp.nan)
    return at, SoftmaxApproximation(mean, alpha, at.root, at.blocks, at.total, unknown, Info())


def _look(problem: LatentProblem, sites: _Sites, found: SoftmaxApproximation) -> _Looked:
    moments = found.predict(problem.covariance, jnp.diagonal(problem.covariance), problem.mean)
    rows = (moments.mean, moments.covariance, *sites, _one_hot(problem), problem.weights)
    looked = lax.map(lambda row: _look_at_row(*row), rows, batch_size=min(_ROWS_AT_ONCE, len(problem.weights)))
    present = problem.weights > 0.0
    return looked._replace(
        change=jnp.where(present, looked.change, 0.0), log_evidence=jnp.where(present, looked.log_evidence, 0.0)
    )


def _look_at_row(
    mean: Array, covariance: Array, sizes: Array, shift: Array, guess: Array, observed: Array, weight: Array
) -> _Looked:
    r"""One site against the moments it should match, in the C − 1 dimensions of g, in which $f = H g$.

    With the marginal's $V = L L^\top$ and the eigenvectors U and eigenvalues e of $L^\top S L$, the cavity's covariance
    is $R R^\top$ with $R = L U (1 - p\,e)^{-1/2} U^\top$, a root that moves smoothly with the site, and its mean
    $\mu + p\,R R^\top (S\mu - \nu)$.
    """
    basis = jnp.asarray(contrasts(len(observed)))
    power = jnp.where(weight > 0.0, jnp.minimum(weight, 1.0), 1.0)
    precision = site_precision(sizes)
    center, pull, tau = basis.T @ mean, basis.T @ shift, basis.T @ precision @ basis
    spread = jnp.where(weight > 0.0, basis.T @ covariance @ basis, 0.0) + _JITTER * jnp.eye(len(center))
    lower = factor_lower(spread)
    known, axes = symmetric_eigen(symmetric_part(lower.T @ tau @ lower))
    left = jnp.sqrt(jnp.maximum(1.0 - power * known, _LEAST))
    root = lower @ (axes / left) @ axes.T
    cavity = center + power * (root @ (root.T @ (tau @ center - pull)))
    tilted = tilted_softmax(cavity, root, observed, power, guess)

    def divided(b: Array) -> Array:
        """R⁻ᵀ b."""
        return solve_lower(lower, (axes * left) @ (axes.T @ b), transposed=True)

    lost, turns = symmetric_eigen(symmetric_part(tilted.loss))
    lost = jnp.clip(lost, 0.0, 1.0 - _LEAST)
    half = divided(turns * jnp.sqrt(lost / (1.0 - lost))) / jnp.sqrt(power)
    wanted = site_precision(nearest_sizes(basis @ half @ half.T @ basis.T, observed))
    matched = basis.T @ wanted @ basis
    slope = divided(tilted.shift[:, None])[:, 0] / power
    new_shift = matched @ (cavity + root @ tilted.shift) + slope
    change = _change(spread, center, matched - tau, new_shift - pull)
    copies = jnp.where(weight > 0.0, weight / power, 0.0)
    alone = _log_gaussian(cavity, root, power * tau, power * pull)
    log_evidence = copies * (tilted.log_normalizer - alone)
    # The slope of the log normalizer is the mean of e_y − π.
    chances = jnp.clip(observed - basis @ slope, _LEAST, 1.0)
    return _Looked(precision, wanted, basis @ new_shift, chances / jnp.sum(chances), change, log_evidence)


def _change(spread: Array, center: Array, by_precision: Array, by_shift: Array) -> Array:
    """How far an update would move its marginal: the precision relative to itself, the mean in its deviations."""
    std = jnp.sqrt(jnp.diagonal(spread))
    of_mean = (by_shift - by_precision @ center) * std
    return jnp.maximum(jnp.max(jnp.abs(by_precision) * std[:, None] * std), jnp.max(jnp.abs(of_mean)))


def _log_gaussian(mean: Array, root: Array, tau: Array, pull: Array) -> Array:
    r"""$\log\int \mathcal N(g \mid \mu, R R^\top)\,e^{\nu^\top g - g^\top S g/2}\,dg$."""
    lower = factor_lower(jnp.eye(len(mean)) + symmetric_part(root.T @ tau @ root))
    half = solve_lower(lower, (root.T @ (pull - tau @ mean))[:, None])
    return pull @ mean - 0.5 * mean @ tau @ mean + 0.5 * jnp.sum(half**2) - jnp.sum(jnp.log(jnp.diagonal(lower)))


def _moved(problem: LatentProblem, sites: _Sites, looked: _Looked, step: Array) -> _Sites:
    """The sites, a step further towards their full update; of a row that is not there, as they were."""
    precision = looked.precision + step * (looked.wanted - looked.precision)
    sizes = jax.vmap(nearest_sizes)(precision, _one_hot(problem))
    shift = sites.shift + step * (looked.shift - sites.shift)
    moves = (problem.weights[:, None] > 0.0) & (step > 0.0)
    new = _Sites(sizes, shift, looked.guess)
    return _Sites(*(jnp.where(moves, b, a) for a, b in zip(sites, new, strict=True)))


def _log_evidence(problem: LatentProblem, sites: _Sites, at: ClassCurvature, found: SoftmaxApproximation) -> Array:
    r"""$\log Z_{EP}$: the integral over the sites, each scaled such that it has its label's normalizer.

    $\log\int \mathcal N(f \mid m, K) \prod_i e^{w_i(\nu_i^\top f_i - f_i^\top W_i f_i/2)}\,df
    = \tfrac12 (\nu - W m)^\top (\mu - m) + \nu^\top m - \tfrac12 m^\top W m - \tfrac12\log|I + K W|$, where ν and W
    count every copy (Rasmussen and Williams 2006, eq. 3.65).
    """
    looked = _look(problem, sites, found)
    of_mean = problem.weights[:, None] * jnp.einsum("icd,id->ic", jax.vmap(site_precision)(sites.sizes), problem.mean)
    shift = problem.weights[:, None] * sites.shift
    inside = 0.5 * (shift - of_mean) * (found.mean - problem.mean) + (shift - 0.5 * of_mean) * problem.mean
    return jnp.sum(looked.log_evidence) + jnp.sum(inside) - 0.5 * at.log_det

r"""The equations of expectation propagation for probit labels: marginals, cavities, evidence, and their derivatives.

A site is $e^{\nu f - \tau f^2/2}$ for one copy of its label; with weights w the sites add up to the precision
$S = \operatorname{diag}(w\tau)$. References: Rasmussen and Williams (2006) section 3.6; Minka (2004) for powers.
"""

from collections.abc import Callable
from functools import partial
from typing import NamedTuple

import jax
import jax.numpy as jnp
from jax import Array
from jaxtyping import Float

from credo.infer.latent import LatentProblem, site_factor
from credo.infer.probit_sites import probit_site
from credo.numerics.batched_lapack import solve_square
from credo.numerics.cholesky import Factor
from credo.numerics.scalar import safe_sqrt

__all__ = ["EPMarginals", "ep_log_evidence", "ep_marginals", "ep_site_tangents", "ep_update"]

_LEAST = 1e-14  # of the cavity's share of the precision, which is positive but for round-off


class EPMarginals(NamedTuple):
    """Mean and variance of each latent value under the sites, α, and the factor of B with the root of S."""

    mean: Float[Array, " n"]
    variance: Float[Array, " n"]
    alpha: Float[Array, " n"]
    root: Float[Array, " n"]
    factor: Factor


def ep_marginals(problem: LatentProblem, precision: Array, shift: Array) -> EPMarginals:
    r"""$\alpha = (I + S K)^{-1} (\nu - S m)$ and $\Sigma_{ii} = K_{ii} - [K S^{1/2} B^{-1} S^{1/2} K]_{ii}$."""
    total = problem.weights * precision
    root = safe_sqrt(total)
    factor = site_factor(problem.covariance, root)
    pull = problem.weights * shift - total * problem.mean
    alpha = pull - root * factor.solve(root * (problem.covariance @ pull))
    half = factor.half_solve(root[:, None] * problem.covariance)
    variance = jnp.maximum(jnp.diagonal(problem.covariance) - jnp.sum(half**2, axis=0), 0.0)
    return EPMarginals(problem.mean + problem.covariance @ alpha, variance, alpha, root, factor)


class _Cavity(NamedTuple):
    """What all but one copy of the label say, or for a weight below one, all but the label."""

    mean: Float[Array, " n"]
    variance: Float[Array, " n"]
    power: Float[Array, " n"]


def _cavity(weights: Array, mean: Array, variance: Array, precision: Array, shift: Array) -> _Cavity:
    power = jnp.where(weights > 0.0, jnp.minimum(weights, 1.0), 1.0)
    left = jnp.maximum(1.0 - power * precision * variance, _LEAST)
    return _Cavity((mean - variance * power * shift) / left, variance / left, power)


def ep_update(
    labels: Array, weights: Array, mean: Array, variance: Array, precision: Array, shift: Array
) -> tuple[Array, Array]:
    """The sites that match the moments; of a row that is not there, nothing."""
    cavity = _cavity(weights, mean, variance, precision, shift)
    site = probit_site(2.0 * labels - 1.0, *cavity)
    return jnp.where(weights > 0.0, site.precision, 0.0), jnp.where(weights > 0.0, site.shift, 0.0)


def ep_log_evidence(problem: LatentProblem, precision: Array, shift: Array) -> Array:
    r"""$\log Z_{EP}$ (Rasmussen and Williams 2006, eq. 3.65), written without a division by τ.

    With the cavity $\mathcal N(\mu_-, v_-)$ of a power p, its normalizer $\hat Z$, and $a = \nu - \tau\mu$:
    $\sum_i \tfrac{w_i}{p_i}\,\{\log\hat Z_i + \tfrac12\log(1 + p\,\tau v_-) - \tfrac12\,p\,a\,(\mu_- - m)\}
    - \tfrac12\log|B|$.
    """
    marginals = ep_marginals(problem, precision, shift)
    cavity = _cavity(problem.weights, marginals.mean, marginals.variance, precision, shift)
    site = probit_site(2.0 * problem.labels - 1.0, *cavity)
    pull = cavity.power * (shift - precision * marginals.mean)
    terms = site.log_normalizer - 0.5 * pull * (cavity.mean - problem.mean)
    terms = terms + 0.5 * jnp.log1p(cavity.power * precision * cavity.variance)
    return jnp.sum(problem.weights / cavity.power * terms) - 0.5 * marginals.factor.log_det


def ep_site_tangents(
    problem: LatentProblem,
    sites: tuple[Array, Array],
    marginals: EPMarginals,
    pull: Float[Array, "n n"],
    change: Float[Array, "n n"],
    drift: Float[Array, " n"],
) -> tuple[Array, Array]:
    r"""How τ and ν move when K moves by `change` and m by dm, where `drift` is $dK\alpha + dm$.

    `pull` is $R = S^{1/2} B^{-1} S^{1/2}$. At the fixed point $x = F(x)$ of the update of all 2n site parameters,
    $(I - \partial F)\,dx$ is the direct effect of K and m on F. The marginals move by
    $d\sigma_i = [A\,dK A^\top]_{ii} - \sum_j \Sigma_{ij}^2 w_j\,d\tau_j$ and
    $d\mu = A\,(dK\alpha + dm) + \Sigma\,w\,(d\nu - \mu\,d\tau)$ with $A = I - K R$; the rest of F is entry by entry.
    """
    w, n = problem.weights, len(problem.weights)
    away = jnp.eye(n) - problem.covariance @ pull
    joint = away @ problem.covariance
    d_variance, d_mean = jnp.sum((away @ change) * away, axis=1), away @ drift
    update = partial(ep_update, problem.labels, w)
    at = (marginals.mean, marginals.variance, *sites)
    by_mean, by_variance, by_precision, by_shift = _entrywise_slopes(update, at)
    through_mean, through_variance = by_mean[:, :, None] * joint * w, by_variance[:, :, None] * joint**2 * w
    identity = jnp.eye(n)
    of_precision = by_precision[:, :, None] * identity - through_variance - through_mean * marginals.mean
    of_shift = by_shift[:, :, None] * identity + through_mean
    slopes = jnp.block([[of_precision[0], of_shift[0]], [of_precision[1], of_shift[1]]])
    direct = by_mean * d_mean + by_variance * d_variance
    solution = solve_square(jnp.eye(2 * n) - slopes, direct.reshape(-1, 1))[:, 0]
    return solution[:n], solution[n:]


def _entrywise_slopes(function: Callable, at: tuple[Array, ...]) -> Float[Array, "k 2 n"]:
    """The derivatives of a function that works entry by entry, in each of its k arguments."""
    directions = jnp.eye(len(at))[:, :, None] * jnp.ones_like(at[0])
    return jax.vmap(lambda direction: jnp.stack(jax.jvp(function, at, tuple(direction))[1]))(directions)

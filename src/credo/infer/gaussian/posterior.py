"""The Gaussian process after the data: conditioning, prediction in blocks, more rows in O(n²)."""

from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jax import Array
from jaxtyping import Float

from credo.beliefs.multivariate_normal import MultivariateNormal
from credo.beliefs.normal import Normal
from credo.infer.gaussian.evidence import Evidence, evidence_of, padded_covariance, site_variances
from credo.infer.gaussian.means import ZeroMean
from credo.infer.gaussian.observations import Observations
from credo.infer.gaussian.process import Process
from credo.kernels import Kernel
from credo.numerics.batched_lapack import solve_lower
from credo.numerics.certificate import CONVERGED, FAILED, Info
from credo.numerics.cholesky import Factor, condition_estimate, factorize, not_positive_definite
from credo.numerics.concrete import placed
from credo.numerics.lapack import symmetric_part
from credo.numerics.padding import bucket
from credo.numerics.rows import map_rows
from credo.numerics.updates import append

__all__ = ["GPPosterior", "condition"]

_BLOCK = 2**22  # entries of a cross-covariance held at once: 32 MiB
_ROUND_OFF = 1e-14  # of the prior variance: a posterior variance below is not known to be positive
_LEAST = 1e-200  # a variance where the prior has none, as a linear kernel at its center: a normal needs a positive one


class GPPosterior(eqx.Module):
    r"""$f \mid y$: mean $m(x) + k(x, X)\alpha$, covariance $k(x, x') - k(x, X)(K + D)^{-1}k(X, x')$.

    `factor` is that of $K + D$, D the variances of the measurements at the distinct points of `data`, and $\alpha =
    (K + D)^{-1}(\bar y - m)$ (Rasmussen and Williams 2006, Algorithm 2.1). Arrays are trimmed; a prediction pads them,
    so that a further row compiles nothing.
    """

    process: Process
    data: Observations
    factor: Factor
    alpha: Float[Array, " n"]
    evidence: Evidence

    def predict(self, X: Any) -> Normal:
        """The belief about f at each row of X, on its own. O(n²) a row, in blocks of bounded memory."""
        mean, variance = _marginals(padded(self), jnp.asarray(X, dtype=jnp.float64))
        return Normal(mean, jnp.sqrt(variance))

    def mean(self, X: Any) -> Array:
        """The mean of f at each row of X. O(n) a row."""
        return _means(padded(self), jnp.asarray(X, dtype=jnp.float64))

    def noise(self, X: Any) -> Array:
        """The variance of a measurement around f at each row of X."""
        return _noise(self.process, jnp.asarray(X, dtype=jnp.float64))

    def joint(self, X: Any) -> MultivariateNormal:
        """The belief about f at all rows of X together. O(m² n + m n² + m³); jitter is added where it is singular."""
        mean, covariance, failed = _joint(padded(self), jnp.asarray(X, dtype=jnp.float64))
        if bool(failed):
            raise not_positive_definite("joint", covariance)
        return MultivariateNormal(mean, covariance)

    def of_term(self, term: Kernel) -> "GPPosterior":
        """The posterior of one term g of f = g + h, where `term` is the covariance of g and h has the rest."""
        return eqx.tree_at(lambda whole: whole.process, self, Process(term, ZeroMean(), self.process.noise))

    def extended(self, further: Observations) -> "GPPosterior":
        """The posterior with further rows at the same parameters. O(n²) a row, and no compilation for a new n."""
        n, aligned, fresh = self.alpha.shape[0], padded(self), further.rows
        grown = _extended(aligned, further)
        start = aligned.alpha.shape[0]  # new rows come after the padding, which then goes
        return _taken(grown, np.concatenate([np.arange(n), np.arange(start, start + fresh)]))


def condition(process: Process, data: Observations) -> GPPosterior:
    """The posterior of a process given observations. O(n³/3)."""
    return _taken(_condition(process, data), np.arange(data.rows))


def _taken(posterior: GPPosterior, rows: np.ndarray) -> GPPosterior:
    """With some rows only: what is kept once the padding goes. NumPy picks them, and compiles nothing for a new n."""
    pick = lambda a: placed(np.asarray(a)[rows])  # noqa: E731
    lower = placed(np.asarray(posterior.factor.lower)[np.ix_(rows, rows)])
    return GPPosterior(
        posterior.process,
        jax.tree.map(pick, posterior.data),
        Factor(lower, posterior.factor.info),
        pick(posterior.alpha),
        posterior.evidence,
    )


def padded(posterior: GPPosterior) -> GPPosterior:
    """With rows that touch nothing up to the next bucket: α is zero there and L diagonal."""
    n = posterior.alpha.shape[0]
    extra = bucket(n) - n
    if not extra:
        return posterior
    longer = lambda a: placed(np.pad(np.asarray(a), (0, extra)))  # noqa: E731
    lower = np.pad(np.asarray(posterior.factor.lower), [(0, extra), (0, extra)])
    # The largest pivot: the condition estimate does not see it.
    lower[np.arange(n, n + extra), np.arange(n, n + extra)] = np.max(np.diagonal(lower))
    return GPPosterior(
        posterior.process,
        posterior.data.padded(n + extra),
        Factor(placed(lower), posterior.factor.info),
        longer(posterior.alpha),
        posterior.evidence,
    )


@eqx.filter_jit
def _condition(process: Process, data: Observations) -> GPPosterior:
    return conditioned(process, data)


def conditioned(process: Process, data: Observations) -> GPPosterior:
    """`condition` on padded rows, for use inside jit."""
    _, shared = site_variances(process, data)
    covariance, scale = padded_covariance(process.kernel, data.X, shared, data.present)
    norm = jnp.max(jnp.sum(jnp.abs(covariance), axis=-1))
    lower, attempts, jitter, failed = factorize(covariance, scale)
    status = jnp.where(failed, FAILED, CONVERGED)
    info = Info(status, attempts, jnp.zeros(()), jitter, condition_estimate(norm + jitter, lower))
    return _finished(process, data, Factor(lower, info))


@eqx.filter_jit
def _extended(posterior: GPPosterior, further: Observations) -> GPPosterior:
    _, shared = site_variances(posterior.process, further)
    cross = jnp.where(further.present[:, None], cross_covariance(posterior, further.X), 0.0)
    corner, _ = padded_covariance(posterior.process.kernel, further.X, shared, further.present)
    data = jax.tree.map(lambda old, new: jnp.concatenate([old, new]), posterior.data, further)
    return _finished(posterior.process, data, append(posterior.factor, cross.T, corner, who="partial_fit"))


def _finished(process: Process, data: Observations, factor: Factor) -> GPPosterior:
    """The posterior, given the factor of K + D on padded rows."""
    residual = jnp.where(data.present, data.y - process.mean(data.X), 0.0)
    half = factor.half_solve(residual)
    alpha = solve_lower(factor.lower, half[:, None], transposed=True)[:, 0]
    single, _ = site_variances(process, data)
    return GPPosterior(process, data, factor, alpha, evidence_of(factor, half, single, data))


def cross_covariance(posterior: GPPosterior, X: Array) -> Array:
    """k(x, X) with zeros at the padded rows, for use inside jit."""
    return jnp.where(posterior.data.present, posterior.process.kernel.cross(X, posterior.data.X), 0.0)


def marginal_block(posterior: GPPosterior, X: Array) -> tuple[Array, Array]:
    """Mean and variance of f at a block of rows, for use inside jit."""
    cross, prior = cross_covariance(posterior, X), posterior.process.kernel.diagonal(X)
    mean = _mean_given(posterior, X, cross)
    explained = jnp.sum(posterior.factor.half_solve(cross.T) ** 2, axis=0)
    return mean, jnp.maximum(prior - explained, jnp.maximum(_ROUND_OFF * prior, _LEAST))


@eqx.filter_jit
def _marginals(posterior: GPPosterior, X: Array) -> tuple[Array, Array]:
    return map_rows(lambda x: marginal_block(posterior, x), X, cost=posterior.alpha.shape[0], entries=_BLOCK)


@eqx.filter_jit
def _means(posterior: GPPosterior, X: Array) -> Array:
    block = lambda x: _mean_given(posterior, x, cross_covariance(posterior, x))  # noqa: E731
    return map_rows(block, X, cost=posterior.alpha.shape[0], entries=_BLOCK)


def _mean_given(posterior: GPPosterior, X: Array, cross: Array) -> Array:
    return posterior.process.mean(X) + cross @ posterior.alpha


@eqx.filter_jit
def _noise(process: Process, X: Array) -> Array:
    return process.noise.variance(X)


def joint_moments(posterior: GPPosterior, X: Array) -> tuple[Array, Array, Array]:
    """Mean and covariance of f at all rows together, and the covariance before the data, for use inside jit."""
    cross, prior = cross_covariance(posterior, X), posterior.process.kernel.gram(X)
    half = posterior.factor.half_solve(cross.T)
    return _mean_given(posterior, X, cross), prior - half.T @ half, prior


@eqx.filter_jit
def _joint(posterior: GPPosterior, X: Array) -> tuple[Array, Array, Array]:
    mean, covariance, prior = joint_moments(posterior, X)
    return mean, *definite(covariance, prior)


def definite(covariance: Array, prior: Array) -> tuple[Array, Array]:
    """A posterior covariance with as much jitter as it needs, and whether that did not help.

    At measured points it is round-off of the prior, so jitter is relative to that; and it is positive definite by a
    margin, so that who factors it next finds the same.
    """
    covariance, identity = symmetric_part(covariance), jnp.eye(prior.shape[-1])
    scale = jnp.maximum(jnp.mean(jnp.diagonal(prior)), _LEAST)
    _, _, jitter, failed = factorize(covariance - _ROUND_OFF * scale * identity, scale)
    return covariance + jitter * identity, failed

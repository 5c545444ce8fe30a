"""Processes with parameters drawn from their posterior: predictions are averages over the draws."""

from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jax import Array, lax
from jaxtyping import Float

from credo.beliefs.multivariate_normal import MultivariateNormal
from credo.infer.gaussian.importance import WeightedDraws
from credo.infer.gaussian.observations import Observations
from credo.infer.gaussian.posterior import GPPosterior, conditioned, definite, joint_moments, marginal_block
from credo.infer.gaussian.process import Process
from credo.kernels import Kernel
from credo.numerics.cholesky import not_positive_definite
from credo.numerics.concrete import placed
from credo.numerics.padding import bucket
from credo.numerics.parameters import flatten
from credo.numerics.rows import map_rows
from credo.numerics.scalar import safe_log
from credo.numerics.threads import blas_threads_for

__all__ = ["AveragedMoments", "AveragedPosterior", "averaged", "equally", "over_members", "updated", "weighted"]

_BLOCK = 2**20


class AveragedPosterior(eqx.Module):
    """s posteriors of one process, one for each draw of its parameters: in `members` every array has an axis s first.

    Memory is s n². `weights` are the shares of the draws, and `effective` is how many independent draws would average
    as well: draws of a chain resemble their neighbors, and weighted ones differ in their shares.
    """

    members: GPPosterior
    weights: Float[Array, " s"]
    effective: float = eqx.field(converter=float)

    @property
    def draws(self) -> int:
        """How many draws it averages over."""
        return self.members.alpha.shape[0]

    def member(self, i: int) -> GPPosterior:
        """One of them."""
        return jax.tree.map(lambda leaf: leaf[i] if eqx.is_array(leaf) else leaf, self.members)

    def resampled(self, count: int, offset: float = 0.5) -> "AveragedPosterior":
        """`count` of them with equal weights, evenly chosen by their shares; one of a large share more than once.

        A random `offset` between 0 and 1 gives every draw its share of the choices.
        """
        places = (np.arange(count) + offset) / count
        chosen = np.minimum(np.searchsorted(np.cumsum(np.asarray(self.weights)), places), self.draws - 1)
        members = jax.tree.map(lambda leaf: placed(np.asarray(leaf)[chosen]), eqx.filter(self.members, eqx.is_array))
        functions = eqx.filter(self.members, eqx.is_array, inverse=True)
        return equally(eqx.combine(members, functions), min(self.effective, float(count)))

    def of_term(self, term: Kernel) -> "AveragedPosterior":
        """The average for one term of f, a part of the kernel of `members`."""
        return AveragedPosterior(self.members.of_term(term), self.weights, self.effective)

    def marginals(self, X: Any) -> tuple[Array, Array, Array]:
        """Mean and variance of f, and the variance of the noise, each rows × draws."""
        with blas_threads_for(self.members.alpha.shape[1]):
            return jax.block_until_ready(_marginals(self.members, jnp.asarray(X, dtype=jnp.float64)))

    def moments(self, X: Any) -> "AveragedMoments":
        """Those of f and of the noise at each row of X, over the draws."""
        means, variances, noises = self.marginals(X)
        mean = means @ self.weights
        between = (means - mean[:, None]) ** 2 @ self.weights
        return AveragedMoments(
            mean, variances @ self.weights + between, noises @ self.weights, between / self.effective
        )

    def sample(self, X: Any, n: int, key: Array) -> Float[np.ndarray, "n m"]:
        """Draws of f at all rows of X together, each at one draw of the parameters."""
        choice_key, key = jax.random.split(key)
        chosen = np.asarray(jax.random.choice(choice_key, self.draws, (n,), p=self.weights))
        values = np.empty((n, len(X)))
        for member in np.unique(chosen):
            mine = chosen == member
            count = int(mine.sum())  # of which there are many: few lengths compile few times
            joint = self.member(int(member)).joint(X)
            values[mine] = joint.sample(bucket(count), jax.random.fold_in(key, int(member)))[:count]
        return values

    def joint(self, X: Any) -> MultivariateNormal:
        """The normal with the mean and the covariance that f has at all rows of X together. O(s (m² n + m n²) + m³)."""
        with blas_threads_for(self.members.alpha.shape[1]):
            mean, covariance, failed = _joint(self.members, self.weights, jnp.asarray(X, dtype=jnp.float64))
            if bool(failed):
                raise not_positive_definite("joint", covariance)
            return MultivariateNormal(mean, covariance)


class AveragedMoments(NamedTuple):
    """Mean and variance of f, the variance of the noise, and that of the mean by there being finitely many draws."""

    mean: Float[Array, " m"]
    variance: Float[Array, " m"]
    noise: Float[Array, " m"]
    computation: Float[Array, " m"]


def equally(members: GPPosterior, effective: float | None = None) -> AveragedPosterior:
    """An average of draws that count equally, as good as `effective` independent ones."""
    count = members.alpha.shape[0]
    return AveragedPosterior(members, jnp.full(count, 1.0 / count), count if effective is None else effective)


def averaged(
    process: Process, data: Observations, free: Float[Array | np.ndarray, "s p"], effective: float | None = None
) -> AveragedPosterior:
    """The posterior of f at each draw of the free parameters, as good as `effective` independent ones. O(s n³)."""
    return equally(_members(process, data, free), effective)


def weighted(process: Process, data: Observations, draws: WeightedDraws) -> AveragedPosterior:
    """The posterior of f at weighted draws of the free parameters. O(s n³)."""
    return AveragedPosterior(_members(process, data, draws.free), placed(draws.weights), draws.effective)


def updated(average: AveragedPosterior, data: Observations) -> AveragedPosterior:
    """The average once `data` has further rows: each draw counts by how likely these were to it. O(s n³)."""
    free = np.asarray(_free(average.members))
    members = _members(average.member(0).process, data, free)
    gained = members.evidence.total - average.members.evidence.total
    weights = jax.nn.softmax(safe_log(average.weights) + jnp.where(jnp.isfinite(gained), gained, -jnp.inf))
    kept = float(jnp.sum(average.weights**2) / jnp.sum(weights**2))
    return AveragedPosterior(members, weights, min(average.effective * kept, float(average.draws)))


def over_members(function: Callable[[GPPosterior], Any], members: GPPosterior) -> Any:
    """What `function` gives for each of the members, one after the other, stacked; for use inside jit."""
    drawn, functions = eqx.partition(members, eqx.is_array)
    return lax.map(lambda arrays: function(eqx.combine(arrays, functions)), drawn)


def _members(process: Process, data: Observations, free: Any) -> GPPosterior:
    with blas_threads_for(data.X.shape[0]):
        return jax.block_until_ready(_conditioned(process, data, jnp.asarray(free)))


@eqx.filter_jit
def _conditioned(process: Process, data: Observations, free: Array) -> GPPosterior:
    rebuild = flatten(process).rebuild
    drawn = lax.map(lambda u: eqx.filter(conditioned(rebuild(u), data), eqx.is_array), free)
    # The functions in a process (a warp, a basis) are no arrays: they come from the process itself.
    whole = eqx.combine(drawn.process, eqx.filter(process, eqx.is_array, inverse=True))
    return eqx.tree_at(lambda posterior: posterior.process, drawn, whole)


@eqx.filter_jit
def _free(members: GPPosterior) -> Array:
    return over_members(lambda member: flatten(member.process).vector, members)


@eqx.filter_jit
def _marginals(members: GPPosterior, X: Array) -> tuple[Array, Array, Array]:
    def of_member(member: GPPosterior) -> tuple[Array, Array, Array]:
        block = partial(marginal_block, member)
        return *map_rows(block, X, cost=member.alpha.shape[0], entries=_BLOCK), member.process.noise.variance(X)

    mean, variance, noise = over_members(of_member, members)
    return mean.T, variance.T, noise.T


@eqx.filter_jit
def _joint(members: GPPosterior, weights: Array, X: Array) -> tuple[Array, Array, Array]:
    drawn, functions = eqx.partition(members, eqx.is_array)

    def add(sums: tuple[Array, Array], step: tuple[GPPosterior, Array]) -> tuple[tuple[Array, Array], Array]:
        arrays, weight = step
        mean, covariance, prior = joint_moments(eqx.combine(arrays, functions), X)
        return (sums[0] + weight * covariance, sums[1] + weight * prior), mean

    zero = jnp.zeros((X.shape[0], X.shape[0]))
    (within, prior), means = lax.scan(add, (zero, zero), (drawn, weights))
    center = weights @ means
    between = (weights[:, None] * (means - center)).T @ (means - center)
    return center, *definite(within + between, prior)

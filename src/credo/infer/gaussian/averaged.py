"""Processes with parameters drawn from their posterior: predictions are averages over the draws."""

from functools import partial
from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jax import Array, lax
from jaxtyping import Float

from credo.infer.gaussian.observations import Observations
from credo.infer.gaussian.posterior import GPPosterior, conditioned, marginal_block
from credo.infer.gaussian.process import Process
from credo.numerics.concrete import placed
from credo.numerics.parameters import flatten
from credo.numerics.rows import map_rows

__all__ = ["AveragedPosterior", "averaged"]

_BLOCK = 2**20


class AveragedPosterior(eqx.Module):
    """s posteriors of one process, one for each draw of its parameters: in `members` every array has an axis s first.

    Memory is s n². `effective` is how many independent draws would average as well: draws of a chain resemble their
    neighbors.
    """

    members: GPPosterior
    effective: float = eqx.field(converter=float)

    @property
    def draws(self) -> int:
        """How many there are."""
        return int(self.members.alpha.shape[0])

    def member(self, i: int) -> GPPosterior:
        """One of them."""
        return jax.tree.map(lambda leaf: leaf[i] if eqx.is_array(leaf) else leaf, self.members)

    def thinned(self, count: int) -> "AveragedPosterior":
        """At most `count` of them, evenly chosen."""
        if self.draws <= count:
            return self
        chosen = np.linspace(0, self.draws - 1, count).round().astype(int)
        members = jax.tree.map(lambda leaf: placed(np.asarray(leaf)[chosen]), eqx.filter(self.members, eqx.is_array))
        functions = eqx.filter(self.members, eqx.is_array, inverse=True)
        return AveragedPosterior(eqx.combine(members, functions), min(self.effective, float(count)))

    def marginals(self, X: Any) -> tuple[Array, Array, Array]:
        """Mean and variance of f, and the variance of the noise, each rows × draws."""
        return _marginals(self.members, jnp.asarray(X, dtype=jnp.float64))


def averaged(
    process: Process, data: Observations, free: Float[Array, "s p"], effective: float | None = None
) -> AveragedPosterior:
    """The posterior of f at each draw of the free parameters, as good as `effective` independent ones. O(s n³)."""
    return AveragedPosterior(_conditioned(process, data, jnp.asarray(free)), effective or len(free))


@eqx.filter_jit
def _conditioned(process: Process, data: Observations, free: Array) -> GPPosterior:
    rebuild = flatten(process).rebuild
    drawn = lax.map(lambda u: eqx.filter(conditioned(rebuild(u), data), eqx.is_array), free)
    # The functions in a process (a warp, a basis) are no arrays: they come from the process itself.
    whole = eqx.combine(drawn.process, eqx.filter(process, eqx.is_array, inverse=True))
    return eqx.tree_at(lambda posterior: posterior.process, drawn, whole)


@eqx.filter_jit
def _marginals(members: GPPosterior, X: Array) -> tuple[Array, Array, Array]:
    drawn, functions = eqx.partition(members, eqx.is_array)

    def of_member(arrays: GPPosterior) -> tuple[Array, Array, Array]:
        member = eqx.combine(arrays, functions)
        block = partial(marginal_block, member)
        return *map_rows(block, X, cost=member.alpha.shape[0], entries=_BLOCK), member.process.noise.variance(X)

    mean, variance, noise = lax.map(of_member, drawn)
    return mean.T, variance.T, noise.T

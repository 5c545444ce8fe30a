r"""Exponential families as one idea: $p(x) = h(x) \exp(\eta^\top T(x) - A(\eta))$.

A family gives its statistics, its log-partition and the two maps between its own parameters and the natural ones.
Mean and variance of the statistics are derivatives of $A$; density, KL divergence, Fisher information and maximum
likelihood follow here, once.
"""

from abc import abstractmethod
from collections.abc import Callable
from typing import Any, Self

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jax import Array
from jaxtyping import ArrayLike, Float

from credo.beliefs.base import Belief
from credo.errors import InputError
from credo.numerics.batched_lapack import solve_square
from credo.numerics.concrete import is_known
from credo.numerics.parameters import declared_parameters

__all__ = ["ExponentialFamily"]

_ROUNDS = 200
_CONVERGED = 1e-24  # the squared Newton decrement, in nats, below which one more step changes nothing
_MATCHED = 1e-8  # above it the statistics were not matched: they are on or outside the boundary of the mean parameters


class ExponentialFamily(Belief):
    """A belief in natural form, minimal: the p statistics are linearly independent.

    Natural parameters, mean parameters and statistics are vectors along the last axis. What is not a natural
    parameter (the number of trials of a Binomial) is kept from the instance.
    """

    @property
    @abstractmethod
    def natural(self) -> Float[Array, "*batch p"]:
        """The natural parameters η."""

    @abstractmethod
    def with_natural(self, natural: Float[Array, "*batch p"]) -> Self:
        """The member of the same family at the natural parameters η."""

    @abstractmethod
    def statistics(self, x: ArrayLike) -> Float[Array, "*batch p"]:
        """The sufficient statistics T(x)."""

    @abstractmethod
    def log_partition(self, natural: Float[Array, "*batch p"]) -> Float[Array, "*batch"]:
        """A(η): the logarithm of the normalizer. Elementwise over the batch."""

    @abstractmethod
    def log_base(self, x: ArrayLike) -> Array:
        """log h(x): the part of the density that no parameter touches; minus infinity outside the support."""

    @property
    def mean_parameters(self) -> Float[Array, "*batch p"]:
        """μ = E T(x) = ∇A(η)."""
        return jax.grad(lambda eta: jnp.sum(self.log_partition(eta)))(self.natural)

    def fisher_information(self) -> Float[Array, "*batch p p"]:
        """Cov T(x) = ∇²A(η): the Fisher information about the natural parameters."""
        gradient = jax.grad(lambda eta: jnp.sum(self.log_partition(eta)))
        eta = self.natural
        columns = [
            jax.jvp(gradient, (eta,), (jnp.zeros_like(eta).at[..., i].set(1.0),))[1] for i in range(eta.shape[-1])
        ]
        return jnp.stack(columns, axis=-1)

    def exponential_log_prob(self, x: ArrayLike) -> Array:
        """log h(x) + η·T(x) − A(η). Where the base is minus infinity the statistics are not looked at."""
        base = self.log_base(x)
        inside = base > -jnp.inf
        inner = jnp.sum(self.natural * jnp.where(inside[..., None], self.statistics(x), 0.0), axis=-1)
        return jnp.where(inside, inner - self.log_partition(self.natural) + base, -jnp.inf)

    def kl(self, other: Self) -> Float[Array, "*batch"]:
        """KL(self ‖ other) = A(η') − A(η) − (η' − η)·μ, the Bregman divergence of A. Both are of one family, number of
        trials included.
        """
        self._check_same_family(other)
        mine, theirs = self.natural, other.natural
        linear = jnp.sum((theirs - mine) * self.mean_parameters, axis=-1)
        return self.log_partition(theirs) - self.log_partition(mine) - linear

    def _check_same_family(self, other: Any) -> None:
        """Refuse a belief that this one would not become at its natural parameters: another type, or other trials."""
        if type(other) is type(self):
            twin = self.with_natural(other.natural)
            pairs = [(getattr(twin, name), getattr(other, name)) for name in declared_parameters(type(self))]
            concrete = [pair for pair in pairs if is_known(*pair)]
            if all(np.allclose(a, b, rtol=1e-6, atol=1e-12, equal_nan=True) for a, b in concrete):
                return
        raise InputError(
            type(self).__name__,
            f"the divergence to {other} was asked, which is of another family",
            "Natural parameters compare within one family, with the same number of trials",
            "Average self.log_prob(x) - other.log_prob(x) over draws of self",
        )

    def maximum_likelihood(self, mean_statistics: Float[Array, "*batch p"]) -> Self:
        """The member whose mean parameters equal the averaged statistics: the maximum likelihood fit.

        Newton on the convex dual, damped so that A stays finite; families with a closed form override it. Starts at
        this member, and converges from any. Statistics that no member has on average (all observations equal, say)
        are refused.
        """
        natural, residual = _match_moments(self, jnp.asarray(mean_statistics, dtype=jnp.float64))
        if is_known(residual) and not bool(jnp.all(residual < _MATCHED)):
            shown = np.array2string(np.asarray(mean_statistics), threshold=6, precision=4)
            raise InputError(
                type(self).__name__,
                f"no member has the averaged statistics {shown}",
                "All observations are equal, or the statistics are not averages of T(x)",
                "Pass the mean of .statistics(x) over several different observations",
            )
        return self.with_natural(natural)


@eqx.filter_jit
def _match_moments(member: ExponentialFamily, target: Array) -> tuple[Array, Array]:
    """The natural parameters at which ∇A equals `target`, and how far it still is from it (as a squared distance in
    nats).
    """
    shape = jnp.broadcast_shapes(member.natural.shape, target.shape)

    def dual(eta: Array) -> Array:
        return member.log_partition(eta) - jnp.sum(eta * target, axis=-1)

    natural, decrement = newton(dual, jnp.broadcast_to(member.natural, shape))
    gap = jax.grad(lambda eta: jnp.sum(dual(eta)))(natural)
    matched = jnp.all(jnp.abs(gap) <= 1e-6 * (1.0 + jnp.abs(target)), axis=-1)
    return natural, jnp.where(matched, decrement, jnp.inf)


def newton(function: Callable[[Array], Array], start: Float[Array, "*batch p"]) -> tuple[Array, Array]:
    """Minimize a smooth convex function over the last axis, for every row of the batch at once.

    Newton with step halving; a step that leaves the domain, where the function is infinite or NaN, is halved too.
    Returns the minimizers and the squared Newton decrements before the last step: twice the expected remaining
    decrease (Boyd and Vandenberghe 2004, eq. 9.29).
    """
    gradient = jax.grad(lambda eta: jnp.sum(function(eta)))
    units = jnp.eye(start.shape[-1])
    # Fine halvings first; the coarse ones are for a start many orders of magnitude away.
    sizes = 0.5 ** jnp.concatenate([jnp.arange(20.0), jnp.arange(20.0, 120.0, 4.0)])

    def direction(eta: Array) -> tuple[Array, Array]:
        hessian = jax.vmap(
            lambda unit: jax.jvp(gradient, (eta,), (jnp.broadcast_to(unit, eta.shape),))[1], out_axes=-1
        )(units)
        slope = gradient(eta)
        step = -solve_square(hessian, slope[..., None])[..., 0]
        return step, -jnp.sum(slope * step, axis=-1)

    def unfinished(state: tuple[Array, Array, Array, Array]) -> Array:
        _, _, moving, rounds = state
        return jnp.any(moving) & (rounds < _ROUNDS)

    def advance(state: tuple[Array, Array, Array, Array]) -> tuple[Array, Array, Array, Array]:
        eta, _, _, rounds = state
        step, decrement = direction(eta)
        values = jax.vmap(lambda size: function(eta + size * step))(jnp.concatenate([jnp.zeros(1), sizes]))
        here, trials = values[0], values[1:]
        # The tolerance lets the last steps, whose gain is below round-off, through.
        gain = 1e-4 * sizes.reshape((-1,) + (1,) * here.ndim) * decrement
        fine = trials <= here - gain + 1e-14 * jnp.abs(here)
        size = jnp.where(jnp.any(fine, axis=0), sizes[jnp.argmax(fine, axis=0)], 0.0)
        moving = (decrement > _CONVERGED) & (size > 0)
        return eta + size[..., None] * step, decrement, moving, rounds + 1

    everywhere = jnp.ones(start.shape[:-1], dtype=bool)
    state = (start, jnp.zeros(start.shape[:-1]), everywhere, jnp.zeros((), dtype=jnp.int32))
    eta, decrement, *_ = jax.lax.while_loop(unfinished, advance, state)
    return eta, decrement

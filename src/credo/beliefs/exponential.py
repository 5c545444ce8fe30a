r"""Exponential families as one idea: $p(x) = h(x) \exp(\eta^\top T(x) - A(\eta))$.

A family gives its statistics, its log-partition and the two maps between its own parameters and the natural ones. Mean and variance of
the statistics are derivatives of $A$; density, KL divergence, Fisher information and maximum likelihood follow here, once.
"""

from abc import abstractmethod
from typing import Self

import jax
import jax.numpy as jnp
from jax import Array
from jaxtyping import ArrayLike, Float

from credo.beliefs.base import Belief

__all__ = ["ExponentialFamily"]


class ExponentialFamily(Belief):
    """A belief in natural form, minimal: the p statistics are linearly independent.

    Natural parameters, mean parameters and statistics are vectors along the last axis. What is not a natural parameter (the number
    of trials of a Binomial) is kept from the instance.
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
        columns = [jax.jvp(gradient, (eta,), (jnp.zeros_like(eta).at[..., i].set(1.0),))[1] for i in range(eta.shape[-1])]
        return jnp.stack(columns, axis=-1)

    def exponential_log_prob(self, x: ArrayLike) -> Array:
        """log h(x) + η·T(x) − A(η). Where the base is minus infinity the statistics are not looked at."""
        base = self.log_base(x)
        inside = base > -jnp.inf
        inner = jnp.sum(self.natural * jnp.where(inside[..., None], self.statistics(x), 0.0), axis=-1)
        return jnp.where(inside, inner - self.log_partition(self.natural) + base, -jnp.inf)

    def kl(self, other: Self) -> Float[Array, "*batch"]:
        """KL(self ‖ other) = A(η') − A(η) − (η' − η)·μ, the Bregman divergence of A. Both of one family (and number of trials)."""
        mine, theirs = self.natural, other.natural
        linear = jnp.sum((theirs - mine) * self.mean_parameters, axis=-1)
        return self.log_partition(theirs) - self.log_partition(mine) - linear

    def maximum_likelihood(self, mean_statistics: Float[Array, "*batch p"]) -> Self:
        """The member whose mean parameters equal the averaged statistics: the maximum likelihood fit.

        Newton on the convex dual, damped so that A stays finite; families with a closed form override it. Starts at this member.
        """

        def objective(eta: Array, target: Array) -> Array:
            return self.log_partition(eta) - jnp.sum(eta * target, axis=-1)

        eta = newton_conjugate(objective, self.natural, jnp.asarray(mean_statistics, dtype=jnp.float64))
        return self.with_natural(eta)


def newton_conjugate(objective, start: Array, target: Array, iterations: int = 100) -> Array:  # type: ignore[no-untyped-def]
    """Minimize A(η) − η·t over η by Newton with step halving, for every row of the batch at once."""
    value = lambda eta: objective(eta, target)  # noqa: E731
    gradient = jax.grad(lambda eta: jnp.sum(value(eta)))
    p = start.shape[-1]

    def hessian(eta: Array) -> Array:
        unit = lambda i: jnp.zeros_like(eta).at[..., i].set(1.0)  # noqa: E731
        return jnp.stack([jax.jvp(gradient, (eta,), (unit(i),))[1] for i in range(p)], axis=-1)

    def step(_: int, eta: Array) -> Array:
        g = gradient(eta)
        direction = -jnp.linalg.solve(hessian(eta), g[..., None])[..., 0]
        here = value(eta)
        slope = jnp.sum(g * direction, axis=-1)
        sizes = 0.5 ** jnp.arange(40.0)
        trials = jax.vmap(lambda t: value(eta + t * direction))(sizes)
        # The tolerance lets the last steps, whose gain is below round-off, through.
        fine = trials <= here + 1e-4 * sizes.reshape((-1,) + (1,) * here.ndim) * slope + 1e-14 * jnp.abs(here)
        size = jnp.where(jnp.any(fine, axis=0), sizes[jnp.argmax(fine, axis=0)], 0.0)
        return eta + size[..., None] * direction

    return jax.lax.fori_loop(0, iterations, step, jnp.broadcast_to(start, jnp.broadcast_shapes(start.shape, target.shape)))

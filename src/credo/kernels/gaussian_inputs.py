"""Inputs that are known up to Gaussian noise, the grids that average over them, and the mean variance of f there."""

import functools
import operator
from functools import singledispatch
from typing import NamedTuple

import jax
import jax.numpy as jnp
from jax import Array
from jaxtyping import Float

from credo.errors import InputError
from credo.kernels.algebra import On, Product, Sum
from credo.kernels.base import Kernel
from credo.kernels.constant import Constant, White
from credo.kernels.discrete import Hamming
from credo.kernels.dot import Linear
from credo.kernels.graph import Diffusion
from credo.kernels.outputs import Coregionalization
from credo.kernels.periodic import Cosine, Periodic, SpectralMixture
from credo.kernels.stationary import Stationary
from credo.kernels.strings import Spectrum
from credo.numerics.quadrature import gauss_normal, tensor_rule
from credo.numerics.scalar import safe_sqrt

__all__ = ["Gaussians", "are_independent", "expected_diagonal", "normal_grid"]

_MOST_NODES = 1000  # of the tensor grid of one point; a covariance takes the square of them


class Gaussians(NamedTuple):
    """Inputs by column: means and variances, both of shape (..., d)."""

    mean: Array
    variance: Array

    @classmethod
    def of_rows(cls, X: Float[Array, "*n d"]) -> "Gaussians":
        """From rows of the means, then the variances."""
        d = X.shape[-1] // 2
        return cls(X[..., :d], X[..., d:])

    def at(self, standard: Float[Array, "q d"]) -> Float[Array, "*n q d"]:
        """The points of each distribution at the points of the standard normal."""
        return self.mean[..., None, :] + safe_sqrt(self.variance)[..., None, :] * standard


def normal_grid(kernel: Kernel, d: int, nodes: int) -> tuple[Float[Array, "q d"], Float[Array, " q"]]:
    """The points and weights of a Gauss–Hermite rule for d standard normal columns; refused if it is too large."""
    if nodes**d > _MOST_NODES:
        raise InputError(
            "Expected",
            f"{type(kernel).__name__} in {d} columns needs a grid of {nodes}^{d} nodes a point",
            "It has no closed form here",
            "Try RBF, a sum or product of kernels On few columns each, or fewer nodes",
        )
    rule = tensor_rule([gauss_normal(nodes)] * d)
    return jnp.asarray(rule.nodes), jnp.asarray(rule.weights)


def are_independent(factors: tuple[Kernel, ...], d: int) -> bool:
    """Whether factors look at separate columns among d; constants and white noise look at none."""
    uncertain = [factor for factor in factors if not isinstance(factor, (Constant, White))]
    columns = [{c % d for c in f.columns} if isinstance(f, On) else set(range(d)) for f in uncertain]
    return sum(map(len, columns)) == len(set().union(*columns))


@singledispatch
def expected_diagonal(kernel: Kernel, x: Gaussians, nodes: int) -> Float[Array, " n"]:
    """E k(x, x) for each of n distributions; here by quadrature.

    >>> from credo.kernels import Linear
    >>> expected_diagonal(Linear(2.0), Gaussians(jnp.array([[3.0]]), jnp.array([[0.5]])), 1).tolist()
    [19.0]
    """
    standard, weights = normal_grid(kernel, x.mean.shape[-1], nodes)
    return jax.vmap(kernel.diagonal)(x.at(standard)) @ weights


@expected_diagonal.register(Stationary)
@expected_diagonal.register(Constant)
@expected_diagonal.register(White)
@expected_diagonal.register(Periodic)
@expected_diagonal.register(Cosine)
@expected_diagonal.register(SpectralMixture)
@expected_diagonal.register(Hamming)
@expected_diagonal.register(Diffusion)
@expected_diagonal.register(Spectrum)
@expected_diagonal.register(Coregionalization)
def _(kernel: Kernel, x: Gaussians, nodes: int) -> Float[Array, " n"]:
    """The same everywhere, or of names, which are known exactly."""
    return kernel.diagonal(x.mean)


@expected_diagonal.register(Linear)
def _(kernel: Linear, x: Gaussians, nodes: int) -> Float[Array, " n"]:
    return jnp.sum(kernel.variance * ((x.mean - kernel.center) ** 2 + x.variance), axis=-1)


@expected_diagonal.register(Sum)
def _(kernel: Sum, x: Gaussians, nodes: int) -> Float[Array, " n"]:
    return functools.reduce(operator.add, [expected_diagonal(term, x, nodes) for term in kernel.terms])


@expected_diagonal.register(On)
def _(kernel: On, x: Gaussians, nodes: int) -> Float[Array, " n"]:
    return expected_diagonal(kernel.kernel, Gaussians(*map(kernel.chosen, x)), nodes)


@expected_diagonal.register(Product)
def _(kernel: Product, x: Gaussians, nodes: int) -> Float[Array, " n"]:
    if not are_independent(kernel.factors, x.mean.shape[-1]):
        return expected_diagonal.dispatch(Kernel)(kernel, x, nodes)
    return functools.reduce(operator.mul, [expected_diagonal(factor, x, nodes) for factor in kernel.factors])

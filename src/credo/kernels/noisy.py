"""Covariance between inputs that are known up to Gaussian noise."""

import functools
import math
import operator
from collections.abc import Callable
from functools import singledispatch
from typing import NamedTuple

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jax import Array, lax
from jaxtyping import Float

from credo.errors import InputError
from credo.kernels.algebra import On, Product, Sum
from credo.kernels.base import Kernel
from credo.kernels.constant import Constant, White
from credo.kernels.discrete import Hamming
from credo.kernels.dot import Linear
from credo.kernels.graph import Diffusion
from credo.kernels.roles import CODE, Role, Roles
from credo.kernels.stationary import RBF
from credo.kernels.strings import Spectrum
from credo.numerics.quadrature import gauss_normal, tensor_rule
from credo.numerics.scalar import safe_sqrt

__all__ = ["Expected"]

_MOST_NODES = 1000  # of the tensor grid of one point; a covariance takes the square of them
_BLOCK = 2**22  # covariances of nodes held at once: 32 MiB


class _Gaussians(NamedTuple):
    """Inputs by column: means and variances, both of shape (..., d)."""

    mean: Array
    variance: Array


class Expected(Kernel):
    r"""$E\,k(x, x')$ for independent $x \sim N(m, \mathrm{diag}\,v)$, $x' \sim N(m', \mathrm{diag}\,v')$.

    A row has 2d columns: the d means, then the d variances (0 for what is known exactly). It is the inner product of
    the mean embeddings of the two distributions, so positive semi-definite; on the diagonal too, x and x' are
    independent (Smola et al. 2007, section 2).

    In closed form for [](#credo.kernels.RBF), [](#credo.kernels.Linear), constants, white noise, sums, kernels on some
    columns, and products on separate columns. Otherwise a Gauss–Hermite rule of `nodes` points a column for each of x
    and x': still positive semi-definite, exact for a polynomial of degree 2 · nodes − 1 in each, with nodes^(2d)
    covariances a pair, and refused where nodes^d is above 1000. The derivative in a variance that is 0 then counts as
    0. Category codes, nodes and strings must be known exactly.

    >>> from credo.kernels import RBF
    >>> k = Expected(RBF())
    >>> print(k([[0.0, 0.0], [1.0, 0.0], [0.0, 1.5]]).round(4))
    [[1.     0.6065 0.6325]
     [0.6065 1.     0.5178]
     [0.6325 0.5178 0.5   ]]
    """

    kernel: Kernel
    nodes: int = eqx.field(default=10, static=True)

    def __post_init__(self) -> None:
        super().__post_init__()
        if not isinstance(self.nodes, int) or self.nodes < 1:
            raise InputError("Expected", f"nodes={self.nodes!r}", "A rule has one node or more", "Try nodes=10")

    def cross(self, X: Float[Array, "n d"], Z: Float[Array, "m d"]) -> Float[Array, "n m"]:
        return _expected(self.kernel, _split(X[:, None, :]), _split(Z[None, :, :]), self.nodes)

    def diagonal(self, X: Float[Array, "n d"]) -> Float[Array, " n"]:
        return _expected(self.kernel, _split(X), _split(X), self.nodes)

    def require_columns(self, d: int, who: str) -> None:
        if d % 2:
            raise InputError(
                who,
                f"X has {d} columns, but Expected takes the means and the variances of all inputs",
                "That is an even number",
                "Pass np.hstack([means, variances]), with 0 for inputs that are known exactly",
            )
        self.kernel.require_columns(d // 2, who)

    def column_roles(self, d: int, who: str) -> Roles:
        half = d // 2
        means = self.kernel.column_roles(half, who)
        return (
            *(
                Role("uncertain", j + half) if role is None or role.kind == "number" else role
                for j, role in enumerate(means)
            ),
            *(Role("variance", j) for j in range(half)),
        )

    def _check_values(self, X: Array, who: str) -> None:
        mean, variance = _split(X)
        if not np.all(np.asarray(variance) >= 0.0):
            raise InputError(
                who,
                f"an input has the variance {np.min(variance):g}",
                "The second half of the columns are variances",
                "Pass zero or more",
            )
        for j, role in enumerate(self.kernel.column_roles(mean.shape[1], who)):
            if role == CODE and np.any(np.asarray(variance)[:, j] > 0.0):
                raise InputError(
                    who, f"column {j} is a code, but a row has a variance for it", "Codes are names", "Pass variance 0"
                )
        self.kernel._check_values(mean, who)


def _split(X: Float[Array, "*n d"]) -> _Gaussians:
    d = X.shape[-1] // 2
    return _Gaussians(X[..., :d], X[..., d:])


@singledispatch
def _expected(kernel: Kernel, x: _Gaussians, z: _Gaussians, nodes: int) -> Array:
    """The expectation for each pair of x and z, whose shapes are broadcast; here by quadrature."""
    d = x.mean.shape[-1]
    if nodes**d > _MOST_NODES:
        raise InputError(
            "Expected",
            f"{type(kernel).__name__} in {d} columns needs a grid of {nodes}^{d} nodes a point",
            "It has no closed form here",
            "Try RBF, a sum or product of kernels On few columns each, or fewer nodes",
        )
    rule = tensor_rule([gauss_normal(nodes)] * d)
    weights, standard = jnp.asarray(rule.weights), jnp.asarray(rule.nodes)

    def of_pair(pair: tuple[_Gaussians, _Gaussians]) -> Array:
        ends = [side.mean + safe_sqrt(side.variance) * standard for side in pair]
        return weights @ kernel.cross(*ends) @ weights

    return _each_pair(of_pair, x, z, batch=max(1, _BLOCK // weights.size**2))


def _each_pair(function: Callable[..., Array], x: _Gaussians, z: _Gaussians, batch: int) -> Array:
    shape = jnp.broadcast_shapes(x.mean.shape, z.mean.shape)
    pairs = jax.tree.map(lambda side: jnp.broadcast_to(side, shape).reshape(-1, shape[-1]), (x, z))
    count = math.prod(shape[:-1])
    return lax.map(function, pairs, batch_size=max(1, min(batch, count))).reshape(shape[:-1])


@_expected.register(RBF)
def _(kernel: RBF, x: _Gaussians, z: _Gaussians, nodes: int) -> Array:
    added = (x.variance + z.variance) / kernel.lengthscale**2
    distances = (x.mean - z.mean) ** 2 / (kernel.lengthscale**2 * (1.0 + added))
    return kernel.variance * jnp.exp(-0.5 * jnp.sum(distances + jnp.log1p(added), axis=-1))


@_expected.register(Linear)
def _(kernel: Linear, x: _Gaussians, z: _Gaussians, nodes: int) -> Array:
    return jnp.sum(kernel.variance * (x.mean - kernel.center) * (z.mean - kernel.center), axis=-1)


@_expected.register(Constant)
def _(kernel: Constant, x: _Gaussians, z: _Gaussians, nodes: int) -> Array:
    return jnp.broadcast_to(kernel.variance, jnp.broadcast_shapes(x.mean.shape, z.mean.shape)[:-1])


@_expected.register(White)
def _(kernel: White, x: _Gaussians, z: _Gaussians, nodes: int) -> Array:
    """Two inputs are the same for certain, or else never."""
    same = (x.mean == z.mean) & (x.variance + z.variance == 0.0)
    return jnp.where(jnp.all(same, axis=-1), kernel.variance, 0.0)


@_expected.register(Sum)
def _(kernel: Sum, x: _Gaussians, z: _Gaussians, nodes: int) -> Array:
    return functools.reduce(operator.add, [_expected(term, x, z, nodes) for term in kernel.terms])


@_expected.register(On)
def _(kernel: On, x: _Gaussians, z: _Gaussians, nodes: int) -> Array:
    return _expected(kernel.kernel, jax.tree.map(kernel.chosen, x), jax.tree.map(kernel.chosen, z), nodes)


@_expected.register(Product)
def _(kernel: Product, x: _Gaussians, z: _Gaussians, nodes: int) -> Array:
    """Factors on separate columns are independent; constants and white noise are certain."""
    if not _independent(kernel.factors, x.mean.shape[-1]):
        return _expected.dispatch(Kernel)(kernel, x, z, nodes)
    return functools.reduce(operator.mul, [_expected(factor, x, z, nodes) for factor in kernel.factors])


def _independent(factors: tuple[Kernel, ...], d: int) -> bool:
    uncertain = [factor for factor in factors if not isinstance(factor, (Constant, White))]
    columns = [{c % d for c in f.columns} if isinstance(f, On) else set(range(d)) for f in uncertain]
    return sum(map(len, columns)) == len(set().union(*columns))


@_expected.register(Hamming)
@_expected.register(Diffusion)
@_expected.register(Spectrum)
def _(kernel: Kernel, x: _Gaussians, z: _Gaussians, nodes: int) -> Array:
    """Names are known exactly; inside jit, where nothing can be refused, NaN says so."""
    exact = jnp.all(x.variance + z.variance == 0.0, axis=-1)
    values = _each_pair(lambda pair: kernel.of(pair[0].mean, pair[1].mean), x, z, batch=_BLOCK)
    return jnp.where(exact, values, jnp.nan)

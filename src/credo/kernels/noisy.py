"""Covariance between inputs that are known up to Gaussian noise."""

import functools
import math
import operator
from collections.abc import Callable
from functools import singledispatch

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
from credo.kernels.gaussian_inputs import Gaussians, are_independent, expected_diagonal, normal_grid
from credo.kernels.graph import Diffusion
from credo.kernels.roles import CODE, Role, Roles
from credo.kernels.stationary import RBF
from credo.kernels.strings import Spectrum

__all__ = ["Expected", "expected_covariance"]

_BLOCK = 2**22  # covariances of nodes held at once: 32 MiB


class Expected(Kernel):
    r"""$E\,k(x, x')$ for independent $x \sim N(m, \mathrm{diag}\,v)$, $x' \sim N(m', \mathrm{diag}\,v')$.

    A row has 2d columns: the d means, then the d variances (0 for what is known exactly). It is the inner product of
    the mean embeddings of the two distributions, so positive semi-definite; on the diagonal too, x and x' are
    independent (Smola et al. 2007, section 2).

    As the kernel of a Gaussian process it is the covariance of $E f(x)$, which `posterior` is about. An observation is
    of f at one input x drawn from the distribution, so that it varies around $E f(x)$: a fit adds `input_noise`, and
    `predict_dist` the variance of f over x after the data (Girard et al. 2003). With ``averages=True`` an observation
    is $E f(x)$ itself, an average over a region or a batch, and there is no such noise.

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
    averages: bool = eqx.field(default=False, static=True)

    def __post_init__(self) -> None:
        super().__post_init__()
        if not isinstance(self.nodes, int) or self.nodes < 1:
            raise InputError("Expected", f"nodes={self.nodes!r}", "A rule has one node or more", "Try nodes=10")

    def cross(self, X: Float[Array, "n d"], Z: Float[Array, "m d"]) -> Float[Array, "n m"]:
        return expected_covariance(
            self.kernel, Gaussians.of_rows(X[:, None, :]), Gaussians.of_rows(Z[None, :, :]), self.nodes
        )

    def diagonal(self, X: Float[Array, "n d"]) -> Float[Array, " n"]:
        return expected_covariance(self.kernel, Gaussians.of_rows(X), Gaussians.of_rows(X), self.nodes)

    @property
    def has_uncertain_inputs(self) -> bool:
        return not self.averages

    def input_noise(self, X: Float[Array, "n d"]) -> Float[Array, " n"]:
        if self.averages:
            return jnp.zeros(X.shape[0])
        x = Gaussians.of_rows(X)
        found = expected_diagonal(self.kernel, x, self.nodes) - self.diagonal(X)
        # Exactly zero for exact inputs, where round-off would count as noise.
        return jnp.where(jnp.any(x.variance > 0.0, axis=-1), jnp.maximum(found, 0.0), 0.0)

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
        mean, variance = Gaussians.of_rows(X)
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


@singledispatch
def expected_covariance(kernel: Kernel, x: Gaussians, z: Gaussians, nodes: int) -> Array:
    """The expectation for each pair of x and z, whose shapes are broadcast; here by quadrature."""
    standard, weights = normal_grid(kernel, x.mean.shape[-1], nodes)

    def of_pair(pair: tuple[Gaussians, Gaussians]) -> Array:
        return weights @ kernel.cross(*(side.at(standard) for side in pair)) @ weights

    return _each_pair(of_pair, x, z, batch=max(1, _BLOCK // weights.size**2))


def _each_pair(function: Callable[..., Array], x: Gaussians, z: Gaussians, batch: int) -> Array:
    shape = jnp.broadcast_shapes(x.mean.shape, z.mean.shape)
    pairs = jax.tree.map(lambda side: jnp.broadcast_to(side, shape).reshape(-1, shape[-1]), (x, z))
    count = math.prod(shape[:-1])
    return lax.map(function, pairs, batch_size=max(1, min(batch, count))).reshape(shape[:-1])


@expected_covariance.register(RBF)
def _(kernel: RBF, x: Gaussians, z: Gaussians, nodes: int) -> Array:
    added = (x.variance + z.variance) / kernel.lengthscale**2
    distances = (x.mean - z.mean) ** 2 / (kernel.lengthscale**2 * (1.0 + added))
    return kernel.variance * jnp.exp(-0.5 * jnp.sum(distances + jnp.log1p(added), axis=-1))


@expected_covariance.register(Linear)
def _(kernel: Linear, x: Gaussians, z: Gaussians, nodes: int) -> Array:
    return jnp.sum(kernel.variance * (x.mean - kernel.center) * (z.mean - kernel.center), axis=-1)


@expected_covariance.register(Constant)
def _(kernel: Constant, x: Gaussians, z: Gaussians, nodes: int) -> Array:
    return jnp.broadcast_to(kernel.variance, jnp.broadcast_shapes(x.mean.shape, z.mean.shape)[:-1])


@expected_covariance.register(White)
def _(kernel: White, x: Gaussians, z: Gaussians, nodes: int) -> Array:
    """Two inputs are the same for certain, or else never."""
    same = (x.mean == z.mean) & (x.variance + z.variance == 0.0)
    return jnp.where(jnp.all(same, axis=-1), kernel.variance, 0.0)


@expected_covariance.register(Sum)
def _(kernel: Sum, x: Gaussians, z: Gaussians, nodes: int) -> Array:
    return functools.reduce(operator.add, [expected_covariance(term, x, z, nodes) for term in kernel.terms])


@expected_covariance.register(On)
def _(kernel: On, x: Gaussians, z: Gaussians, nodes: int) -> Array:
    return expected_covariance(kernel.kernel, jax.tree.map(kernel.chosen, x), jax.tree.map(kernel.chosen, z), nodes)


@expected_covariance.register(Product)
def _(kernel: Product, x: Gaussians, z: Gaussians, nodes: int) -> Array:
    """Factors on separate columns are independent; constants and white noise are certain."""
    if not are_independent(kernel.factors, x.mean.shape[-1]):
        return expected_covariance.dispatch(Kernel)(kernel, x, z, nodes)
    return functools.reduce(operator.mul, [expected_covariance(factor, x, z, nodes) for factor in kernel.factors])


@expected_covariance.register(Hamming)
@expected_covariance.register(Diffusion)
@expected_covariance.register(Spectrum)
def _(kernel: Kernel, x: Gaussians, z: Gaussians, nodes: int) -> Array:
    """Names are known exactly; inside jit, where nothing can be refused, NaN says so."""
    exact = jnp.all(x.variance + z.variance == 0.0, axis=-1)
    values = _each_pair(lambda pair: kernel.of(pair[0].mean, pair[1].mean), x, z, batch=_BLOCK)
    return jnp.where(exact, values, jnp.nan)

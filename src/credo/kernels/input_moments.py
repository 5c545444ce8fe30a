r"""How the covariance of f(x) with other points varies over an uncertain input x.

As a function of x, $k(x, z_i)$ is a sum of windows $s_i \prod_c e^{-p_{ic}(x_c - a_{ic})^2/2} (x_c - o_c)^{q_c}$ for
sums of RBF, linear and constant kernels and their products on separate columns. The mean of a window and of a product
of two under a Gaussian is a closed form (Girard, Rasmussen, Quiñonero-Candela and Murray-Smith 2003, section 3).
"""

import itertools
from functools import reduce, singledispatch
from typing import NamedTuple

import jax.numpy as jnp
from jax import Array, lax
from jaxtyping import Float

from credo.kernels.algebra import On, Product, Sum
from credo.kernels.base import Kernel
from credo.kernels.constant import Constant, White
from credo.kernels.dot import Linear
from credo.kernels.gaussian_inputs import Gaussians, are_independent, normal_grid
from credo.kernels.noisy import Expected, expected_covariance
from credo.kernels.roles import CODE
from credo.kernels.stationary import RBF

__all__ = ["covariance_over_input", "quadrature_nodes"]


class Window(NamedTuple):
    """One window for each of n points; `linear` are the columns c with $q_c = 1$."""

    scale: Float[Array, " n"]
    precision: Float[Array, "n d"]
    center: Float[Array, "n d"]
    offset: Float[Array, " d"]
    linear: frozenset[int] = frozenset()


Windows = tuple[Window, ...]


def covariance_over_input(kernel: Kernel, row: Float[Array, " d"], Z: Float[Array, "n d"]) -> Float[Array, "n n"]:
    """Cov(k(x, zᵢ), k(x, zⱼ)) over the uncertain input x of a row; zero where the row is exact.

    In closed form where k(x, z) is a sum of windows, else by the quadrature of [](#credo.kernels.Expected). O(n²d).
    """
    uncertain, x = _uncertain_input(kernel, row)
    windows = _of_rows(kernel, row, Z)
    if windows is None:
        return _by_quadrature(kernel, row, Z, uncertain)
    means = [_mean(window, x) for window in windows]
    pairs = itertools.product(zip(windows, means, strict=True), repeat=2)
    return reduce(jnp.add, [_mean_product(a, b, x) - jnp.outer(p, q) for (a, p), (b, q) in pairs])


def quadrature_nodes(kernel: Kernel, row: Float[Array, " d"]) -> int:
    """The nodes per column of the quadrature in `covariance_over_input`; 0 where it is a closed form."""
    return 0 if _of_rows(kernel, row, row[None]) is not None else _nodes(kernel)


def _uncertain_input(kernel: Kernel, row: Float[Array, " d"]) -> tuple[list[int], Gaussians]:
    """The uncertain columns, and all columns with their variance, which is zero for the others."""
    partners = {
        j: role.partner
        for j, role in enumerate(kernel.column_roles(row.shape[0], "Expected"))
        if role is not None and role.kind == "uncertain"
    }
    variance = [row[partners[j]] if j in partners else jnp.zeros(()) for j in range(row.shape[0])]
    return list(partners), Gaussians(row, jnp.stack(variance))


def _by_quadrature(kernel: Kernel, row: Array, Z: Array, uncertain: list[int]) -> Float[Array, "n n"]:
    roles = kernel.column_roles(row.shape[0], "Expected")
    columns, variances = jnp.asarray(uncertain), jnp.asarray([roles[j].partner for j in uncertain])  # type: ignore[union-attr]
    standard, weights = normal_grid(kernel, len(uncertain), _nodes(kernel))
    points = Gaussians(row[columns], row[variances]).at(standard)
    exact = jnp.tile(row, (len(weights), 1)).at[:, columns].set(points).at[:, variances].set(0.0)
    cross = _from_exact(kernel, exact, Z)
    around = cross - weights @ cross
    return (weights[:, None] * around).T @ around


@singledispatch
def _from_exact(kernel: Kernel, X: Float[Array, "q d"], Z: Float[Array, "n d"]) -> Float[Array, "q n"]:
    """k(x, z) for rows x whose inputs are exact: one grid for z is enough, where k(x, z) takes one for each of both."""
    return kernel.cross(X, Z)


@_from_exact.register(Sum)
def _(kernel: Sum, X: Array, Z: Array) -> Float[Array, "q n"]:
    return reduce(jnp.add, [_from_exact(term, X, Z) for term in kernel.terms])


@_from_exact.register(Product)
def _(kernel: Product, X: Array, Z: Array) -> Float[Array, "q n"]:
    return reduce(jnp.multiply, [_from_exact(factor, X, Z) for factor in kernel.factors])


@_from_exact.register(On)
def _(kernel: On, X: Array, Z: Array) -> Float[Array, "q n"]:
    return _from_exact(kernel.kernel, kernel.chosen(X), kernel.chosen(Z))


@_from_exact.register(Expected)
def _(kernel: Expected, X: Array, Z: Array) -> Float[Array, "q n"]:
    if kernel.averages:
        return kernel.cross(X, Z)
    x, z = Gaussians.of_rows(X).mean, Gaussians.of_rows(Z)
    standard, weights = normal_grid(kernel.kernel, x.shape[-1], kernel.nodes)
    return lax.map(lambda one: kernel.kernel.cross(x, Gaussians(*one).at(standard)) @ weights, z).T


def _nodes(kernel: Kernel) -> int:
    own = kernel.nodes if isinstance(kernel, Expected) else 1
    return max([own, *(_nodes(part) for part in kernel.parts)])


@singledispatch
def _of_rows(kernel: Kernel, row: Float[Array, " d"], Z: Float[Array, "n d"]) -> Windows | None:
    """k(x, z) for the rows z of Z as windows in x, the input of `row`; None where it has no such form."""
    return (_flat(kernel.cross(row[None], Z)[0], row.shape[0]),)


@_of_rows.register(Sum)
def _(kernel: Sum, row: Array, Z: Array) -> Windows | None:
    return _added([_of_rows(term, row, Z) for term in kernel.terms])


@_of_rows.register(Product)
def _(kernel: Product, row: Array, Z: Array) -> Windows | None:
    return _multiplied([_of_rows(factor, row, Z) for factor in kernel.factors])


@_of_rows.register(On)
def _(kernel: On, row: Array, Z: Array) -> Windows | None:
    return _placed(_of_rows(kernel.kernel, kernel.chosen(row), kernel.chosen(Z)), kernel.columns, row.shape[0])


@_of_rows.register(Expected)
def _(kernel: Expected, row: Array, Z: Array) -> Windows | None:
    if kernel.averages:
        return (_flat(kernel.cross(row[None], Z)[0], row.shape[0]),)
    x, z = Gaussians.of_rows(row), Gaussians.of_rows(Z)
    return _placed(_of_inputs(kernel.kernel, x, z), range(row.shape[0] // 2), row.shape[0])


@singledispatch
def _of_inputs(kernel: Kernel, x: Gaussians, z: Gaussians) -> Windows | None:
    """E k(x, z) over z as windows in x; names are known exactly, and what else has no closed form is None."""
    d = x.mean.shape[0]
    if all(role == CODE for role in kernel.column_roles(d, "Expected")):
        return (_flat(expected_covariance(kernel, x, z, 1), d),)
    return None


@_of_inputs.register(RBF)
def _(kernel: RBF, x: Gaussians, z: Gaussians) -> Windows | None:
    squares = kernel.lengthscale**2
    scale = kernel.variance * jnp.exp(-0.5 * jnp.sum(jnp.log1p(z.variance / squares), axis=-1))
    return (Window(scale, 1.0 / (squares + z.variance), z.mean, jnp.zeros_like(x.mean)),)


@_of_inputs.register(Linear)
def _(kernel: Linear, x: Gaussians, z: Gaussians) -> Windows | None:
    """One window for each column."""
    d = x.mean.shape[0]
    center, weight = jnp.broadcast_to(kernel.center, (d,)), jnp.broadcast_to(kernel.variance, (d,))
    none = jnp.zeros_like(z.mean)
    return tuple(Window(weight[c] * (z.mean[:, c] - center[c]), none, none, center, frozenset({c})) for c in range(d))


@_of_inputs.register(Constant)
@_of_inputs.register(White)
def _(kernel: Kernel, x: Gaussians, z: Gaussians) -> Windows | None:
    return (_flat(expected_covariance(kernel, x, z, 1), x.mean.shape[0]),)


@_of_inputs.register(Sum)
def _(kernel: Sum, x: Gaussians, z: Gaussians) -> Windows | None:
    return _added([_of_inputs(term, x, z) for term in kernel.terms])


@_of_inputs.register(On)
def _(kernel: On, x: Gaussians, z: Gaussians) -> Windows | None:
    found = _of_inputs(kernel.kernel, Gaussians(*map(kernel.chosen, x)), Gaussians(*map(kernel.chosen, z)))
    return _placed(found, kernel.columns, x.mean.shape[0])


@_of_inputs.register(Product)
def _(kernel: Product, x: Gaussians, z: Gaussians) -> Windows | None:
    if not are_independent(kernel.factors, x.mean.shape[0]):
        return None
    return _multiplied([_of_inputs(factor, x, z) for factor in kernel.factors])


def _flat(values: Float[Array, " n"], d: int) -> Window:
    """What does not depend on x."""
    none = jnp.zeros((values.shape[0], d))
    return Window(values, none, none, jnp.zeros(d))


def _added(each: list[Windows | None]) -> Windows | None:
    found = [windows for windows in each if windows is not None]
    return tuple(itertools.chain(*found)) if len(found) == len(each) else None


def _multiplied(each: list[Windows | None]) -> Windows | None:
    """Of factors on separate columns: where one has a window or a line, the others have none."""
    found = [windows for windows in each if windows is not None]
    if len(found) < len(each):
        return None
    return tuple(reduce(_times, factors) for factors in itertools.product(*found))


def _times(a: Window, b: Window) -> Window:
    offset = jnp.where(jnp.asarray([c in a.linear for c in range(len(a.offset))]), a.offset, b.offset)
    return Window(a.scale * b.scale, a.precision + b.precision, a.center + b.center, offset, a.linear | b.linear)


def _placed(windows: Windows | None, columns: range | tuple[int, ...], d: int) -> Windows | None:
    """Windows in some columns as windows in d; the columns that an `On` repeats have no such form."""
    if windows is None or len({c % d for c in columns}) < len(columns):
        return None
    places = jnp.asarray([c % d for c in columns])
    spread = lambda a: jnp.zeros((*a.shape[:-1], d)).at[..., places].set(a)  # noqa: E731
    return tuple(
        Window(
            w.scale,
            spread(w.precision),
            spread(w.center),
            spread(w.offset),
            frozenset(columns[c] % d for c in w.linear),
        )
        for w in windows
    )


def _mean(window: Window, x: Gaussians) -> Float[Array, " n"]:
    """E of each window over x."""
    grown = 1.0 + x.variance * window.precision
    distance = window.precision * (x.mean - window.center) ** 2 / grown
    value = window.scale * jnp.exp(-0.5 * jnp.sum(distance + jnp.log(grown), axis=-1))
    tilted = (x.mean + x.variance * window.precision * window.center) / grown
    for c in window.linear:
        value = value * (tilted[:, c] - window.offset[c])
    return value


def _mean_product(a: Window, b: Window, x: Gaussians) -> Float[Array, "n n"]:
    """E of the product of each window of a with each of b over x: a product over columns."""
    exponent, lines = jnp.zeros((a.scale.shape[0], b.scale.shape[0])), jnp.ones(())
    for c in range(x.mean.shape[0]):
        p, q = a.precision[:, None, c], b.precision[None, :, c]
        both = p + q
        safe = jnp.where(both > 0.0, both, 1.0)
        center = (p * a.center[:, None, c] + q * b.center[None, :, c]) / safe
        apart = p * q / safe * (a.center[:, None, c] - b.center[None, :, c]) ** 2
        grown = 1.0 + x.variance[c] * both
        exponent = exponent + apart + both * (x.mean[c] - center) ** 2 / grown + jnp.log(grown)
        tilted, left = (x.mean[c] + x.variance[c] * both * center) / grown, x.variance[c] / grown
        offsets = [window.offset[c] for window in (a, b) if c in window.linear]
        line = reduce(jnp.multiply, [tilted - offset for offset in offsets], jnp.ones(()))
        lines = lines * (line + left if len(offsets) == 2 else line)
    return jnp.outer(a.scale, b.scale) * jnp.exp(-0.5 * exponent) * lines

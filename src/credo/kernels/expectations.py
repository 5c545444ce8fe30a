r"""Kernel means $\mathbb{E}_z k(x, z)$ and double means $\mathbb{E}_{z, z'} k(z, z')$ over Gaussians and boxes.

The kernel is written out as a sum of products, and each product split into groups of columns that are independent under
the measure; a group has a closed form or goes to quadrature, whose error is carried along. So one column without a
closed form costs a one-dimensional rule, whatever the other columns are.
"""

from collections.abc import Callable
from typing import Any

import equinox as eqx
import jax.numpy as jnp
from jax import Array
from jaxtyping import Float

from credo.beliefs.uniform import Uniform
from credo.errors import InputError, UndefinedError
from credo.kernels.algebra import Product
from credo.kernels.base import Kernel
from credo.kernels.discrete import Hamming
from credo.kernels.expectations_closed import (
    closed_double_mean,
    closed_mean,
)
from credo.kernels.expectations_quadrature import Expectation, averaged, quadrature_mean
from credo.kernels.expectations_windows import windowed_double_mean, windowed_mean
from credo.kernels.graph import Diffusion
from credo.kernels.measures import Measure, as_measure, columns_of, has_independent_columns, marginal
from credo.kernels.strings import Spectrum
from credo.kernels.terms import Group, grouped, written_out

__all__ = ["Expectation", "kernel_double_mean", "kernel_mean"]


def kernel_mean(kernel: Kernel, X: Any, measure: Measure) -> Expectation:
    r"""$\mathbb{E}_{z}\,k(x, z)$ for every row x of X: where the kernel puts the mean of a measure.

    The measure is a `Normal` or `Uniform` with an entry for each column (a box), or a `MultivariateNormal`. Closed
    forms, of error zero: squared exponential, spectral mixture (Gaussians), linear, polynomial, constant, white and
    cosine kernels; Matérn and periodic ones in one column; sums, multiples, powers and products over columns that are
    independent; products of squared exponentials and waves under Gaussians. Anything else by quadrature: Gauss rules up
    to three columns at a time, quasi-Monte Carlo above, and the error is measured. Differentiable in the kernel, in X
    and in the measure.

    >>> from credo.beliefs import Uniform
    >>> from credo.kernels import Matern12
    >>> mean = kernel_mean(Matern12(), [[0.0], [0.5]], Uniform(0.0, 1.0))
    >>> [f"{value:.6f}" for value in mean.value], mean.error.tolist()
    (['0.632121', '0.786939'], [0.0, 0.0])
    """
    _require_numbers("kernel_mean", kernel)
    X = kernel._rows(jnp.asarray(X, dtype=jnp.float64), "X")
    measure = as_measure(measure, "kernel_mean")
    _require_columns("kernel_mean", "X", X.shape[1], measure)
    return _mean(kernel, X, measure)


def kernel_double_mean(kernel: Kernel, measure: Measure, other: Measure | None = None) -> Expectation:
    r"""$\mathbb{E}_{z, z'}\,k(z, z')$ with z from `measure` and z', independently, from `other` (or `measure` too).

    With a Gaussian process of this kernel it is the prior variance of the mean of the function under the measure, where
    Bayesian quadrature starts; with two measures, the covariance of the two means. Closed forms and errors as for
    [](#credo.kernels.kernel_mean).

    >>> from credo.beliefs import Normal
    >>> from credo.kernels import RBF
    >>> f"{kernel_double_mean(RBF(), Normal(0.0, 1.0)).value:.6f}"
    '0.577350'
    """
    who = "kernel_double_mean"
    _require_numbers(who, kernel)
    measure = as_measure(measure, who)
    other = measure if other is None else as_measure(other, who)
    _require_columns(who, "the other measure", columns_of(other), measure)
    kernel.require_columns(columns_of(measure), who)
    return _double_mean(kernel, measure, other)


def _require_numbers(who: str, kernel: Kernel) -> None:
    if isinstance(kernel, (Hamming, Diffusion, Spectrum)):
        raise UndefinedError(
            who,
            f"{type(kernel).__name__} is on names, and a measure is over numbers",
            "Category codes, nodes and strings have no average",
            "Leave their columns out with On, or sum over the names yourself",
        )
    for part in kernel.parts:
        _require_numbers(who, part)


def _require_columns(who: str, name: str, d: int, measure: Measure) -> None:
    if d != columns_of(measure):
        raise InputError(
            who,
            f"{name} has {d} columns, but the measure has {columns_of(measure)}",
            "A measure has an entry for each column",
            "Repeat its parameters for each column",
        )


@eqx.filter_jit
def _mean(kernel: Kernel, X: Array, measure: Measure) -> Expectation:
    def of_group(group: Group) -> Expectation:
        return _group_mean(group, X[:, jnp.asarray(group.columns)], marginal(measure, group.columns))

    return _total(kernel, X.shape[1], not has_independent_columns(measure), of_group, jnp.zeros(X.shape[0]))


@eqx.filter_jit
def _double_mean(kernel: Kernel, measure: Measure, other: Measure) -> Expectation:
    def of_group(group: Group) -> Expectation:
        return _group_double_mean(group, marginal(measure, group.columns), marginal(other, group.columns))

    together = not (has_independent_columns(measure) and has_independent_columns(other))
    return _total(kernel, columns_of(measure), together, of_group, jnp.zeros(()))


def _total(
    kernel: Kernel, d: int, together: bool, of_group: Callable[[Group], Expectation], nothing: Array
) -> Expectation:
    """The sum over terms of the product over groups, with errors: |(a ± e)(b ± f) − ab| ≤ |a|f + |b|e + ef."""
    value = error = nothing
    for term in written_out(kernel):
        scale, groups = grouped(term, d, together)
        size, slack = scale + nothing, nothing
        for group in groups:
            own, off = of_group(group)
            size, slack = size * own, jnp.abs(size) * off + slack * (jnp.abs(own) + off)
        value, error = value + size, error + slack
    return Expectation(value, error)


def _group_mean(group: Group, X: Float[Array, "n d"], measure: Measure) -> Expectation:
    closed = closed_mean(group.factors[0], X, measure) if len(group.factors) == 1 else None
    if closed is not None:
        return Expectation(closed, jnp.zeros_like(closed))
    through_windows = windowed_mean(group.factors, X, measure)
    return quadrature_mean(_as_one(group), X, measure) if through_windows is None else through_windows


def _group_double_mean(group: Group, measure: Measure, other: Measure) -> Expectation:
    """Where there is no formula for two points, the quadrature over one of the mean over the other.

    Over the box, if there is one: there the mean over a Gaussian is analytic, while that over a box has kinks outside.
    """
    closed = closed_double_mean(group.factors[0], measure, other) if len(group.factors) == 1 else None
    if closed is not None:
        return Expectation(closed, jnp.zeros_like(closed))
    through_windows = windowed_double_mean(group.factors, measure, other)
    if through_windows is not None:
        return through_windows
    inner, outer = (other, measure) if isinstance(measure, Uniform) else (measure, other)
    return averaged(lambda nodes: _group_mean(group, nodes, inner), outer)


def _as_one(group: Group) -> Kernel:
    return group.factors[0] if len(group.factors) == 1 else Product(group.factors)

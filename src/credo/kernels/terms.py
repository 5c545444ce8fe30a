r"""A kernel written out: a sum of products, and each product sorted into groups of columns that share no factor.

Under a measure whose columns are independent the expectation of a product is the product over such groups, and a
spectral density is too. Squared exponentials split by column and merge with each other, $e^{-a t^2} e^{-b t^2} =
e^{-(a + b) t^2}$; nothing else is assumed of a factor.
"""

from collections.abc import Callable
from functools import singledispatch
from typing import NamedTuple

import equinox as eqx
import jax
import jax.numpy as jnp
from jax import Array
from jaxtyping import Float

from credo.kernels.algebra import On, PolynomialOf, Product, Sum, Warp
from credo.kernels.base import Kernel
from credo.kernels.changepoint import ChangePoint
from credo.kernels.constant import Constant
from credo.kernels.stationary import RBF
from credo.numerics.constraints import Positive, Real
from credo.numerics.parameters import parameter

__all__ = ["Gate", "Group", "Grouped", "Term", "grouped", "written_out"]

_MANY = 64  # terms; a power of a sum that would have more is left as it is


class Term(NamedTuple):
    """scale · k₁ k₂ …, where no factor is a sum, a product or a constant; the scale of some may be zero."""

    scale: Float[Array, ""]
    factors: tuple[Kernel, ...]
    may_vanish: bool = False


class Gate(Kernel):
    """s(x) s(x') on one column, the sigmoid or its complement: one side of a change point, of rank one."""

    opens: bool = eqx.field(static=True)
    location: Float[Array, ""] = parameter(Real())
    steepness: Float[Array, ""] = parameter(Positive())

    def cross(self, X: Float[Array, "n 1"], Z: Float[Array, "m 1"]) -> Float[Array, "n m"]:
        return self.opening(X) * self.opening(Z).T

    def diagonal(self, X: Float[Array, "n 1"]) -> Float[Array, " n"]:
        return self.opening(X)[:, 0] ** 2

    def opening(self, X: Float[Array, "n 1"]) -> Float[Array, "n 1"]:
        """s(x), from 0 to 1."""
        sign = 1.0 if self.opens else -1.0
        return jax.nn.sigmoid(sign * self.steepness * (X - self.location))


class Group(NamedTuple):
    """Factors and the columns that they look at; the factors are kernels of these columns alone, in this order."""

    columns: tuple[int, ...]
    factors: tuple[Kernel, ...]


class Grouped(NamedTuple):
    """scale · Π over groups, no two of which look at the same column."""

    scale: Float[Array, ""]
    groups: tuple[Group, ...]


def written_out(kernel: Kernel, whole: Callable[[Kernel], bool] = lambda kernel: False) -> tuple[Term, ...]:
    """The kernel as a sum of products; what `whole` says yes to is not taken apart.

    The number of terms depends on the structure of the kernel and never on its parameters: a coefficient of zero has
    its term too.

    >>> [len(term.factors) for term in written_out((RBF() + 2.0) * RBF())]
    [2, 1]
    """
    return (Term(jnp.ones(()), (kernel,)),) if whole(kernel) else _taken_apart(kernel, whole)


@singledispatch
def _taken_apart(kernel: Kernel, whole: Callable[[Kernel], bool]) -> tuple[Term, ...]:
    return (Term(jnp.ones(()), (kernel,)),)


@_taken_apart.register
def _(kernel: Constant, whole: Callable[[Kernel], bool]) -> tuple[Term, ...]:
    return (Term(kernel.variance, ()),)


@_taken_apart.register
def _(kernel: Sum, whole: Callable[[Kernel], bool]) -> tuple[Term, ...]:
    return tuple(term for summand in kernel.terms for term in written_out(summand, whole))


@_taken_apart.register
def _(kernel: Product, whole: Callable[[Kernel], bool]) -> tuple[Term, ...]:
    terms: tuple[Term, ...] = (Term(jnp.ones(()), ()),)
    for factor in kernel.factors:
        terms = _multiplied(terms, written_out(factor, whole))
    return terms


@_taken_apart.register
def _(kernel: PolynomialOf, whole: Callable[[Kernel], bool]) -> tuple[Term, ...]:
    inner = written_out(kernel.kernel, whole)
    degree = kernel.coefficients.shape[0] - 1
    if len(inner) ** degree > _MANY:
        return (Term(jnp.ones(()), (kernel,)),)
    power: tuple[Term, ...] = (Term(jnp.ones(()), ()),)
    terms: list[Term] = []
    for j in range(degree + 1):
        terms += _multiplied((Term(kernel.coefficients[j], (), True),), power)
        power = _multiplied(power, inner)
    return tuple(terms)


@_taken_apart.register
def _(kernel: On, whole: Callable[[Kernel], bool]) -> tuple[Term, ...]:
    terms = written_out(kernel.kernel, whole)
    return tuple(t._replace(factors=tuple(_on(factor, kernel.columns) for factor in t.factors)) for t in terms)


@_taken_apart.register
def _(kernel: Warp, whole: Callable[[Kernel], bool]) -> tuple[Term, ...]:
    terms = written_out(kernel.kernel, whole)
    return tuple(t._replace(factors=tuple(Warp(factor, kernel.u) for factor in t.factors)) for t in terms)


@_taken_apart.register
def _(kernel: ChangePoint, whole: Callable[[Kernel], bool]) -> tuple[Term, ...]:
    before, after = (
        Term(jnp.ones(()), (On(Gate(opens, kernel.location, kernel.steepness), (kernel.column,)),))
        for opens in (False, True)
    )
    inner = written_out(kernel.before, whole), written_out(kernel.after, whole)
    return _multiplied((before,), inner[0]) + _multiplied((after,), inner[1])


def _multiplied(left: tuple[Term, ...], right: tuple[Term, ...]) -> tuple[Term, ...]:
    pairs = [(a, b) for a in left for b in right]
    return tuple(Term(a.scale * b.scale, a.factors + b.factors, a.may_vanish or b.may_vanish) for a, b in pairs)


def _on(kernel: Kernel, columns: tuple[int, ...]) -> On:
    """The kernel on some columns, one level deep."""
    if isinstance(kernel, On):
        return On(kernel.kernel, tuple(columns[c] for c in kernel.columns))
    return On(kernel, columns)


def grouped(term: Term, d: int, together: bool = False) -> Grouped:
    """The factors of a term by columns, for points with d of them.

    All squared exponentials become one in each group, and one group of its own has the columns that no other factor
    looks at. With `together` there is one group: the columns of the measure are not independent.
    """
    precision: dict[int, Array] = {}
    scale, others = term.scale, []
    for factor in term.factors:
        columns, bare = _columns_and_kernel(factor, d)
        if isinstance(bare, RBF):
            scale = scale * bare.variance
            inverse_squares = jnp.broadcast_to(bare.lengthscale, (len(columns),)) ** -2.0
            for i, column in enumerate(columns):
                precision[column] = precision.get(column, jnp.zeros(())) + inverse_squares[i]
        else:
            others.append((columns, bare))
    sets = _connected([frozenset(columns) for columns, _ in others])
    if together:
        sets = [frozenset(precision).union(*sets)]
    loose = frozenset(precision).difference(*sets)
    return Grouped(scale, tuple(_group(chosen, others, precision) for chosen in [*sets, loose] if chosen))


def _group(chosen: frozenset[int], others: list[tuple[tuple[int, ...], Kernel]], precision: dict[int, Array]) -> Group:
    columns = tuple(sorted(chosen))
    factors = [_placed(kernel, own, columns) for own, kernel in others if chosen.issuperset(own)]
    smooth = tuple(column for column in columns if column in precision)
    if smooth:
        lengthscale = jnp.stack([precision[column] for column in smooth]) ** -0.5
        factors.append(_placed(RBF(jnp.ones(()), lengthscale), smooth, columns))
    return Group(columns, tuple(factors))


def _columns_and_kernel(factor: Kernel, d: int) -> tuple[tuple[int, ...], Kernel]:
    if isinstance(factor, On):
        return tuple(column % d for column in factor.columns), factor.kernel
    return tuple(range(d)), factor


def _placed(kernel: Kernel, own: tuple[int, ...], columns: tuple[int, ...]) -> Kernel:
    """The kernel of the columns `own` as one of `columns`."""
    return kernel if own == columns else On(kernel, tuple(columns.index(column) for column in own))


def _connected(sets: list[frozenset[int]]) -> list[frozenset[int]]:
    """Sets that overlap made one, until none do."""
    apart: list[frozenset[int]] = []
    for new in sets:
        touching = [old for old in apart if old & new]
        apart = [old for old in apart if not old & new] + [new.union(*touching)]
    return [chosen for chosen in apart if chosen]

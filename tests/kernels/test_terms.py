"""A kernel written out and sorted by columns is the same kernel."""

import equinox as eqx
import jax.numpy as jnp
import numpy as np
import pytest

from credo.kernels import (
    RBF,
    ChangePoint,
    Constant,
    Linear,
    Matern12,
    Matern32,
    On,
    Periodic,
    PolynomialOf,
    Product,
    Sum,
    Warp,
)
from credo.kernels.terms import grouped, written_out

D = 3
X = jnp.asarray(np.random.default_rng(0).normal(size=(4, D)))
Z = jnp.asarray(np.random.default_rng(1).normal(size=(5, D)))

KERNELS = {
    "atom": Matern32(variance=2.0),
    "scaled": 2.0 * RBF(lengthscale=[0.5, 1.0, 2.0]),
    "distributed": (RBF() + 2.0) * (Matern12() + On(Linear(), [1])),
    "power": PolynomialOf(RBF() + On(Periodic(), [2]), jnp.array([0.5, 0.0, 2.0])),
    "on sum": On(RBF(lengthscale=[0.5, 2.0]) + Constant(3.0) * Matern12(), [2, 0]),
    "on on": On(On(Matern12(lengthscale=[0.5, 2.0]), [1, 0]), [2, 0]),
    "last column": On(RBF(), [-1]) * On(Matern12(), [0]) * RBF(lengthscale=3.0),
    "warp": Warp(RBF() + Matern32() * 0.5, jnp.sin),
    "change": ChangePoint(RBF(), 2.0 * Matern12(), location=0.3, steepness=2.0, column=1) * On(Linear(), [0]),
}


@eqx.filter_jit
def _rebuilt(kernel, together):
    """Σ over terms of scale · Π over groups of Π factors on their columns."""
    total = jnp.zeros((X.shape[0], Z.shape[0]))
    for term in written_out(kernel):
        scale, groups = grouped(term, D, together)
        for group in groups:
            columns = jnp.asarray(group.columns)
            for factor in group.factors:
                scale = scale * factor.cross(X[:, columns], Z[:, columns])
        total = total + scale
    return total


@pytest.mark.parametrize("together", [False, True])
@pytest.mark.parametrize("name", KERNELS)
def test_the_sum_of_products_is_the_kernel(name, together):
    np.testing.assert_allclose(_rebuilt(KERNELS[name], together), KERNELS[name](X, Z), rtol=1e-12, atol=1e-14)


@pytest.mark.parametrize("name", KERNELS)
def test_terms_are_flat_and_groups_share_no_column(name):
    for term in written_out(KERNELS[name]):
        assert not any(isinstance(factor, (Sum, Product, Constant)) for factor in term.factors)
        columns = [column for group in grouped(term, D).groups for column in group.columns]
        assert len(columns) == len(set(columns))
        assert len(grouped(term, D, together=True).groups) <= 1


def test_squared_exponentials_merge_and_split_by_column():
    (term,) = written_out(RBF(lengthscale=1.0) * On(RBF(variance=3.0, lengthscale=0.5), [1]) * On(Matern12(), [1]))
    scale, (rough, smooth) = grouped(term, D)
    assert float(scale) == 3.0
    assert (rough.columns, smooth.columns) == ((1,), (0, 2))
    np.testing.assert_allclose(rough.factors[1].lengthscale, [(1.0 + 4.0) ** -0.5])
    np.testing.assert_allclose(smooth.factors[0].lengthscale, [1.0, 1.0])


def test_what_is_whole_stays_whole():
    terms = written_out((RBF() ** 2) * 2.0, lambda kernel: isinstance(kernel, PolynomialOf))
    assert [[type(factor) for factor in term.factors] for term in terms] == [[PolynomialOf]]


def test_a_power_with_too_many_terms_is_left_alone():
    (term,) = written_out((RBF() + Matern12() + Matern32()) ** 5)
    assert [type(factor) for factor in term.factors] == [PolynomialOf]

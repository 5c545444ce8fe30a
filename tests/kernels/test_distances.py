"""Squared distances by differences and by one product, with their derivatives, against the plain formula."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from credo.kernels.distances import squared_distances

ROWS, OTHERS = 20, 15  # more pairs than the few that always go by differences
distances = jax.jit(squared_distances)


def plain(X, Z):
    return jnp.sum((X[:, None, :] - Z[None, :, :]) ** 2, axis=-1)


@pytest.fixture
def many_columns():
    rng = np.random.default_rng(0)
    return rng.normal(size=(ROWS, 6)), rng.normal(size=(OTHERS, 6))


@pytest.mark.parametrize("columns", [1, 3, 6])
def test_equals_the_plain_formula(columns):
    rng = np.random.default_rng(columns)
    X, Z = rng.normal(size=(ROWS, columns)), rng.normal(size=(OTHERS, columns))
    Z[0] = X[3]
    found = distances(X, Z)
    np.testing.assert_allclose(found, plain(X, Z), rtol=1e-12, atol=1e-13)
    assert found[3, 0] == 0.0


def test_points_that_occur_twice_are_one_point_in_many_columns():
    rng = np.random.default_rng(3)
    X = jnp.asarray(rng.normal(size=(ROWS, 60)) * rng.choice([0.1, 10.0], size=60) + 30.0)
    found = np.asarray(squared_distances(X, X))
    np.testing.assert_array_equal(np.diagonal(found), 0.0)
    assert np.all(found >= 0.0)
    assert np.sum(found == 0.0) == ROWS


def test_far_from_the_origin_rows_are_centered(many_columns):
    X, Z = many_columns
    np.testing.assert_allclose(distances(X + 1e6, Z + 1e6), plain(X, Z), rtol=1e-8)  # rows themselves have 1e-10


@pytest.mark.parametrize("columns", [2, 6])
def test_derivatives_of_first_and_second_order(columns):
    rng = np.random.default_rng(1)
    X, Z = rng.normal(size=(ROWS, columns)), rng.normal(size=(OTHERS, columns))
    Z[0] = X[3]
    W, scales = rng.normal(size=(ROWS, OTHERS)), rng.uniform(0.5, 2.0, size=columns)
    along = tuple(rng.normal(size=point.shape) for point in (X, Z, scales))

    @jax.jit
    def derivatives(X, Z, scales):
        out = []
        for function in (squared_distances, lambda X, Z, scales: plain(X / scales, Z / scales)):

            def value(X, Z, scales, function=function):
                return jnp.sum(W * jnp.sin(function(X, Z, scales)))

            gradient = jax.grad(value, argnums=(0, 1, 2))
            second = jax.jvp(gradient, (X, Z, scales), along)[1]
            forward = jax.jvp(lambda X, f=function: f(X, Z, scales), (X,), along[:1])[1]
            out.append((gradient(X, Z, scales), second, forward))
        return out

    mine, naive = derivatives(X, Z, scales)
    for one, two in zip(jax.tree.leaves(mine), jax.tree.leaves(naive), strict=True):
        np.testing.assert_allclose(one, two, rtol=1e-10, atol=1e-10)


@pytest.mark.parametrize("columns", [1, 2])
def test_the_same_point_is_at_distance_zero_however_it_is_compiled(columns):
    """x/l - x/l is not zero where a compiler rounds only one of the two."""
    X = jnp.asarray(np.random.default_rng(4).normal(size=(ROWS, columns)))

    @jax.jit
    @jax.vmap
    def value_and_change(scale):
        return jax.jvp(lambda scale: squared_distances(X, X, scale), (scale,), (1.0,))

    value, change = value_and_change(jnp.asarray([0.9, 0.37, 1.7]))
    np.testing.assert_array_equal(jnp.diagonal(value, axis1=1, axis2=2), 0.0)
    np.testing.assert_allclose(jnp.diagonal(change, axis1=1, axis2=2), 0.0, atol=1e-13)

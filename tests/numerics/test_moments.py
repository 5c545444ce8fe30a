"""Moments against NumPy, and their sum against computing them together."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from credo.beliefs import NormalUnknownCovariance, NormalUnknownVariance
from credo.numerics import Moments, moments
from credo.numerics.moments import outer


@pytest.fixture
def rows():
    return np.random.default_rng(0).normal(size=(50, 3)) @ np.diag([1.0, 10.0, 0.1]) + [5.0, -3.0, 100.0]


def assert_same(one, two, rtol):
    for a, b in zip(jax.tree.leaves(one), jax.tree.leaves(two), strict=True):
        np.testing.assert_allclose(a, b, rtol=rtol)


def test_moments_equal_numpy(rows):
    w = np.random.default_rng(1).integers(0, 4, 50).astype(float)
    got = moments(jnp.asarray(rows), jnp.asarray(w))
    repeated = np.repeat(rows, w.astype(int), axis=0)
    np.testing.assert_allclose(got.weight, len(repeated))
    np.testing.assert_allclose(got.mean, repeated.mean(axis=0), rtol=1e-13)
    np.testing.assert_allclose(got.scatter, np.cov(repeated.T, ddof=0) * len(repeated), rtol=1e-12)
    np.testing.assert_allclose(got.second, repeated.T @ repeated, rtol=1e-13)


def test_left_out_weights_are_ones(rows):
    assert_same(moments(jnp.asarray(rows)), moments(jnp.asarray(rows), jnp.ones(50)), rtol=0)


@pytest.mark.parametrize(
    ("batch_of_rows", "batch_of_weights"), [((), (4,)), ((4,), ()), ((4,), (4,)), ((4, 1), (1, 2))]
)
def test_batches_are_one_call_each(batch_of_rows, batch_of_weights):
    rng = np.random.default_rng(3)
    rows, w = rng.normal(2.0, size=(*batch_of_rows, 6, 2)), rng.uniform(size=(*batch_of_weights, 6))
    got = moments(jnp.asarray(rows), jnp.asarray(w))
    batch = np.broadcast_shapes(batch_of_rows, batch_of_weights)
    assert (got.weight.shape, got.mean.shape, got.scatter.shape) == (batch, (*batch, 2), (*batch, 2, 2))
    rows, w = np.broadcast_to(rows, (*batch, 6, 2)), np.broadcast_to(w, (*batch, 6))
    for index in np.ndindex(*batch):
        np.testing.assert_allclose(got.mean[index], np.average(rows[index], axis=0, weights=w[index]), rtol=1e-12)
        covariance = np.cov(rows[index].T, ddof=0, aweights=w[index])
        np.testing.assert_allclose(got.scatter[index], covariance * w[index].sum(), rtol=1e-12)


@given(cut=st.integers(1, 49))
def test_the_sum_equals_together(cut):
    rows = np.random.default_rng(2).normal(size=(50, 2)) + 1e4
    w = np.ones(50)
    padded = lambda part: jnp.asarray(np.where(part, w, 0.0))  # noqa: E731  (one shape: no recompilation)
    first = np.arange(50) < cut
    merged = moments(jnp.asarray(rows), padded(first)) + moments(jnp.asarray(rows), padded(~first))
    assert_same(merged, moments(jnp.asarray(rows), jnp.asarray(w)), rtol=1e-11)


def test_large_offset_keeps_the_digits():
    """Uncentered sums of squares would lose every digit at this offset."""
    rows = np.array([[1e9 + 1.0], [1e9 + 2.0], [1e9 + 3.0]])
    np.testing.assert_allclose(moments(jnp.asarray(rows), jnp.ones(3)).scatter, [[2.0]], rtol=1e-12)


def test_no_weight_is_zero_and_changes_nothing():
    empty = moments(jnp.ones((4, 2)), jnp.zeros(4))
    assert all(not np.any(leaf) for leaf in jax.tree.leaves(empty))
    some = moments(jnp.array([[1.0, 2.0], [3.0, -1.0]]))
    assert_same(empty + some, some, rtol=1e-15)
    assert_same(empty + empty, empty, rtol=0)


def test_outer_products():
    x = np.random.default_rng(4).normal(size=(3, 2))
    np.testing.assert_array_equal(outer(jnp.asarray(x)), [np.outer(row, row) for row in x])


def test_the_conjugate_pairs_speak_of_the_same_moments():
    x = np.array([1e9 + 1.0, 1e9 + 2.0, 1e9 + 4.0])
    for statistics in (NormalUnknownVariance().statistics(x), NormalUnknownCovariance().statistics(x[:, None])):
        assert type(statistics) is Moments
        np.testing.assert_allclose(statistics.scatter, [[14.0 / 3.0]], rtol=1e-12)

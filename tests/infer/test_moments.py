"""Moments against NumPy, and merging against computing them together."""

import jax.numpy as jnp
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from credo.infer import merge_moments, moments


@pytest.fixture
def rows():
    return np.random.default_rng(0).normal(size=(50, 3)) @ np.diag([1.0, 10.0, 0.1]) + [5.0, -3.0, 100.0]


def test_moments_equal_numpy(rows):
    w = np.random.default_rng(1).integers(0, 4, 50).astype(float)
    got = moments(jnp.asarray(rows), jnp.asarray(w))
    repeated = np.repeat(rows, w.astype(int), axis=0)
    np.testing.assert_allclose(got.weight, len(repeated))
    np.testing.assert_allclose(got.mean, repeated.mean(axis=0), rtol=1e-13)
    np.testing.assert_allclose(got.scatter, np.cov(repeated.T, ddof=0) * len(repeated), rtol=1e-12)
    np.testing.assert_allclose(got.second, repeated.T @ repeated, rtol=1e-13)


@given(cut=st.integers(1, 49))
def test_merging_equals_together(cut):
    rows = np.random.default_rng(2).normal(size=(50, 2)) + 1e4
    w = np.ones(50)
    padded = lambda part: jnp.asarray(np.where(part, w, 0.0))  # noqa: E731  (one shape: no recompilation)
    first = np.arange(50) < cut
    merged = merge_moments(moments(jnp.asarray(rows), padded(first)), moments(jnp.asarray(rows), padded(~first)))
    together = moments(jnp.asarray(rows), jnp.asarray(w))
    for a, b in zip(merged, together, strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-11)


def test_large_offset_keeps_the_digits():
    """Uncentered sums of squares would lose every digit at this offset."""
    rows = np.array([[1e9 + 1.0], [1e9 + 2.0], [1e9 + 3.0]])
    np.testing.assert_allclose(moments(jnp.asarray(rows), jnp.ones(3)).scatter, [[2.0]], rtol=1e-12)


def test_no_weight_is_finite():
    empty = moments(jnp.ones((4, 2)), jnp.zeros(4))
    assert all(bool(jnp.all(jnp.isfinite(part))) for part in empty)

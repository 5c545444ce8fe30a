"""Windows and what is learned from them, against NumPy and the laws of units."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from credo.infer.mcmc.warmup import LEAST_WINDOW, doubling_windows, pooled_covariance, principal_directions


@given(n=st.integers(0, 3000))
def test_windows_sum_and_double(n):
    windows = doubling_windows(n)
    assert sum(windows) == n
    assert all(later == 2 * earlier for earlier, later in pairwise(windows[:-1]))
    if n >= LEAST_WINDOW:
        assert min(windows) >= LEAST_WINDOW
        assert windows[-1] >= n / 2


def test_covariance_of_many_draws_is_that_of_numpy():
    values = np.random.default_rng(0).normal(size=(4, 5000, 3)) @ np.array([[2.0, 0, 0], [1, 1, 0], [0, 0.1, 0.1]])
    expected = np.cov(values.reshape(-1, 3).T)
    np.testing.assert_allclose(pooled_covariance(values), expected, rtol=1e-6)


def test_chains_that_are_apart_count_as_wide():
    values = np.random.default_rng(0).normal(size=(2, 100, 1)) + np.array([0.0, 10.0])[:, None, None]
    assert pooled_covariance(values).item() > 20


@pytest.mark.parametrize("count", [1, 2, 5, 20])
def test_few_draws_still_give_a_positive_definite_matrix(count):
    values = np.random.default_rng(0).normal(size=(1, count, 8))
    assert np.all(np.linalg.eigvalsh(pooled_covariance(values)) > 0)


def test_half_the_correlation_is_believed_of_as_many_draws_as_coordinates():
    values = np.random.default_rng(0).normal(size=(2, 3, 6))
    plain = np.cov(values.reshape(-1, 6).T)
    off = ~np.eye(6, dtype=bool)
    np.testing.assert_allclose(pooled_covariance(values)[off], 0.5 * plain[off], rtol=1e-12)
    np.testing.assert_allclose(np.diagonal(pooled_covariance(values)), np.diagonal(plain), rtol=1e-12)


def test_a_coordinate_that_stands_still_keeps_a_way_to_move():
    values = np.random.default_rng(0).normal(size=(2, 50, 2)) * [1.0, 0.0] + [0.0, 1e6]
    directions = principal_directions(pooled_covariance(values))
    assert np.all(np.any(1e6 + directions * [0, 1] != 1e6, axis=0)[1:])


def test_directions_are_a_root_of_the_covariance_and_uncorrelated():
    root = np.random.default_rng(0).normal(size=(5, 5)) * [1e-3, 1, 1, 10, 1e4]
    covariance = root.T @ root
    directions = principal_directions(covariance)
    np.testing.assert_allclose(directions.T @ directions, covariance, rtol=1e-9)
    scaled = directions / np.sqrt(np.diagonal(covariance))
    products = scaled @ scaled.T
    np.testing.assert_allclose(products, np.diag(np.diagonal(products)), atol=1e-12)


def test_units_do_not_matter():
    values = np.random.default_rng(0).normal(size=(2, 20, 3)) @ np.array([[1.0, 0.5, 0], [0, 1, 0.2], [0, 0, 1]])
    units = np.array([2.0**-10, 1.0, 2.0**12])  # powers of two: equal to the last bit
    directions = principal_directions(pooled_covariance(values))
    np.testing.assert_array_equal(principal_directions(pooled_covariance(values * units)), directions * units)

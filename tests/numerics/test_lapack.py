"""The host steps against numpy, and that they work in place on every layout that XLA hands over."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from credo.numerics.lapack import (
    RELATIVE_JITTERS,
    _factorize_in_place,
    _mirror_lower,
    factor_in_place,
    host_inverse,
    host_log_density,
    inverse_diagonal,
    symmetric_part,
)


def spd(n: int) -> np.ndarray:
    a = np.random.default_rng(n).normal(size=(n, n))
    return a @ a.T / n + 0.1 * np.eye(n)


@pytest.mark.parametrize("n", [1, 2, 37, 256, 257, 300])
def test_mirror_copies_the_lower_triangle(n):
    matrix = np.random.default_rng(0).normal(size=(n, n))
    expected = np.tril(matrix) + np.tril(matrix, -1).T
    _mirror_lower(matrix, n)
    np.testing.assert_array_equal(matrix, expected)


@pytest.mark.parametrize("n", [1, 40])
def test_host_steps_agree_with_numpy(n):
    k, y = spd(n), np.random.default_rng(1).normal(size=n)
    value, alpha, inverse = jax.jit(host_log_density)(k - 0.05 * np.eye(n), np.full(n, 0.05), y, np.ones(n, bool))
    np.testing.assert_allclose(inverse, np.linalg.inv(k), rtol=1e-10, atol=1e-12)
    np.testing.assert_array_equal(inverse, inverse.T)
    np.testing.assert_allclose(alpha, np.linalg.solve(k, y), rtol=1e-10)
    np.testing.assert_allclose(value, -0.5 * (y @ np.linalg.solve(k, y) + np.linalg.slogdet(k)[1]), rtol=1e-12)
    np.testing.assert_allclose(jax.jit(host_inverse)(np.linalg.cholesky(k)), np.linalg.inv(k), rtol=1e-10, atol=1e-12)


def test_input_buffers_stay_as_they_were():
    k, y = jnp.asarray(spd(40)), jnp.ones(40)
    before = np.array(k)
    host_log_density(k, jnp.zeros(40), y, jnp.ones(40, bool))
    np.testing.assert_array_equal(k, before)


def test_a_transposed_view_is_read_right():
    k = jnp.asarray(np.tril(spd(40)))  # only the lower triangle counts: the transpose of an upper one
    rest = jnp.zeros(40), jnp.ones(40), jnp.ones(40, bool)
    value, *_ = jax.jit(lambda upper: host_log_density(upper.T, *rest))(k.T)
    np.testing.assert_allclose(value, host_log_density(jnp.asarray(spd(40)), *rest)[0], rtol=1e-13)


def test_vmap_runs_one_after_the_other():
    k, y = np.stack([spd(8), 2.0 * spd(8)]), np.ones((2, 8))
    value, alpha, inverse = jax.jit(jax.vmap(host_log_density))(k, np.zeros((2, 8)), y, np.ones((2, 8), bool))
    np.testing.assert_allclose(inverse[0], 2.0 * inverse[1], rtol=1e-12)
    np.testing.assert_allclose(alpha[0], 2.0 * alpha[1], rtol=1e-12)
    assert value.shape == (2,)


@pytest.mark.parametrize("bad", [-1.0, np.nan, np.inf])
def test_failure_is_minus_infinity_and_zeros(bad):
    value, alpha, inverse = host_log_density(jnp.full((3, 3), bad), jnp.zeros(3), jnp.ones(3), jnp.ones(3, bool))
    assert value == -np.inf
    assert not np.any(alpha)
    assert not np.any(inverse)


def test_inverse_of_a_failed_factor_is_nan():
    assert np.all(np.isnan(host_inverse(jnp.full((3, 3), jnp.nan))))


def test_jitter_is_the_least_that_helps():
    matrix, target = np.diag([2.0, 1.0 + 3e-8, -3e-8]), np.empty((3, 3))
    assert _factorize_in_place(target, matrix, np.zeros(3), np.ones(3, bool), 3)
    np.testing.assert_allclose(np.diagonal(target) ** 2, np.diagonal(matrix) + 1e-7, rtol=1e-6)
    assert RELATIVE_JITTERS[0] == 0.0
    np.testing.assert_allclose(np.diff(np.log10(RELATIVE_JITTERS[1:])), 1.0)


def test_rows_that_are_not_there_count_neither_in_the_jitter_nor_in_the_determinant():
    matrix, target = np.eye(5), np.empty((5, 5))
    matrix[:2, :2] = 1e-6  # singular; its jitter is relative to 1e-6, not to the mean with the ones below
    present = np.arange(5) < 2
    assert _factorize_in_place(target, matrix, np.zeros(5), present, 2)
    np.testing.assert_allclose(target[0, 0] ** 2 - 1e-6, 1e-18, rtol=1e-3)
    value, *_ = host_log_density(jnp.asarray(matrix), jnp.zeros(5), jnp.zeros(5), jnp.asarray(present))
    np.testing.assert_allclose(value, -np.sum(np.log(np.diagonal(target)[:2])), rtol=1e-14)


@pytest.mark.parametrize("absent", [[], [5], [0, 3], [7, 8, 9], list(range(10))])
def test_rows_that_are_not_there_are_rows_of_the_identity(absent):
    present = ~np.isin(np.arange(10), absent)
    k, y = np.where(np.outer(present, present), spd(10), np.eye(10)), np.where(present, 1.0, 0.0)
    value, alpha, inverse = host_log_density(*map(jnp.asarray, (k, np.zeros(10), y, present)))
    np.testing.assert_allclose(inverse, np.linalg.inv(k), rtol=1e-10, atol=1e-12)
    np.testing.assert_allclose(alpha, np.linalg.solve(k, y), rtol=1e-10)
    np.testing.assert_allclose(value, -0.5 * (y @ np.linalg.solve(k, y) + np.linalg.slogdet(k)[1]), rtol=1e-12)


def test_symmetric_part():
    np.testing.assert_array_equal(symmetric_part(jnp.array([[1.0, 2.0], [4.0, 5.0]])), [[1.0, 3.0], [3.0, 5.0]])


@pytest.mark.parametrize("n", [1, 5, 300])
def test_a_factor_in_place_and_the_diagonal_of_the_inverse_are_those_of_numpy(n):
    """The upper triangle is not read, and stays as it was."""
    matrix = spd(n)
    lower = np.where(np.tri(n, dtype=bool), matrix, 7.0)
    assert factor_in_place(lower)
    np.testing.assert_allclose(np.tril(lower), np.linalg.cholesky(matrix), rtol=1e-10, atol=1e-10)
    assert np.all(lower[~np.tri(n, dtype=bool)] == 7.0)
    np.testing.assert_allclose(inverse_diagonal(lower), np.diagonal(np.linalg.inv(matrix)), rtol=1e-8)


def test_an_indefinite_matrix_has_no_factor_in_place():
    assert not factor_in_place(np.array([[1.0, 2.0], [2.0, 1.0]]))
    assert not factor_in_place(np.array([[np.nan]]))

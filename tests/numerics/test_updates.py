"""Factors after adding and removing rows, against factorizing again from the start."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from credo.errors import InputError, NotPositiveDefiniteError
from credo.numerics import FAILED, append, cholesky, rank_one_update, remove

N = 7


def spd(seed: int, n: int = N) -> np.ndarray:
    a = np.random.default_rng(seed).normal(size=(n, n))
    return a @ a.T / n + 0.1 * np.eye(n)


def assert_same_factor(factor, matrix):
    np.testing.assert_allclose(factor.lower, np.linalg.cholesky(matrix), rtol=1e-9, atol=1e-11)
    exact = float(cholesky(matrix).info.condition)
    assert exact * (1 - 1e-9) <= float(factor.info.condition) < 10 * exact


@jax.jit
def appended(k):
    """The whole from all rows but one, and from four rows: one new row as a vector, three as columns."""
    return append(cholesky(k[:-1, :-1]), k[:-1, -1], k[-1, -1]), append(cholesky(k[:4, :4]), k[:4, 4:], k[4:, 4:])


@given(seed=st.integers(0, 2**32 - 1))
def test_appending_equals_factorizing_again(seed):
    k = spd(seed)
    for factor in appended(k):
        assert_same_factor(factor, k)


@given(seed=st.integers(0, 2**32 - 1), index=st.integers(-N, N - 1))
def test_removing_equals_factorizing_again(seed, index):
    k = spd(seed)
    assert_same_factor(remove(cholesky(k), index), np.delete(np.delete(k, index, 0), index, 1))


@given(seed=st.integers(0, 2**32 - 1))
def test_rank_one_update_equals_factorizing_again(seed):
    k, v = spd(seed), np.random.default_rng(seed).normal(size=N)
    assert_same_factor(rank_one_update(cholesky(k), v), k + np.outer(v, v))


def test_append_undoes_remove_of_the_last_row():
    k = spd(0)
    shorter = remove(cholesky(k), N - 1)
    np.testing.assert_allclose(append(shorter, k[:-1, -1], k[-1, -1]).lower, cholesky(k).lower, rtol=1e-12)


def test_a_repeated_row_gets_jitter_relative_to_the_corner():
    factor = append(cholesky(100.0 * np.eye(3)), np.array([0.0, 100.0, 0.0]), 100.0)  # the Schur complement is 0
    np.testing.assert_allclose(factor.info.jitter, 1e-12 * 100.0)
    np.testing.assert_allclose(factor.lower[3], [0.0, 10.0, 0.0, 1e-5], rtol=1e-12)


def test_jitter_of_the_old_rows_is_given_to_the_new_one():
    singular = np.ones((3, 3))
    factor = cholesky(singular)
    grown = append(factor, np.zeros(3), 1.0)
    np.testing.assert_allclose(grown.lower[3, 3] ** 2, 1.0 + factor.info.jitter, rtol=1e-15)


def test_reported_jitter_is_the_most_that_a_row_got():
    k = np.ones((5, 5))
    k[3, :], k[:, 3] = 0.0, 0.0
    k[3, 3] = 1.0
    factor = cholesky(k[:3, :3])
    grown = append(append(factor, k[:3, 3], k[3, 3]), k[:4, 4], k[4, 4] - 1e-9)  # a copy of a row, less than one
    added = np.diagonal(grown.matrix) - np.diagonal(k - np.diag([0.0, 0.0, 0.0, 0.0, 1e-9]))
    np.testing.assert_allclose(added[:4], factor.info.jitter, rtol=1e-2)
    np.testing.assert_allclose(np.max(added), grown.info.jitter, rtol=1e-2)
    assert grown.info.jitter > 100 * factor.info.jitter
    assert np.max(np.diagonal(remove(grown, 4).matrix - k[:4, :4])) <= grown.info.jitter


def test_jit_vmap_traced_index_and_gradient():
    ks = np.stack([spd(2), spd(3)])
    removed = jax.jit(jax.vmap(remove))(cholesky(ks), jnp.array([0, 4]))
    for i, index in enumerate((0, 4)):
        smaller = np.delete(np.delete(ks[i], index, 0), index, 1)
        np.testing.assert_allclose(removed.lower[i], np.linalg.cholesky(smaller), rtol=1e-9, atol=1e-12)
    log_det = lambda k: remove(append(cholesky(k[:-1, :-1]), k[:-1, -1], k[-1, -1]), 1).log_det  # noqa: E731
    kept = np.delete(np.arange(N), 1)
    expected = np.zeros((N, N))
    expected[np.ix_(kept, kept)] = np.linalg.inv(ks[0][np.ix_(kept, kept)])
    gradient = jax.jit(jax.grad(log_det))(jnp.asarray(ks[0]))
    # The last column is read through the cross block only, so its gradient is that of both mirror images.
    np.testing.assert_allclose(0.5 * (gradient + gradient.T), expected, rtol=1e-8, atol=1e-9)


def test_indefinite_growth_raises_on_arrays_and_is_a_status_inside_jit():
    factor = cholesky(np.eye(2))
    with pytest.raises(NotPositiveDefiniteError, match=r"^Study: "):
        append(factor, np.array([2.0, 0.0]), 1.0, who="Study")
    assert jax.jit(append)(factor, np.array([2.0, 0.0]), 1.0).info.status == FAILED


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda f: append(f, np.ones(2), 1.0), "cross has shape (2, 1)"),
        (lambda f: append(f, np.ones((3, 2)), 1.0), "cross has shape (3, 2)"),
        (lambda f: append(f, np.ones((3, 2)), np.array([[2.0, 1.0], [0.0, 2.0]])), "not symmetric"),
        (lambda f: append(f, np.full(3, np.nan), 1.0), "NaN"),
        (lambda f: append(f, np.ones(3), np.inf), "1 of 1 entries"),
        (lambda f: remove(f, 3), "index=3 is not a row"),
        (lambda f: remove(remove(remove(f, 0), 0), 0), "one row"),
        (lambda f: rank_one_update(f, np.ones(2)), "shape (2,)"),
        (lambda f: rank_one_update(f, np.full(3, np.inf)), "infinite"),
        (lambda f: remove(cholesky(np.stack([np.eye(2)] * 2)), 0), "batch"),
    ],
)
def test_bad_input_is_refused(call, words):
    with pytest.raises(InputError) as caught:
        call(cholesky(np.eye(3)))
    assert words in str(caught.value)


def test_a_traced_index_counts_from_the_end_too():
    matrix = np.array([[4.0, 2.0, 1.0], [2.0, 5.0, 0.5], [1.0, 0.5, 3.0]])
    removed = jax.jit(remove)(cholesky(matrix), -1)
    np.testing.assert_allclose(removed.matrix, matrix[:2, :2], rtol=1e-12)

"""The inverse with its rank, whatever the units."""

import numpy as np

from credo.numerics.semidefinite import row_forms, scaled_inverse

A = np.random.default_rng(0).normal(size=(10, 3))
UNITS = np.array([1e-6, 1.0, 1e6])


def test_full_rank_is_the_inverse():
    inverse, rank = scaled_inverse((A.T @ A) * UNITS * UNITS[:, None])
    assert rank == 3
    np.testing.assert_allclose(inverse * UNITS * UNITS[:, None], np.linalg.inv(A.T @ A), rtol=1e-11)


def test_dependent_columns_are_counted_and_inverted_on_their_span():
    B = np.column_stack([A, A[:, 0] + A[:, 1], np.zeros(10)])
    gram = B.T @ B
    inverse, rank = scaled_inverse(gram)
    assert rank == 3
    np.testing.assert_allclose(gram @ inverse @ gram, gram, atol=1e-10)


def test_nothing_has_rank_zero():
    inverse, rank = scaled_inverse(np.zeros((2, 2)))
    assert rank == 0
    np.testing.assert_array_equal(inverse, 0.0)


def test_forms_of_rows():
    M = A.T @ A
    np.testing.assert_allclose(row_forms(A, M), np.diag(A @ M @ A.T), rtol=1e-13)

"""The inverse with its rank, whatever the units."""

import numpy as np

from credo.numerics.semidefinite import row_forms, scaled_inverse, scaled_inverses

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


def test_forms_of_many_rows_about_a_center():
    M, rows, center = A.T @ A, np.tile(A, (1000, 1)), np.array([1.0, -2.0, 3.0])
    expected = np.diag((A - center) @ M @ (A - center).T)
    np.testing.assert_allclose(row_forms(rows, M, center), np.tile(expected, 1000), rtol=1e-12)


def test_many_inverses_with_their_condition():
    matrices = np.stack([A[i:].T @ A[i:] for i in range(4)]) * UNITS * UNITS[:, None]
    inverses, condition = scaled_inverses(np.concatenate([matrices, np.zeros((1, 3, 3)), np.ones((1, 3, 3))]))
    for inverse, matrix in zip(inverses[:4], matrices, strict=True):
        np.testing.assert_allclose(inverse @ matrix * UNITS[:, None] / UNITS, np.eye(3), atol=1e-12)
    unscaled = A.T @ A / np.sqrt(np.outer(np.diag(A.T @ A), np.diag(A.T @ A)))
    np.testing.assert_allclose(condition[0], np.linalg.cond(unscaled, 1), rtol=1e-10)
    assert np.all(condition[4:] == np.inf)

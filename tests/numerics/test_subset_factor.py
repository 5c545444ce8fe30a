import numpy as np
import pytest

from credo.numerics.lapack import solve_lower_in_place
from credo.numerics.subset_factor import SubsetFactor


@pytest.mark.parametrize("m", [4, 150])
@pytest.mark.parametrize("transposed", [False, True])
def test_triangular_systems_of_leading_rows(transposed, m):
    rng = np.random.default_rng(0)
    lower = np.tril(rng.normal(size=(m + 2, m + 2))) / m + 3.0 * np.eye(m + 2)
    sides = rng.normal(size=(m, 2))
    triangle = lower[:m, :m].T if transposed else lower[:m, :m]
    expected = np.linalg.solve(triangle, sides)
    solve_lower_in_place(lower, sides, transposed=transposed)
    np.testing.assert_allclose(sides, expected, rtol=1e-12)


def test_sets_that_come_and_go():
    rng = np.random.default_rng(1)
    A = rng.normal(size=(100, 60))
    H = A.T @ A
    factor = SubsetFactor(lambda i, j: H[np.ix_(i, j)], 60)
    chosen = np.zeros(60, dtype=bool)
    for _ in range(40):
        chosen[rng.integers(0, 60, size=5)] ^= True
        columns = rng.permutation(np.flatnonzero(chosen))
        right = rng.normal(size=len(columns))
        expected = np.linalg.solve(H[np.ix_(columns, columns)], right)
        np.testing.assert_allclose(factor.solve(columns, right), expected, rtol=1e-9)


def test_dependent_columns_are_told_and_do_no_harm():
    rng = np.random.default_rng(2)
    A = rng.normal(size=(20, 3))
    A = np.column_stack([A, A[:, 0] + A[:, 1]])
    H = A.T @ A
    factor = SubsetFactor(lambda i, j: H[np.ix_(i, j)], 4)
    assert factor.solve(np.array([0, 1, 3]), np.ones(3)) is None
    factor.solve(np.array([0, 1]), np.ones(2))
    found = factor.solve(np.array([1, 3]), np.ones(2))
    np.testing.assert_allclose(found, np.linalg.solve(H[np.ix_([1, 3], [1, 3])], np.ones(2)), rtol=1e-9)


def test_several_right_sides():
    A = np.random.default_rng(3).normal(size=(30, 20))
    H = A.T @ A
    factor = SubsetFactor(lambda i, j: H[np.ix_(i, j)], 20)
    for columns in (np.arange(12), np.array([3, 1, 7]), np.array([19, 0, 1, 2])):
        right = np.random.default_rng(4).normal(size=(len(columns), 3))
        expected = np.linalg.solve(H[np.ix_(columns, columns)], right)
        np.testing.assert_allclose(factor.solve(columns, right), expected, rtol=1e-9)

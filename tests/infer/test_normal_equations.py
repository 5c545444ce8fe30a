"""Normal equations against a QR factor; where they would lose digits they are left."""

import sys
import tracemalloc

import numpy as np
import pytest

from credo.infer.least_squares import least_squares
from credo.infer.normal_equations import normal_equations


def table(rows=400, columns=5, seed=0):
    rng = np.random.default_rng(seed)
    X = (3.0 + rng.normal(size=(rows, columns))) * np.geomspace(1e-60, 1e60, columns)
    y = rng.normal(size=(rows, 2))
    return X, y, rng.integers(1, 4, rows).astype(float)


@pytest.mark.parametrize("intercept", [True, False])
@pytest.mark.parametrize("weighted", [True, False])
def test_twelve_digits_are_those_of_the_refined_solution(intercept, weighted):
    X, y, w = table()
    w = w if weighted else np.ones(len(w))
    quick = normal_equations(X, y, w, intercept=intercept)
    slow = least_squares(X, y, w, intercept=intercept).value  # few rows: refined in twice the precision
    scale = np.sqrt(np.diagonal(slow.inverse_gram))
    np.testing.assert_allclose(
        quick.coefficients / scale[:, None], slow.coefficients / scale[:, None], rtol=1e-11, atol=1e-13
    )
    np.testing.assert_allclose(
        quick.inverse_gram / scale / scale[:, None], slow.inverse_gram / scale / scale[:, None], rtol=1e-11, atol=1e-13
    )
    np.testing.assert_allclose(quick.residuals, slow.residuals, rtol=1e-9, atol=1e-13)
    columns = np.sqrt(w)[:, None] * (X - intercept * np.average(X, axis=0, weights=w))
    condition = np.linalg.cond(columns / np.linalg.norm(columns, axis=0))
    assert condition / 5.0 < quick.condition < 5.0 * condition


@pytest.mark.parametrize("weighted", [True, False])
def test_columns_that_are_nearly_combinations_keep_their_digits(weighted):
    """Condition 1e3: its square would take six of the sixteen digits of a Cholesky factor."""
    rng = np.random.default_rng(3)
    X = rng.normal(size=(40_000, 3))
    X = np.column_stack([X, X[:, 0] + 1e-3 * X[:, 1] + 1e-3 * rng.normal(size=len(X))])
    y, w = rng.normal(size=(len(X), 1)), rng.integers(1, 4, len(X)).astype(float) if weighted else np.ones(len(X))
    quick = normal_equations(X, y, w, intercept=True)
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(sys.modules["credo.infer.least_squares"], "_AFFORDABLE", 2**60)
        slow = least_squares(X, y, w, intercept=True).value
    np.testing.assert_allclose(quick.coefficients, slow.coefficients, rtol=1e-10)
    np.testing.assert_allclose(quick.inverse_gram, slow.inverse_gram, rtol=1e-10, atol=1e-14)
    assert quick.condition > 300.0


def test_common_columns_keep_twelve_digits_of_many_rows():
    """Sums of products of such columns round away what they do not share: eleven digits were left of these slopes."""
    rng = np.random.default_rng(5)
    X = rng.normal(size=(200_000, 8))
    X = X[:, :1] + 1e-3 * X
    y = X @ np.linspace(-1.0, 1.0, 8)[:, None] + rng.normal(size=(len(X), 1))
    found = normal_equations(X, y, np.ones(len(X)), intercept=True)
    design = np.column_stack([np.ones(len(X)), X]).astype(np.longdouble)
    exact = found.coefficients.astype(np.longdouble)
    for _ in range(3):  # refined with residuals of 64 bits
        exact = exact + np.linalg.solve(
            (design.T @ design).astype(float), (design.T @ (y - design @ exact)).astype(float)
        )
    np.testing.assert_allclose(found.coefficients, exact.astype(float), rtol=2e-12, atol=2e-12)


def test_narrow_tables_wake_no_threads(monkeypatch):
    """Two threads for the products of a block took twice the time of one, and forty times on a busy machine."""
    at_work = []

    class Watched:
        def __enter__(self):
            at_work.append(1)

        def __exit__(self, *error):
            pass

    monkeypatch.setattr(sys.modules["credo.infer.normal_equations"], "OneBlasThread", Watched)
    rng = np.random.default_rng(6)
    for columns in (3, 65):
        normal_equations(rng.normal(size=(200, columns)), rng.normal(size=(200, 1)), np.ones(200), intercept=True)
    assert at_work == [1]


@pytest.mark.parametrize("shift", [1e3, 1e6, 1e9])
def test_columns_and_targets_far_from_zero_lose_no_more_than_their_own_digits(shift):
    """The difference to a center next to it is exact, and so are slopes and residuals."""
    rng = np.random.default_rng(4)
    X, y = shift + rng.normal(size=(300, 3)), shift + rng.normal(size=(300, 1))
    w = rng.choice([1.0, 4.0], size=300)  # whose roots do not round the rows
    quick, slow = normal_equations(X, y, w, intercept=True), least_squares(X, y, w, intercept=True).value
    np.testing.assert_allclose(quick.coefficients[1:], slow.coefficients[1:], rtol=1e-10, atol=1e-12)
    np.testing.assert_allclose(quick.coefficients[0], slow.coefficients[0], rtol=1e-11)
    np.testing.assert_allclose(quick.residuals, slow.residuals, rtol=1e-9, atol=1e-15 * shift)
    np.testing.assert_allclose(quick.inverse_gram, slow.inverse_gram, rtol=1e-9)


def test_what_would_lose_digits_is_left():
    rng = np.random.default_rng(1)
    X, y, ones = rng.normal(size=(50, 3)), rng.normal(size=(50, 1)), np.ones(50)
    assert normal_equations(X, y, ones, intercept=True) is not None
    cases = {
        "nearly a combination": np.column_stack([X, X[:, 0] + 1e-5 * X[:, 1]]),
        "a combination": np.column_stack([X, X[:, 0] - X[:, 1]]),
        "a constant column": np.column_stack([X, ones]),
        "squares that overflow": X * 1e160,
        "squares that vanish": X * 1e-160,
        "a missing value": np.where(X == X[0, 0], np.nan, X),
    }
    for name, columns in cases.items():
        assert normal_equations(columns, y, ones, intercept=True) is None, name
    assert normal_equations(X, X @ np.ones((3, 1)), ones, intercept=True) is None  # exact: residuals are rounding


def test_many_rows_are_fitted_without_copies_of_the_table():
    """A QR factor with the inverse Gram matrix as further right sides held the table six times and took 4 seconds."""
    rng = np.random.default_rng(2)
    X = rng.normal(size=(200_000, 10))
    y = X @ np.arange(10.0)[:, None] + rng.normal(size=(200_000, 1))
    tracemalloc.start()
    found = least_squares(X, y, intercept=True)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < X.nbytes
    design = np.column_stack([np.ones(len(X)), X])
    np.testing.assert_allclose(found.value.coefficients, np.linalg.lstsq(design, y, rcond=None)[0], rtol=0, atol=1e-12)
    np.testing.assert_allclose(found.value.inverse_gram, np.linalg.inv(design.T @ design), rtol=0, atol=1e-17)

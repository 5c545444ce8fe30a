"""Least squares against rational arithmetic, the pseudo-inverse, and NIST's certified values."""

import sys
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from credo.errors import InputError
from credo.infer.least_squares import least_squares
from nist import SETS, correct_digits, read


def solved_exactly(X, y):
    """The normal equations in rational numbers, by Gauss and Jordan; and the inverse of their matrix."""
    p = X.shape[1]
    A = [
        [sum(Fraction(a) * Fraction(b) for a, b in zip(X[:, i], X[:, j], strict=True)) for j in range(p)]
        for i in range(p)
    ]
    rows = [
        [
            *A[i],
            sum(Fraction(a) * Fraction(b) for a, b in zip(X[:, i], y, strict=True)),
            *(Fraction(i == j) for j in range(p)),
        ]
        for i in range(p)
    ]
    for i in range(p):
        rows[i] = [entry / rows[i][i] for entry in rows[i]]
        for k in range(p):
            if k != i:
                rows[k] = [a - rows[k][i] * b for a, b in zip(rows[k], rows[i], strict=True)]
    solved = np.array([[float(entry) for entry in row[p:]] for row in rows])
    return solved[:, 0], solved[:, 1:]


@pytest.mark.parametrize("degree", [3, 7, 10])
def test_ill_conditioned_polynomials_are_right_in_every_digit(degree):
    """The normal equations of degree 10 have condition 1e25."""
    x = np.linspace(1.0, 2.0, 15)
    X = x[:, None] ** np.arange(degree + 1)
    y = np.random.default_rng(0).normal(size=15)
    solution = least_squares(X, y[:, None])
    expected, inverse = solved_exactly(X, y)
    np.testing.assert_allclose(solution.value.coefficients[:, 0], expected, rtol=2e-15)
    np.testing.assert_allclose(solution.value.inverse_gram, inverse, rtol=1e-13)
    assert solution.certificate.kind == "exact"
    np.testing.assert_allclose(solution.certificate.condition, np.linalg.cond(X / np.linalg.norm(X, axis=0)), rtol=20)


@pytest.mark.parametrize("name", SETS)
def test_certified_values(name):
    X, y, certified, intercept = read(name)
    value = least_squares(X, y[:, None], intercept=intercept).value
    errors = np.sqrt(np.sum(value.residuals**2) / (len(y) - len(certified)) * np.diagonal(value.inverse_gram))
    needed = 7 if name == "Filip" else 9
    assert correct_digits(value.coefficients[:, 0], certified[:, 0]) > needed
    assert correct_digits(errors, certified[:, 1]) > needed


@given(st.integers(0, 10_000), st.booleans())
@settings(max_examples=30, deadline=None)
def test_repeated_and_empty_columns_give_the_smallest_coefficients(seed, intercept):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(12, 3)) * [1.0, 1e3, 1e-4]
    X = np.column_stack([X, X[:, 0] - 2.0 * X[:, 2], np.zeros(12)])
    y, w = rng.normal(size=(12, 2)), rng.integers(1, 4, 12).astype(float)
    value = least_squares(X, y, w, intercept=intercept).value
    assert value.rank == 3 + intercept
    middle = intercept * np.average(X, axis=0, weights=w), intercept * np.average(y, axis=0, weights=w)
    root = np.sqrt(w)[:, None]
    pseudo = np.linalg.pinv(root * (X - middle[0]), rcond=1e-12)
    slopes = pseudo @ (root * (y - middle[1]))
    np.testing.assert_allclose(
        value.coefficients[int(intercept) :], slopes, rtol=1e-6, atol=1e-9 * np.abs(slopes).max()
    )
    np.testing.assert_allclose(value.residuals, y - middle[1] - (X - middle[0]) @ slopes, atol=1e-9)


def test_rank_is_in_the_certificate():
    X = np.random.default_rng(0).normal(size=(5, 8))
    solution = least_squares(X, np.ones((5, 1)))
    assert "rank 5 of 8 columns" in str(solution.certificate)
    np.testing.assert_allclose(solution.value.coefficients, np.linalg.pinv(X) @ np.ones((5, 1)), rtol=1e-10)


def test_weights_are_frequencies():
    rng = np.random.default_rng(3)
    X, y, w = rng.normal(size=(9, 2)), rng.normal(size=(9, 1)), rng.integers(1, 4, 9)
    weighted = least_squares(X, y, w.astype(float), intercept=True).value
    repeated = least_squares(np.repeat(X, w, axis=0), np.repeat(y, w, axis=0), intercept=True).value
    np.testing.assert_allclose(weighted.coefficients, repeated.coefficients, rtol=1e-13)
    np.testing.assert_allclose(weighted.inverse_gram, repeated.inverse_gram, rtol=1e-12, atol=1e-15)


def test_units_do_not_matter():
    rng = np.random.default_rng(4)
    X, y = rng.normal(size=(20, 3)), rng.normal(size=(20, 1))
    units = np.array([1e-120, 1.0, 1e120])
    found = least_squares(X * units, y).value.coefficients * units[:, None]
    np.testing.assert_allclose(found, least_squares(X, y).value.coefficients, rtol=1e-13)


def test_many_rows_are_refined_only_where_it_pays(monkeypatch):
    """Beyond what is affordable, a good design keeps QR's own twelve digits; a bad one is refined."""
    rng = np.random.default_rng(5)
    x = rng.uniform(1.0, 2.0, 50)
    y = rng.normal(size=(50, 1))
    for degree in (1, 9):
        X = x[:, None] ** np.arange(degree + 1)
        refined = least_squares(X, y).value.coefficients
        with monkeypatch.context() as patched:
            patched.setattr(sys.modules["credo.infer.least_squares"], "_AFFORDABLE", 0)
            np.testing.assert_allclose(least_squares(X, y).value.coefficients, refined, rtol=1e-11)


def test_missing_values_are_refused():
    with pytest.raises(InputError, match="NaN"):
        least_squares(np.array([[1.0], [np.nan]]), np.ones((2, 1)))

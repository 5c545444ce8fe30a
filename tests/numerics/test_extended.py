"""Error-free transformations against exact rational arithmetic."""

from fractions import Fraction

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from credo.numerics.extended import residual, transposed_product, two_product, two_sum

moderate = st.floats(min_value=-1e100, max_value=1e100).filter(lambda x: x == 0.0 or abs(x) > 1e-100)


def exactly(*numbers):
    return sum((Fraction(float(x)) for x in numbers), Fraction(0))


@given(moderate, moderate)
def test_nothing_is_lost_in_a_sum(a, b):
    total, lost = two_sum(np.float64(a), np.float64(b))
    assert exactly(total, lost) == exactly(a, b)
    assert total == a + b


@given(moderate, moderate)
def test_nothing_is_lost_in_a_product(a, b):
    product, lost = two_product(np.float64(a), np.float64(b))
    assert exactly(product, lost) == Fraction(a) * Fraction(b)


def cancelling(rng, n, p, m):
    """Numbers whose sum of products is some 1e-14 of its terms."""
    X, b = rng.normal(size=(n, p)), rng.normal(size=(p, m))
    return X @ b, X, b


def test_residual_where_everything_cancels():
    rng = np.random.default_rng(0)
    y, X, b = cancelling(rng, 7, 5, 3)
    found = residual(y, X, b, minus=y * 1e-17)
    for i in range(7):
        for k in range(3):
            terms = sum(Fraction(X[i, j]) * Fraction(b[j, k]) for j in range(5))
            expected = Fraction(y[i, k]) - Fraction(float(y[i, k] * 1e-17)) - terms
            assert abs(Fraction(found[i, k]) - expected) <= abs(expected) * Fraction(1, 10**13)


def test_product_over_many_rows():
    rng = np.random.default_rng(1)
    X, r = rng.normal(size=(1001, 2)), rng.normal(size=(1001, 3))
    r -= X @ np.linalg.lstsq(X, r)[0]  # orthogonal up to rounding
    found = transposed_product(X, r)
    for j in range(2):
        for k in range(3):
            expected = sum(Fraction(X[i, j]) * Fraction(r[i, k]) for i in range(1001))
            assert abs(Fraction(found[j, k]) - expected) <= abs(expected) * Fraction(1, 10**12)


def test_blocks_of_rows_add_up(monkeypatch):
    rng = np.random.default_rng(2)
    X, r = rng.normal(size=(37, 2)), rng.normal(size=(37, 1))
    whole = transposed_product(X, r)
    monkeypatch.setattr("credo.numerics.extended._AT_ONCE", 10)
    np.testing.assert_allclose(transposed_product(X, r), whole, rtol=1e-15)


def test_no_rows_sum_to_zero():
    np.testing.assert_array_equal(transposed_product(np.zeros((0, 2)), np.zeros((0, 3))), np.zeros((2, 3)))

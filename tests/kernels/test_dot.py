"""Kernels of inner products against scikit-learn and against the features that they are the product of."""

import numpy as np
import pytest
from sklearn.gaussian_process.kernels import DotProduct
from sklearn.metrics.pairwise import polynomial_kernel

from credo.errors import InputError
from credo.kernels import Constant, Linear, Polynomial
from credo.numerics import Fixed, Real, flatten

X = np.random.default_rng(0).normal(size=(6, 2))
Z = np.random.default_rng(1).normal(size=(4, 2))


def test_equals_scikit_learn():
    np.testing.assert_allclose((Linear() + Constant(0.5**2))(X, Z), DotProduct(0.5)(X, Z), rtol=1e-13)
    expected = polynomial_kernel(X, Z, degree=3, gamma=0.4, coef0=0.7)
    np.testing.assert_allclose(Polynomial(3, 0.4, 0.7)(X, Z), expected, rtol=1e-12)


def test_polynomial_of_degree_two_is_the_product_of_its_six_features():
    def features(X):
        a, b = X.T * np.sqrt([[0.4], [0.9]])
        two, mixed = np.sqrt(2.0), np.sqrt(2.0 * 0.7)
        return np.column_stack([a**2, b**2, two * a * b, mixed * a, mixed * b, np.full(len(X), 0.7)])

    np.testing.assert_allclose(Polynomial(2, [0.4, 0.9], 0.7)(X, Z), features(X) @ features(Z).T, rtol=1e-12)


def test_linear_has_a_variance_a_column_and_a_center_that_is_held_unless_freed():
    variance, center = np.array([0.5, 2.0]), np.array([1.0, -1.0])
    kernel = Linear(variance, center)
    np.testing.assert_allclose(kernel(X, Z), (X - center) @ np.diag(variance) @ (Z - center).T, rtol=1e-12)
    assert flatten(kernel).names == ("variance[0]", "variance[1]")
    assert flatten(Linear(0.5, Real(0.0))).names == ("variance", "center")
    assert repr(Linear(Fixed(0.5))) == "Linear(variance=Fixed(0.5))"
    assert repr(Linear(0.5, Real(0.0))) == "Linear(variance=0.5, center=Real(0))"


def test_what_is_refused():
    with pytest.raises(InputError, match="degree=0"):
        Polynomial(0)
    with pytest.raises(InputError, match="3 centers"):
        Linear(center=np.zeros(3))(X)
    with pytest.raises(InputError, match="3 variances"):
        Polynomial(variance=np.ones(3))(X)

"""The change point as the covariance of two functions that are mixed by a sigmoid."""

import numpy as np
import pytest
from scipy.special import expit

from credo.errors import InputError
from credo.kernels import RBF, ChangePoint, Matern52
from credo.numerics import flatten

X = np.random.default_rng(0).normal(size=(6, 2))
BEFORE, AFTER = RBF(0.5, 0.8), Matern52(2.0)


def test_is_the_covariance_of_the_mixed_functions():
    s = expit(3.0 * (X[:, 1] - 0.2))
    both = np.block([[np.asarray(BEFORE(X)), np.zeros((6, 6))], [np.zeros((6, 6)), np.asarray(AFTER(X))]])
    mix = np.hstack([np.diag(1.0 - s), np.diag(s)])
    found = ChangePoint(BEFORE, AFTER, 0.2, 3.0, column=1)(X)
    np.testing.assert_allclose(found, mix @ both @ mix.T, rtol=1e-12)


def test_far_from_the_change_it_is_one_of_both_without_overflow():
    kernel = ChangePoint(BEFORE, AFTER, 0.0, 1e4, column=0)
    left, right = X - 50.0, X + 50.0
    np.testing.assert_allclose(kernel(left), BEFORE(left), rtol=1e-12)
    np.testing.assert_allclose(kernel(right), AFTER(right), rtol=1e-12)
    np.testing.assert_array_equal(kernel(left, right), 0.0)


def test_learns_location_steepness_and_both_kernels():
    names = flatten(ChangePoint(BEFORE, AFTER)).names
    assert set(names) == {
        *("location", "steepness", "before.variance", "before.lengthscale", "after.variance", "after.lengthscale")
    }


def test_the_column_must_be_there():
    with pytest.raises(InputError, match="along column 2, but X has 2 columns"):
        ChangePoint(BEFORE, AFTER, column=2)(X)
    with pytest.raises(InputError, match="3 length-scales"):
        ChangePoint(BEFORE, RBF(1.0, np.ones(3)))(X)

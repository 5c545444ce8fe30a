"""Standard units and back."""

import numpy as np
import pytest
from sklearn.preprocessing import StandardScaler

from credo.models.gp.scaling import Standardization

rng = np.random.default_rng(0)
X = np.column_stack([1e8 + 1e6 * rng.normal(size=30), 1e-8 * rng.normal(size=30), np.full(30, 7.3)])
Y = 5.0 - 3.0 * rng.normal(size=30)


def test_columns_and_targets_are_those_of_scikit_learn():
    """Weighted means and deviations; a column that never changes keeps its unit."""
    w = rng.integers(1, 4, size=30)
    scaling = Standardization.of(X, Y, w)
    scaler = StandardScaler().fit(X, sample_weight=w)
    np.testing.assert_allclose(scaling.inputs(X)[:, :2], scaler.transform(X)[:, :2], rtol=1e-6, atol=1e-9)
    np.testing.assert_allclose(scaling.inputs(X)[:, 2], 0.0, atol=1e-12)
    z = scaling.targets(Y)
    np.testing.assert_allclose([np.average(z, weights=w), np.average(z**2, weights=w)], [0.0, 1.0], atol=1e-12)
    repeated = Standardization.of(np.repeat(X, w, axis=0), np.repeat(Y, w), np.ones(w.sum()))
    np.testing.assert_allclose(scaling.target_scale, repeated.target_scale, rtol=1e-13)


def test_variances_scale_with_the_square():
    scaling = Standardization.of(X, Y, np.ones(30))
    np.testing.assert_allclose(scaling.variances(np.array([np.var(Y), 0.0])), [1.0, 0.0], rtol=1e-12)


@pytest.mark.parametrize("level", [0.0, 1e-3, 1e6 / 3.0])
def test_what_never_changes_keeps_its_unit(level):
    """Round-off of the mean of equal large numbers is not a spread."""
    scaling = Standardization.of(np.full((7, 1), level), np.full(7, level), np.full(7, 0.1))
    assert float(scaling.scale[0]) == float(scaling.target_scale) == 1.0


def test_identity_changes_nothing():
    scaling = Standardization.identity(3)
    np.testing.assert_array_equal(scaling.inputs(X), X)
    np.testing.assert_array_equal(scaling.targets(Y), Y)
    np.testing.assert_array_equal(scaling.variances(Y**2), Y**2)

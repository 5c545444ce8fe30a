"""Standard units against the columns as they came: predictors, penalties, covariances; sparse columns stay sparse."""

import numpy as np
import pytest
from scipy import sparse

from credo.errors import InputError
from credo.infer.glm import LinearDesign
from credo.infer.glm.units import ColumnUnits, standardized

rng = np.random.default_rng(0)
X = rng.normal(size=(50, 3)) * [1.0, 20.0, 0.3] + [0.0, 7.0, -2.0]
OFFSET, W = rng.normal(size=50), rng.integers(1, 4, 50).astype(float)


@pytest.mark.parametrize("intercept", [True, False])
def test_columns_have_weighted_mean_zero_and_variance_one(intercept):
    inner, units = standardized(LinearDesign(X, intercept, OFFSET), W)
    repeated = np.repeat(inner.X, W.astype(int), axis=0)
    np.testing.assert_allclose(np.mean(repeated**2, axis=0), 1.0)
    if intercept:
        np.testing.assert_allclose(np.mean(repeated, axis=0), 0.0, atol=1e-14)
    np.testing.assert_array_equal(units.of(X), inner.X)


@pytest.mark.parametrize("intercept", [True, False])
def test_coefficients_and_covariances_give_the_same_predictors(intercept):
    raw = LinearDesign(X, intercept, OFFSET)
    inner, units = standardized(raw, W)
    gamma = rng.normal(size=(inner.columns, 2))
    np.testing.assert_allclose(raw.predictors(units.coefficients(gamma)), inner.predictors(gamma))
    np.testing.assert_allclose(units.standard(units.coefficients(gamma[:, 0])), gamma[:, 0])
    root = rng.normal(size=(2 * inner.columns, 2 * inner.columns))
    both = units.covariance(root @ root.T)
    size = inner.columns
    np.testing.assert_allclose(raw.forms(both[:size, :size]), inner.forms((root @ root.T)[:size, :size]))
    cross = [
        np.sum((part.whole() @ M[:size, size:]) * part.whole(), axis=1)
        for part, M in ((raw, both), (inner, root @ root.T))
    ]
    np.testing.assert_allclose(*cross)


def test_penalties_are_those_of_the_columns_as_they_came():
    inner, units = standardized(LinearDesign(X, True, OFFSET), W)
    gamma = rng.normal(size=inner.columns)
    beta = units.coefficients(gamma)[1:]
    np.testing.assert_allclose(units.ridge(2.0) @ gamma[1:] ** 2, 2.0 * beta @ beta)
    np.testing.assert_allclose(units.lasso(2.0) @ np.abs(gamma[1:]), 2.0 * np.sum(np.abs(beta)))


def test_sparse_columns_stay_sparse_and_full_ones_are_centered():
    thin = X * (rng.random(X.shape) < 0.3)
    thin[:, 1] = 1e9 + X[:, 1]
    inner, units = standardized(LinearDesign(sparse.csr_array(thin), True, OFFSET), W)
    assert sparse.issparse(inner.X)
    assert inner.X.nnz == np.count_nonzero(thin)
    dense, _ = standardized(LinearDesign(thin, True, OFFSET), W)
    np.testing.assert_allclose(inner.X.toarray()[:, 1], dense.X[:, 1], rtol=1e-12)
    np.testing.assert_array_equal(units.center[[0, 2]], 0.0)
    far = sparse.csr_array(np.array([[0.0, 0.0, 1.0]]))
    np.testing.assert_allclose(
        units.of(far).toarray(), [[0.0, *((np.array([0.0, 1.0]) - units.center[1:]) / units.scale[1:])]]
    )


@pytest.mark.parametrize("unit", [1e-140, 1e-12, 1e15, 1e140])
def test_no_unit_costs_digits(unit):
    inner, units = standardized(LinearDesign(X * unit, True, OFFSET), W)
    np.testing.assert_allclose(inner.X, standardized(LinearDesign(X, True, OFFSET), W)[0].X, rtol=1e-12, atol=1e-13)
    assert np.all(np.isfinite(units.covariance(np.eye(4))))


def test_what_varies_by_rounding_alone_is_constant():
    column = np.where(np.arange(50) % 2, 0.3, 0.1 + 0.2)[:, None]
    inner, units = standardized(LinearDesign(np.column_stack([column, np.full(50, 1e6), X]), True, OFFSET), W)
    np.testing.assert_array_equal(inner.X[:, :2], 0.0)
    np.testing.assert_array_equal(units.scale[:2], 1.0)


def test_spreads_out_of_range_are_refused():
    with pytest.raises(InputError, match=r"column 2 of X has a spread of .*StandardScaler"):
        standardized(LinearDesign(X * [1.0, 1.0, 1e-200], True, OFFSET), W)
    with pytest.raises(InputError, match="column 0"):
        standardized(LinearDesign(sparse.csr_array(X * [1e200, 1.0, 1.0]), True, OFFSET), W)


def test_units_without_columns():
    units = ColumnUnits(np.zeros(0), np.ones(0), True)
    np.testing.assert_array_equal(units.covariance(np.array([[2.0]])), [[2.0]])

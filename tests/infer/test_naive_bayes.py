"""Columns that are independent given the class, against conjugate pairs and textbook densities."""

import numpy as np
import pytest
from scipy.stats import norm

from credo.beliefs import Beta, BetaBernoulli, Dirichlet, DirichletCategorical
from credo.errors import InputError
from credo.infer import binary_columns, count_columns, normal_columns

RNG = np.random.default_rng(0)
CODES = np.tile(np.arange(3), 20)
W = RNG.integers(1, 4, 60).astype(float)


def test_normal_scores_are_sums_of_log_densities():
    X = RNG.normal(size=(60, 4)) + CODES[:, None]
    found = normal_columns(X, CODES, W, 3, 0.01)
    repeated, codes = np.repeat(X, W.astype(int), axis=0), np.repeat(CODES, W.astype(int))
    added = 0.01 * np.var(repeated, axis=0)
    for k in range(3):
        mine = repeated[codes == k]
        expected = norm(mine.mean(axis=0), np.sqrt(mine.var(axis=0) + added)).logpdf(X).sum(axis=1)
        np.testing.assert_allclose(found.scores(X)[:, k], expected, rtol=1e-10)


def test_binary_probabilities_are_those_of_the_conjugate_pair():
    X = RNG.integers(0, 2, (60, 3)).astype(float)
    found = binary_columns(X, CODES, W, 3, 0.7)
    pair = BetaBernoulli()
    for k in range(3):
        statistics = pair.statistics(X[CODES == k].T, np.tile(W[CODES == k], (3, 1)))
        predictive = pair.predictive(pair.posterior(Beta(0.7, 0.7), statistics))
        np.testing.assert_allclose(np.exp(found.log_one[k]), predictive.probability, rtol=1e-12)
        rows = np.stack([predictive.log_prob(x) for x in X[:5]]).sum(axis=1)
        np.testing.assert_allclose(found.scores(X[:5])[:, k], rows, rtol=1e-10)


def test_shares_are_those_of_the_conjugate_pair():
    X = RNG.poisson(2.0, (60, 5)).astype(float)
    found = count_columns(X, CODES, W, 3, 0.4)
    pair = DirichletCategorical(classes=5)
    for k in range(3):
        statistics = pair.counts(X[CODES == k], W[CODES == k])
        predictive = pair.predictive(pair.posterior(Dirichlet(np.full(5, 0.4)), statistics))
        np.testing.assert_allclose(np.exp(found.log_shares[k]), predictive.probabilities, rtol=1e-12)
    np.testing.assert_allclose(found.scores(X), X @ found.log_shares.T, rtol=1e-12)


@pytest.mark.parametrize("engine", [binary_columns, count_columns])
def test_the_least_smoothing_keeps_logarithms_finite(engine):
    X = np.array([[0.0, 1.0], [0.0, 1.0], [1.0, 0.0]])
    found = engine(X, np.array([0, 0, 1]), np.ones(3), 2, 5e-324)
    assert np.all(np.isfinite(found.scores(X)))


def test_constant_columns_say_nothing_wherever_the_row_is():
    X = np.column_stack([RNG.normal(size=60) + CODES, np.full(60, 0.1)])
    found = normal_columns(X, CODES, W, 3, 1e-9)
    assert found.varying.tolist() == [True, False]
    away = X + np.array([0.0, 1e6])
    np.testing.assert_array_equal(found.scores(away), found.scores(X))


def test_variances_of_zero():
    X = np.column_stack([np.arange(6.0), [0.1, 0.1, 0.1, 0.5, 0.6, 0.7]])
    codes = np.repeat([0, 1], 3)
    assert normal_columns(X, codes, np.ones(6), 2, 1e-9).smoothed == 1
    with pytest.raises(InputError, match=r"column 1 varies, but not inside class number 0\..*var_smoothing=1e-9"):
        normal_columns(X, codes, np.ones(6), 2, 0.0)
    with pytest.raises(InputError, match="not finite"), np.errstate(over="ignore"):
        normal_columns(X * 1e200, codes, np.ones(6), 2, 1e-9)

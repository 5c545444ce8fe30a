"""Replicates of logistic regression against statsmodels and against single fits, where it is easy and where not."""

import numpy as np
import pytest
import statsmodels.api as sm

from credo.errors import ConvergenceWarning, InputError
from credo.infer import logistic_replicates, sparse_logistic_replicates
from credo.infer.glm import replicates
from credo.models import LogisticRegression

RNG = np.random.default_rng(0)
N = 150
X = RNG.normal(size=(N, 3)) * [1.0, 1e-2, 30.0] + [0.0, 4.0, -200.0]
Y = (X @ [1.0, 60.0, 0.02] - 236.0 + RNG.logistic(size=N) > 0.0).astype(float)
W = RNG.multinomial(N, np.full(N, 1 / N), size=5).astype(float)


def no_single_fit(*_, **__):
    raise AssertionError("a replicate was fitted alone")


def test_statsmodels_finds_the_same(monkeypatch):
    monkeypatch.setattr(replicates, "fit_glm", no_single_fit)
    many = logistic_replicates(X, Y, W)
    for b, w in enumerate(W):
        peer = sm.GLM(Y, sm.add_constant(X), sm.families.Binomial(), freq_weights=w).fit(tol=1e-14)
        np.testing.assert_allclose(many.coefficients[b], peer.params, rtol=1e-7)
        np.testing.assert_allclose(many.inverse_information[b], peer.cov_params(), rtol=1e-6)


@pytest.mark.parametrize(
    "settings", [{}, {"ridge": 2.0}, {"fit_intercept": False}, {"ridge": 0.1, "fit_intercept": False}]
)
@pytest.mark.parametrize("weights", [W, 3.7 * W, np.repeat([[0.0, 2.0], [1.0, 0.0]], N // 2, axis=1)])
def test_single_fits_say_the_same(settings, weights):
    belief = LogisticRegression(**settings).fit_many(X, Y, weights).predict_dist(X)
    for b, w in enumerate(weights):
        one = LogisticRegression(**settings).fit(X, Y, sample_weight=w).predict_dist(X)
        np.testing.assert_allclose(belief.mean[b], one.mean, rtol=1e-8)
        np.testing.assert_allclose(belief.budget.noise[b], one.budget.noise, rtol=1e-8)
        np.testing.assert_allclose(belief.budget.parameter[b], one.budget.parameter, rtol=1e-6)


@pytest.mark.filterwarnings("ignore::credo.errors.ConvergenceWarning")
def test_a_separated_replicate_is_as_its_single_fit_and_the_others_stay():
    apart = W[:2].copy()
    apart[1] = (X[:, 0] > 0.0) == (Y > 0.0)  # of this replicate the first column tells the classes apart
    many = LogisticRegression().fit_many(X, Y, apart)
    assert many.separated.tolist() == [False, True]
    belief = many.predict_dist(X)
    assert not belief.budget.is_split
    for b, w in enumerate(apart):
        one = LogisticRegression().fit(X, Y, sample_weight=w).predict_dist(X)
        np.testing.assert_allclose(belief.mean[b], one.mean, rtol=1e-8)
    with pytest.warns(ConvergenceWarning, match="complete separation"):
        LogisticRegression().fit_many(X, Y, apart)


def test_dependent_columns_are_as_in_a_single_fit():
    A = np.column_stack([X[:, :1], X[:, :1], np.ones(N)])
    belief = LogisticRegression().fit_many(A, Y, W[:2]).predict_dist(A)
    for b in range(2):
        one = LogisticRegression().fit(A, Y, sample_weight=W[b]).predict_dist(A)
        np.testing.assert_allclose(belief.mean[b], one.mean, rtol=1e-8)


def test_bad_input():
    one_class = np.vstack([np.ones(N), Y])
    with pytest.raises(InputError, match="replicate 1 has one class only"):
        LogisticRegression().fit_many(X, Y, one_class)
    with pytest.raises(InputError, match="Only binary"):
        LogisticRegression().fit_many(X, np.arange(N) % 3, W)
    many = logistic_replicates(X, Y, W)
    for bad in (X[:, :2], X[0], np.full_like(X, np.nan)):
        with pytest.raises(InputError, match="LogisticReplicates: X has shape"):
            many.predict_dist(bad)


@pytest.mark.parametrize("intercept", [True, False])
def test_with_a_lasso_each_is_its_single_fit(intercept):
    many = sparse_logistic_replicates(X, Y, W, 3.0, 0.5, intercept=intercept)
    for b, w in enumerate(W):
        one = LogisticRegression(lasso=3.0, ridge=0.5, fit_intercept=intercept).fit(X, Y, sample_weight=w)
        np.testing.assert_allclose(many.coefficients[b], one.coefficients_, rtol=1e-6, atol=1e-8)
    belief = many.predict_dist(X)
    assert belief.mean.shape == (5, N, 2)
    assert "lasso" in str(belief.budget)


@pytest.mark.parametrize("settings", [{}, {"ridge": 2.0}, {"lasso": 1.0}])
def test_the_short_way_to_the_mean_is_that_of_the_belief(settings):
    many = LogisticRegression(**settings).fit_many(X, Y, W)
    # A block of replicates has the nodes that its largest error needs, so that the two differ by what a rule leaves.
    np.testing.assert_allclose(many.predictive_mean(X), many.predict_dist(X).mean, rtol=1e-10, atol=1e-11)

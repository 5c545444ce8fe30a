"""Ridge against scikit-learn; coverage; the choice of its penalty."""

import numpy as np
import pytest
import statsmodels.api as sm
from scipy import stats
from sklearn import linear_model
from sklearn.datasets import load_diabetes

from credo.errors import UndefinedError
from credo.models import Lasso, LinearRegression, Ridge

X, Y = load_diabetes(return_X_y=True)


@pytest.mark.parametrize("fit_intercept", [True, False])
def test_coefficients_are_those_of_scikit_learn(fit_intercept):
    w = np.random.default_rng(0).uniform(0.5, 2.0, len(Y))
    model = Ridge(alpha=0.3, fit_intercept=fit_intercept).fit(X, Y, sample_weight=w)
    peer = linear_model.Ridge(alpha=0.3, fit_intercept=fit_intercept).fit(X, Y, sample_weight=w)
    np.testing.assert_allclose(model.coef_, peer.coef_, rtol=1e-10)
    np.testing.assert_allclose(model.intercept_, peer.intercept_, rtol=1e-10)


def test_leave_one_out_choice_is_at_least_as_good_as_scikit_learns():
    grid = np.geomspace(1e-3, 10.0, 50)
    peer = linear_model.RidgeCV(alphas=grid, store_cv_results=True).fit(X, Y)
    model = Ridge().fit(X, Y)
    errors = peer.cv_results_.mean(axis=0).reshape(-1)
    np.testing.assert_allclose(Ridge(alpha=grid[20]).fit(X, Y).loo_error_, errors[20], rtol=1e-6)
    assert model.loo_error_ <= errors.min() * (1 + 1e-9)
    assert "chosen" in str(model.certificate_)


def test_generalized_cross_validation_is_another_choice():
    assert Ridge(alpha="gcv").fit(X, Y).alpha_ != Ridge(alpha="loo").fit(X, Y).alpha_


def test_no_penalty_is_least_squares_with_its_interval():
    ridge, plain = Ridge(alpha=0.0).fit(X, Y), LinearRegression().fit(X, Y)
    np.testing.assert_allclose(ridge.predict_interval(X[:5]), plain.predict_interval(X[:5]), rtol=1e-9)


@pytest.mark.slow
def test_intervals_cover_where_coefficients_come_from_the_prior():
    rng = np.random.default_rng(0)
    inside = 0
    for _ in range(500):
        A = rng.normal(size=(25, 12))
        b = 2.0 + A @ (0.5 * rng.normal(size=12)) + rng.normal(size=25)
        model = Ridge(alpha=4.0).fit(A[:24], b[:24])
        low, high = model.predict_interval(A[24:], level=0.9)
        inside += low[0] < b[24] < high[0]
    assert stats.binomtest(int(inside), 500, 0.9).pvalue > 1e-3


def test_more_columns_than_rows():
    rng = np.random.default_rng(1)
    A = rng.normal(size=(20, 60))
    b = A[:, 0] + 0.1 * rng.normal(size=20)
    model, peer = Ridge(alpha=5.0).fit(A, b), linear_model.Ridge(alpha=5.0).fit(A, b)
    np.testing.assert_allclose(model.predict(A), peer.predict(A), rtol=1e-8)
    assert 1.0 < model.effective_degrees_ < 20.0
    assert float(model.predict_dist(A[:1]).budget.parameter[0]) > 0.0
    with pytest.raises(UndefinedError, match="larger alpha"):
        Ridge(alpha=0.0).fit(A, b).predict_dist(A)


def test_the_choice_lies_on_the_path():
    path = Ridge().path(X, Y)
    assert Ridge().fit(X, Y).loo_error_ <= path.loo[path.best("loo")]
    given = Ridge(fit_intercept=False).path(X, Y, alphas=[0.3])
    np.testing.assert_allclose(given.coefficients[0, :, 0], Ridge(alpha=0.3, fit_intercept=False).fit(X, Y).coef_)


def test_criteria_without_a_penalty_are_those_of_least_squares_and_statsmodels():
    peer = sm.OLS(Y, sm.add_constant(X)).fit()
    path = Ridge().path(X, Y, alphas=[0.0])
    lasso = Lasso().path(X, Y, alphas=[1e-9], folds=None)
    facts = LinearRegression().fit(X, Y).summary().facts
    for aic, bic in ((path.aic[0], path.bic[0]), (lasso.aic[0], lasso.bic[0]), (facts["AIC"], facts["BIC"])):
        np.testing.assert_allclose([aic, bic], [peer.aic, peer.bic], rtol=1e-9)


def test_a_wide_table_without_noise_has_finite_intervals_that_cover():
    """The leave-one-out choice leaves the residuals no degree of freedom: those of the prior stand in."""
    rng = np.random.default_rng(3)
    slopes = rng.normal(size=60)
    covered = []
    for _ in range(20):
        inner, new = rng.normal(size=(30, 60)), rng.normal(size=(20, 60))
        model = Ridge().fit(inner, inner @ slopes)
        low, high = model.predict_interval(new)
        assert np.all(high - low < 20.0 * np.std(inner @ slopes))
        covered.append((low <= new @ slopes) & (new @ slopes <= high))
    assert np.mean(covered) > 0.8
    many = Ridge(alpha=model.alpha_).fit_many(inner, inner @ slopes, np.ones((1, 30))).predict_dist(new)
    np.testing.assert_allclose(np.asarray(many.interval(0.9))[:, 0], [low, high], rtol=1e-6)

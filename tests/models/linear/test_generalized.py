"""The belief of a generalized linear model against draws of its coefficients."""

import numpy as np
import pytest

from credo.errors import UndefinedError
from credo.models import GLM, GammaRegression, PoissonRegression

rng = np.random.default_rng(0)
X = rng.normal(size=(60, 2))
COUNTS = rng.poisson(np.exp(0.5 + X @ [0.4, -0.3])).astype(float)


@pytest.mark.parametrize("family", ["poisson", "negative binomial", "gamma", "gaussian", "inverse gaussian"])
def test_mean_and_budget_against_sampled_coefficients(family):
    y = COUNTS + (family in ("gamma", "inverse gaussian"))
    model = GLM(family=family).fit(X, y)
    covariance = model.dispersion_ * model.inverse_information_
    draws = np.random.default_rng(1).multivariate_normal(model.coefficients_, covariance, size=40_000)
    means = model._link().mean(draws @ np.column_stack([np.ones(4), X[:4]]).T)
    belief = model.predict_dist(X[:4])
    spread = means.std(axis=0)
    assert np.all(np.abs(np.asarray(belief.mean) - means.mean(axis=0)) < 4 * spread / 200)
    np.testing.assert_allclose(belief.budget.parameter, spread**2, rtol=0.06)
    known, degrees = model._family().known_dispersion, model.degrees_
    inflation = 1.0 if known else np.mean(degrees / np.random.default_rng(2).chisquare(degrees, size=400_000))
    noise = inflation * np.mean(model.dispersion_ * model._family().variance(means), axis=0)
    np.testing.assert_allclose(belief.budget.noise, noise, rtol=0.02)
    np.testing.assert_allclose(model.predict(X[:4]), belief.mean, rtol=1e-10)


def test_a_likelihood_ratio_where_the_dispersion_is_unknown_is_that_of_scaled_deviances():
    y = COUNTS + 1.0
    larger, smaller = GammaRegression().fit(X, y), GammaRegression().fit(X[:, :1], y)
    test = larger.likelihood_ratio_test(smaller)
    np.testing.assert_allclose(test.statistic, (smaller.deviance_ - larger.deviance_) / larger.dispersion_, rtol=1e-9)


def test_refusals():
    with pytest.raises(UndefinedError, match="ridge=1"):
        PoissonRegression(ridge=1.0).fit(X, COUNTS).summary()
    with pytest.raises(UndefinedError, match="rank 3"):
        PoissonRegression().fit(np.column_stack([X, X[:, 0]]), COUNTS).summary()
    few = GammaRegression().fit(X[:3], COUNTS[:3] + 1.0)
    assert np.all(np.isfinite(few.predict(X)))
    with pytest.raises(UndefinedError, match="dispersion"):
        few.predict_dist(X)
    with pytest.raises(UndefinedError, match="degrees of freedom"):
        few.summary()


def test_after_a_lasso_the_coefficients_are_taken_as_they_are():
    model = PoissonRegression(lasso=5.0).fit(X, COUNTS)
    mean = np.exp(model.intercept_ + X[:4] @ model.coef_)
    belief = model.predict_dist(X[:4])
    np.testing.assert_allclose(model.predict(X[:4]), mean, rtol=1e-12)
    np.testing.assert_allclose(belief.variance, mean, rtol=1e-12)  # a Poisson's own, and nothing else
    assert not belief.budget.is_split
    assert "lasso" in str(belief.budget)
    smaller = PoissonRegression().fit(X[:, :1], COUNTS)
    for refused in (model.summary, model.estimates, lambda: model.likelihood_ratio_test(smaller)):
        with pytest.raises(UndefinedError, match="lasso=5"):
            refused()
    with pytest.raises(UndefinedError, match="ridge=1"):
        PoissonRegression().fit(X, COUNTS).likelihood_ratio_test(PoissonRegression(ridge=1.0).fit(X[:, :1], COUNTS))
    again = model.set_params(lasso=0.0).fit(X, COUNTS)
    np.testing.assert_array_equal(again.coef_, PoissonRegression().fit(X, COUNTS).coef_)
    assert again.predict_dist(X[:4]).budget.is_split


def test_a_dispersion_that_a_lasso_leaves_unknown():
    wide = np.random.default_rng(3).normal(size=(12, 40))
    y = COUNTS[:12] + 1.0
    model = GammaRegression(lasso=1e-4).fit(wide, y)
    assert model.rank_ == 12
    with pytest.raises(UndefinedError, match="larger lasso"):
        model.predict_dist(wide)

"""Logistic regression against statsmodels and scikit-learn; separation; coverage."""

import numpy as np
import pytest
import statsmodels.api as sm
from scipy import stats
from sklearn.datasets import load_breast_cancer, load_iris
from sklearn.linear_model import LogisticRegression as Peer

from credo.errors import ConvergenceWarning, InputError, UndefinedError
from credo.models import LogisticRegression

DATA, TARGET = load_breast_cancer(return_X_y=True)
X = DATA[:, :4] / DATA[:, :4].std(axis=0)
LABELS = np.where(TARGET == 1, "benign", "malign")


@pytest.fixture(scope="module")
def both():
    return LogisticRegression().fit(X, TARGET), sm.GLM(TARGET, sm.add_constant(X), family=sm.families.Binomial()).fit(
        tol=1e-14
    )


def test_estimates_errors_and_likelihood_are_those_of_statsmodels(both):
    model, peer = both
    table = model.estimates()["y0"]
    np.testing.assert_allclose(table.values, peer.params, rtol=1e-7)
    np.testing.assert_allclose(table.standard_errors, peer.bse, rtol=1e-7)
    np.testing.assert_allclose(table.p_values, peer.pvalues, rtol=1e-5, atol=1e-12)
    facts = model.summary().facts
    np.testing.assert_allclose([facts["log likelihood"], facts["AIC"]], [peer.llf, peer.aic], rtol=1e-10)
    robust = sm.GLM(TARGET, sm.add_constant(X), family=sm.families.Binomial()).fit(tol=1e-14, cov_type="HC0")
    np.testing.assert_allclose(model.estimates(covariance="HC0")["y0"].standard_errors, robust.bse, rtol=1e-6)


def test_a_ridge_is_scikit_learns_c():
    model, peer = LogisticRegression(ridge=2.0).fit(X, TARGET), Peer(C=0.5, tol=1e-12, max_iter=10_000).fit(X, TARGET)
    np.testing.assert_allclose(model.coef_, peer.coef_[0], rtol=1e-5)
    with pytest.raises(UndefinedError, match="ridge=2"):
        model.summary()


def test_labels_are_kept_and_probabilities_are_milder_than_the_plug_in():
    model = LogisticRegression().fit(X[:60], LABELS[:60])
    assert set(model.predict(X)) <= {"benign", "malign"}
    plug_in = 1 / (1 + np.exp(-(X @ model.coef_ + model.intercept_)))
    averaged = model.predict_proba(X)[:, 1]
    assert np.all(np.abs(averaged - 0.5) <= np.abs(plug_in - 0.5) + 1e-12)
    np.testing.assert_array_equal(averaged > 0.5, plug_in > 0.5)
    np.testing.assert_allclose(model.decision_function(X), np.log(averaged / (1 - averaged)), rtol=1e-6)
    belief = model.predict_dist(X[:5])
    np.testing.assert_allclose(belief.budget.total, belief.variance, rtol=1e-9)


def test_averaged_probabilities_against_sampled_coefficients():
    model = LogisticRegression().fit(X[:80], TARGET[:80])
    draws = np.random.default_rng(0).multivariate_normal(model.coefficients_, model.inverse_information_, size=40_000)
    rows = np.column_stack([np.ones(5), X[100:105]])
    sampled = np.mean(1 / (1 + np.exp(-draws @ rows.T)), axis=0)
    np.testing.assert_allclose(model.predict_proba(X[100:105])[:, 1], sampled, atol=4 * 0.5 / np.sqrt(40_000))


def test_separated_classes_are_reported_and_still_predicted():
    A, b = load_iris(return_X_y=True)
    with pytest.warns(ConvergenceWarning, match="complete separation"):
        model = LogisticRegression().fit(A, b == 0)
    assert model.separated_ == "complete"
    assert model.score(A, b == 0) == 1.0
    assert not model.predict_dist(A[:3]).budget.is_split
    with pytest.raises(UndefinedError, match="complete separation"):
        model.summary()
    assert LogisticRegression(ridge=1.0).fit(A, b == 0).certificate_.converged


def test_many_columns_for_its_rows_are_a_note():
    rng = np.random.default_rng(0)
    A = rng.normal(size=(100, 20))
    b = rng.random(100) < 0.5
    assert "too far from zero" in str(LogisticRegression().fit(A, b).summary())
    assert "too far from zero" not in str(LogisticRegression().fit(A[:, :3], b).summary())


def test_coverage_of_a_coefficient():
    rng = np.random.default_rng(1)
    inside = 0
    for _ in range(500):
        A = rng.normal(size=(200, 2))
        b = rng.random(200) < 1 / (1 + np.exp(-(0.3 + A @ [0.8, -0.5])))
        low, high = LogisticRegression().fit(A, b).estimates()["y0"].interval(0.9)
        inside += low[1] < 0.8 < high[1]
    assert stats.binomtest(int(inside), 500, 0.9).pvalue > 1e-3


def test_three_classes_are_referred():
    A, b = load_iris(return_X_y=True)
    with pytest.raises(InputError, match="SoftmaxRegression"):
        LogisticRegression().fit(A, b)


def test_correction_for_many_columns():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(600, 90))
    beta = rng.normal(size=90) / 8.0
    y = rng.uniform(size=600) < 1.0 / (1.0 + np.exp(-X @ beta))
    model = LogisticRegression().fit(X, y)
    plain, corrected = model.summary(), model.summary(correction="many columns")
    assert "summary(correction='many columns')" in str(plain)
    table = corrected.tables["y0"]
    assert table.names == tuple(f"x{j}" for j in range(90))
    shrunk = table.values / model.coef_
    np.testing.assert_allclose(shrunk, shrunk[0])
    assert abs(table.values @ beta / (beta @ beta) - 1.0) < 0.15 < model.coef_ @ beta / (beta @ beta) - 1.0
    np.testing.assert_allclose(corrected.facts["estimates were too large by"], 1.0 / shrunk[0])
    with pytest.raises(InputError, match="many columns"):
        model.summary(correction="few columns")
    with pytest.raises(InputError, match="many columns"):
        model.summary(correction="many columns", covariance="HC1")
    with pytest.raises(UndefinedError, match="ridge"):
        LogisticRegression(ridge=1.0).fit(X, y).summary(correction="many columns")
    with pytest.warns(ConvergenceWarning):
        separated = LogisticRegression().fit(X[:60], y[:60])
    with pytest.raises(UndefinedError, match="separation"):
        separated.summary(correction="many columns")


def test_a_lasso_is_scikit_learns():
    Z = (DATA - DATA.mean(axis=0)) / DATA.std(axis=0)
    model = LogisticRegression(lasso=10.0).fit(Z, LABELS)
    peer = Peer(C=0.1, l1_ratio=1.0, solver="saga", tol=1e-8, max_iter=20_000).fit(Z, TARGET == 0)
    np.testing.assert_allclose(model.coef_, peer.coef_[0], atol=1e-5)
    np.testing.assert_allclose(model.predict_proba(Z)[:, 1], peer.predict_proba(Z)[:, 1], atol=1e-5)
    np.testing.assert_allclose(model.decision_function(Z), Z @ model.coef_ + model.intercept_)
    assert model.separated_ == "none"
    assert not model.predict_dist(Z[:3]).budget.is_split
    for correction in (None, "many columns"):
        with pytest.raises(UndefinedError, match="lasso=10"):
            model.summary(correction=correction)


def test_refits_with_a_lasso_are_single_fits():
    W = np.random.default_rng(0).multinomial(len(X), np.full(len(X), 1 / len(X)), size=3).astype(float)
    model = LogisticRegression(lasso=4.0, ridge=0.5)
    belief = model.fit_many(X, LABELS, W).predict_dist(X)
    assert not belief.budget.is_split
    for b, w in enumerate(W):
        one = LogisticRegression(lasso=4.0, ridge=0.5).fit(X, LABELS, sample_weight=w)
        np.testing.assert_allclose(belief.mean[b], one.predict_dist(X).mean, rtol=1e-7)

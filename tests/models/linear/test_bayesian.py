"""Bayesian linear regression: coverage, budget, sequential learning, agreement with classical theory."""

import numpy as np
import pytest
import statsmodels.api as sm
from scipy import stats

from credo.errors import InputError
from credo.models import BayesianLinearRegression


def simulate(rng, n, d=3, noise=1.0, slopes=None):
    X = rng.normal(size=(n, d)) * np.geomspace(0.1, 10, d)
    slopes = rng.normal(size=d) / np.geomspace(0.1, 10, d) if slopes is None else slopes
    return X, 5.0 + X @ slopes + noise * rng.normal(size=n), slopes


@pytest.mark.parametrize("prior_scale", ["evidence", pytest.param(1e4, marks=pytest.mark.slow)])
@pytest.mark.parametrize("level", [pytest.param(0.5, marks=pytest.mark.slow), 0.9])
def test_intervals_cover_at_their_level(prior_scale, level):
    """500 data sets of 25 rows, one new row each: covered counts are within 3 standard errors of the level."""
    rng = np.random.default_rng(11)
    covered = 0
    for _ in range(500):
        X, y, _ = simulate(rng, 26)
        low, high = (
            BayesianLinearRegression(prior_scale=prior_scale).fit(X[:25], y[:25]).predict_interval(X[25:], level)
        )
        covered += bool(low[0] <= y[25] <= high[0])
    assert abs(covered / 500 - level) < 3 * np.sqrt(level * (1 - level) / 500)


@pytest.mark.slow
def test_coefficients_drawn_from_the_prior_are_covered_exactly():
    """Simulation-based calibration: with truth drawn from the prior, the cdf of y under its belief is uniform."""
    rng = np.random.default_rng(5)
    x = np.linspace(-1, 1, 12)[:, None]
    spread, ranks = x[:11].var(), []
    for _ in range(400):
        variance = stats.invgamma(3.0, scale=2.0).rvs(random_state=rng)
        slope = rng.normal() * np.sqrt(variance * 0.8**2 / spread)
        y = slope * x[:, 0] + np.sqrt(variance) * rng.normal(size=12)
        fitted = BayesianLinearRegression(prior_scale=0.8, noise_shape=3.0, noise_scale=2.0).fit(x[:11], y[:11])
        ranks.append(float(fitted.predict_dist(x[11:]).cdf(y[11])[0]))
    assert stats.kstest(ranks, "uniform").pvalue > 0.01


def test_wide_prior_is_ordinary_least_squares():
    X, y, _ = simulate(np.random.default_rng(0), 40)
    fitted = BayesianLinearRegression(prior_scale=1e6).fit(X, y)
    classical = sm.OLS(y, sm.add_constant(X)).fit()
    np.testing.assert_allclose(np.r_[fitted.intercept_, fitted.coef_], classical.params, rtol=1e-8)
    # The t interval differs by its degrees of freedom only: n - 1 here, n - d - 1 there, with the residual sum shared.
    belief = fitted.predict_dist(X)
    residual_variance = classical.ssr / (40 - 1)
    leverage = np.diag(
        sm.add_constant(X) @ np.linalg.inv(sm.add_constant(X).T @ sm.add_constant(X)) @ sm.add_constant(X).T
    )
    np.testing.assert_allclose(belief.scale, np.sqrt(residual_variance * (1 + leverage)), rtol=1e-7)


def test_units_do_not_matter():
    X, y, _ = simulate(np.random.default_rng(1), 30)
    one = BayesianLinearRegression().fit(X, y)
    other = BayesianLinearRegression().fit(X * [1e3, 1.0, 1e-4] + 7.0, 100.0 * y - 3.0)
    moved = X * [1e3, 1.0, 1e-4] + 7.0
    np.testing.assert_allclose(other.predict(moved), 100.0 * one.predict(X) - 3.0, rtol=1e-7)
    np.testing.assert_allclose(other.predict_dist(moved).std, 100.0 * one.predict_dist(X).std, rtol=1e-7)


def test_budget_parts_shrink_as_they_should():
    """Sixteen times the rows: the parameter part falls about sixteenfold, the noise part stays where it is."""
    rng = np.random.default_rng(2)
    slopes = np.array([1.0, 0.1, 0.05])
    new = np.zeros((1, 3))
    parts = []
    for n in (100, 1600):
        budgets = [
            BayesianLinearRegression().fit(*simulate(rng, n, noise=2.0, slopes=slopes)[:2]).predict_dist(new).budget
            for _ in range(20)
        ]
        parts.append([np.mean([float(b.noise[0]) for b in budgets]), np.mean([float(b.parameter[0]) for b in budgets])])
    (noise_few, parameter_few), (noise_many, parameter_many) = parts
    assert noise_few == pytest.approx(4.0, rel=0.15)
    assert noise_many == pytest.approx(4.0, rel=0.05)
    assert parameter_few / parameter_many == pytest.approx(16.0, rel=0.25)


def test_partial_fit_is_the_batch_posterior():
    X, y, _ = simulate(np.random.default_rng(3), 60)
    w = np.random.default_rng(4).integers(1, 3, 60)
    batch = BayesianLinearRegression().fit(X, y, sample_weight=w)
    online = BayesianLinearRegression()
    for rows in np.array_split(np.arange(60), 7):
        online.partial_fit(X[rows], y[rows], sample_weight=w[rows])
    np.testing.assert_allclose(online.coef_, batch.coef_, rtol=1e-9)
    np.testing.assert_allclose(online.log_evidence_, batch.log_evidence_, rtol=1e-11)
    np.testing.assert_allclose(online.predict_dist(X).variance, batch.predict_dist(X).variance, rtol=1e-9)


def test_partial_fit_takes_single_rows_after_the_first_batch():
    X, y, _ = simulate(np.random.default_rng(3), 12)
    online = BayesianLinearRegression().partial_fit(X[:10], y[:10])
    for i in (10, 11):
        online.partial_fit(X[i : i + 1], y[i : i + 1])
    np.testing.assert_allclose(online.predict(X), BayesianLinearRegression().fit(X, y).predict(X), rtol=1e-9)


def test_failed_partial_fit_changes_nothing():
    X, y, _ = simulate(np.random.default_rng(3), 12)
    online = BayesianLinearRegression().partial_fit(X, y)
    before = dict(vars(online))
    with pytest.raises(InputError, match="NaN"):
        online.partial_fit(X * np.nan, y)
    assert all(vars(online)[name] is value for name, value in before.items())


@pytest.mark.slow
def test_evidence_prefers_the_true_columns():
    rng = np.random.default_rng(6)
    X = rng.normal(size=(40, 6))
    y = X[:, :2] @ [1.0, -1.0] + rng.normal(size=40)
    true = BayesianLinearRegression().fit(X[:, :2], y).log_evidence_
    others = [
        BayesianLinearRegression().fit(X[:, columns], y).log_evidence_ for columns in ([0], [1], [2, 3], [0, 3, 4, 5])
    ]
    assert true > max(others)


def test_more_columns_than_rows():
    X, y, _ = simulate(np.random.default_rng(7), 10, d=30)
    belief = BayesianLinearRegression().fit(X, y).predict_dist(X)
    assert np.all(np.isfinite(belief.mean))
    assert np.all(belief.scale > 0)


def test_repeated_column_shares_the_weight():
    X, y, _ = simulate(np.random.default_rng(8), 30, d=1)
    fitted = BayesianLinearRegression(prior_scale=3.0).fit(np.column_stack([X, X]), y)
    np.testing.assert_allclose(fitted.coef_[0], fitted.coef_[1], rtol=1e-6)


def test_one_row_needs_a_noise_prior():
    with pytest.raises(InputError, match="nothing to learn the noise from"):
        BayesianLinearRegression().fit([[1.0]], [2.0])
    learned = BayesianLinearRegression(noise_shape=2.0, noise_scale=1.0, prior_scale=1.0).fit([[1.0]], [2.0])
    np.testing.assert_allclose(learned.predict([[1.0]]), [2.0])


def test_half_a_noise_prior_is_refused():
    with pytest.raises(InputError, match="one is zero, the other is not"):
        BayesianLinearRegression(noise_shape=1.0).fit([[0.0], [1.0]], [0.0, 1.0])


def test_certificate_says_how():
    X, y, _ = simulate(np.random.default_rng(9), 20)
    chosen, given = (
        BayesianLinearRegression().fit(X, y).certificate_,
        BayesianLinearRegression(prior_scale=1.0).fit(X, y).certificate_,
    )
    assert chosen.kind == given.kind == "exact"
    assert "maximizes the evidence" in str(chosen)
    assert not given.notes
    assert given.condition >= 1.0


SETTINGS = {
    "known noise": {"noise_variance": 1.3},
    "prior": {"prior_mean": [1.0, 0.0, -1.0], "prior_covariance": [4.0, 1.0, 0.01]},
    "both": {
        "noise_variance": 0.8,
        "prior_covariance": np.diag([4.0, 1.0, 0.01]) + 0.005,
        "prior_scale": "evidence",
        "fit_intercept": False,
    },
}
every_setting = pytest.mark.parametrize("settings", SETTINGS.values(), ids=SETTINGS)


@every_setting
def test_partial_fit_and_fit_many_hold_for_every_prior(settings):
    X, y, _ = simulate(np.random.default_rng(3), 40)
    w = np.random.default_rng(4).integers(1, 3, 40).astype(float)
    batch = BayesianLinearRegression(**settings).fit(X, y, sample_weight=w)
    online = BayesianLinearRegression(**settings)
    for rows in np.array_split(np.arange(40), 3):
        online.partial_fit(X[rows], y[rows], sample_weight=w[rows])
    many = BayesianLinearRegression(**settings).fit_many(X, y, np.stack([w, np.ones(40)]))
    for other in (online.posterior_, many):
        np.testing.assert_allclose(np.ravel(other.log_evidence)[0], batch.log_evidence_, rtol=1e-9)
        belief = other.predict_dist(X)
        np.testing.assert_allclose(np.atleast_2d(belief.mean)[0], batch.predict_dist(X).mean, rtol=1e-8)
        np.testing.assert_allclose(np.atleast_2d(belief.variance)[0], batch.predict_dist(X).variance, rtol=1e-8)


def test_a_prior_over_learned_noise_is_in_its_units():
    """The textbook's normal equations with prior precision V⁻¹, for which the noise cancels."""
    X, y, _ = simulate(np.random.default_rng(5), 20)
    m, V = SETTINGS["prior"]["prior_mean"], np.diag(SETTINGS["prior"]["prior_covariance"])
    fitted = BayesianLinearRegression(**SETTINGS["prior"]).fit(X, y)
    A = np.column_stack([np.ones(20), X])
    precision = np.diag(np.r_[0.0, 1.0 / np.diag(V)])
    expected = np.linalg.solve(A.T @ A + precision, A.T @ y + precision @ np.r_[0.0, m])
    np.testing.assert_allclose(np.r_[fitted.intercept_, fitted.coef_], expected, rtol=1e-8)
    assert fitted.prior_scale_ == 1.0
    draws = fitted.sample_coefficients(5, random_state=0)
    assert draws.coefficients.shape == (5, 3)


def test_known_noise_covers_at_its_level():
    """Coefficients from the prior, the noise known: 400 rows of 8 each, within 3 standard errors of 0.9."""
    rng = np.random.default_rng(7)
    V, covered = np.array([[1.0, 0.5], [0.5, 2.0]]), 0
    model = BayesianLinearRegression(noise_variance=0.5, prior_mean=[1.0, 0.0], prior_covariance=V)
    for _ in range(400):
        X = rng.normal(size=(9, 2))
        beta = rng.multivariate_normal([1.0, 0.0], V)
        y = 3.0 + X @ beta + np.sqrt(0.5) * rng.normal(size=9)
        low, high = model.fit(X[:8], y[:8]).predict_interval(X[8:], 0.9)
        covered += bool(low[0] <= y[8] <= high[0])
    assert abs(covered / 400 - 0.9) < 3 * np.sqrt(0.09 / 400)


def test_known_noise_has_no_prior_and_needs_one_row_only():
    with pytest.raises(InputError, match="and a prior on it"):
        BayesianLinearRegression(noise_variance=1.0, noise_shape=1.0, noise_scale=1.0).fit([[0.0], [1.0]], [0.0, 1.0])
    one = BayesianLinearRegression(noise_variance=2.0, prior_scale=1.0).fit([[1.0]], [3.0])
    np.testing.assert_allclose(one.predict_dist([[1.0]]).variance, 4.0)  # the noise, and that of the one row


@pytest.mark.parametrize("bad", [{"prior_mean": [1.0]}, {"prior_covariance": [1.0, 2.0]}])
def test_a_prior_of_other_columns_is_refused(bad):
    X, y, _ = simulate(np.random.default_rng(5), 20)
    with pytest.raises(InputError, match=next(iter(bad))):
        BayesianLinearRegression(**bad).fit(X, y)


def test_an_exact_fit_has_the_same_interval_by_weights_and_by_repeats():
    """More columns than rows: what is left over is round-off, and the width elsewhere must not be made of that."""
    rng = np.random.default_rng(5)
    X, y, weights = rng.random((12, 20)), rng.random(12), rng.integers(1, 5, size=12)
    new = rng.random((6, 20))
    weighted = BayesianLinearRegression().fit(X, y, sample_weight=weights).predict_dist(new)
    repeated = BayesianLinearRegression().fit(X.repeat(weights, axis=0), y.repeat(weights)).predict_dist(new)
    np.testing.assert_allclose(weighted.scale, repeated.scale, rtol=1e-6)
    assert np.all(np.asarray(weighted.scale) > 1e-3)


def test_a_prior_that_leaves_no_slope_and_one_that_says_it_all():
    rng = np.random.default_rng(6)
    X, slopes = rng.normal(size=(20, 2)), np.array([1.0, -2.0])
    y = X @ slopes + 0.1 * rng.normal(size=20)
    narrow = BayesianLinearRegression(prior_scale=1e-160).fit(X, y).predict_dist(X)
    np.testing.assert_allclose(narrow.mean, np.mean(y))
    assert np.all(np.isfinite(narrow.scale))
    known = BayesianLinearRegression(prior_mean=slopes, prior_covariance=np.eye(2)).fit(X, X @ slopes).predict_dist(X)
    assert np.all(np.asarray(known.scale) > 1e-9)  # the round-off of numbers of size one

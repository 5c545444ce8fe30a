"""Least squares against statsmodels, scikit-learn and simulation."""

import numpy as np
import pytest
import statsmodels.api as sm
from scipy import stats
from sklearn import linear_model
from sklearn.datasets import load_diabetes, load_linnerud

import credo
from credo.errors import InputError, UndefinedError
from credo.models import LinearRegression
from nist import correct_digits, read

X, Y = load_diabetes(return_X_y=True)
MODEL = LinearRegression().fit(X, Y)
PEER = sm.OLS(Y, sm.add_constant(X)).fit()


def test_coefficients_errors_and_criteria_are_those_of_statsmodels():
    table = MODEL.estimates()["y0"]
    np.testing.assert_allclose(table.values, PEER.params, rtol=1e-10)
    np.testing.assert_allclose(table.standard_errors, PEER.bse, rtol=1e-10)
    np.testing.assert_allclose(table.p_values, PEER.pvalues, rtol=1e-8)
    np.testing.assert_allclose(np.column_stack(table.interval(0.95)), PEER.conf_int(), rtol=1e-9)
    facts = MODEL.summary().facts
    peers = [PEER.rsquared, PEER.rsquared_adj, PEER.llf, PEER.aic, PEER.bic, np.sqrt(PEER.scale)]
    ours = [facts[k] for k in ("R²", "adjusted R²", "log likelihood", "AIC", "BIC", "noise standard deviation")]
    np.testing.assert_allclose(ours, peers, rtol=1e-12)


@pytest.mark.parametrize("kind", ["HC0", "HC1", "HC2", "HC3"])
def test_robust_errors_are_those_of_statsmodels(kind):
    peer = PEER.get_robustcov_results(kind)
    table = MODEL.estimates(covariance=kind)["y0"]
    np.testing.assert_allclose(table.standard_errors, peer.bse, rtol=1e-9)
    np.testing.assert_allclose(table.p_values, peer.pvalues, rtol=1e-7)


def test_clustered_errors_are_those_of_statsmodels():
    groups = np.arange(len(Y)) // 7
    peer = PEER.get_robustcov_results("cluster", groups=groups)
    table = MODEL.estimates(groups=groups)["y0"]
    np.testing.assert_allclose(table.standard_errors, peer.bse, rtol=1e-9)
    np.testing.assert_allclose(table.p_values, peer.pvalues, rtol=1e-7)


def test_hypotheses_are_tested_as_in_statsmodels():
    H = np.zeros((2, 11))
    H[0, [1, 2]], H[1, 3] = [1.0, -1.0], 1.0
    peer = PEER.f_test((H, [0.0, 500.0]))
    ours = MODEL.wald_test(H, [0.0, 500.0])
    np.testing.assert_allclose([ours.statistic, ours.p_value], [float(peer.fvalue), float(peer.pvalue)], rtol=1e-9)
    smaller = LinearRegression().fit(X[:, :8], Y)
    statistic, p_value, _ = PEER.compare_lr_test(sm.OLS(Y, sm.add_constant(X[:, :8])).fit())
    ratio = MODEL.likelihood_ratio_test(smaller)
    np.testing.assert_allclose([ratio.statistic, ratio.p_value], [statistic, p_value], rtol=1e-9)


def test_predictive_interval_is_that_of_statsmodels():
    frame = PEER.get_prediction(sm.add_constant(X[:9] + 0.1, has_constant="add")).summary_frame(alpha=0.1)
    low, high = MODEL.predict_interval(X[:9] + 0.1, level=0.9)
    np.testing.assert_allclose(low, frame["obs_ci_lower"], rtol=1e-9)
    np.testing.assert_allclose(high, frame["obs_ci_upper"], rtol=1e-9)


def test_weights_are_those_of_repeated_rows_in_every_statement():
    w = np.random.default_rng(0).integers(0, 4, len(Y))
    weighted = LinearRegression().fit(X, Y, sample_weight=w)
    repeated = LinearRegression().fit(np.repeat(X, w, axis=0), np.repeat(Y, w))
    for kind in ("classical", "HC0", "HC1", "HC2", "HC3"):
        np.testing.assert_allclose(
            weighted.estimates(covariance=kind)["y0"].covariance,
            repeated.estimates(covariance=kind)["y0"].covariance,
            rtol=1e-9,
            atol=1e-9,
        )
    for name, value in weighted.summary().facts.items():
        np.testing.assert_allclose(value, repeated.summary().facts[name], rtol=1e-10)
    groups = np.arange(len(Y)) // 7
    np.testing.assert_allclose(
        weighted.estimates(groups=groups[w > 0])["y0"].standard_errors,
        repeated.estimates(groups=np.repeat(groups, w))["y0"].standard_errors,
        rtol=1e-9,
    )


def test_several_outputs():
    A, B = load_linnerud(return_X_y=True)
    model, peer = LinearRegression().fit(A, B), linear_model.LinearRegression().fit(A, B)
    np.testing.assert_allclose(model.coef_, peer.coef_, rtol=1e-10)
    np.testing.assert_allclose(model.predict(A), peer.predict(A), rtol=1e-12)
    belief = model.predict_dist(A[:4])
    assert (belief.batch_shape, belief.event_shape) == ((4,), (3,))
    np.testing.assert_allclose(belief.budget.total, belief.variance, rtol=1e-12)
    one = LinearRegression().fit(A, B[:, 1])
    np.testing.assert_allclose(model.estimates()["y1"].covariance, one.estimates()["y0"].covariance, rtol=1e-10)
    with pytest.raises(UndefinedError, match="3 outputs"):
        model.wald_test(np.eye(4))
    with pytest.raises(InputError, match="3 outputs"):
        model.fit_many(A, B, np.ones((2, len(A))))


def test_joint_predictive_of_outputs_is_a_t_of_the_scatter():
    """Given S ~ Wishart(ν, Σ), the residual of a new row over S is Hotelling's: F with m and ν − m + 1 degrees."""
    rng = np.random.default_rng(0)
    n, m, level = 20, 2, 0.9
    inside = []
    for _ in range(400):
        A = rng.normal(size=(n + 1, 2))
        B = A @ rng.normal(size=(2, m)) + rng.normal(size=(n + 1, m)) @ [[1.0, 0.7], [0.0, 0.5]]
        belief = LinearRegression().fit(A[:n], B[:n]).predict_dist(A[n:])
        gap = B[n] - np.asarray(belief.loc[0])
        square = gap @ np.linalg.solve(np.asarray(belief.shape_matrix[0]), gap) / m
        inside.append(square < stats.f.ppf(level, m, float(belief.df[0])))
    assert stats.binomtest(int(np.sum(inside)), 400, level).pvalue > 1e-3


def test_coverage_of_predictions_and_coefficients():
    rng = np.random.default_rng(1)
    truth = np.array([1.0, -2.0, 0.0])
    of_y, of_slope = [], []
    for _ in range(500):
        A = rng.normal(size=(13, 3))
        b = 4.0 + A @ truth + 2.0 * rng.normal(size=13)
        model = LinearRegression().fit(A[:12], b[:12])
        low, high = model.predict_interval(A[12:], level=0.9)
        of_y.append(low[0] < b[12] < high[0])
        low, high = model.estimates()["y0"].interval(0.9)
        of_slope.append(low[1] < 1.0 < high[1])
    for inside in (of_y, of_slope):
        assert stats.binomtest(int(np.sum(inside)), 500, 0.9).pvalue > 1e-3


def test_robust_intervals_cover_where_noise_grows_and_classical_ones_do_not():
    rng = np.random.default_rng(2)
    hits = {"classical": 0, "HC3": 0}
    for _ in range(500):
        A = rng.exponential(size=(80, 1))
        b = A[:, 0] + A[:, 0] ** 2 * rng.normal(size=80)
        model = LinearRegression().fit(A, b)
        for kind in hits:
            low, high = model.estimates(covariance=kind)["y0"].interval(0.9)
            hits[kind] += low[1] < 1.0 < high[1]
    assert hits["classical"] < 0.7 * 500
    assert 0.8 * 500 < hits["HC3"]


def test_budget_shrinks_as_it_should():
    rng = np.random.default_rng(3)
    A = rng.normal(size=(4000, 3))
    b = A @ [1.0, 2.0, 3.0] + rng.normal(size=4000)
    few, many = (LinearRegression().fit(A[:n], b[:n]).predict_dist([[1.0, 1.0, 1.0]]).budget for n in (40, 4000))
    assert float(many.parameter[0]) < float(few.parameter[0]) / 30
    np.testing.assert_allclose(many.noise, 1.0, rtol=0.1)


def test_columns_that_repeat_give_the_smallest_coefficients_and_no_standard_errors():
    A = np.column_stack([X[:, :3], X[:, 0]])
    model = LinearRegression().fit(A, Y)
    peer = linear_model.LinearRegression().fit(A, Y)
    np.testing.assert_allclose(model.coef_, peer.coef_, rtol=1e-9)
    assert "rank 4 of 5" in str(model.certificate_)
    np.testing.assert_allclose(model.predict_dist(A[:5]).mean, peer.predict(A[:5]), rtol=1e-9)
    with pytest.raises(UndefinedError, match="rank 4"):
        model.summary()


def test_more_columns_than_rows_fit_but_do_not_speak():
    model = LinearRegression().fit(X[:6], Y[:6])
    np.testing.assert_allclose(model.predict(X[:6]), Y[:6])
    for ask in (model.summary, lambda: model.predict_dist(X[:2]), lambda: model.noise_variance_):
        with pytest.raises(UndefinedError, match=r"rank|degrees"):
            ask()


def test_an_exact_fit_has_no_nan():
    A = np.arange(6.0)[:, None]
    model = LinearRegression().fit(A, 1.0 + 2.0 * A[:, 0])
    belief = model.predict_dist(A)
    assert np.all(np.isfinite(belief.mean))
    assert np.all(np.asarray(belief.std) < 1e-12)
    assert "nan" not in str(model.summary())


def test_a_file_holds_no_rows(tmp_path):
    credo.save(MODEL, tmp_path / "m.credo")
    loaded = credo.load(tmp_path / "m.credo")
    np.testing.assert_array_equal(loaded.estimates()["y0"].covariance, MODEL.estimates()["y0"].covariance)
    with pytest.raises(UndefinedError, match="Fit again"):
        loaded.summary(covariance="HC3")
    assert (tmp_path / "m.credo").stat().st_size < X.nbytes


def test_longley_through_the_estimator():
    A, b, certified, _ = read("Longley")
    table = LinearRegression().fit(A, b).estimates()["y0"]
    assert correct_digits(table.values, certified[:, 0]) > 12
    assert correct_digits(table.standard_errors, certified[:, 1]) > 12


def test_groups_that_do_not_fit():
    with pytest.raises(InputError, match="groups are None"):
        MODEL.summary(covariance="cluster")
    with pytest.raises(InputError, match="3 labels"):
        MODEL.summary(groups=[1, 2, 3])

"""Coverage of intervals at finite n, around wrong models too, and equality with MAPIE and with loops."""

import numpy as np
import pytest
from mapie.conformity_scores import ResidualNormalisedScore
from mapie.regression import CrossConformalRegressor, SplitConformalRegressor
from scipy import stats
from sklearn.dummy import DummyRegressor
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LinearRegression
from sklearn.model_selection import LeaveOneOut, PredefinedSplit
from sklearn.tree import DecisionTreeRegressor

import credo
from credo.beliefs import Normal
from credo.errors import InputError
from credo.models import BayesianLinearRegression
from credo.validate.conformal import ConformalRegressor
from credo.validate.conformal import regressor as wiring

rng = np.random.default_rng(0)
X = rng.normal(size=(60, 2))
Y = np.sin(2.0 * X[:, 0]) + X[:, 1] + 0.3 * rng.normal(size=60)
NEW = rng.normal(size=(25, 2))
TREE = DecisionTreeRegressor(max_depth=4, random_state=0)


class Nearest:
    """The target of the nearest row: on the rows it was fitted to it makes no error at all."""

    def fit(self, X, y):
        self.rows, self.targets = X, y
        return self

    def predict(self, X):
        return self.targets[np.argmin(np.abs(X[:, :1] - self.rows[:, 0]), axis=1)]


class Wrong:
    """A constant, and a standard deviation that depends on x."""

    def __init__(self, constant=0.0, spread=lambda x: 1.0 + 0.0 * x):
        self.constant, self.spread = constant, spread

    def fit(self, X, y):
        return self

    def predict(self, X):
        return np.full(len(X), self.constant)

    def predict_dist(self, X):
        return Normal(self.predict(X), self.spread(X[:, 0]))


def held(model, X, y, level, **asked):
    low, high = model.predict_interval(X, level, **asked)
    return (low <= y) & (y <= high)


# Equality -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("level", [0.5, 0.8, 0.9])
def test_split_equals_mapie(level):
    model = ConformalRegressor(estimator=TREE, method="split", random_state=0).fit(X, Y)
    rows = model.calibration_rows_
    peer = SplitConformalRegressor(model.estimator_, confidence_level=level).conformalize(X[rows], Y[rows])
    points, ends = peer.predict_interval(NEW)
    np.testing.assert_allclose(np.stack(model.predict_interval(NEW, level), axis=1), ends[:, :, 0], rtol=1e-12)
    np.testing.assert_array_equal(model.predict(NEW), points)
    assert len(rows) == 15
    expected = TREE.fit(np.delete(X, rows, axis=0), np.delete(Y, rows)).predict(NEW)
    np.testing.assert_array_equal(points, expected)


@pytest.mark.parametrize("level", [0.5, 0.8, 0.9])
@pytest.mark.parametrize("method", ["cv+", "jackknife+"])
def test_cv_plus_and_jackknife_plus_equal_mapie(method, level):
    model = ConformalRegressor(estimator=TREE, method=method, folds=7, random_state=0).fit(X, Y)
    cv = PredefinedSplit(model.fold_of_) if method == "cv+" else LeaveOneOut()
    peer = CrossConformalRegressor(TREE, confidence_level=level, cv=cv).fit_conformalize(X, Y)
    points, ends = peer.predict_interval(NEW, aggregate_point_predictions=None)
    np.testing.assert_allclose(np.stack(model.predict_interval(NEW, level), axis=1), ends[:, :, 0], rtol=1e-12)
    np.testing.assert_array_equal(model.predict(NEW), points)


def test_normalized_split_equals_mapie():
    spread = lambda x: 1.0 + x**2  # noqa: E731
    stated = Wrong(1.0, spread)
    model = ConformalRegressor(estimator=stated, method="split", normalized=True, random_state=0).fit(X, Y)
    rows = model.calibration_rows_
    base = DummyRegressor(strategy="constant", constant=1.0).fit(X, Y)
    sizes = DecisionTreeRegressor().fit(np.r_[X, NEW], spread(np.r_[X, NEW][:, 0]))  # knows each of these rows
    score = ResidualNormalisedScore(residual_estimator=sizes, prefit=True)
    peer = SplitConformalRegressor(base, confidence_level=0.8, conformity_score=score).conformalize(X[rows], Y[rows])
    _, ends = peer.predict_interval(NEW)
    np.testing.assert_allclose(np.stack(model.predict_interval(NEW, 0.8), axis=1), ends[:, :, 0], rtol=1e-6)


def test_normalized_cv_plus_is_that_of_a_loop(monkeypatch):
    groups, new_groups = rng.integers(0, 2, 60), rng.integers(0, 2, 25)
    settings = {"estimator": BayesianLinearRegression(), "normalized": True, "folds": 4, "random_state": 0}
    model = ConformalRegressor(**settings).fit(X, Y, groups=groups)
    low, high = model.predict_interval(NEW, 0.8, groups=new_groups)
    monkeypatch.setattr(wiring, "_BLOCK", 40)  # ten new rows at a time
    np.testing.assert_allclose(model.predict_interval(NEW, 0.8, groups=new_groups), (low, high), rtol=1e-12)
    one_by_one = [
        BayesianLinearRegression().fit(X[model.fold_of_ != fold], Y[model.fold_of_ != fold]) for fold in range(4)
    ]
    centers = np.stack([each.predict(np.r_[X, NEW]) for each in one_by_one])
    sizes = np.stack([np.asarray(each.predict_dist(np.r_[X, NEW]).std) for each in one_by_one])
    for j in range(len(NEW)):
        upper, lower = [], []
        for i in np.flatnonzero(groups == new_groups[j]):
            fold = model.fold_of_[i]
            error = abs(Y[i] - centers[fold, i]) / sizes[fold, i]
            upper.append(centers[fold, 60 + j] + error * sizes[fold, 60 + j])
            lower.append(centers[fold, 60 + j] - error * sizes[fold, 60 + j])
        k = int(np.ceil((len(upper) + 1) * 0.8 - 1e-9))
        np.testing.assert_allclose([low[j], high[j]], [sorted(lower)[-k], sorted(upper)[k - 1]], rtol=1e-8)


def test_a_fitted_estimator_is_calibrated_as_it_is():
    fitted = LinearRegression().fit(X, Y)
    settings = {"method": "split", "calibration": 1.0}
    model = ConformalRegressor(estimator=fitted, **settings).fit(NEW, NEW[:, 1])
    assert model.calibration_rows_.tolist() == list(range(25))
    np.testing.assert_allclose(model.scores_, np.abs(NEW[:, 1] - fitted.predict(NEW)))
    frozen = ConformalRegressor(estimator=FrozenEstimator(fitted), **settings).fit(NEW, NEW[:, 1])
    np.testing.assert_array_equal(frozen.predict_interval(X), model.predict_interval(X))


# Coverage -------------------------------------------------------------------------------------------------------------


def test_split_coverage_has_its_beta_distribution_for_a_wrong_model():
    """Y is standard normal and the model says five: coverage given the rows is Beta(k, n + 1 − k)."""
    draw, n, level, covered = np.random.default_rng(11), 30, 0.9, []
    model = ConformalRegressor(estimator=Wrong(5.0), method="split", calibration=0.5, random_state=0)
    for _ in range(1000):
        y = draw.normal(size=2 * n)
        (low,), (high,) = model.fit(np.zeros((2 * n, 1)), y).predict_interval(np.zeros((1, 1)), level)
        covered.append(stats.norm.cdf(high) - stats.norm.cdf(low))
    k = int(np.ceil((n + 1) * level))
    law = stats.beta(k, n + 1 - k)
    assert stats.kstest(covered, law.cdf).pvalue > 1e-3
    error = 4.0 * law.std() / np.sqrt(1000)
    assert level - error <= np.mean(covered) <= level + 1.0 / (n + 1) + error


@pytest.mark.parametrize(("method", "times"), [("jackknife+", 100), ("cv+", 250), ("split", 400)])
def test_coverage_holds_for_a_model_that_is_sure_of_noise(method, times):
    """The nearest row, of pure noise: errors on its own rows are zero, so that only rows left out tell the truth."""
    draw, n, level = np.random.default_rng(2), 23, 0.85  # folds of two sizes
    model = ConformalRegressor(estimator=Nearest(), method=method, folds=5, calibration=0.45, random_state=0)
    rates = []
    for _ in range(times):
        x, y = draw.random(size=(n + 50, 1)), draw.standard_t(2, size=n + 50)
        rates.append(np.mean(held(model.fit(x[:n], y[:n]), x[n:], y[n:], level)))
    error = 4.0 * np.std(rates) / np.sqrt(times)
    assert np.mean(rates) >= model.guarantee(level) - error
    assert np.mean(rates) <= level + 1.0 / (len(model.scores_) + 1) + 0.05 + error  # and not by being endless
    promised = {"split": level, "jackknife+": 2 * level - 1, "cv+": 2 * level - 1 - 2 * level * 4 / 28}
    assert model.guarantee(level) == pytest.approx(promised[method])


@pytest.mark.parametrize("method", ["split", "cv+"])
def test_mondrian_coverage_holds_in_each_group(method):
    draw, n, level, times = np.random.default_rng(3), 80, 0.8, 80
    rates = {True: np.zeros((times, 2)), False: np.zeros((times, 2))}
    model = ConformalRegressor(estimator=Wrong(), method=method, calibration=0.5, random_state=0)
    for t in range(times):
        groups = np.r_[0, 1, draw.random(n + 198) < 0.3].astype(int)  # the rarer one has more noise
        x, y = draw.normal(size=(n + 200, 1)), draw.normal(size=n + 200) * np.where(groups, 5.0, 1.0)
        for grouped in (True, False):
            fitted = model.fit(x[:n], y[:n], groups=groups[:n] if grouped else None)
            inside = held(fitted, x[n:], y[n:], level, groups=groups[n:] if grouped else None)
            rates[grouped][t] = [np.mean(inside[groups[n:] == group]) for group in (0, 1)]
    mean, error = np.mean(rates[True], axis=0), 4.0 * np.std(rates[True], axis=0) / np.sqrt(times)
    assert np.all(mean >= level - error)  # the model does not depend on rows, for which CV+ has 1 − α too
    assert np.all(mean <= level + 0.12)
    assert np.mean(rates[False], axis=0)[1] < level - 0.1  # which without groups is not so


def test_normalized_intervals_follow_the_noise():
    draw, spread = np.random.default_rng(4), lambda x: 0.1 + np.abs(x)
    x = draw.uniform(-3.0, 3.0, size=(4000, 1))
    y = draw.normal(size=4000) * spread(x[:, 0]) * 2.0  # the model is wrong by a factor of two
    far = np.abs(x[2000:, 0]) > 2.0
    for normalized in (True, False):
        model = ConformalRegressor(estimator=Wrong(spread=spread), normalized=normalized, method="split")
        inside = held(model.fit(x[:2000], y[:2000]), x[2000:], y[2000:], 0.9)
        assert (abs(np.mean(inside[far]) - 0.9) < 0.05) == normalized
        assert abs(np.mean(inside) - 0.9) < 0.05


# What it says and refuses ---------------------------------------------------------------------------------------------


def test_certificates_state_the_guarantee():
    says = {"split": "1 − α or more", "cv+": "1 − 2α − 2(1 − α)(K − 1)/(n + K) or more", "jackknife+": "1 − 2α or more"}
    for method, words in says.items():
        model = ConformalRegressor(estimator=LinearRegression(), method=method, folds=6).fit(X, Y)
        certificate = model.certificate_
        assert certificate.kind == "bounded"
        assert certificate.error == pytest.approx(0.9 - model.guarantee(0.9))
        for said in (words, f"n = {len(model.scores_)} ", "exchangeable", "marginal"):
            assert said in str(certificate)


def test_normalized_needs_a_standard_deviation():
    with pytest.raises(InputError, match=r"LinearRegression has no predict_dist.*credo.models"):
        ConformalRegressor(estimator=LinearRegression(), normalized=True).fit(X, Y)
    with pytest.raises(InputError, match="Zero states a standard deviation of zero"):
        ConformalRegressor(estimator=Zero(), normalized=True).fit(X, Y)


class Zero(Wrong):
    """It claims to know everything."""

    def predict_dist(self, X):
        return type("Certain", (), {"std": np.zeros(len(X))})()


@pytest.mark.parametrize(
    ("settings", "rows", "words"),
    [
        ({"folds": 9}, 8, r"folds=9 with n_samples = 8.*Try folds=5"),
        ({"method": "split"}, 1, "n_samples = 1"),
        ({"method": "split", "calibration": 0.99}, 8, r"calibration=0.99 leaves none of n_samples = 8"),
    ],
)
def test_too_few_rows_are_named(settings, rows, words):
    with pytest.raises(InputError, match=words):
        ConformalRegressor(estimator=LinearRegression(), **settings).fit(X[:rows], Y[:rows])


def test_missing_targets_are_refused_where_only_calibration_would_see_them():
    model = ConformalRegressor(estimator=LinearRegression(), method="split", random_state=0).fit(X, Y)
    bad = Y.copy()
    bad[model.calibration_rows_[0]] = np.nan
    with pytest.raises(InputError, match="y has NaN"):
        model.fit(X, bad)


def test_it_is_made_of_what_every_estimator_has():
    model = ConformalRegressor(estimator=BayesianLinearRegression(), random_state=0).fit(X, Y)
    assert model.score(X, Y) > 0.3
    assert not hasattr(model, "predict_dist")
    assert credo.models.BayesianLinearRegression().get_params() == model.estimator.get_params()
    inner, outer = model.predict_interval(NEW, 0.6), model.predict_interval(NEW, 0.95)
    assert np.all((outer[0] <= inner[0]) & (inner[0] <= inner[1]) & (inner[1] <= outer[1]))


def test_files_keep_it(tmp_path):
    model = ConformalRegressor(estimator=BayesianLinearRegression(), random_state=0).fit(X, Y)
    credo.save(model, tmp_path / "model.credo")
    again = credo.load(tmp_path / "model.credo")
    np.testing.assert_array_equal(again.predict_interval(NEW), model.predict_interval(NEW))
    assert again.guarantee() == model.guarantee()

"""The audit finds liars and clears the honest, at the rates it states."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy import stats
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.linear_model import LinearRegression

from credo.beliefs import Normal, Poisson
from credo.errors import InputError
from credo.models import BayesianLinearRegression, PoissonRegression
from credo.validate import ConformalRegressor, audit, audit_places


class Stated:
    """A fitted model that knows the mean and claims a given standard deviation."""

    def __init__(self, scale):
        self.scale = scale

    def predict_dist(self, X):
        return Normal(np.asarray(X)[:, 0], self.scale)


@pytest.fixture(scope="module")
def rows():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(400, 2))
    return X, X[:, 0] + rng.permutation(
        stats.norm.ppf((np.arange(400) + 0.5) / 400)
    )  # errors whose coverage is right by construction


@pytest.mark.parametrize(("claimed", "verdict"), [(1.0, "honest"), (0.6, "overconfident"), (1.8, "timid")])
def test_verdict_follows_the_truth(rows, claimed, verdict):
    found = audit(Stated(claimed), *rows, fitted=True)
    assert found.verdict == verdict
    assert str(found).startswith(verdict)


def test_coverage_and_bands_are_the_counts_and_clopper_pearson(rows):
    X, y = rows
    found = audit(Stated(1.0), X, y, fitted=True)
    for level, held, low, high in zip(found.levels, found.coverage, found.low, found.high, strict=True):
        half = stats.norm.ppf(0.5 + level / 2)
        k = int(np.sum(np.abs(y - X[:, 0]) <= half))
        assert held == pytest.approx(k / 400)
        assert low == pytest.approx(stats.beta.ppf(0.025, k, 401 - k))
        assert high == pytest.approx(stats.beta.ppf(0.975, k + 1, 400 - k))


def gaussian_places(seed, errors, *, rows=400, factor=1.0):
    """Where each error lies in the normal belief that has the standard deviation of the other four fifths, times a
    factor: what a Gaussian model states that is cross-fitted in five folds."""
    rng = np.random.default_rng(seed)
    e, fold = errors(rng, rows), np.arange(rows) % 5
    scales = np.array([np.std(e[fold != k]) for k in range(5)])[fold]
    return rng.normal(size=(rows, 1)), stats.norm.cdf(e / (factor * scales))


def student(rng, n):
    return rng.standard_t(3, size=n)


def gaussian(rng, n):
    return rng.normal(size=n)


@pytest.mark.parametrize("cross_fitted", [True, False])
def test_heavy_tailed_errors_are_not_called_timid(cross_fitted):
    """The belief has the standard deviation of the errors, from other rows or as it is: the square root of 3."""
    for seed in range(60):
        X, pit = gaussian_places(seed, student)
        if not cross_fitted:
            pit = stats.norm.cdf(student(np.random.default_rng(seed), 400) / np.sqrt(3.0))
        found = audit_places(X, pit)
        assert found.verdict == "light-tailed"
        assert found.coverage[0] > 0.5  # too wide in the middle
        assert found.tails.missed > found.tails.expected  # and too narrow in the tails
        assert found.tails.level >= 0.99


def test_the_other_verdicts_stay_what_they_are():
    honest = [audit_places(*gaussian_places(1000 + seed, gaussian)).verdict for seed in range(100)]
    assert honest.count("honest") >= 90  # 95 are promised
    assert "light-tailed" not in honest
    for seed in range(60):
        assert audit_places(*gaussian_places(seed, gaussian, factor=1.5)).verdict == "timid"
    slightly = [audit_places(*gaussian_places(seed, gaussian, factor=1.2)).verdict for seed in range(100)]
    assert slightly.count("timid") >= 90
    assert slightly.count("light-tailed") <= 3  # 1 % is promised
    for seed in range(60):
        assert audit_places(*gaussian_places(seed, gaussian, factor=0.6)).verdict == "overconfident"


def test_light_tails_are_explained_with_what_to_do():
    X, pit = gaussian_places(0, student)
    found = audit_places(X, pit)
    assert found.tails.missed == np.sum(np.abs(pit - 0.5) > 0.5 * found.tails.level)
    assert found.tails.expected == pytest.approx(400 * (1.0 - found.tails.level))
    said = str(found)
    assert said.startswith("light-tailed: intervals of level 50% held ")
    assert "too wide in the middle and too narrow in the tails" in said
    assert "use a model with heavier tails" in said
    assert audit_places(X, stats.uniform.rvs(size=400, random_state=0)).tails is None


def test_intervals_without_a_belief_are_light_tailed_where_levels_cross():
    """Too wide at 50 %, too narrow at 95 %: no distribution is needed to see that."""

    class Crossing(BaseEstimator):
        def predict(self, X):
            return np.zeros(len(X))

        def predict_interval(self, X, level=0.9):
            reach = np.full(len(X), 1.5 + 0.01 * level)
            return -reach, reach

    rng = np.random.default_rng(0)
    X = rng.normal(size=(400, 1))
    found = audit(Crossing(), X, rng.normal(size=400), fitted=True)
    assert found.verdict == "light-tailed"
    assert (found.tails.level, found.tails.rows) == (0.95, 400)


@pytest.mark.slow
@pytest.mark.parametrize(("errors", "verdict"), [(student, "light-tailed"), (gaussian, "honest")])
def test_a_gaussian_model_is_light_tailed_on_student_errors_and_honest_on_its_own(errors, verdict):
    verdicts = []
    for seed in range(60):
        rng = np.random.default_rng(seed)
        X = rng.normal(size=(500, 2))
        verdicts.append(audit(BayesianLinearRegression(), X, X[:, 0] + errors(rng, 500)).verdict)
    assert verdicts.count(verdict) >= (60 if verdict == "light-tailed" else 54)
    assert "timid" not in verdicts or verdict == "honest"


@pytest.mark.slow
def test_false_alarms_stay_below_five_percent():
    rng = np.random.default_rng(1)
    alarms = 0
    for _ in range(300):
        X = rng.normal(size=(60, 1))
        alarms += audit(Stated(1.0), X, X[:, 0] + rng.normal(size=60), fitted=True).verdict != "honest"
    assert alarms / 300 < 0.05 + 3 * np.sqrt(0.05 * 0.95 / 300)


class Counts:
    """A fitted model that knows the rate of counts."""

    def predict_dist(self, X):
        return Poisson(np.exp(0.3 + 0.5 * np.asarray(X)[:, 0]))


@pytest.mark.slow
def test_right_beliefs_about_counts_are_honest():
    """False alarms over 300 tables: the whole numbers of an interval hold more than its level, which is no fault."""
    rng, alarms = np.random.default_rng(2), 0
    for _ in range(300):
        X = rng.normal(size=(200, 1))
        alarms += audit(Counts(), X, rng.poisson(np.exp(0.3 + 0.5 * X[:, 0])), fitted=True).verdict != "honest"
    assert alarms / 300 < 0.05 + 3.0 * np.sqrt(0.05 * 0.95 / 300)


@pytest.mark.slow
def test_refits_that_believe_rightly_in_counts_are_honest():
    """As often as when fitted: places of the folds are independent of each other."""
    rng, alarms, held = np.random.default_rng(5), 0, []
    for _ in range(100):
        X = rng.normal(size=(200, 1))
        found = audit(PoissonRegression(), X, rng.poisson(np.exp(0.3 + 0.5 * X[:, 0])))
        alarms += found.verdict != "honest"
        held.append(found.coverage)
    assert alarms / 100 < 0.05 + 3.0 * np.sqrt(0.05 * 0.95 / 100)
    np.testing.assert_allclose(np.mean(held, axis=0), found.levels, atol=3.0 * 0.5 / np.sqrt(100 * 200))


def test_wrong_beliefs_about_counts_are_found():
    rng = np.random.default_rng(3)
    X = rng.normal(size=(600, 1))
    rate = np.exp(0.3 + 0.5 * X[:, 0])
    assert audit(Counts(), X, rng.poisson(rate), fitted=True).verdict == "honest"
    assert audit(Counts(), X, rng.poisson(rate * rng.gamma(1.0, size=600)), fitted=True).verdict == "overconfident"


def test_conformal_intervals_are_audited_and_found_honest(rows):
    X, y = rows
    louder = y * np.where(X[:, 1] > 0.0, 3.0, 1.0)
    repaired = ConformalRegressor(estimator=LinearRegression(), random_state=0)
    found = audit(repaired, X, louder, levels=(0.8, 0.9))
    assert found.verdict == "honest"
    apart = audit(repaired.fit(X[:200], y[:200]), X[200:], 10.0 * y[200:], levels=(0.8, 0.9), fitted=True)
    assert apart.verdict == "overconfident"


def test_audited_rows_may_lack_a_class_that_the_fit_knows():
    from sklearn.datasets import load_iris
    from sklearn.naive_bayes import GaussianNB

    X, y = load_iris(return_X_y=True)
    learned = GaussianNB().fit(X[::2], y[::2])
    rest, codes = X[1::2], y[1::2]
    for kept in (codes < 2, codes == 1):
        found = audit(learned, rest[kept], codes[kept], fitted=True)
        assert found.rows == np.sum(kept)


def test_cross_fitting_never_sees_the_held_out_row(rows):
    """A model that memorizes looks perfect on rows it has seen; cross-fitted it is caught."""

    class Memory:
        def get_params(self, deep=True):
            return {}

        def set_params(self):
            return self

        def fit(self, X, y):
            self.seen = dict(zip(map(tuple, np.asarray(X)), y, strict=True))
            return self

        def predict_dist(self, X):
            return Normal(np.array([self.seen.get(tuple(x), 100.0) for x in np.asarray(X)]), 1e-3)

    X, y = rows
    assert audit(Memory().fit(X, y), X, y, fitted=True).coverage.min() == 1.0
    assert audit(Memory(), X, y).coverage.max() == 0.0


@pytest.mark.parametrize("frame", [pd.DataFrame, lambda d: pl.DataFrame(d)], ids=["pandas", "polars"])
def test_frames_go_in(rows, frame):
    X, y = rows
    found = audit(BayesianLinearRegression(), frame({"a": X[:, 0], "b": X[:, 1]}), y)
    assert found.verdict == "honest"
    np.testing.assert_array_equal(found.coverage, audit(BayesianLinearRegression(), X, y).coverage)


def test_bad_targets_are_named(rows):
    X, y = rows
    with pytest.raises(InputError, match="NaN"):
        audit(Stated(1.0), X, np.where(np.arange(400) == 3, np.nan, y), fitted=True)
    with pytest.raises(InputError, match="399 targets for 400 rows"):
        audit(Stated(1.0), X, y[:-1], fitted=True)
    column = audit(Stated(1.0), X, pd.DataFrame({"y": y}), fitted=True)
    np.testing.assert_array_equal(column.coverage, audit(Stated(1.0), X, y, fitted=True).coverage)


def test_what_cannot_be_audited_is_named(rows):
    with pytest.raises(InputError, match="LinearRegression has no predict_dist"):
        audit(LinearRegression(), *rows)
    with pytest.raises(InputError, match="Percentages"):
        audit(Stated(1.0), *rows, fitted=True, levels=(50, 90))
    with pytest.raises(InputError, match="1 folds for 400 rows"):
        audit(BayesianLinearRegression(), *rows, folds=1)


def test_the_map_finds_where_it_fails_and_nothing_where_it_does_not():
    """Noise that is three times as loud above a point, with a scale that is right on average."""
    rng = np.random.default_rng(0)
    temperature = rng.uniform(0.0, 300.0, size=1200)
    X = pd.DataFrame({"pressure": rng.normal(size=1200), "temperature": temperature})
    y = rng.normal(size=1200) * np.where(temperature > 180.0, 3.0, 0.6)

    class Constant:
        def predict_dist(self, X):
            return Normal(np.zeros(len(X)), np.full(len(X), 1.9))

    found = audit(Constant(), X, y, fitted=True)
    worst = [region for region in found.failures if region.verdict == "overconfident"]
    assert worst
    assert all("temperature > 1" in region.where for region in worst)
    assert all(region.verdict == "timid" for region in found.failures if "temperature ≤" in region.where)
    assert str(worst[0]) in str(found)
    bounding = {name for region in found.regions for name in region.bounds}
    assert found.spans == {name: (X[name].min(), X[name].max()) for name in bounding}
    assert "temperature" in found.spans
    honest = audit(Stated(1.0), rng.normal(size=(600, 3)) * [0.0, 1.0, 1.0], rng.normal(size=600), fitted=True)
    assert honest.failures == ()


@pytest.mark.parametrize(("sharpened", "verdict"), [(1.0, "honest"), (3.0, "overconfident"), (0.3, "timid")])
def test_probabilities_of_classes_are_audited(sharpened, verdict):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(1500, 1))
    y = rng.random(1500) < 1.0 / (1.0 + np.exp(-2.0 * X[:, 0]))

    class Sharpened(ClassifierMixin, BaseEstimator):
        def fit(self, X, y):
            self.classes_ = np.unique(y)
            return self

        def predict_proba(self, X):
            p = 1.0 / (1.0 + np.exp(-2.0 * sharpened * X[:, 0]))
            return np.column_stack([1.0 - p, p])

        def predict(self, X):
            return self.classes_[(X[:, 0] > 0.0).astype(int)]

    found = audit(Sharpened(), X, y)
    assert found.verdict == verdict
    assert "classes said with probability" in str(found)
    assert np.sum(found.sizes) == 1500

"""The learning curve of least squares has a closed form; classes are shared out; laws of powers are found again."""

import numpy as np
import pytest
from sklearn.dummy import DummyClassifier
from sklearn.linear_model import LinearRegression as PlainRegression
from sklearn.linear_model import LogisticRegression as PlainLogistic
from sklearn.tree import DecisionTreeClassifier

from credo.errors import InputError, UndefinedError
from credo.models import LinearRegression
from credo.validate.curve import LearningCurve, _Growing, learning_curve


def data(rng, n=120, d=4):
    X = rng.normal(size=(n, d))
    return X, X.sum(axis=1) + rng.normal(size=n)


def test_is_the_expected_risk_of_least_squares():
    """1 + (d + 1)/(m − d − 2), nearly: exact for the slopes with normal columns. 30 tables."""
    rng = np.random.default_rng(0)
    found = [learning_curve(LinearRegression(), *data(rng), sizes=[15, 30, 90], score="squared") for _ in range(30)]
    risk = np.stack([each.risk for each in found])
    m = np.array([15, 30, 90])
    np.testing.assert_allclose(np.mean(risk, axis=0), stein(m, 4), rtol=0.12)
    error = np.mean([each.standard_error for each in found], axis=0)
    assert np.all(error > 0.5 * np.std(risk, axis=0))
    assert np.all(error < 3.0 * np.std(risk, axis=0))


def test_weights_and_rows_are_the_same():
    X, y = data(np.random.default_rng(0))
    ours = learning_curve(LinearRegression(), X, y, score="squared", repeats=3)
    theirs = learning_curve(PlainRegression(), X, y, score="squared", repeats=3)
    np.testing.assert_allclose(ours.risk, theirs.risk, rtol=1e-8)
    assert ours.rows[-1] == 90
    assert len(str(ours).splitlines()) == len(ours.rows) + 1


def stein(m, d):
    """The mean squared error of least squares with an intercept and d normal columns, unit noise."""
    return (1.0 + 1.0 / m) * (1.0 + d / (m - d - 2))


@pytest.mark.filterwarnings("ignore:The number of unique classes")
def test_a_rare_class_is_in_every_fit():
    rng = np.random.default_rng(0)
    found = learning_curve(PlainLogistic(), rng.normal(size=(120, 2)), (np.arange(120) % 15 == 0).astype(int))
    assert found.rows.tolist() == [12, 18, 27, 40, 60, 90]
    assert np.all(found.standard_error > 0.0)
    many = learning_curve(DecisionTreeClassifier(), rng.normal(size=(120, 2)), np.arange(120) % 20, repeats=2)
    assert (many.rows[0], many.rows[-1]) == (20, 90)  # a row of each at least
    once = learning_curve(PlainLogistic(), rng.normal(size=(40, 2)), np.arange(40) == 7, repeats=5)
    assert np.all(np.isfinite(once.risk))


def test_samples_grow_with_their_share_of_each_class():
    y = np.repeat([0, 1, 2, 3], [100, 15, 4, 1])
    sizes = np.array([4, 10, 30, 90])
    splits = list(_Growing(sizes.tolist(), 30, 400, 0).split(np.empty((120, 1)), y))
    trained = np.array([np.bincount(y[train], minlength=4) for train, _ in splits]).reshape(400, 4, 4)
    assert np.all(trained >= 1)
    assert np.array_equal(np.sum(trained, axis=2), np.tile(sizes, (400, 1)))
    held = np.array([np.bincount(y[out], minlength=4) for _, out in splits])[::4]
    pool = np.bincount(y) - held
    off = trained - pool[:, None, :] * sizes[:, None] / 90
    assert np.max(np.abs(off[:, :, 1:] - np.maximum(1.0 - pool[:, None, 1:] * sizes[:, None] / 90, 0.0))) < 1.5
    np.testing.assert_allclose(np.mean(held, axis=0), [25.25, 3.75, 1.0, 0.0], atol=0.35)  # a quarter of each, but one
    for i, (train, out) in enumerate(splits):
        assert not np.intersect1d(train, out).size
        assert i % 4 == 0 or np.isin(splits[i - 1][0], train).all()  # larger fits contain the smaller ones


def test_the_error_of_classes_tells_how_their_number_differs_between_tables():
    """A constant that says the frequent class errs as often as the rare one comes, whose sampling error is known."""
    rng = np.random.default_rng(0)
    X = np.zeros((120, 1))
    found = [learning_curve(DummyClassifier(), X, rng.random(120) < 0.1, sizes=[40], repeats=10) for _ in range(40)]
    error = np.mean([each.standard_error[0] for each in found])
    assert error == pytest.approx(np.sqrt(0.1 * 0.9 / 120), rel=0.25)


def test_too_many_classes_are_refused_in_words_of_their_own():
    X = np.random.default_rng(0).normal(size=(20, 2))
    with pytest.raises(InputError, match=r"learning_curve: 18 classes, and 15 rows to learn from.*Merge rare"):
        learning_curve(PlainLogistic(), X, np.r_[np.arange(18), 0, 1])
    with pytest.raises(InputError, match=r"learning_curve: sizes=\[2, 9\].*each of 3 classes. Pass sizes from 3 to 15"):
        learning_curve(PlainLogistic(), X, np.arange(20) % 3, sizes=[2, 9])
    with pytest.raises(InputError, match="two rows or more"):
        learning_curve(PlainRegression(), X[:1], [1.0])


def test_defaults_leave_a_line_enough_rows():
    X, y = data(np.random.default_rng(0), 60)
    assert learning_curve(LinearRegression(), X, y, repeats=2).rows[0] == 7  # not 6, for five numbers and the noise


ROWS = np.array([20, 40, 80, 160])


def curve(risk, error=1e-6, lower=True):
    return LearningCurve("squared", ROWS, risk, error**2 * np.eye(len(ROWS)), 20, lower)


@pytest.mark.parametrize("power", [0.5, 1.0, 1.5])
@pytest.mark.parametrize("needed", [60.0, 300.0, 2000.0])
def test_a_curve_without_errors_is_followed(power, needed):
    law = lambda m: 0.3 + 4.0 * m**-power  # noqa: E731
    found = curve(law(ROWS.astype(float))).rows_for(law(needed))
    assert found.rows == pytest.approx(needed, rel=0.02)
    assert found.reached == 1.0
    upside = curve(-law(ROWS.astype(float)), lower=False).rows_for(-law(needed))
    assert upside.rows == pytest.approx(needed, rel=0.02)


def test_targets_out_of_reach_are_never_met_and_easy_ones_at_once():
    risk = 1.0 + 10.0 / ROWS
    never = curve(risk).rows_for(0.9)
    assert (never.rows, never.reached) == (np.inf, 0.0)
    assert str(never) == "0.9: never (90% interval never to never; reached: 0%)"
    assert curve(risk).rows_for(5.0)[1:4] == (20.0, 20.0, 20.0)
    rising = curve(1.0 - 10.0 / ROWS)
    assert rising.rows_for(0.1).low == np.inf
    assert rising.rows_for(1.1).high == 20.0


def test_intervals_cover_where_the_law_is_true():
    """Errors that are common to all sizes, and own ones; 1000 curves at three targets: 90 %, give or take 3.5 %."""
    rng = np.random.default_rng(0)
    rows = np.array([20, 30, 45, 70, 100, 150])
    law = lambda m: 1.0 + 10.0 / m  # noqa: E731
    root = np.linalg.cholesky(0.01**2 * np.ones((6, 6)) + np.diag(0.4 / rows) ** 2)
    held = []
    for seed in range(1000):
        seen = law(rows) + rng.normal(size=(20, 6)) @ root.T * np.sqrt(20)
        found = LearningCurve("squared", rows, seen.mean(axis=0), np.cov(seen.T) / 20, 20, True)
        answers = [found.rows_for(law(m), draws=400, random_state=seed) for m in (80.0, 200.0, 400.0)]
        held.append([a.low <= m <= a.high for a, m in zip(answers, (80.0, 200.0, 400.0), strict=True)])
    assert np.mean(held, axis=0) == pytest.approx([0.9, 0.9, 0.9], abs=0.035)


@pytest.mark.slow
@pytest.mark.parametrize(("n", "d"), [(120, 4), (300, 20)])
def test_intervals_cover_for_least_squares_which_follows_the_law_nearly(n, d):
    """200 tables: the 86 % to 96 % that the docstring tells, up to three standard errors at its ends."""
    rng = np.random.default_rng(1)
    wanted = np.array([0.5, 1.0, 2.0, 5.0, 20.0]) * n
    held = []
    for seed in range(200):
        found = learning_curve(LinearRegression(), *data(rng, n, d), score="squared", random_state=seed)
        answers = [found.rows_for(stein(m, d)) for m in wanted]
        held.append([a.low <= m <= a.high for a, m in zip(answers, wanted, strict=True)])
    coverage = np.mean(held, axis=0)
    assert np.all(coverage > 0.86 - 3.0 * np.sqrt(0.86 * 0.14 / 200))
    assert np.all(coverage < 0.96 + 3.0 * np.sqrt(0.96 * 0.04 / 200))


@pytest.mark.parametrize("options", [{"target": np.nan}, {"level": 90.0}, {"draws": 10}])
def test_bad_questions_about_rows_are_refused(options):
    with pytest.raises(InputError, match="rows_for"):
        curve(1.0 + 10.0 / ROWS).rows_for(**({"target": 1.0} | options))
    with pytest.raises(InputError, match="2 sizes"):
        LearningCurve("squared", ROWS[:2], np.ones(2), np.eye(2), 20, True).rows_for(1.0)
    with pytest.raises(UndefinedError, match="infinite"):
        curve(np.full(4, np.inf)).rows_for(1.0)


@pytest.mark.parametrize(
    ("options", "what"), [({"sizes": [91]}, "leaves 90"), ({"repeats": 1}, "repeats=1"), ({"sizes": []}, "sizes")]
)
def test_bad_questions_are_refused(options, what):
    with pytest.raises(InputError, match=what):
        learning_curve(LinearRegression(), *data(np.random.default_rng(0)), **options)

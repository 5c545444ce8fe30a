"""`compare` names a winner when the evidence does, and only then."""

import numpy as np
import pytest
from sklearn.base import BaseEstimator, RegressorMixin
from sklearn.dummy import DummyRegressor
from sklearn.linear_model import LinearRegression as PlainRegression
from sklearn.linear_model import Ridge as PlainRidge

from credo.errors import InputError
from credo.models import LinearRegression, Ridge
from credo.validate.compare import compare
from credo.validate.comparison import Difference, corrected_resampled_t, paired_difference, rows_times
from credo.validate.evaluate import evaluate


class Line(RegressorMixin, BaseEstimator):
    """Of a given slope."""

    def __init__(self, slope=0.0):
        self.slope = slope

    def fit(self, X, y):
        return self

    def predict(self, X):
        return self.slope * X[:, 0]


@pytest.fixture(scope="module")
def table():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(150, 3))
    return X, X @ [1.0, 0.5, 0.0] + rng.normal(size=150)


@pytest.mark.parametrize(
    "plan", ["5-fold", "4x5-fold", "2x nested 4-fold", "leave-one-out", "40 bootstrap", "hold-out 0.5"]
)
def test_a_real_difference_is_found_and_none_is_not(table, plan):
    X, y = table
    models = {"mean": DummyRegressor(), "line": PlainRegression(), "ridge": PlainRidge(alpha=0.01)}
    result = compare(evaluate(models, X, y, plan=plan, scores="squared", random_state=0))
    by_name = {(pair.first, pair.second): pair for pair in result.pairs}
    assert by_name["mean", "line"].p_value < 0.05
    assert by_name["mean", "line"].more_rows == 0
    assert by_name["line", "ridge"].p_value > 0.05
    assert result.winner is None
    assert result.preferred == "line"  # the mean is beaten, and of the others it is named first
    assert "no winner: take line" in str(result)


def test_the_winner_is_named(table):
    X, y = table
    found = compare(
        evaluate({"mean": DummyRegressor(), "line": PlainRegression()}, X, y, plan="4x5-fold", random_state=0)
    )
    assert found.winner == found.preferred == "line"
    assert str(found).startswith("line wins (squared)")


def test_is_the_test_it_says_on_the_losses_of_the_evaluation(table):
    X, y = table
    folds = evaluate([LinearRegression(), Ridge(alpha=50.0)], X, y, plan="3x5-fold", random_state=0)
    a, b = folds["LinearRegression"], folds["Ridge"]
    found = compare(folds, score="absolute").pairs[0]
    wanted = corrected_resampled_t(a.by_refit("absolute") - b.by_refit("absolute"), 120, 30)
    assert found.difference == wanted
    held = evaluate([LinearRegression(), Ridge(alpha=50.0)], X, y, plan="hold-out 0.5", random_state=0)
    a, b = held["LinearRegression"], held["Ridge"]
    there = a.held.there
    found = compare(held, score="absolute").pairs[0]
    assert found.difference == paired_difference(a.losses("absolute")[there], b.losses("absolute")[there])
    assert found.belief is None


def test_more_is_better_for_scores_that_are_no_losses(table):
    from sklearn.dummy import DummyClassifier
    from sklearn.linear_model import LogisticRegression as PlainLogistic

    X, y = table
    models = {"coin": DummyClassifier(strategy="stratified", random_state=0), "line": PlainLogistic()}
    result = compare(evaluate(models, X, y > 0, plan="4x5-fold", scores="F1", random_state=0))
    assert result.winner == "line"
    assert result.pairs[0].difference.mean > 0  # a loss: the coin's is larger


@pytest.mark.parametrize("plan", ["hold-out 0.5", "leave-one-out", "5-fold"])
def test_precision_is_compared_as_the_ratio_it_is(plan):
    """Who calls every row positive has the most hits, and the worse precision."""
    from sklearn.dummy import DummyClassifier
    from sklearn.linear_model import LogisticRegression as PlainLogistic

    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 2))
    y = (X[:, 0] + 0.5 * rng.normal(size=300) > 0).astype(int)
    models = {"line": PlainLogistic(), "always": DummyClassifier(strategy="constant", constant=1)}
    result = evaluate(models, X, y, plan=plan, scores=["precision", "F1"], random_state=0)
    for score in ("precision", "F1"):
        found = compare(result, score=score)
        seen = result.claim(score, "line").value - result.claim(score, "always").value
        assert found.winner == "line"
        assert -found.pairs[0].difference.mean == pytest.approx(seen, abs=0.02 if plan == "5-fold" else 1e-9)
        assert f"line − always: {seen:.1g}"[:17] in str(found)  # in the units of the score


def test_a_hold_out_of_groups_counts_groups():
    """Every row five times is no more evidence than once."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(80, 1))
    y = X[:, 0] + rng.normal(size=80)
    models = {"flat": Line(0.0), "line": Line(0.45)}
    held = np.zeros(80, dtype=bool)
    held[:40] = True
    five, groups = np.repeat(np.arange(80), 5), np.repeat(np.arange(80), 5)
    once = evaluate(models, X, y, plan=[(np.flatnonzero(~held), np.flatnonzero(held))], random_state=0)
    often = evaluate(
        models,
        X[five],
        y[five],
        plan=[(np.flatnonzero(~held[five]), np.flatnonzero(held[five]))],
        groups=groups,
        random_state=0,
    )
    wanted, found = compare(once).pairs[0].difference, compare(often).pairs[0].difference
    assert found.mean == pytest.approx(wanted.mean)
    assert found.standard_error == pytest.approx(wanted.standard_error)


def test_equal_models_differ_by_nothing(table):
    X, y = table
    result = compare(evaluate([PlainRidge(), PlainRidge()], X, y, random_state=0))
    assert result.winner is None
    assert result.pairs[0].more_rows is None
    assert result.pairs[0].p_value == 1.0


def test_rope_makes_small_differences_none(table):
    X, y = table
    result = evaluate([LinearRegression(), Ridge(alpha=1.0)], X, y, plan="4x5-fold", random_state=0)
    assert compare(result, rope=10.0).pairs[0].belief.equivalent > 0.99
    assert compare(result).pairs[0].belief.equivalent == 0.0


def test_bad_questions_are_refused(table):
    X, y = table
    with pytest.raises(InputError, match="1 estimators"):
        compare(evaluate(Ridge(), X, y, random_state=0))
    two = evaluate([LinearRegression(), Ridge()], X, y, scores="squared", random_state=0)
    with pytest.raises(InputError, match="no score 'log'"):
        compare(two, score="log")
    with pytest.raises(InputError, match="order"):
        compare(two, simplest_first=["Ridge"])
    assert compare(two, simplest_first=["Ridge", "LinearRegression"]).preferred == "Ridge"
    with pytest.raises(InputError, match="significance is 5"):
        compare(two, significance=5)
    with pytest.raises(InputError, match=r"Try power=0\.8"):
        compare(two, power=80)


@pytest.mark.slow
def test_models_that_are_as_good_are_told_apart_in_few_cases():
    """Two columns of which each model sees one, equally good: alarms over 300 simulations at 5 %."""
    rng = np.random.default_rng(0)
    from sklearn.compose import ColumnTransformer
    from sklearn.pipeline import make_pipeline

    def seeing(column):
        return make_pipeline(ColumnTransformer([("one", "passthrough", [column])]), PlainRegression())

    alarms = 0
    for _ in range(300):
        X = rng.normal(size=(80, 2))
        y = X @ [1.0, 1.0] + rng.normal(size=80)
        found = compare(
            evaluate({"a": seeing(0), "b": seeing(1)}, X, y, plan="3x5-fold", scores="squared", random_state=0)
        )
        alarms += found.winner is not None
    assert alarms / 300 < 0.05 + 3.0 * np.sqrt(0.05 * 0.95 / 300)


@pytest.mark.slow
@pytest.mark.parametrize("plan", ["5-fold", "hold-out 0.5"])
def test_as_many_rows_as_it_says_separate_the_two_as_often_as_it_says(plan):
    """The typical answer at 60 rows, then the share of tests at so many rows that find the difference: 200 each.

    Of models that learn nothing, whose difference is the same at any number of rows.
    """
    models = {"flat": Line(0.0), "line": Line(0.45)}

    def found(n, seed):
        rng = np.random.default_rng(seed)
        X = rng.normal(size=(n, 1))
        y = 0.45 * X[:, 0] + rng.normal(size=n)
        return compare(evaluate(models, X, y, plan=plan, scores="squared", random_state=seed)).pairs[0]

    first = [found(60, seed) for seed in range(200)]
    # Of the mean difference, which a single table has only roughly.
    mean = np.mean([pair.difference.mean for pair in first])
    error = np.sqrt(np.mean([pair.difference.standard_error**2 for pair in first]))
    typical = Difference(float(mean), float(error), first[0].difference.degrees, first[0].difference.count)
    n = round(60 * rows_times(typical))
    share = np.mean([found(n, 1000 + seed).p_value < 0.05 for seed in range(200)])
    assert 0.65 < share < 0.95

"""`compare` names a winner when the evidence does, and only then."""

import numpy as np
import pytest
from sklearn.dummy import DummyRegressor
from sklearn.linear_model import LinearRegression as PlainRegression
from sklearn.linear_model import Ridge as PlainRidge

from credo.errors import InputError
from credo.models import LinearRegression, Ridge
from credo.validate.compare import compare
from credo.validate.comparison import corrected_resampled_t, paired_difference
from credo.validate.evaluate import evaluate


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

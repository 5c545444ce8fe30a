"""Effects equal scikit-learn and the true function, and bands cover it."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.ensemble import RandomForestRegressor
from sklearn.inspection import partial_dependence as theirs
from sklearn.linear_model import LinearRegression as PlainRegression

from credo.errors import InputError, UndefinedError
from credo.models import BayesianLinearRegression
from credo.validate.effects import accumulated_effect, partial_dependence

BOTH = pytest.mark.parametrize("effect_of", [partial_dependence, accumulated_effect])


@pytest.fixture(scope="module")
def table():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(80, 3))
    return X, X[:, 0] ** 2 + X[:, 1] + 0.1 * rng.normal(size=80)


def test_partial_dependence_equals_scikit_learn(table):
    X, y = table
    forest = RandomForestRegressor(20, random_state=0).fit(X, y)
    ours = partial_dependence(forest, X, 0)
    wanted = theirs(forest, X, [0], custom_values={0: ours.points}, method="brute")
    np.testing.assert_allclose(ours.effect, wanted["average"][0], rtol=1e-12)
    assert ours.low is None
    assert ours.source == "no band"


def test_accumulated_effects_are_right_where_columns_go_together():
    """y is the first column alone; a second that nearly equals it must have no effect of its own, on rows there are."""
    rng = np.random.default_rng(0)
    a = rng.uniform(size=400)
    X = np.column_stack([a, a + 0.01 * rng.normal(size=400)])

    class Far:
        """Right where rows are, wild where none is."""

        def predict(self, X):
            return X[:, 0] + 100.0 * np.maximum(np.abs(X[:, 0] - X[:, 1]) - 0.3, 0.0)

    slope = np.polyfit(accumulated_effect(Far(), X, 0).points, accumulated_effect(Far(), X, 0).effect, 1)[0]
    assert slope == pytest.approx(1.0, abs=1e-6)
    assert np.max(np.abs(accumulated_effect(Far(), X, 1).effect)) < 1e-9
    assert np.ptp(partial_dependence(Far(), X, 1).effect) > 5.0  # which is why there are two


def test_the_effect_is_centered_over_the_rows(table):
    X, y = table
    line = PlainRegression().fit(X, y)
    found = accumulated_effect(line, X, 1)
    assert found.effect[0] == pytest.approx(line.coef_[1] * (found.points[0] - np.mean(X[:, 1])), abs=0.1)


@pytest.mark.slow
@BOTH
@pytest.mark.parametrize("of_belief", [True, False])
def test_bands_cover_the_true_effect(effect_of, of_belief):
    """A line whose slopes are known, 60 tables: 90 % bands over the column, up to Monte Carlo error."""
    rng = np.random.default_rng(0)
    held = []
    for seed in range(60):
        X = rng.normal(size=(40, 2))
        y = 2.0 * X[:, 0] + X[:, 1] + rng.normal(size=40)
        model = (BayesianLinearRegression() if of_belief else PlainRegression()).fit(X, y)
        found = effect_of(model, X, 0, y=None if of_belief else y, points=5, draws=60, random_state=seed)
        truth = effect_of(True_(), X, 0, points=5).effect
        held.append(np.mean((found.low <= truth) & (truth <= found.high)))
    assert np.mean(held) == pytest.approx(0.9, abs=0.1)


class True_:
    """The function that the rows come from."""

    def predict(self, X):
        return X @ [2.0, 1.0]


@BOTH
def test_frames_keep_their_names(table, effect_of):
    X, y = table
    for frame in (pd.DataFrame, pl.DataFrame):
        named = frame(dict(zip("abc", X.T, strict=True)))
        found = effect_of(BayesianLinearRegression().fit(named, y), named, "b", points=4)
        assert found.column == "b"
        plain = effect_of(BayesianLinearRegression().fit(X, y), X, 1, points=4)
        np.testing.assert_allclose(found.effect, plain.effect, rtol=1e-10)
        np.testing.assert_allclose(found.low, plain.low, rtol=1e-8)


@BOTH
@pytest.mark.parametrize(
    ("options", "what"),
    [
        ({"column": 3}, "no column 3"),
        ({"column": "z"}, "no column 'z'"),
        ({"column": 0, "points": 1}, "points=1"),
        ({"column": 0, "level": 90}, "level=90"),
    ],
)
def test_bad_questions_are_refused(table, effect_of, options, what):
    X, y = table
    with pytest.raises(InputError, match=what):
        effect_of(PlainRegression().fit(X, y), X, **options)


def test_bad_tables_are_refused(table):
    X, y = table
    line = PlainRegression().fit(X, y)
    with pytest.raises(InputError, match="not numbers"):
        partial_dependence(line, [["a", 1.0, 2.0]], 0)
    with pytest.raises(UndefinedError, match="one value"):
        accumulated_effect(line, np.ones((5, 3)), 0)

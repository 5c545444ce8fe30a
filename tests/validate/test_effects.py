"""Effects equal scikit-learn and the true function, and bands cover it."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from scipy import sparse
from sklearn.compose import make_column_transformer
from sklearn.ensemble import HistGradientBoostingRegressor, RandomForestRegressor
from sklearn.inspection import partial_dependence as theirs
from sklearn.linear_model import LinearRegression as PlainRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder

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
    for frame in (pd.DataFrame, pl.DataFrame, pa.table):
        named = frame(dict(zip("abc", X.T, strict=True)))
        found = effect_of(BayesianLinearRegression().fit(named, y), named, "b", points=4)
        assert found.column == "b"
        plain = effect_of(BayesianLinearRegression().fit(X, y), X, 1, points=4)
        np.testing.assert_allclose(found.effect, plain.effect, rtol=1e-10)
        np.testing.assert_allclose(found.low, plain.low, rtol=1e-8)


@BOTH
@pytest.mark.parametrize("kind", [sparse.csr_array, sparse.csc_matrix, sparse.coo_array, list])
def test_sparse_rows_and_lists_too(table, effect_of, kind):
    X, y = table
    X = np.where(X > 0.0, X, 0.0)
    line = PlainRegression().fit(X, y)
    found = effect_of(line, kind(X), 0, y=y, points=5, draws=5)
    wanted = effect_of(line, X, 0, y=y, points=5, draws=5)
    np.testing.assert_allclose(found.effect, wanted.effect, rtol=1e-10)
    np.testing.assert_allclose(found.high, wanted.high, rtol=1e-8)


@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame])
def test_other_columns_may_be_text(table, frame):
    """The slope of a line is its partial dependence, whatever the words do."""
    X, y = table
    words = np.array(["low", "top"])[(X[:, 2] > 0).astype(int)].tolist()
    named = frame({"word": words, "b": X[:, 1]})
    model = make_pipeline(
        make_column_transformer((OneHotEncoder(), ["word"]), remainder="passthrough"), PlainRegression()
    )
    found = partial_dependence(model.fit(named, y), named, "b", y=y, points=4, draws=5)
    design = np.column_stack([X[:, 1], X[:, 2] > 0, X[:, 2] <= 0])
    slope = np.linalg.lstsq(design, y, rcond=None)[0][0]
    np.testing.assert_allclose(np.diff(found.effect), slope * np.diff(found.points), rtol=1e-8)
    steps = accumulated_effect(model, named, "b")
    np.testing.assert_allclose(np.diff(steps.effect), slope * np.diff(steps.points), rtol=1e-8)
    with pytest.raises(InputError, match="column 'word' has values that are not numbers"):
        partial_dependence(model, named, "word")


def test_other_columns_may_have_gaps(table):
    X, y = table
    X = X.copy()
    X[::7, 2] = np.nan
    model = HistGradientBoostingRegressor(max_iter=20).fit(X, y)
    ours = partial_dependence(model, X, 0, points=6)
    wanted = theirs(model, X, [0], custom_values={0: ours.points}, method="brute")
    np.testing.assert_allclose(ours.effect, wanted["average"][0], rtol=1e-12)
    with pytest.raises(InputError, match="'x2' has 12 NaN or infinite of 80 values"):
        partial_dependence(model, X, 2)


@BOTH
@pytest.mark.parametrize(
    ("options", "what"),
    [
        ({"column": 3}, "no column 3"),
        ({"column": "z"}, "no column 'z'"),
        ({"column": 0, "points": 1}, "points=1"),
        ({"column": 0, "level": 90}, "level=90"),
        ({"column": 0, "rows": 0}, "rows=0"),
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

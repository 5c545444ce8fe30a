"""The band of a fitted regressor against its own predictions on a grid built here."""

import numpy as np
import polars as pl
import pytest

from chart_specs import specification, table_with
from credo.errors import InputError
from credo.models import BayesianLinearRegression, GPRegressor
from credo.plots.regressor import regressor_chart

RNG = np.random.default_rng(0)
X = RNG.normal(size=(30, 2))
Y = X @ [1.0, -2.0] + 0.1 * RNG.normal(size=30)


@pytest.fixture(scope="module")
def model():
    return BayesianLinearRegression().fit(X, Y)


@pytest.mark.parametrize("column", [None, 0, 1, -1])
def test_the_band_is_the_prediction_with_other_columns_at_their_median(model, column):
    chart = regressor_chart(model, X, Y, column=column)
    table, chosen = table_with(chart, "center"), 0 if column is None else column % 2
    grid = np.tile(np.median(X, axis=0), (len(table["x"]), 1))
    grid[:, chosen] = table["x"]
    low, high = model.predict_interval(grid, 0.9)
    np.testing.assert_allclose(table["center"], model.predict(grid), rtol=1e-12)
    np.testing.assert_allclose(table["outer_low"], low, rtol=1e-12)
    np.testing.assert_allclose(table["outer_high"], high, rtol=1e-12)
    assert (table["x"].min(), table["x"].max()) == (X[:, chosen].min(), X[:, chosen].max())
    np.testing.assert_array_equal(table_with(chart, "y")["x"], X[:, chosen])
    other = 1 - chosen
    by_hand = Y - model.coef_[other] * (X[:, other] - np.median(X[:, other]))
    np.testing.assert_allclose(table_with(chart, "y")["y"], by_hand, rtol=1e-10)
    assert specification(chart)["layer"][0]["encoding"]["x"]["title"] == f"x{chosen}"


@pytest.mark.parametrize("library", ["pandas", "polars"])
@pytest.mark.filterwarnings("error")
def test_frames_keep_their_names(library):
    columns = {"dose": X[:, 0], "age": X[:, 1]}
    frame = pl.DataFrame(columns) if library == "polars" else pytest.importorskip("pandas").DataFrame(columns)
    named = BayesianLinearRegression().fit(frame, Y)
    chart = regressor_chart(named, frame, Y, column="age")
    assert specification(chart)["layer"][0]["encoding"]["x"]["title"] == "age"
    series = pl.Series("effect", Y)
    named_y = specification(regressor_chart(named, frame, series))["layer"][0]["encoding"]["y"]["title"]
    assert named_y == "effect"
    table = table_with(chart, "center")
    by_hand = np.column_stack([np.full(len(table["x"]), np.median(X[:, 0])), table["x"]])
    expected = BayesianLinearRegression().fit(X, Y).predict(by_hand)
    np.testing.assert_allclose(table["center"], expected, rtol=1e-10)


def test_functions_are_drawn_from_the_posterior():
    gp = GPRegressor(inference=None).fit(X, Y)
    drawn = table_with(regressor_chart(gp, X, functions=3, column=1), "f")
    grid = np.column_stack([np.full(200, np.median(X[:, 0])), drawn["x"][:200]])
    np.testing.assert_allclose(drawn["f"].reshape(3, 200), gp.sample(grid, 3, 0), rtol=1e-8)


def test_a_model_of_rows_has_no_functions(model):
    with pytest.raises(InputError, match=r"BayesianLinearRegression has no functions.*samples=10"):
        regressor_chart(model, X, functions=3)


def test_without_y_there_are_no_points(model):
    assert len(specification(regressor_chart(model, X))["layer"]) == 3


@pytest.mark.parametrize(
    ("arguments", "match"),
    [
        ((X[:, 0],), r"of shape \(30,\)"),
        ((X, Y[:3]), "30 values of x and 3 of y"),
        ((np.full((3, 2), np.nan),), "not finite"),
        ((np.array([["a", "b"]]),), "not numeric"),
    ],
    ids=["one axis", "short y", "nan", "text"],
)
def test_bad_input(model, arguments, match):
    with pytest.raises(InputError, match=match):
        regressor_chart(model, *arguments)


@pytest.mark.parametrize("column", ["weight", 2, -3])
def test_unknown_column(model, column):
    with pytest.raises(InputError, match=r"no column .*x0, x1"):
        regressor_chart(model, X, column=column)


def test_of_many_rows_some_are_drawn():
    X = np.random.default_rng(0).normal(size=(25_000, 2))
    model = BayesianLinearRegression().fit(X, X[:, 0])
    drawn = table_with(regressor_chart(model, X, X[:, 0]), "y")
    assert 1000 < len(drawn["x"]) <= 1500

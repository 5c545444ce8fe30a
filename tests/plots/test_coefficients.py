"""Dots and whiskers are the estimates and their intervals."""

import numpy as np
import pytest
from scipy import stats

from chart_specs import specification, table_with
from credo.errors import InputError
from credo.infer import Estimates
from credo.models import LinearRegression, Summary
from credo.plots import coefficients_chart, plot

RNG = np.random.default_rng(0)
X = RNG.normal(size=(30, 2))
Y = 100.0 + X @ [1.0, -2.0] + RNG.normal(size=30)


def test_of_a_fit_they_are_those_of_ordinary_least_squares():
    chart = plot(LinearRegression().fit(X, Y).summary(level=0.9))
    table = table_with(chart, "low")
    design = np.column_stack([np.ones(30), X])
    beta, rss = np.linalg.lstsq(design, Y, rcond=None)[:2]
    errors = np.sqrt(np.diag(np.linalg.inv(design.T @ design)) * rss[0] / 27)
    reach = stats.t(27).ppf(0.95) * errors
    assert table["name"].tolist() == ["x0", "x1"]
    np.testing.assert_allclose(table["value"], beta[1:], rtol=1e-9)
    np.testing.assert_allclose(table["low"], (beta - reach)[1:], rtol=1e-9)
    np.testing.assert_allclose(table["high"], (beta + reach)[1:], rtol=1e-9)
    assert specification(chart)["title"]["subtitle"] == "90 % intervals, each by itself; without the intercept"


def test_the_intercept_when_asked_for():
    table = table_with(coefficients_chart(LinearRegression().fit(X, Y).summary(), intercept=True), "low")
    assert table["name"].tolist() == ["intercept", "x0", "x1"]
    assert table["value"][0] == pytest.approx(100.0, abs=1.0)


def test_estimates_by_themselves_are_normal_or_student():
    values, covariance = np.array([1.0, -1.0]), np.diag([0.25, 4.0])
    table = table_with(plot(Estimates(("a", "b"), values, covariance), level=0.5), "low")
    np.testing.assert_allclose(table["high"], values + stats.norm.ppf(0.75) * np.array([0.5, 2.0]), rtol=1e-9)


def test_several_outputs_are_told_apart():
    one = Estimates(("intercept", "a"), np.array([1.0, 2.0]), np.eye(2))
    table = table_with(coefficients_chart(Summary("Model", {"yield": one, "cost": one}, 0.95, {})), "low")
    assert table["name"].tolist() == ["yield: a", "cost: a"]


def test_of_many_the_clearest_are_drawn_in_their_order():
    values = np.arange(60.0) % 7 - 3.0
    many = Estimates(tuple(f"x{j}" for j in range(60)), values, np.diag(np.linspace(0.1, 2.0, 60)))
    chart = coefficients_chart(many)
    drawn = [int(name[1:]) for name in table_with(chart, "low")["name"]]
    clear = np.abs(values) / np.sqrt(np.linspace(0.1, 2.0, 60))
    assert drawn == sorted(drawn)
    assert clear[drawn].min() >= np.delete(clear, drawn).max()
    assert "40 of 60, those farthest from zero" in specification(chart)["title"]["subtitle"]


def test_nothing_to_draw_is_told():
    with pytest.raises(InputError, match="an intercept only"):
        coefficients_chart(Estimates(("intercept",), np.ones(1), np.eye(1)))

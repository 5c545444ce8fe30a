"""The line is the effect, the band its band."""

import numpy as np
from sklearn.linear_model import LinearRegression as PlainRegression

from chart_specs import specification, table_with
from credo.models import BayesianLinearRegression
from credo.plots import curve_chart, effect_chart, plot
from credo.validate import learning_curve, partial_dependence

RNG = np.random.default_rng(0)
X = RNG.normal(size=(60, 2))
Y = X[:, 0] + RNG.normal(size=60)


def test_an_effect_with_and_without_a_band():
    found = partial_dependence(BayesianLinearRegression().fit(X, Y), X, 0, points=6)
    table = table_with(effect_chart(found), "low")
    np.testing.assert_allclose(table["low"], found.low)
    np.testing.assert_allclose(table["y"], found.effect)
    bare = partial_dependence(PlainRegression().fit(X, Y), X, 0, points=6)
    assert specification(plot(bare))["title"]["subtitle"] == "no band"


def test_a_learning_curve():
    found = learning_curve(PlainRegression(), X, Y, repeats=3)
    np.testing.assert_allclose(table_with(plot(found), "low")["y"], found.risk)
    assert specification(curve_chart(found))["title"]["text"] == "Learning curve"

"""Points and bars are the claims and their intervals."""

import numpy as np
import pytest
from sklearn.linear_model import LinearRegression as PlainRegression

from chart_specs import specification, table_with
from credo.errors import InputError
from credo.models import LinearRegression, Ridge
from credo.plots import comparison_chart, evaluation_chart, importance_chart, plot
from credo.validate import Evaluation, compare, evaluate, permutation_importance

RNG = np.random.default_rng(0)
X = RNG.normal(size=(40, 2))
Y = X[:, 0] + RNG.normal(size=40)


@pytest.fixture(scope="module")
def evaluation():
    return evaluate([LinearRegression(), Ridge(alpha=1.0)], X, Y, plan="3x4-fold", random_state=0)


def test_of_an_evaluation(evaluation):
    chart = plot(evaluation, "absolute", level=0.5)
    table = table_with(chart, "low")
    claim = evaluation.claim("absolute", "Ridge")
    assert list(table["name"]) == ["LinearRegression", "Ridge"]
    assert table["value"][1] == claim.value
    assert (table["low"][1], table["high"][1]) == claim.interval(0.5)
    assert specification(evaluation_chart(evaluation))["title"]["text"] == "squared score by 3x4-fold"


def test_of_a_comparison(evaluation):
    comparison = compare(evaluation)
    table = table_with(comparison_chart(comparison), "low")
    assert list(table["name"]) == ["LinearRegression − Ridge"]
    assert (table["low"][0], table["high"][0]) == comparison.pairs[0].difference.interval(0.95)
    assert "no winner" in specification(plot(comparison))["title"]["subtitle"]


def test_of_importances():
    found = permutation_importance(PlainRegression(), X, Y)
    table = table_with(importance_chart(found), "low")
    assert list(table["name"]) == ["x0", "x1"]
    np.testing.assert_allclose(
        np.diff([table["low"], table["high"]], axis=0)[0] / 2 / 1.959964, found.standard_error[[0, 1]], rtol=1e-5
    )


def test_what_cannot_be_drawn_is_named(evaluation):
    with pytest.raises(InputError, match="no score"):
        evaluation_chart(evaluation, "brier")
    claims = {"squared": (evaluation.claim("squared", "Ridge")._replace(standard_error=np.inf),)}
    from dataclasses import replace

    broken = Evaluation(
        evaluation.refit_plan,
        {"a": replace(evaluation["Ridge"], claims=claims)},
        evaluation.targets,
        evaluation.certificate,
    )
    with pytest.raises(InputError, match="infinite"):
        evaluation_chart(broken)

"""`credo.plot` finds the chart by type, and names what it can draw."""

import jax.numpy as jnp
import numpy as np
import pytest

import credo
from chart_specs import specification, table_with
from credo.beliefs import Normal, UncertaintyBudget
from credo.errors import InputError
from credo.models import BayesianLinearRegression, LinearRegression, LogisticRegression


def test_by_type():
    assert "density" in table_with(credo.plot(Normal(0.0, 1.0)), "density")
    assert "outer_low" in table_with(
        credo.plot(Normal(jnp.zeros(3), 1.0), x=[1.0, 2.0, 3.0], data=([1.0], [0.0])), "outer_low"
    )
    assert "variance" in table_with(credo.plot(UncertaintyBudget(noise=1.0, parameter=2.0)), "variance")
    X = np.arange(8.0)[:, None]
    model = BayesianLinearRegression().fit(X, X[:, 0])
    assert "BayesianLinearRegression" in specification(credo.plot(model, X))["title"]["text"]


def test_results_of_fits_by_type():
    X = np.column_stack([np.arange(9.0), np.cos(np.arange(9.0))])
    model = LinearRegression().fit(X, X[:, 0] + np.sin(np.arange(9.0)))
    for table in (model.summary(), model.estimates()["y0"]):
        assert table_with(credo.plot(table), "low")["name"].tolist() == ["x0", "x1"]
    labels = np.arange(9) % 2 == 0
    assert "shade" in table_with(credo.plot(LogisticRegression(ridge=1.0).fit(X, labels), X, labels), "shade")


def test_options_reach_the_chart():
    assert specification(credo.plot(Normal(0.0, 1.0), theme="dark", level=0.5))["title"]["subtitle"].startswith("50 %")


@pytest.mark.parametrize("thing", [3, "text", None, object(), np.zeros(3)], ids=lambda thing: type(thing).__name__)
def test_unknown_types_name_the_known(thing):
    with pytest.raises(InputError, match=r"no chart.*What can be plotted: Audit, Belief, Calibration, .*RidgePath"):
        credo.plot(thing)

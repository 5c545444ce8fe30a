"""The bars are the parts, they add up, and the advice is said."""

import jax.numpy as jnp
import numpy as np
import pytest

from chart_specs import specification, table_with
from credo.beliefs import UncertaintyBudget
from credo.errors import InputError, UndefinedError
from credo.plots import budget_chart, palette

BUDGET = UncertaintyBudget(noise=jnp.array([3.0, 1.0]), parameter=jnp.array([1.0, 1.0]))


def test_bars_are_the_parts():
    table = table_with(budget_chart(BUDGET), "variance")
    by = {(part, row): value for part, row, value in zip(table["part"], table["row"], table["variance"], strict=True)}
    assert by == {("noise", "0"): 3.0, ("noise", "1"): 1.0, ("parameter", "0"): 1.0, ("parameter", "1"): 1.0}
    np.testing.assert_allclose(table["share"], [0.75, 0.5, 0.25, 0.5])


def test_computation_appears_when_there_is_any():
    spec = specification(budget_chart(UncertaintyBudget(noise=1.0, parameter=1.0, computation=0.5)))
    assert spec["encoding"]["color"]["scale"]["domain"] == ["noise", "parameter", "computation"]
    assert spec["encoding"]["color"]["scale"]["range"] == list(palette().categories[:3])
    assert specification(budget_chart(BUDGET))["encoding"]["color"]["scale"]["domain"] == ["noise", "parameter"]


def test_one_bar_lies_down_and_many_stand():
    single = specification(budget_chart(UncertaintyBudget(noise=1.0, parameter=1.0)))["encoding"]
    many = specification(budget_chart(BUDGET, x_title="patient"))["encoding"]
    assert single["x"]["field"] == many["y"]["field"] == "variance"
    assert many["x"]["title"] == "patient"


def test_shares_labels_and_advice():
    spec = specification(budget_chart(BUDGET, ["a", "b"], normalize=True))
    assert spec["encoding"]["y"]["field"] == "share"
    assert '["a", "b"]' in spec["encoding"]["x"]["axis"]["labelExpr"]
    assert " ".join(spec["title"]["subtitle"]) == BUDGET.advice()


def test_bad_input():
    with pytest.raises(UndefinedError, match="not split: plug-in fit"):
        budget_chart(UncertaintyBudget.unsplit("plug-in fit"))
    with pytest.raises(InputError, match="3 labels for 2 rows"):
        budget_chart(BUDGET, ["a", "b", "c"])
    with pytest.raises(InputError, match=r"500 bars.*\[::3\]"):
        budget_chart(UncertaintyBudget(noise=jnp.ones(500), parameter=jnp.ones(500)))

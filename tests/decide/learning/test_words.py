"""The verdict in words follows what was found."""

import numpy as np
import polars as pl
import pytest
from scipy import stats

import credo
from credo.decide.learning.words import _trust
from credo.models import BayesianLinearRegression, GradientBoostingRegressor
from credo.validate import audit_places


@pytest.fixture(scope="module")
def loud():
    """Noise that is ten times larger on one side, which a linear model does not know of."""
    rng = np.random.default_rng(0)
    x = rng.uniform(-1, 1, 600)
    return pl.DataFrame({"x": x, "y": x + np.where(x > 0, 1.0, 0.1) * rng.normal(size=600)})


def test_places_that_fail_are_named(loud):
    learned = credo.learn(loud, "y", candidates={"linear": BayesianLinearRegression()}, plan="5-fold")
    assert "overconfident where x > " in str(learned)
    assert "only one that was tried" in str(learned)


def test_every_line_is_a_sentence(loud):
    both = {"linear": BayesianLinearRegression(), "boosted trees": GradientBoostingRegressor()}
    lines = str(credo.learn(loud, "y", candidates=both, plan="5-fold")).splitlines()
    assert len(lines) >= 4
    assert all(line.endswith(".") for line in lines)


def test_light_tails_are_told_with_what_to_do():
    pit = stats.norm.cdf(np.random.default_rng(0).standard_t(3, size=400) / np.sqrt(3.0))
    said = _trust(audit_places(np.zeros((400, 1)), pit), None)
    assert said.startswith("Its 50% intervals held ")
    assert ": light-tailed. Intervals are too wide in the middle and too narrow in the tails: " in said
    assert said.endswith("or learn the logarithm of the target.")

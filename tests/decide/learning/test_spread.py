"""Widths that hold: at new rows, whatever the model said, and whatever the shape of the errors."""

import numpy as np
import pytest
from scipy import stats

from credo.beliefs import Normal, UncertaintyBudget
from credo.decide.learning.spread import Spread, cross_spread, spread_of


@pytest.mark.parametrize("stated", [0.5, 1.0, 3.0])
@pytest.mark.parametrize("errors", ["normal", "student", "laplace"])
def test_ninety_percent_hold_at_new_rows(stated, errors):
    rng = np.random.default_rng(0)
    draw = {
        "normal": rng.normal,
        "student": lambda size: rng.standard_t(4.0, size=size),
        "laplace": lambda size: rng.laplace(size=size),
    }[errors]
    spread = spread_of(draw(size=2000) / stated)
    wide = spread.of(Normal(np.zeros(1), np.ones(1)))
    low, high = wide.interval(0.9)
    new = draw(size=100_000) / stated
    assert np.mean((new >= low[0]) & (new <= high[0])) == pytest.approx(0.9, abs=0.02)


def test_few_rows_change_little():
    z = 3.0 * np.random.default_rng(1).normal(size=10)
    assert spread_of(z).factor < 1.6
    assert spread_of(np.tile(z, 100)).factor > 2.2


def test_the_budget_keeps_its_shares():
    belief = Normal(np.zeros(3), 2.0 * np.ones(3)).with_budget(UncertaintyBudget(noise=np.ones(3), parameter=3.0))
    wider = Spread(5.0, 1.5).of(belief)
    np.testing.assert_allclose(wider.budget.total, wider.variance)
    np.testing.assert_allclose(wider.budget.noise / wider.budget.total, 0.25)
    np.testing.assert_allclose(wider.std, 3.0)


def test_places_are_uniform_where_errors_are_students():
    z = 2.0 * np.random.default_rng(2).standard_t(5.0, size=3000)
    pit, factors = cross_spread(z, 5, np.random.default_rng(0))
    assert stats.kstest(pit, "uniform").pvalue > 0.01
    assert len(np.unique(factors)) == 5


def test_it_says_what_it_did():
    assert str(Spread(5.0, 1.25)) == "25% wider than the model says"
    assert str(Spread(5.0, 0.8)) == "20% narrower than the model says"
    assert str(Spread(5.0, 1.001)) == "as wide as the model says"

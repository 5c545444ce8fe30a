"""Widths that hold: at new rows, whatever the model said, and whatever the shape of the errors."""

import numpy as np
import pytest
from scipy import stats

from credo.beliefs import Normal, UncertaintyBudget
from credo.decide.learning.spread import Spread, cross_places, spread_of


def of_errors(z):
    """The spread of errors around zero of which a standard deviation of one was stated."""
    return spread_of(np.zeros(len(z)), np.ones(len(z)), z)


@pytest.mark.parametrize("stated", [0.5, 1.0, 3.0])
@pytest.mark.parametrize("errors", ["normal", "student", "laplace"])
def test_ninety_percent_hold_at_new_rows(stated, errors):
    rng = np.random.default_rng(0)
    draw = {
        "normal": rng.normal,
        "student": lambda size: rng.standard_t(4.0, size=size),
        "laplace": lambda size: rng.laplace(size=size),
    }[errors]
    spread = of_errors(draw(size=2000) / stated)
    wide = spread.of(Normal(np.zeros(1), np.ones(1)))
    low, high = wide.interval(0.9)
    new = draw(size=100_000) / stated
    assert np.mean((new >= low[0]) & (new <= high[0])) == pytest.approx(0.9, abs=0.02)


def test_few_rows_change_little():
    z = 3.0 * np.random.default_rng(1).normal(size=10)
    assert of_errors(z).factor < 1.6
    assert of_errors(np.tile(z, 100)).factor > 2.2


def test_the_budget_keeps_its_shares():
    belief = Normal(np.zeros(3), 2.0 * np.ones(3)).with_budget(UncertaintyBudget(noise=np.ones(3), parameter=3.0))
    wider = Spread(5.0, 1.5).of(belief)
    np.testing.assert_allclose(wider.budget.total, wider.variance)
    np.testing.assert_allclose(wider.budget.noise / wider.budget.total, 0.25)
    np.testing.assert_allclose(wider.std, 3.0)


def test_places_are_uniform_where_errors_are_students():
    z = 2.0 * np.random.default_rng(2).standard_t(5.0, size=3000)
    pit = cross_places(spread_of, np.ones(3000), np.full(3000, 0.5), 1.0 + 0.5 * z, 5, np.random.default_rng(0))
    assert stats.kstest(pit, "uniform").pvalue > 0.01


def test_places_and_ends_are_those_of_the_belief():
    rng = np.random.default_rng(3)
    mean, std, y = rng.normal(size=20), 0.1 + rng.random(20), rng.normal(size=20)
    spread = Spread(4.0, 1.3)
    belief = spread.of(Normal(mean, std))
    np.testing.assert_allclose(spread.place(mean, std, y, np.zeros(20)), belief.cdf(y), rtol=1e-9)
    np.testing.assert_allclose(spread.ends(mean, std, 0.8), belief.interval(0.8), rtol=1e-9)


def test_it_says_what_it_did():
    assert str(Spread(5.0, 1.25)) == "25% wider than the model says"
    assert str(Spread(5.0, 0.8)) == "20% narrower than the model says"
    assert str(Spread(5.0, 1.001)) == "as wide as the model says"

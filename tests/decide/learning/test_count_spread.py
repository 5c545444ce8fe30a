"""Counts that vary more than a model says have intervals that hold; those that do not are left as they are."""

import numpy as np
import pytest
from scipy import stats

from credo.beliefs import Poisson, UncertaintyBudget
from credo.decide.learning.count_spread import CountSpread, count_spread_of
from credo.decide.learning.spread import cross_places


def counts(rng, n, more):
    """Rates, and counts around them whose variance is so many times the mean."""
    rates = rng.uniform(1.0, 12.0, n)
    return rates, rng.poisson(rates if more == 1.0 else rng.gamma(rates / (more - 1.0), more - 1.0)).astype(float)


@pytest.mark.parametrize("more", [1.0, 2.0, 5.0])
def test_the_factor_is_found_and_places_are_uniform(more):
    rates, y = counts(np.random.default_rng(1), 3000, more)
    found = count_spread_of(rates, np.sqrt(rates), y)
    assert found.dispersion == pytest.approx(more, rel=0.1)
    pit = cross_places(count_spread_of, rates, np.sqrt(rates), y, 5, np.random.default_rng(0))
    assert stats.kstest(pit, "uniform").pvalue > 0.01


def test_places_and_ends_are_those_of_the_belief():
    rates, y = counts(np.random.default_rng(2), 40, 3.0)
    belief = CountSpread(3.0).of(Poisson(rates))
    np.testing.assert_allclose(belief.mean, rates, rtol=1e-9)
    np.testing.assert_allclose(belief.variance, 3.0 * rates, rtol=1e-9)
    spread, std = CountSpread(3.0), np.sqrt(rates)
    np.testing.assert_allclose(spread.place(rates, std, y, np.ones(40)), belief.cdf(y), rtol=1e-7)
    np.testing.assert_allclose(spread.place(rates, std, y, np.zeros(40)), belief.cdf(y - 1.0), rtol=1e-7)
    np.testing.assert_array_equal(spread.ends(rates, std, 0.8), belief.interval(0.8))


def test_a_poisson_stays_one_and_nothing_is_below_zero():
    belief = CountSpread(1.0).of(Poisson(np.array([1e-12, 1e-3, 4.0, 1e5])))
    np.testing.assert_allclose(belief.variance, belief.mean, rtol=0.2)
    low, high = belief.interval(0.9)
    assert np.all(np.isfinite(high))
    assert np.all(np.asarray(low) >= 0.0)


def test_the_budget_keeps_its_shares_and_words_say_how_much():
    belief = Poisson(np.full(3, 4.0)).with_budget(UncertaintyBudget(noise=np.full(3, 3.0), parameter=1.0))
    wider = CountSpread(2.25).of(belief)
    np.testing.assert_allclose(wider.budget.total, wider.variance, rtol=1e-9)
    np.testing.assert_allclose(wider.budget.noise / wider.budget.total, 0.75)
    assert str(CountSpread(2.25)) == "50% wider than the model says"
    assert str(CountSpread(1.0)) == "as wide as the model says"

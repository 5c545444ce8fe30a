"""Widths of log-normal beliefs that hold at new rows."""

import numpy as np
import pytest
from scipy import stats

from credo.beliefs import LogNormal, UncertaintyBudget
from credo.decide.learning.log_spread import LogSpread, log_spread_of
from credo.decide.learning.spread import cross_places


def stated(rng, n, sigma=0.5):
    """Beliefs about amounts over three decades, and their moments."""
    belief = LogNormal(rng.uniform(0.0, 7.0, n), sigma * rng.uniform(0.5, 1.5, n))
    return belief, np.asarray(belief.mean), np.asarray(belief.std)


@pytest.mark.parametrize("true", [0.5, 1.0, 2.0])
def test_the_factor_is_found_and_ninety_percent_hold(true):
    rng = np.random.default_rng(0)
    belief, mean, std = stated(rng, 3000)
    y = np.exp(belief.loc + true * belief.scale * rng.normal(size=3000))
    found = log_spread_of(mean, std, np.asarray(y))
    assert found.factor == pytest.approx(true, rel=0.06)
    pit = cross_places(log_spread_of, mean, std, np.asarray(y), 5, np.random.default_rng(0))
    assert stats.kstest(pit, "uniform").pvalue > 0.01
    low, high = found.of(belief).interval(0.9)
    new = np.exp(belief.loc + true * belief.scale * rng.normal(size=3000))
    assert np.mean((low <= new) & (new <= high)) == pytest.approx(0.9, abs=0.03)


def test_places_and_ends_are_those_of_the_belief():
    rng = np.random.default_rng(1)
    belief, mean, std = stated(rng, 20)
    y, spread = np.exp(rng.uniform(0.0, 7.0, 20)), LogSpread(1.3)
    wider = spread.of(belief)
    np.testing.assert_allclose(spread.place(mean, std, y, np.zeros(20)), wider.cdf(y), rtol=1e-7, atol=1e-14)
    np.testing.assert_allclose(spread.ends(mean, std, 0.8), wider.interval(0.8), rtol=1e-9)
    np.testing.assert_allclose(spread.point(mean, std), wider.mean, rtol=1e-9)


def test_where_nothing_is_known_it_gets_no_wider():
    belief = LogNormal(np.array([-250.0, 0.0, 250.0]), 7.0)
    belief = belief.with_budget(UncertaintyBudget(noise=0.9 * belief.variance, parameter=0.1 * belief.variance))
    wider = LogSpread(3.0).of(belief)
    np.testing.assert_array_equal(wider.scale, 8.0)
    assert np.all(np.isfinite(wider.budget.total))
    low, high = LogSpread(3.0).ends(np.asarray(belief.mean), np.asarray(belief.std))
    np.testing.assert_allclose((low, high), wider.interval(0.9), rtol=1e-6)


def test_the_median_stays_and_the_budget_keeps_its_shares():
    belief, _, _ = stated(np.random.default_rng(2), 3)
    belief = belief.with_budget(UncertaintyBudget(noise=0.75 * belief.variance, parameter=0.25 * belief.variance))
    wider = LogSpread(1.5).of(belief)
    np.testing.assert_allclose(wider.quantile(0.5), belief.quantile(0.5))
    np.testing.assert_allclose(wider.budget.total, wider.variance, rtol=1e-12)
    np.testing.assert_allclose(wider.budget.noise / wider.budget.total, 0.75)


def test_it_says_what_it_did():
    assert str(LogSpread(1.25)) == "of logarithms 25% wider than the model says"

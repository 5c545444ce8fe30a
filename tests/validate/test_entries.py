"""Entries in blocks are those of the whole, and the truth is in its place."""

import numpy as np
import pytest
from scipy import stats

from credo.beliefs import Empirical, Normal, Poisson, StudentT, crps, interval_score, log_score
from credo.validate import entries
from credo.validate.entries import dice, each_crps, each_interval_score, each_log_score, places


@pytest.mark.parametrize(
    ("each", "score"), [(each_log_score, log_score), (each_crps, crps), (each_interval_score, interval_score)]
)
def test_blocks_are_the_whole(each, score, monkeypatch):
    monkeypatch.setattr(entries, "_BLOCK", 32)
    rng = np.random.default_rng(0)
    belief = StudentT(5.0, rng.normal(size=(3, 25)), 1.0 + rng.random((3, 25)))
    y = rng.normal(size=25)
    np.testing.assert_allclose(each(belief, y), np.asarray(score(belief, y)), rtol=1e-10)


def test_places_of_numbers():
    y = np.linspace(-3.0, 3.0, 41)
    place = places(Normal(np.zeros(41), np.full(41, 2.0)), y, dice(41))
    np.testing.assert_allclose(place.pit, stats.norm.cdf(y / 2.0), atol=1e-12)
    np.testing.assert_allclose(place.std, 2.0)
    for inside, level in zip(place.inside, entries.LEVELS, strict=True):
        np.testing.assert_array_equal(inside, np.abs(y / 2.0) <= stats.norm.ppf(0.5 + level / 2))


def test_the_transform_of_counts_is_uniform_where_the_belief_is_right():
    rng = np.random.default_rng(0)
    rates = rng.uniform(0.5, 6.0, size=4000)
    place = places(Poisson(rates), rng.poisson(rates).astype(float), dice(4000))
    assert stats.kstest(place.pit, "uniform").pvalue > 0.01
    np.testing.assert_allclose(np.mean(place.inside, axis=1), entries.LEVELS, atol=0.025)  # 3 standard errors


def test_the_transform_of_samples_on_a_small_scale_is_the_share_below():
    rng = np.random.default_rng(0)
    samples, y = 1e-3 * rng.normal(size=(50, 300)), 1e-3 * rng.normal(size=50)
    place = places(Empirical(samples), y, dice(50))
    np.testing.assert_allclose(place.pit, np.mean(samples < y[:, None], axis=1), atol=1e-12)

"""Means of models without a fold: identities and the tails of what is left."""

import numpy as np
import pytest
from scipy import stats

from credo.infer.boosting.predictive import ambiguity, dilution, jackknife_variance, student_tails


def test_ambiguity_is_what_averaging_gains():
    rng = np.random.default_rng(0)
    members, y = rng.normal(size=(5, 100)), rng.normal(size=100)
    of_members = np.mean((members - y) ** 2, axis=0)
    of_mean = (np.mean(members, axis=0) - y) ** 2
    np.testing.assert_allclose(of_members - of_mean, ambiguity(members), rtol=1e-9, atol=1e-12)


def test_jackknife_variance_of_a_mean_is_that_of_a_mean():
    """Of the plain mean of n values, deleted one at a time, it is s²/n."""
    x = np.random.default_rng(1).normal(size=40)
    without = (np.sum(x) - x) / 39.0
    assert jackknife_variance(without[:, None])[0] == pytest.approx(np.var(x, ddof=1) / 40.0)


def test_dilution_is_the_ratio_of_least_squares_slopes():
    rng = np.random.default_rng(4)
    truth = rng.normal(size=50_000)
    members = truth + 0.7 * rng.normal(size=(5, 50_000))
    slope = lambda x: np.polyfit(x, truth, 1)[0]  # noqa: E731
    ratio = slope(np.mean(members, axis=0)) / np.mean([slope(member) for member in members])
    both = np.stack([-0.5 * members, 0.5 * members], axis=-1)
    assert dilution(both) == pytest.approx(ratio, rel=0.01)
    assert dilution(np.zeros((3, 4, 2))) == 1.0


@pytest.mark.parametrize("degrees", [3.0, 5.0, 300.0])
def test_tails_against_scipy(degrees):
    z = 1.7 * np.random.default_rng(2).standard_t(degrees, size=3000)
    tails = student_tails(z, np.ones(3000))
    df, _, scale = stats.t.fit(z, floc=0.0)
    ours = np.sum(stats.t.logpdf(z, tails.degrees, scale=tails.scale))
    best = np.sum(stats.t.logpdf(z, df, scale=scale))
    assert best - ours < 1.5  # the degrees of freedom are on a grid


def test_weights_are_frequencies():
    rng = np.random.default_rng(3)
    z, w = rng.standard_t(4.0, size=50), rng.integers(1, 4, 50)
    once, more = student_tails(z, w.astype(float)), student_tails(np.repeat(z, w), np.ones(np.sum(w)))
    assert once.degrees == more.degrees
    assert once.scale == pytest.approx(more.scale, rel=1e-9)

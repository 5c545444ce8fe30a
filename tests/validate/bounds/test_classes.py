"""Bounds over classes: growth by counting, and how often they fail for thresholds and boxes."""

from math import comb

import numpy as np
from scipy import stats

from credo.validate.bounds import VC, FiniteClass, TightestRectangle, hyperplanes, rectangles
from credo.validate.bounds.classes import log_growth

N, DELTA, TIMES = 80, 0.1, 2000
rng = np.random.default_rng(0)
FLIPPED = 0.2  # of the labels, where no threshold is right


def few(failures):
    return stats.binomtest(int(failures), TIMES, DELTA, alternative="greater").pvalue > 1e-3


def test_growth_is_a_sum_of_binomials():
    for n, d in ((10, 3), (3, 5), (7, 0)):
        expected = np.log(sum(comb(n, i) for i in range(d + 1)))
        np.testing.assert_allclose(log_growth(n, d), expected, rtol=1e-12)
    assert log_growth(np.array([4.0, 8.0]), 2).shape == (2,)


def sups():
    """The largest difference between risk and its estimate, over thresholds on uniform x with labels x > ½."""
    grid = np.linspace(0.0, 1.0, 41)
    risk = FLIPPED + (1.0 - 2.0 * FLIPPED) * np.abs(grid - 0.5)
    found = []
    for _ in range(TIMES):
        x = rng.random(N)
        y = (x > 0.5) ^ (rng.random(N) < FLIPPED)
        seen = np.mean((x[:, None] > grid) != y[:, None], axis=0)
        found.append(np.max(np.abs(seen - risk)))
    return np.array(found), len(grid)


def test_agnostic_bounds_hold_for_thresholds():
    largest, count = sups()
    assert few(np.sum(largest > FiniteClass(count).error(N, DELTA)))
    assert few(np.sum(largest > VC(1).error(N, DELTA)))


def test_a_box_around_what_is_inside_is_as_good_as_it_says():
    """Kearns and Vazirani's game: rows in the unit square, the truth a box, the tightest box around the positives."""
    low, high = np.array([0.2, 0.3]), np.array([0.8, 0.9])
    risks = []
    for _ in range(TIMES):
        x = rng.random((N, 2))
        inside = x[np.all((x > low) & (x < high), axis=1)]
        size = np.ptp(inside, axis=0) if len(inside) else np.zeros(2)
        risks.append(np.prod(high - low) - np.prod(size))
    for bound in (TightestRectangle(2), rectangles(2, realizable=True)):
        assert few(np.sum(np.array(risks) > bound.error(N, DELTA)))
    assert TightestRectangle(2).error(N) < rectangles(2, realizable=True).error(N)


def test_known_dimensions_and_values():
    assert (hyperplanes(7).dimension, rectangles(3).dimension) == (8, 6)
    np.testing.assert_allclose(FiniteClass(8, realizable=True).error(10, 0.5), np.log(16.0) / 10.0)
    np.testing.assert_allclose(VC(0).error(100, 0.04), np.sqrt(0.08 * np.log(100.0)))
    assert VC(3, realizable=True).error(10_000) < VC(3).error(10_000)

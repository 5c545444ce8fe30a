"""Walks inside narrow sets: the ends against the even distribution, in closed form."""

from math import comb

import numpy as np
import pytest
from scipy import stats

from credo.represent.space import Integer, Linear, Real
from credo.represent.space.layout import Layout
from credo.represent.space.polytope import polytope_of
from credo.represent.space.walk import corners_of, points_inside

N = 2000


def walked(parameters, *constraints, n=N):
    polytope = polytope_of(Layout(parameters, {}), constraints)
    rng = np.random.default_rng(0)
    return points_inside(polytope, corners_of(polytope, rng), n, rng) * polytope.scale + polytope.low


@pytest.mark.parametrize("q", [2, 3, 6])
def test_shares_that_add_to_one_are_a_flat_dirichlet(q):
    """Each share of a flat Dirichlet of q is Beta(1, q − 1)."""
    points = walked({f"x{j}": Real(0, 1) for j in range(q)}, Linear({f"x{j}": 1.0 for j in range(q)}, 1.0, 1.0))
    np.testing.assert_allclose(np.sum(points, axis=1), 1.0, atol=1e-9)
    for column in points.T:
        assert stats.kstest(column, stats.beta(1, q - 1).cdf).pvalue > 1e-3 / q


def test_a_thin_band_is_walked_from_end_to_end():
    """|a − b| ≤ 5e-6: a share of 1e-5 of the square, and a is even on it."""
    points = walked({"a": Real(0, 1), "b": Real(0, 1)}, Linear({"a": 1.0, "b": -1.0}, -5e-6, 5e-6))
    assert stats.kstest(points[:, 0], stats.uniform.cdf).pvalue > 1e-3
    gap = points[:, 0] - points[:, 1]
    assert stats.kstest(gap, stats.uniform(-5e-6, 1e-5).cdf).pvalue > 1e-3


def test_whole_numbers_of_a_small_sum():
    """Of ten whole numbers with a sum of at most three, comb(9 + s, s) sum to s."""
    points = walked({f"n{j}": Integer(0, 9) for j in range(10)}, Linear({f"n{j}": 1.0 for j in range(10)}, most=3.0))
    sums = np.bincount(np.sum(points, axis=1).astype(int), minlength=4)
    ways = np.array([comb(9 + s, s) for s in range(4)])
    assert stats.chisquare(sums, N * ways / np.sum(ways)).pvalue > 1e-3


def test_a_whole_number_and_a_real_one_tied_to_each_other():
    """n + x between 10 and 10.02: each n of 0 to 10 has the same room, but 0, whose x would be above 10."""
    points = walked({"n": Integer(0, 10), "x": Real(0, 10)}, Linear({"n": 1.0, "x": 1.0}, 10.0, 10.02))
    counts = np.bincount(points[:, 0].astype(int), minlength=11)
    assert counts[0] < N / 100  # one point of measure zero
    assert stats.chisquare(counts[1:]).pvalue > 1e-3


def test_log_columns_are_even_in_the_logarithm():
    """Among a, b ≥ 1e-4 with a + b ≤ 1e-2, evenly in log a and log b, against rejection."""
    points = walked(
        {"a": Real(1e-4, 1, log=True), "b": Real(1e-4, 1, log=True)}, Linear({"a": 1.0, "b": 1.0}, most=1e-2)
    )
    free = 10.0 ** np.random.default_rng(1).uniform(-4, -2, size=(3 * N, 2))
    kept = free[np.sum(free, axis=1) <= 1e-2]
    for j in range(2):
        assert stats.ks_2samp(points[:, j], kept[:, j]).pvalue > 1e-3
    assert stats.ks_2samp(np.sum(points, axis=1), np.sum(kept, axis=1)).pvalue > 1e-3

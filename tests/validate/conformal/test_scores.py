"""Ranks by exact fractions, ends and scores by loops, and the law of the coverage of a quantile."""

from fractions import Fraction
from math import ceil

import numpy as np
import pytest
from scipy import stats

from credo.validate.conformal import scores as engine
from credo.validate.conformal.scores import (
    aps_scores,
    conformal_quantile,
    conformal_rank,
    group_quantiles,
    lac_scores,
    plus_ends,
    rows_needed,
)

LEVELS = ("0.05", "0.3", "0.5", "0.55", "0.7", "0.8", "0.9", "0.95", "0.99", "0.999")


def exact_rank(n, level):
    return ceil(Fraction(n + 1) * Fraction(level))


@pytest.mark.parametrize("level", LEVELS)
def test_ranks_are_those_of_exact_arithmetic(level):
    for n in (1, 7, 9, 19, 20, 99, 100, 999, 1999, 10**6 - 1):
        assert conformal_rank(n, float(level)) == exact_rank(n, level)
    fewest = next(n for n in range(1, 2000) if exact_rank(n, level) <= n)
    assert rows_needed(float(level)) == fewest


def test_quantile_is_an_order_statistic_or_infinite():
    values = np.random.default_rng(0).normal(size=39)
    for level in LEVELS:
        rank = exact_rank(39, level)
        expected = np.inf if rank > 39 else np.sort(values)[rank - 1]
        assert conformal_quantile(values, float(level)) == expected
    assert conformal_quantile(np.empty(0), 0.5) == np.inf


def test_coverage_of_the_quantile_has_its_beta_distribution():
    """Of uniform scores, the probability that a new one is below the k-th smallest of n is Beta(k, n + 1 − k)."""
    n, rng = 29, np.random.default_rng(1)
    coverage = [conformal_quantile(rng.random(n), 0.9) for _ in range(2000)]
    k = exact_rank(n, "0.9")
    assert stats.kstest(coverage, stats.beta(k, n + 1 - k).cdf).pvalue > 1e-3


def test_group_quantiles_are_those_of_the_groups():
    rng = np.random.default_rng(2)
    values, codes = rng.normal(size=50), rng.integers(0, 3, 50)
    found = group_quantiles(values, codes, 4, 0.8)
    for group in range(3):
        of_group = np.sort(values[codes == group])
        assert found[group] == of_group[exact_rank(len(of_group), "0.8") - 1]
    assert found[3] == np.inf


def looped_ends(centers, scales, fold_of, values, level):
    """Barber et al. (2021), as it is written there: one new row after the other."""
    n, low, high = len(values), [], []
    for center, scale in zip(centers, scales, strict=True):
        upper = sorted(center[fold_of[i]] + scale[fold_of[i]] * values[i] for i in range(n))
        lower = sorted(center[fold_of[i]] - scale[fold_of[i]] * values[i] for i in range(n))
        k = exact_rank(n, level)
        high.append(upper[k - 1] if k <= n else np.inf)
        low.append(lower[n + 1 - k - 1] if k <= n else -np.inf)
    return np.array(low), np.array(high)


@pytest.mark.parametrize("level", ["0.5", "0.8", "0.9", "0.99"])
@pytest.mark.parametrize("folds", [4, 30])
def test_plus_ends_are_those_of_a_loop(level, folds, monkeypatch):
    rng = np.random.default_rng(3)
    centers, scales = rng.normal(size=(11, folds)), rng.gamma(2.0, size=(11, folds))
    fold_of, values = rng.permutation(np.arange(30) % folds), rng.gamma(2.0, size=30)
    expected = looped_ends(centers, scales, fold_of, values, level)
    np.testing.assert_allclose(plus_ends(centers, scales, fold_of, values, float(level)), expected, rtol=1e-14)
    monkeypatch.setattr(engine, "_BLOCK", 100)  # three new rows at a time
    np.testing.assert_allclose(plus_ends(centers, scales, fold_of, values, float(level)), expected, rtol=1e-14)


def test_ends_that_would_cross_meet():
    centers, one = np.array([[0.0, 10.0]]), np.ones((1, 2))
    fold_of, values = np.array([0, 0, 1, 1]), np.full(4, 0.1)
    low, high = looped_ends(centers, one, fold_of, values, "0.3")
    assert low[0] > high[0]
    ends = plus_ends(centers, one, fold_of, values, 0.3)
    assert ends.low == ends.high == pytest.approx((low + high) / 2)


def test_one_fold_is_the_split_interval():
    rng = np.random.default_rng(4)
    centers, values = rng.normal(size=(5, 1)), rng.gamma(2.0, size=40)
    ends = plus_ends(centers, np.full((5, 1), 2.0), np.zeros(40, dtype=int), values, 0.9)
    reach = 2.0 * conformal_quantile(values, 0.9)
    np.testing.assert_allclose(ends.low, centers[:, 0] - reach)
    np.testing.assert_allclose(ends.high, centers[:, 0] + reach)


def test_scores_of_classes_are_those_of_a_loop():
    rng = np.random.default_rng(5)
    p, u = rng.dirichlet(np.ones(5), size=20), rng.random(20)
    for i in range(20):
        for c in range(5):
            more = sum(p[i, other] for other in range(5) if p[i, other] > p[i, c])
            assert aps_scores(p)[i, c] == pytest.approx(more, abs=1e-15)
            assert aps_scores(p, u)[i, c] == pytest.approx(more + u[i] * p[i, c])
            assert lac_scores(p)[i, c] == 1.0 - p[i, c]


def test_ties_of_classes_go_to_the_earlier():
    np.testing.assert_array_equal(aps_scores(np.array([[0.25, 0.25, 0.5]])), [[0.5, 0.75, 0.0]])

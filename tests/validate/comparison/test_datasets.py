"""Ranks over data sets: Demšar's worked examples, scipy, an analysis of variance of ranks, and sizes by simulation."""

import itertools

import numpy as np
import pytest
from scipy import stats

from credo.errors import InputError
from credo.validate.comparison import compare_ranks, nemenyi_critical_difference, rank_models, wilcoxon

# Demšar 2006, table 6: accuracies of C4.5, with m, with cf, with both, and the ranks printed beside them.
ACCURACY = np.array(
    [
        [0.763, 0.768, 0.771, 0.798],
        [0.599, 0.591, 0.590, 0.569],
        [0.954, 0.971, 0.968, 0.967],
        [0.628, 0.661, 0.654, 0.657],
        [0.882, 0.888, 0.886, 0.898],
        [0.936, 0.931, 0.916, 0.931],
        [0.661, 0.668, 0.609, 0.685],
        [0.583, 0.583, 0.563, 0.625],
        [0.775, 0.838, 0.866, 0.875],
        [1.000, 1.000, 1.000, 1.000],
        [0.940, 0.962, 0.965, 0.962],
        [0.619, 0.666, 0.614, 0.669],
        [0.972, 0.981, 0.9751, 0.975],  # printed 0.975 twice, ranked 2 and 3
        [0.957, 0.978, 0.946, 0.970],
    ]
)


def test_wilcoxon_of_demsars_example():
    test = wilcoxon(-ACCURACY[:, 0], -ACCURACY[:, 1])
    assert (test.statistic, test.degrees) == (12.0, (14,))  # R+ = 93, R- = 12
    assert test.p_value < 0.05


@pytest.mark.parametrize("n", [6, 13, 20, 50, 60])
def test_wilcoxon_equals_scipy(n):
    rng = np.random.default_rng(n)
    a, b = rng.normal(0.3, 1.0, n), rng.normal(size=n)
    ours, peer = wilcoxon(a, b), stats.wilcoxon(a, b)
    assert (ours.statistic, ours.p_value) == pytest.approx((peer.statistic, peer.pvalue), rel=1e-12)
    assert ours.name.startswith("exact" if n <= 50 else "approximate")


def test_wilcoxon_with_ties_is_the_share_of_sign_patterns():
    differences = np.array([0.1, 0.1, -0.2, 0.3, 0.0, 0.3, 0.4, 0.5])
    base = np.array([0.7, 0.3, 0.5, 0.6, 0.2, 0.8, 0.9, 0.4])  # sums and differences are not exact in binary
    ranks = stats.rankdata(np.round(np.abs(differences), 6))
    signed = lambda signs: np.sum(ranks * (signs > 0)) + 0.5 * np.sum(ranks * (signs == 0))  # noqa: E731
    patterns = [np.array(s) * (differences != 0) for s in itertools.product([-1, 1], repeat=8)]
    middle = 0.5 * ranks.sum()
    seen = abs(signed(np.sign(differences)) - middle)
    expected = np.mean([abs(signed(pattern) - middle) >= seen - 1e-9 for pattern in patterns])
    test = wilcoxon(base + differences, base)
    assert test.p_value == pytest.approx(expected, rel=1e-12)
    assert test.name == "exact Wilcoxon"


def test_equal_losses_on_every_data_set_show_nothing():
    test = wilcoxon([1.0, 2.0, 3.0], [1.0, 2.0, 3.0])
    assert (test.p_value, test.statistic) == (1.0, 3.0)


def test_size_of_the_exact_wilcoxon():
    rng, n, times = np.random.default_rng(8), 9, 1000
    p = np.array([wilcoxon(rng.standard_cauchy(n), np.zeros(n)).p_value for _ in range(times)])
    sums = np.array([np.dot(signs, np.arange(1, n + 1)) for signs in itertools.product([0, 1], repeat=n)])
    lower = np.minimum(sums, 45 - sums)
    true = np.mean([2 * np.mean(sums <= value) <= 0.05 for value in lower])
    assert 0.03 < true < 0.05
    assert stats.binomtest(int(np.sum(p <= 0.05)), times, true).pvalue > 1e-3


def test_ranks_and_friedman_of_demsars_example():
    ours = compare_ranks(-ACCURACY, ["C4.5", "+m", "+cf", "+m+cf"])
    np.testing.assert_allclose(ours.mean_ranks, [3.143, 2.000, 2.893, 1.964], atol=5e-4)
    # The paper leaves ties uncorrected: 9.28. Three pairs and one four of equal ranks take 78 of 840.
    assert ours.friedman.statistic * (1 - 78 / 840) == pytest.approx(9.28, abs=5e-3)
    assert ours.critical_difference == pytest.approx(1.25, abs=5e-3)
    assert not ours.differs.any()
    apart = compare_ranks(-ACCURACY, significance=0.10)
    assert apart.critical_difference == pytest.approx(1.12, abs=5e-3)
    assert np.argwhere(np.triu(apart.differs)).tolist() == [[0, 1], [0, 3]]  # as the paper finds


def test_friedman_equals_scipy_and_f_is_an_analysis_of_variance_of_the_ranks():
    losses = np.random.default_rng(9).integers(0, 6, size=(12, 5)).astype(float)  # many ties
    ours = compare_ranks(losses)
    peer = stats.friedmanchisquare(*losses.T)
    assert (ours.friedman.statistic, ours.friedman.p_value) == pytest.approx((peer.statistic, peer.pvalue), rel=1e-12)
    ranks = stats.rankdata(losses, axis=1)
    between = 12 * np.sum((ranks.mean(axis=0) - 3.0) ** 2) / 4
    left = ranks - ranks.mean(axis=0) - ranks.mean(axis=1, keepdims=True) + 3.0
    f = between / (np.sum(left**2) / 44)
    assert ours.iman_davenport.statistic == pytest.approx(f, rel=1e-12)
    assert ours.iman_davenport.p_value == pytest.approx(stats.f.sf(f, 4, 44), rel=1e-12)


@pytest.mark.parametrize("row", [[1.0, 2.0, 3.0], [1.0, 1.0, 3.0]])
def test_p_value_where_all_data_sets_agree_is_the_share_of_arrangements(row):
    arrangements = {tuple(p) for p in itertools.permutations(row)}
    tables = list(itertools.product(arrangements, repeat=3))
    expected = np.mean([len(set(table)) == 1 for table in tables])
    ours = compare_ranks([row] * 3)
    assert ours.iman_davenport.statistic == np.inf
    assert ours.iman_davenport.p_value == pytest.approx(expected)


def test_models_that_always_tie_do_not_differ():
    ours = compare_ranks(np.ones((4, 3)))
    assert (ours.friedman.statistic, ours.friedman.p_value, ours.iman_davenport.p_value) == (0.0, 1.0, 1.0)


def test_critical_values_are_those_of_demsars_table():
    # Table 5a: q for two to ten models, at 0.05 and 0.10.
    q05 = [1.960, 2.343, 2.569, 2.728, 2.850, 2.949, 3.031, 3.102, 3.164]
    q10 = [1.645, 2.052, 2.291, 2.459, 2.589, 2.693, 2.780, 2.855, 2.920]
    for level, table in ((0.05, q05), (0.10, q10)):
        ours = [nemenyi_critical_difference(k, 6, level) / np.sqrt(k * (k + 1) / 36) for k in range(2, 11)]
        np.testing.assert_allclose(ours, table, atol=1.1e-3)


def f_sizes(n, k, times, seed):
    rng = np.random.default_rng(seed)
    rejected = sum(compare_ranks(rng.normal(size=(n, k))).iman_davenport.p_value < 0.05 for _ in range(times))
    return int(rejected)


@pytest.mark.slow
@pytest.mark.parametrize(("n", "k", "stated"), [(5, 3, 0.040), (10, 4, 0.053), (30, 5, 0.052)])
def test_size_of_the_f_is_as_the_docstring_says(n, k, stated):
    assert stats.binomtest(f_sizes(n, k, 4000, 1), 4000, stated).pvalue > 1e-3


def test_nemenyi_finds_a_pair_by_chance_no_more_often_than_it_says():
    rng, times = np.random.default_rng(3), 1000
    ranks = np.argsort(np.argsort(rng.normal(size=(times, 40, 4)), axis=2), axis=2).mean(axis=1)
    found = np.sum(np.ptp(ranks, axis=1) > nemenyi_critical_difference(4, 40))
    assert stats.binomtest(int(found), times, 0.05).pvalue > 1e-3


def test_it_prints_ranks_and_pairs():
    text = str(compare_ranks(np.tile([[3.0, 1.0, 2.0]], (30, 1)) + 1e-9, ["c", "a", "b"]))
    assert "a 1, b 2, c 3" in text
    assert text.endswith("a < c, a < b, b < c")
    assert str(compare_ranks(np.eye(3))).endswith("none")


def test_nonsense_is_refused():
    for losses, words in (([[1.0, 2.0]], "shape"), ([1.0, 2.0], "shape"), ([[1, 2], [np.nan, 1]], "NaN")):
        with pytest.raises(InputError, match=words):
            rank_models(losses)
    with pytest.raises(InputError, match="2 names for 3"):
        compare_ranks(np.eye(3), ["a", "b"])
    with pytest.raises(InputError, match="significance is 5"):
        compare_ranks(np.eye(3), significance=5)
    with pytest.raises(InputError, match="1 models"):
        nemenyi_critical_difference(1, 5)

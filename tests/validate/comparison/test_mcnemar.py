"""McNemar's test: against statsmodels, mlxtend, published values, and its size by simulation and by enumeration."""

import numpy as np
import pytest
from mlxtend.evaluate import mcnemar as mlxtend_mcnemar
from scipy import stats
from statsmodels.stats.contingency_tables import mcnemar as statsmodels_mcnemar

from credo.errors import InputError
from credo.validate.comparison import mcnemar, mcnemar_counts

COUNTS = [(1, 7), (9, 1), (25, 11), (40, 60), (0, 3)]


@pytest.mark.parametrize(("only_a", "only_b"), COUNTS)
def test_equals_the_peers(only_a, only_b):
    table = np.array([[50, only_a], [only_b, 30]])
    exact, corrected = mcnemar_counts(only_a, only_b), mcnemar_counts(only_a, only_b, "chi2")
    assert exact.p_value == pytest.approx(mlxtend_mcnemar(table, exact=True)[1], rel=1e-12)
    assert exact.p_value == pytest.approx(statsmodels_mcnemar(table, exact=True).pvalue, rel=1e-12)
    peer = statsmodels_mcnemar(table, exact=False, correction=True)
    assert (corrected.statistic, corrected.p_value) == pytest.approx((peer.statistic, peer.pvalue), rel=1e-12)
    assert (corrected.statistic, corrected.p_value) == pytest.approx(mlxtend_mcnemar(table), rel=1e-12)


@pytest.mark.parametrize(("only_a", "only_b"), [*COUNTS, (4, 4), (0, 0)])
def test_mid_p_is_the_mean_of_including_and_excluding_the_point(only_a, only_b):
    n, fewer = only_a + only_b, min(only_a, only_b)
    tail = [stats.binom.pmf(i, n, 0.5) for i in range(fewer + 1)]
    expected = sum(tail[:-1]) + 0.5 * tail[-1]
    assert mcnemar_counts(only_a, only_b, "mid-p").p_value == pytest.approx(2 * expected, abs=1e-14)


def test_published_example():
    # Fagerland, Lydersen & Laake 2013, airway hyper-responsiveness: 1 and 7.
    p = [mcnemar_counts(1, 7, kind).p_value for kind in ("exact", "mid-p", "chi2")]
    np.testing.assert_allclose(p, [0.070, 0.039, 0.077], atol=6e-4)


def test_no_disagreement_and_equal_counts_show_nothing():
    for kind in ("exact", "mid-p", "chi2"):
        assert mcnemar_counts(0, 0, kind).p_value == 1.0
        assert mcnemar_counts(5, 5, kind).p_value == pytest.approx(1.0)


def test_rows_are_counted_where_only_one_is_right():
    a, b = np.array([1, 1, 1, 0, 0, 1], bool), np.array([1, 0, 0, 1, 0, 0], bool)
    assert mcnemar(a, b) == mcnemar_counts(3, 1)
    assert mcnemar(b, a).p_value == mcnemar(a, b).p_value


def test_size_of_the_exact_test_is_what_the_binomial_says_and_below_the_level():
    rng, rows, times, disagree = np.random.default_rng(6), 80, 1000, 0.3
    rejected = 0
    for _ in range(times):
        differ, a_right = rng.random(rows) < disagree, rng.random(rows) < 0.5
        rejected += mcnemar(a_right, a_right ^ differ).p_value <= 0.05
    size = _true_size(rows, disagree, 0.05)
    assert size < 0.05
    assert stats.binomtest(rejected, times, size).pvalue > 1e-3


def _true_size(rows, disagree, level):
    """Over the number of rows that differ, twice the largest tail of a fair coin that is at most half the level."""
    size = 0.0
    for n in range(rows + 1):
        tails = stats.binom.cdf(np.arange(n // 2 + 1), n, 0.5)
        allowed = tails[2 * tails <= level]
        size += stats.binom.pmf(n, rows, disagree) * 2 * (allowed[-1] if len(allowed) else 0.0)
    return size


def test_nonsense_is_refused():
    with pytest.raises(InputError, match="neither true nor false"):
        mcnemar([0, 1, 2], [0, 1, 1])
    with pytest.raises(InputError, match="counts of rows"):
        mcnemar_counts(-1, 3)
    with pytest.raises(InputError, match="3 losses of a and 2"):
        mcnemar([True] * 3, [True] * 2)

"""Ends of intervals on given resamples: against SciPy's and a textbook's arithmetic, and their errors by repetition."""

import numpy as np
import pytest
from scipy import stats

from credo.errors import UndefinedError
from credo.validate.estimation.ends import basic_ends, bca_ends, percentile_ends, studentized_ends

LEVEL = 0.9


@pytest.fixture(scope="module")
def sample():
    return np.random.default_rng(3).exponential(size=35)


def from_scipy(sample, method, values):
    """SciPy's interval on the same resamples."""
    first = stats.bootstrap((sample,), np.var, n_resamples=2, method="percentile", rng=0)
    first.bootstrap_distribution = values
    again = stats.bootstrap(
        (sample,), np.var, n_resamples=0, method=method, confidence_level=LEVEL, bootstrap_result=first
    )
    return tuple(again.confidence_interval)


@pytest.fixture(scope="module")
def values(sample):
    drawn = np.random.default_rng(0).integers(0, 35, (800, 35))
    return np.var(sample[drawn], axis=1)


def test_like_scipys(sample, values):
    estimate = np.var(sample)
    left_out = np.array([np.var(np.delete(sample, i)) for i in range(35)])
    np.testing.assert_allclose(percentile_ends(values, LEVEL)[:2], from_scipy(sample, "percentile", values))
    np.testing.assert_allclose(basic_ends(values, estimate, LEVEL)[:2], from_scipy(sample, "basic", values))
    np.testing.assert_allclose(bca_ends(values, estimate, left_out, LEVEL)[:2], from_scipy(sample, "BCa", values))


def textbook_bca(values, estimate, left_out, level):
    """Efron & Tibshirani (1993), equations 14.9 to 14.15, one number at a time."""
    below = sum(1.0 if v < estimate else 0.5 if v == estimate else 0.0 for v in values)
    z0 = stats.norm.ppf(below / len(values))
    center = sum(left_out) / len(left_out)
    a = sum((center - v) ** 3 for v in left_out) / (6 * sum((center - v) ** 2 for v in left_out) ** 1.5)
    ends = []
    for tail in ((1 - level) / 2, (1 + level) / 2):
        z = z0 + stats.norm.ppf(tail)
        p = stats.norm.cdf(z0 + z / (1 - a * z))
        ordered, place = np.sort(values), p * (len(values) - 1)
        k = int(place)
        ends.append(ordered[k] + (place - k) * (ordered[k + 1] - ordered[k]))
    return ends


@pytest.mark.parametrize("ties", [False, True])
def test_bca_of_the_textbook(values, sample, ties):
    left_out = np.array([np.var(np.delete(sample, i)) for i in range(35)])
    estimate = float(np.var(sample))
    if ties:
        values, estimate = np.round(values, 1), float(np.round(estimate, 1))
        assert np.sum(values == estimate) > 10
    ends = bca_ends(values, estimate, left_out, LEVEL)
    np.testing.assert_allclose(ends[:2], textbook_bca(values, estimate, left_out, LEVEL), rtol=1e-12)


def test_studentized_by_hand():
    errors = np.array([1.0, 2.0, 1.0, 2.0, 1.0])
    values = np.array([-1.0, 1.0, 2.0, 5.0, 3.0]) + 10.0
    pivots = np.sort((values - 10.0) / errors)  # -1, 0.5, 2, 2.5, 3
    ends = studentized_ends(values, errors, 10.0, 0.5, 0.5)
    np.testing.assert_allclose(ends[:2], [10.0 - 0.5 * pivots[3], 10.0 - 0.5 * pivots[1]])


@pytest.mark.parametrize("method", ["percentile", "bca", "studentized"])
def test_errors_of_the_ends_are_those_of_repetition(sample, method):
    rng = np.random.default_rng(7)
    estimate = float(np.mean(sample))
    left_out = (np.sum(sample) - sample) / (len(sample) - 1)
    found = []
    for _ in range(150):
        rows = sample[rng.integers(0, 35, (1000, 35))]
        values = np.mean(rows, axis=1)
        if method == "percentile":
            found.append(percentile_ends(values, LEVEL)[:4])
        elif method == "bca":
            found.append(bca_ends(values, estimate, left_out, LEVEL)[:4])
        else:
            found.append(studentized_ends(values, stats.sem(rows, axis=1), estimate, stats.sem(sample), LEVEL)[:4])
    spread, stated = np.std(found, axis=0, ddof=1)[:2], np.mean(found, axis=0)[2:]
    # A standard deviation of 150 is known to 6 %; the density at the end adds to that.
    np.testing.assert_allclose(stated, spread, rtol=0.25)


def test_what_has_no_interval_is_refused(values):
    left_out = np.linspace(0.0, 1.0, 35)
    with pytest.raises(UndefinedError, match="all 800 resamples lie below"):
        bca_ends(values, float(np.max(values)) + 1.0, left_out, LEVEL)
    with pytest.raises(UndefinedError, match="without row 3"):
        bca_ends(values, float(np.median(values)), np.where(np.arange(35) == 3, np.nan, left_out), LEVEL)
    with pytest.raises(UndefinedError, match="zero in 1 of 800"):
        studentized_ends(values, np.where(np.arange(800) == 0, 0.0, 1.0), 1.0, 1.0, LEVEL)
    alone = np.where(np.arange(2000) == 0, 1.0, 0.0)  # one row decides: the largest acceleration, a sixth
    with pytest.raises(UndefinedError, match="acceleration"):
        bca_ends(values, float(np.quantile(values, 1e-2)), alone, 0.9999)


def test_a_statistic_that_no_row_moves_has_no_acceleration(values):
    ends = bca_ends(values, float(np.median(values)), np.full(35, 2.0), LEVEL)
    assert "taken as zero" in ends.notes[0]
    np.testing.assert_allclose(ends[:2], percentile_ends(values, LEVEL)[:2], rtol=1e-3)

"""Paired differences: against scipy and statsmodels, textbook formulas, and sizes and coverage by simulation."""

import numpy as np
import pytest
from scipy import stats
from statsmodels.stats.power import TTestPower

from credo.errors import InputError, UndefinedError
from credo.validate.comparison import Difference, corrected_resampled_t, paired_difference, rows_times, rows_to_separate

SIMULATIONS = 1000


def consistent(hits, rate, simulations=SIMULATIONS):
    """Whether a count of hits is within Monte Carlo error of the rate."""
    return stats.binomtest(int(hits), simulations, rate).pvalue > 1e-3


def test_equals_scipys_paired_t():
    rng = np.random.default_rng(1)
    a, b = rng.exponential(size=(2, 37))
    ours, peer = paired_difference(a, b), stats.ttest_rel(a, b)
    np.testing.assert_allclose([ours.test.statistic, ours.p_value], [peer.statistic, peer.pvalue], rtol=1e-12)
    np.testing.assert_allclose(ours.interval(0.9), peer.confidence_interval(0.9), rtol=1e-12)
    assert ours.test.degrees == (36,)


def test_size_and_coverage_are_exact_for_normal_differences():
    rng = np.random.default_rng(2)
    hard = rng.exponential(5.0, size=(SIMULATIONS, 12))  # common to both, and cancels
    fits = [paired_difference(row + rng.normal(size=12), row + rng.normal(size=12)) for row in hard]
    assert consistent(sum(fit.p_value < 0.05 for fit in fits), 0.05)
    shifted = [paired_difference(row + 0.7 + rng.normal(size=12), row) for row in hard]
    held = sum(low <= 0.7 <= high for low, high in (fit.interval(0.8) for fit in shifted))
    assert consistent(held, 0.8)


def test_equal_models_are_not_told_apart_and_constant_differences_have_no_error():
    same = paired_difference([1.0, 2.0, 3.0], [1.0, 2.0, 3.0])
    assert (same.mean, same.standard_error, same.p_value, same.test.statistic) == (0.0, 0.0, 1.0, 0.0)
    with pytest.raises(UndefinedError, match="all 3 differences are 1"):
        paired_difference([1, 1, 1], [0, 0, 0])
    with pytest.raises(UndefinedError, match="all 2 differences"):
        corrected_resampled_t([0.1, 0.1], 90, 10)


def test_corrected_variance_is_the_published_one():
    d = np.array([0.03, -0.01, 0.04, 0.02, 0.05, 0.01])
    ours = corrected_resampled_t(d, train_size=45, test_size=5)
    variance = (1 / 6 + 5 / 45) * np.sum((d - d.mean()) ** 2) / 5
    t = d.mean() / np.sqrt(variance)
    np.testing.assert_allclose(
        [ours.standard_error, ours.test.statistic, ours.p_value], [np.sqrt(variance), t, 2 * stats.t.sf(t, 5)]
    )
    reach = stats.t.ppf(0.975, 5) * np.sqrt(variance)
    np.testing.assert_allclose(ours.interval(), (d.mean() - reach, d.mean() + reach))


def training_masks(rng, n, design):
    """Which rows each split learns from."""
    if design == "hold-out":
        return np.stack([rng.permutation(n) >= n // 10 for _ in range(15)])
    runs = 1 if design == "folds" else 10
    return np.concatenate([(rng.permutation(n) % 10) != np.arange(10)[:, None] for _ in range(runs)])


def split_differences(rng, design, n=60):
    """Of two regressions, each on one of two columns that matter equally: their expected losses are the same."""
    x = rng.normal(size=(n, 2))
    y = x.sum(axis=1) + rng.normal(size=n)
    learn = training_masks(rng, n, design).astype(float)
    slopes = (learn @ (x * y[:, None])) / (learn @ x**2)
    losses = (y[None, :, None] - slopes[:, None, :] * x) ** 2
    held = 1.0 - learn
    return np.sum(held * (losses[..., 0] - losses[..., 1]), axis=1) / np.sum(held, axis=1)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("design", "stated", "uncorrected"), [("hold-out", 0.045, 0.21), ("folds", 0.008, 0.048), ("repeated", 0.049, 0.58)]
)
def test_size_of_the_corrected_test_is_as_the_docstring_says(design, stated, uncorrected):
    rng, times = np.random.default_rng(11), 2000
    draws = [split_differences(rng, design) for _ in range(times)]
    rejected = np.mean([corrected_resampled_t(d, 54, 6).p_value < 0.05 for d in draws])
    naive = np.mean([stats.ttest_1samp(d, 0.0).pvalue < 0.05 for d in draws])
    # Two independent simulations of 2000: four standard errors of their difference.
    error = lambda rate: 4.0 * np.sqrt(2.0 * rate * (1.0 - rate) / times)  # noqa: E731
    assert abs(rejected - stated) < error(stated)
    assert abs(naive - uncorrected) < error(uncorrected) + 0.005  # stated to two digits


@pytest.mark.parametrize(
    ("effect", "power", "level"), [(0.1, 0.8, 0.05), (0.5, 0.9, 0.01), (2.0, 0.8, 0.05), (0.01, 0.5, 0.1)]
)
def test_rows_to_separate_equals_statsmodels(effect, power, level):
    n = rows_to_separate(-effect * 3.0, 3.0, power, level)
    peer = TTestPower()
    assert peer.power(effect, n, level) >= power - 1e-9
    assert n == 2 or peer.power(effect, n - 1, level) < power


def test_rows_for_a_tiny_effect_follow_the_normal_formula():
    expected = ((stats.norm.ppf(0.975) + stats.norm.ppf(0.8)) / 1e-4) ** 2
    assert rows_to_separate(1e-4, 1.0) == pytest.approx(expected, rel=1e-5)


def test_that_many_rows_have_that_power():
    n = rows_to_separate(0.5, 1.0, power=0.8)
    rng = np.random.default_rng(4)
    found = sum(paired_difference(rng.normal(0.5, 1.0, n), np.zeros(n)).p_value < 0.05 for _ in range(SIMULATIONS))
    exact = TTestPower().power(0.5, n, 0.05)
    assert consistent(found, exact)


def test_nonsense_is_refused():
    for mean, std in ((0.0, 1.0), (1.0, 0.0), (np.nan, 1.0), (1.0, -1.0)):
        with pytest.raises(InputError, match="mean is"):
            rows_to_separate(mean, std)
    with pytest.raises(InputError, match="power is"):
        rows_to_separate(0.1, 1.0, power=1.0)
    with pytest.raises(InputError, match="level is"):
        Difference(0.1, 0.1, 5, 6).interval(1.5)


def test_it_prints_who_is_better():
    assert "a has the smaller loss: t(9)" in str(Difference(-1.0, 0.1, 9, 10))
    assert "b has the smaller loss" in str(Difference(1.0, 0.1, 9, 10))
    assert "no difference is shown" in str(Difference(1.0, 1.0, 9, 10, "splits"))
    assert "over 10 splits, 95 % interval -1.262 to 3.262" in str(Difference(1.0, 1.0, 9, 10, "splits"))


@pytest.mark.parametrize("degrees", [3.0, 20.0, 1e7])
def test_so_many_times_the_rows_have_the_power_asked(degrees):
    seen = Difference(-0.3, 0.2, degrees, 5)
    shift = 1.5 * np.sqrt(rows_times(seen, power=0.7, significance=0.01))
    critical = stats.t.ppf(0.995, degrees)
    far = stats.nct if degrees < 1e6 else None
    power = far.sf(critical, degrees, shift) if far else stats.norm.sf(critical - shift)
    assert power == pytest.approx(0.7, abs=1e-5)


def test_no_number_of_rows_separates_what_is_equal():
    with pytest.raises(InputError, match="zero"):
        rows_times(Difference(0.0, 0.1, 4, 5))

"""Bootstrap intervals: SciPy's on the same rows, coverage in simulation, and what is refused."""

import numpy as np
import pytest
from scipy import stats

from credo.errors import InputError, UndefinedError
from credo.validate.estimation import OfMeans, bootstrap_interval

RNG = np.random.default_rng(0)
X = RNG.gamma(2.0, size=80)
Y = X + RNG.normal(size=80)


def pearson(x, y, axis=-1):
    return stats.pearsonr(x, y, axis=axis).statistic


@pytest.mark.parametrize("method", ["percentile", "basic", "bca"])
@pytest.mark.parametrize(
    ("name", "data", "peer"), [("mean", (X,), np.mean), ("std", (X,), np.std), ("correlation", (X, Y), pearson)]
)
def test_like_scipy(method, name, data, peer):
    mine = bootstrap_interval(data, name, method=method, resamples=4000, random_state=0)
    theirs = stats.bootstrap(
        data, peer, method=method.replace("bca", "BCa"), n_resamples=4000, paired=True, rng=np.random.default_rng(1)
    )
    gaps = np.abs(np.array([mine.low, mine.high]) - np.array(theirs.confidence_interval))
    # Both have the same Monte Carlo error: their difference has √2 of it.
    assert np.all(gaps < 4.0 * np.sqrt(2.0) * np.array(mine.end_errors))
    np.testing.assert_allclose(mine.standard_error, theirs.standard_error, rtol=0.06)
    np.testing.assert_allclose(mine.estimate, peer(*data))
    assert mine.certificate.kind == "estimated"
    assert mine.certificate.error == max(mine.end_errors)


def test_seeded_alike_it_is_scipys_interval():
    # Both draw row numbers from NumPy's default generator in the same order.
    mine = bootstrap_interval((X, Y), "correlation", resamples=600, random_state=5)
    theirs = stats.bootstrap((X, Y), pearson, n_resamples=600, paired=True, method="BCa", rng=np.random.default_rng(5))
    np.testing.assert_allclose([mine.low, mine.high], theirs.confidence_interval, rtol=1e-9)


@pytest.mark.parametrize("method", ["percentile", "basic", "bca", "studentized"])
def test_by_name_and_by_function_on_the_same_draws(method):
    by_name = bootstrap_interval(X, "mean", method=method, resamples=500, random_state=3)
    error = (lambda x, axis: stats.sem(x, axis=axis)) if method == "studentized" else None
    by_call = bootstrap_interval(X, np.mean, method=method, resamples=500, standard_error=error, random_state=3)
    own = OfMeans(lambda x: x[..., None], lambda a: a[..., 0])
    by_own = bootstrap_interval(X, own, method=method, resamples=500, random_state=3)
    for other in (by_call, by_own):
        np.testing.assert_allclose([other.low, other.high], [by_name.low, by_name.high], rtol=1e-9)


def test_studentized_of_a_mean_by_hand():
    interval = bootstrap_interval(X, "mean", method="studentized", resamples=3000, level=0.9, random_state=0)
    rows = X[np.random.default_rng(9).integers(0, 80, (3000, 80))]
    pivots = (rows.mean(axis=1) - X.mean()) / stats.sem(rows, axis=1)
    expected = X.mean() - stats.sem(X) * np.quantile(pivots, [0.95, 0.05])
    assert np.all(np.abs(expected - [interval.low, interval.high]) < 4.0 * np.sqrt(2.0) * np.array(interval.end_errors))


def test_units_and_repetition():
    one = bootstrap_interval(X, "mean", random_state=4)
    again = bootstrap_interval(X, "mean", random_state=4)
    scaled = bootstrap_interval(-3.0 * X + 5.0, "mean", random_state=4)
    assert one.low == again.low
    np.testing.assert_allclose([scaled.low, scaled.high], [5.0 - 3.0 * one.high, 5.0 - 3.0 * one.low], rtol=1e-9)
    wide = bootstrap_interval(X, "mean", level=0.99, random_state=4)
    assert wide.low < one.low < one.high < wide.high
    assert "95% bca interval" in str(one)


def coverage(method, name, truth, draw, times, resamples=500):
    held = 0
    for i in range(times):
        interval = bootstrap_interval(
            draw(np.random.default_rng(i)), name, method=method, level=0.9, resamples=resamples, random_state=i
        )
        held += interval.low <= truth <= interval.high
    return held


TIMES = 400


def correlated(rng, n=60):
    x = rng.normal(size=n)
    return x, 0.6 * x + 0.8 * rng.normal(size=n)


@pytest.mark.parametrize("method", ["percentile", "basic", "bca", "studentized"])
def test_coverage_of_a_mean(method):
    held = coverage(method, "mean", 0.0, lambda rng: rng.normal(size=50), TIMES)
    # Without a standard error an interval is x̄ ± 1.645 s √(49/50)/√n, which holds less often than Student's.
    narrow = 2.0 * stats.t.cdf(stats.norm.ppf(0.95) * np.sqrt(49 / 50), 49) - 1.0
    assert stats.binomtest(held, TIMES, 0.9 if method == "studentized" else narrow).pvalue > 1e-3


@pytest.mark.slow
@pytest.mark.parametrize("method", ["percentile", "basic", "bca", "studentized"])
def test_coverage_over_a_thousand_samples(method):
    held = coverage(method, "correlation", 0.6, correlated, 1000)
    assert abs(held / 1000 - 0.9) < 4 * np.sqrt(0.09 / 1000) + 0.02  # Monte Carlo, and O(1/n) with n = 60


@pytest.mark.slow
def test_corrected_ends_miss_evenly_where_percentiles_do_not():
    low, high = {}, {}
    for method in ("percentile", "bca", "studentized"):
        ends = []
        for i in range(1000):
            x = np.random.default_rng(i).exponential(size=40)
            found = bootstrap_interval(x, "mean", method=method, level=0.9, resamples=999, random_state=i)
            ends.append((found.low > 1.0, found.high < 1.0))
        low[method], high[method] = np.mean(ends, axis=0)
    # Each tail is 5 %; the upper end of a skewed sample is missed most (Hall 1988).
    assert high["studentized"] < high["bca"] < high["percentile"]
    assert abs(high["studentized"] - 0.05) < 0.03


def test_what_is_refused():
    for wrong in ({"level": 1.0}, {"level": 0.0}, {"method": "normal"}, {"resamples": 10}, {"resamples": True}):
        with pytest.raises(InputError):
            bootstrap_interval(X, **wrong)
    for data in ([1.0], [1.0, np.nan], np.ones((3, 2)), (X, Y[:-1]), [], "abc", ()):
        with pytest.raises(InputError):
            bootstrap_interval(data)
    with pytest.raises(InputError, match="1 columns were given to a statistic of 2"):
        bootstrap_interval(X, "correlation")
    with pytest.raises(InputError, match="Only one method uses it"):
        bootstrap_interval(X, np.mean, standard_error=stats.sem)


def test_what_has_no_answer():
    with pytest.raises(UndefinedError, match="constant"):
        bootstrap_interval(np.full(20, 0.1), "mean")
    with pytest.raises(UndefinedError, match="constant"):
        bootstrap_interval((np.full(20, 0.1), Y[:20]), "correlation")
    with pytest.raises(UndefinedError, match="NaN or infinite in"):
        bootstrap_interval(([0.0, 1.0, 3.0], [1.0, 0.0, 5.0]), "correlation", random_state=0)
    with pytest.raises(UndefinedError, match="standard error of the statistic is zero"):
        bootstrap_interval([0.0, 1.0, 0.0, 1.0], "mean", method="studentized", random_state=0)


def test_few_rows_are_noted():
    notes = bootstrap_interval([1.0, 2.5, 3.0, 4.5, 6.0], "mean", random_state=0).certificate.notes
    assert any("5 rows are few" in note for note in notes)

"""Resampling by sparse counts against gathered rows, jackknife and nested errors against loops."""

import numpy as np
import pytest
from scipy import stats

from credo.errors import InputError
from credo.validate.estimation import resampling
from credo.validate.estimation.of_means import STATISTICS
from credo.validate.estimation.resampling import AnyStatistic, Means, replicate, resampled

N = 30


@pytest.fixture
def columns():
    rng = np.random.default_rng(0)
    x = rng.normal(size=N)
    return [x, x + rng.normal(size=N)]


def pearson(x, y):
    return stats.pearsonr(x, y).statistic


def test_products_of_counts_equal_gathered_rows(columns):
    indices = np.random.default_rng(1).integers(0, N, (9, N), dtype=np.int32)
    means = Means("t", columns, STATISTICS["correlation"])
    direct = [pearson(columns[0][i], columns[1][i]) for i in indices]
    np.testing.assert_allclose(means.at(indices), direct, rtol=1e-12)
    gathered = AnyStatistic("t", columns, STATISTICS["correlation"], None)
    np.testing.assert_allclose(gathered.at(indices), direct, rtol=1e-12)
    np.testing.assert_allclose([means.estimate(), gathered.estimate()], pearson(*columns))


@pytest.mark.parametrize("kind", [Means, AnyStatistic])
def test_leaving_one_out(kind, columns):
    plan = (
        Means("t", columns, STATISTICS["slope"])
        if kind is Means
        else AnyStatistic("t", columns, STATISTICS["slope"], None)
    )
    x, y = columns
    direct = [stats.linregress(np.delete(x, i), np.delete(y, i)).slope for i in range(N)]
    np.testing.assert_allclose(plan.without_one(), direct, rtol=1e-10)


def test_leaving_one_out_in_blocks(columns, monkeypatch):
    whole = AnyStatistic("t", columns[:1], np.median, None).without_one()
    monkeypatch.setattr(resampling, "_ENTRIES", 3 * N)
    np.testing.assert_array_equal(AnyStatistic("t", columns[:1], np.median, None).without_one(), whole)
    np.testing.assert_allclose(whole, [np.median(np.delete(columns[0], i)) for i in range(N)])


def test_blocks_do_not_change_the_draws(columns, monkeypatch):
    plan = Means("t", columns, STATISTICS["correlation"])
    whole = replicate(plan, 200, np.random.default_rng(5), errors=False).values
    monkeypatch.setattr(resampling, "_ENTRIES", 7 * N)
    np.testing.assert_array_equal(replicate(plan, 200, np.random.default_rng(5), errors=False).values, whole)


def test_jackknife_errors_of_resamples(columns):
    x = columns[0]
    plan = resampled("t", [x], "mean")
    indices = np.random.default_rng(1).integers(0, N, (6, N), dtype=np.int32)
    # Of a mean the jackknife is s/√n, to rounding.
    expected = np.std(x[indices], axis=1, ddof=1) / np.sqrt(N)
    np.testing.assert_allclose(plan.error_at(indices, np.random.default_rng(0)), expected, rtol=1e-10)
    np.testing.assert_allclose(plan.own_error(), np.std(x, ddof=1) / np.sqrt(N), rtol=1e-10)


def test_nested_errors_have_the_size_of_the_formula(columns):
    x = columns[0]
    plan = resampled("t", [x], np.mean)
    drawn = replicate(plan, 400, np.random.default_rng(0), errors=True)
    # The bootstrap's own formula has divisor n; 50 resamples tell a spread to 10 %, 400 of them their mean to 1 %.
    typical = np.mean(drawn.errors) / np.std(x) * np.sqrt(N)
    assert 0.9 < typical < 1.02
    given = resampled("t", [x], np.mean, lambda x, axis: np.std(x, axis=axis, ddof=1) / np.sqrt(x.shape[axis]))
    np.testing.assert_allclose(given.own_error(), stats.sem(x))


def test_means_of_resamples_have_the_right_moments():
    x = np.random.default_rng(0).exponential(size=N)
    values = replicate(resampled("t", [x], "mean"), 20_000, np.random.default_rng(0), errors=False).values
    spread = np.std(x) / np.sqrt(N)
    assert abs(np.mean(values) - np.mean(x)) < 4 * spread / np.sqrt(20_000)
    assert abs(np.std(values) / spread - 1.0) < 0.02
    assert abs(stats.skew(values) - stats.skew(x) / np.sqrt(N)) < 4 * np.sqrt(6 / 20_000)


def test_what_cannot_be_resampled_is_refused(columns):
    with pytest.raises(InputError, match="no entry"):
        resampled("t", columns, "mode")
    with pytest.raises(InputError, match="no function"):
        resampled("t", columns, 3)
    with pytest.raises(InputError, match="could not be called"):
        resampled("t", columns, np.median).estimate()
    with pytest.raises(InputError, match="one number a resample"):
        resampled("t", columns[:1], lambda x, axis: x).estimate()
    flat = resampling.OfMeans(lambda x: x, lambda a: a)
    with pytest.raises(InputError, match="features of shape"):
        resampled("t", columns[:1], flat)

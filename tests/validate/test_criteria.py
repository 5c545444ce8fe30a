"""WAIC and PSIS-LOO: exact leave-one-out of a conjugate model, plain formulas, and the error they state."""

import numpy as np
import pytest
from scipy import stats

from credo.errors import InputError
from credo.validate.comparison import paired_difference
from credo.validate.criteria import psis_loo, waic

PRIOR_STD, NOISE = 2.0, 1.0
Y = stats.norm.rvs(0.7, NOISE, size=30, random_state=1)


def posterior(y):
    """Of the mean of normal rows with known noise."""
    precision = 1 / PRIOR_STD**2 + len(y) / NOISE**2
    return y.sum() / NOISE**2 / precision, 1 / np.sqrt(precision)


def exact_leave_one_out(y):
    terms = []
    for i in range(len(y)):
        mean, std = posterior(np.delete(y, i))
        terms.append(stats.norm.logpdf(y[i], mean, np.hypot(std, NOISE)))
    return np.array(terms)


def log_likelihood(y, draws, seed):
    mean, std = posterior(y)
    return stats.norm.logpdf(y, np.random.default_rng(seed).normal(mean, std, size=(draws, 1)), NOISE)


def test_leave_one_out_is_that_of_refits_in_closed_form():
    ours, exact = psis_loo(log_likelihood(Y, 20_000, 0)), exact_leave_one_out(Y)
    np.testing.assert_allclose(ours.pointwise, exact, atol=5e-3)
    assert ours.certificate.kind == "estimated"
    assert abs(ours.elpd - exact.sum()) < 4 * ours.certificate.error < 0.05
    assert ours.standard_error == pytest.approx(np.sqrt(30) * np.std(exact, ddof=1), rel=0.01)
    mean, std = posterior(Y)
    in_sample = stats.norm.logpdf(Y, mean, np.hypot(std, NOISE)).sum()
    assert ours.effective_parameters == pytest.approx(in_sample - exact.sum(), abs=0.02)


def test_the_stated_error_is_the_spread_over_new_draws():
    runs = [psis_loo(log_likelihood(Y, 1000, seed)) for seed in range(300)]
    spread = np.std([run.elpd for run in runs], ddof=1)
    stated = np.sqrt(np.mean([run.certificate.error**2 for run in runs]))
    assert stated == pytest.approx(spread, rel=0.15)  # of 300 runs a spread has 4 %
    bias = np.mean([run.elpd for run in runs]) - exact_leave_one_out(Y).sum()
    assert abs(bias) < 0.5 * spread


def test_efficiency_widens_the_error_and_lengthens_the_tail():
    table = log_likelihood(Y, 1000, 1)
    whole, tenth = psis_loo(table), psis_loo(table, 0.1)
    assert tenth.certificate.error == pytest.approx(whole.certificate.error * np.sqrt(10), rel=0.05)
    each = psis_loo(table, np.full(30, 0.1))
    np.testing.assert_array_equal(each.pointwise, tenth.pointwise)
    assert not np.array_equal(whole.k_hat, tenth.k_hat)


def test_waic_is_the_formula_and_near_leave_one_out():
    table = log_likelihood(Y, 5000, 2)
    ours = waic(table)
    lppd = np.log(np.mean(np.exp(table), axis=0))
    penalty = np.sum((table - table.mean(axis=0)) ** 2, axis=0) / 4999
    np.testing.assert_allclose(ours.pointwise, lppd - penalty)
    assert ours.effective_parameters == pytest.approx(penalty.sum())
    assert ours.standard_error == pytest.approx(np.sqrt(30 * np.var(lppd - penalty, ddof=1)))
    assert ours.elpd == pytest.approx(exact_leave_one_out(Y).sum(), abs=0.05)
    assert ours.k_hat is None
    assert len(ours.unreliable) == 0
    assert "above 0.4" not in str(ours)


def test_a_row_that_the_others_deny_is_named():
    table = log_likelihood(np.r_[Y, 14.0], 1000, 3)
    ours = psis_loo(table)
    assert 30 in ours.unreliable
    assert ours.certificate.kind == "heuristic"
    assert f"{len(ours.unreliable)} of 31 rows have a Pareto k-hat above 0.67" in str(ours)
    assert "rows have a variance above 0.4" in str(waic(table))


@pytest.mark.parametrize(("draws", "threshold"), [(100, 0.5), (1000, 1 - 1 / 3), (5000, 0.7)])
def test_threshold_grows_with_the_draws(draws, threshold):
    assert psis_loo(log_likelihood(Y, draws, 4)).threshold == pytest.approx(threshold)


def test_many_rows_are_worked_on_in_blocks(monkeypatch):
    table = log_likelihood(Y, 500, 5)
    whole = psis_loo(table)
    monkeypatch.setattr("credo.validate.criteria._BLOCK", 7 * 500)
    parts = psis_loo(table)
    np.testing.assert_allclose(parts.pointwise, whole.pointwise, rtol=1e-13)
    assert parts.certificate.error == pytest.approx(whole.certificate.error, rel=1e-9)


def test_models_are_compared_by_the_row():
    good = psis_loo(log_likelihood(Y, 2000, 6))
    wrong = psis_loo(stats.norm.logpdf(Y, np.random.default_rng(7).normal(5.0, 0.2, size=(2000, 1)), NOISE))
    gap = paired_difference(-good.pointwise, -wrong.pointwise)
    assert gap.mean * 30 == pytest.approx(wrong.elpd - good.elpd)
    assert gap.p_value < 1e-6


@pytest.mark.parametrize("criterion", [waic, psis_loo])
def test_nonsense_is_refused(criterion):
    for table, words in (
        (np.zeros(5), r"shape \(5,\)"),
        (np.zeros((1, 5)), "shape"),
        (np.array([[0.0, 1.0], [0.0, -np.inf]]), "-inf for draw 1 and row 1"),
        (np.array([[np.nan, 1.0], [0.0, 1.0]]), "nan for draw 0 and row 0"),
    ):
        with pytest.raises(InputError, match=words):
            criterion(table)


@pytest.mark.parametrize("efficiency", [0.0, -1.0, np.nan, [1.0, 1.0, 1.0]])
def test_efficiencies_are_positive(efficiency):
    with pytest.raises(InputError, match="relative_efficiency is"):
        psis_loo(np.zeros((10, 2)), efficiency)

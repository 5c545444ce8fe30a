"""Estimates of risk against formulas written out, and against the truth in simulation."""

import numpy as np
import pytest
from scipy import stats

from credo.models import LinearRegression
from credo.validate.evaluate import evaluate
from credo.validate.risk import Apparent, Claim, _plus, linearized, ratio, row_error


def test_an_interval_is_normal():
    low, high = Claim("kind", 1.0, 0.5, "").interval(0.9)
    assert (low, high) == pytest.approx((1.0 - 0.5 * stats.norm.ppf(0.95), 1.0 + 0.5 * stats.norm.ppf(0.95)))


@pytest.mark.parametrize(("errors", "rows"), [(0, 150), (3, 40), (40, 40)])
def test_the_interval_of_a_share_is_wilsons_and_never_empty(errors, rows):
    from statsmodels.stats.proportion import proportion_confint

    p = errors / rows
    claim = Claim("held out", p, np.sqrt(p * (1.0 - p) / rows), "").within((0.0, 1.0), rows)
    assert claim.interval(0.95) == pytest.approx(proportion_confint(errors, rows, method="wilson"), abs=1e-12)
    assert claim.standard_error > 0.0


def test_an_interval_stays_in_its_span_and_an_infinite_error_is_no_nan():
    assert Claim("kind", 0.1, 0.5, "").within((0.0, np.inf), 10.0).interval()[0] == 0.0
    assert Claim("kind", np.inf, np.inf, "").within((0.0, np.inf), 10.0).interval() == (0.0, np.inf)


def test_ratios_are_linearized_to_their_mean():
    both = np.random.default_rng(0).random((2, 30))
    assert np.mean(linearized(both)) == pytest.approx(np.sum(both[0]) / np.sum(both[1]))
    np.testing.assert_array_equal(linearized(np.stack([both[0], np.ones(30)])), both[0])
    error = np.std(linearized(both), ddof=1) / 30**0.5
    assert error == pytest.approx(row_error(*both))


def test_the_errors_of_the_bootstrap_do_not_depend_on_the_unit_of_a_logarithmic_score():
    rng = np.random.default_rng(0)
    X, y = linear_data(rng, n=60)
    errors = []
    for unit in (1.0, 1e-3, 0.3):
        result = evaluate(LinearRegression(), X, unit * y, plan="40 bootstrap", scores="log", random_state=0)
        errors.append([claim.standard_error for claim in result["LinearRegression"].claims["log"]])
    np.testing.assert_allclose(errors[1], errors[0], rtol=1e-6)
    np.testing.assert_allclose(errors[2], errors[0], rtol=1e-6)


def test_the_error_of_a_mean_is_the_textbook_one_and_of_a_ratio_the_simulated_one():
    rng = np.random.default_rng(0)
    losses = rng.gamma(2.0, size=50)
    assert row_error(losses, np.ones(50)) == pytest.approx(stats.sem(losses))
    said, there = rng.random((2, 4000, 200)) < 0.4
    precision = np.sum(said & there, axis=1) / np.sum(said, axis=1)
    errors = [row_error((s & t).astype(float), s.astype(float)) for s, t in zip(said[:200], there[:200], strict=True)]
    assert np.mean(errors) == pytest.approx(np.std(precision), rel=0.05)


def test_what_cannot_be_counted_is_not_nan():
    assert ratio(0.0, 0.0) == 0.0
    assert row_error(np.zeros(3), np.zeros(3)) == np.inf
    assert row_error(np.array([1.0, np.inf]), np.ones(2)) == np.inf
    assert row_error(np.ones(1), np.ones(1)) == np.inf


@pytest.mark.parametrize(
    ("apparent", "out", "gamma"), [(0.0, 0.5, 0.5), (0.1, 0.3, 0.5), (0.1, 0.6, 0.5), (0.2, 0.1, 0.5), (0.3, 0.4, 0.2)]
)
def test_632_plus_is_that_of_the_paper(apparent, out, gamma):
    """Efron & Tibshirani (1997), eqs. 28 to 32, step by step."""
    capped = min(out, gamma)
    overfit = (out - apparent) / (gamma - apparent) if out > apparent and gamma > apparent else 0.0
    overfit = min(max(overfit, 0.0), 1.0)
    plain = 0.368 * apparent + 0.632 * out
    wanted = plain + (capped - apparent) * 0.368 * 0.632 * overfit / (1 - 0.368 * overfit)
    assert _plus(Apparent(apparent, gamma), out, lower=True) == pytest.approx(wanted, abs=1e-12)
    # A score of which more is better is the same with its sign turned.
    assert _plus(Apparent(-apparent, -gamma), -out, lower=False) == pytest.approx(-wanted, abs=1e-12)


def linear_data(rng, n=40, d=4):
    X = rng.normal(size=(n, d))
    return X, X @ np.ones(d) + rng.normal(size=n)


def true_risk(X, y):
    """The squared error at new rows of the least-squares fit, of noise one and columns that are standard normal."""
    fitted = np.linalg.lstsq(np.column_stack([np.ones(len(y)), X]), y, rcond=None)[0]
    return 1.0 + np.sum((fitted - np.r_[0.0, np.ones(X.shape[1])]) ** 2)


@pytest.mark.slow
def test_every_estimate_is_close_to_the_truth_on_average_and_its_error_is_its_spread():
    """300 tables of 40 rows: biases in percent of the risk of a fit to all rows, and errors against the spread."""
    rng = np.random.default_rng(0)
    found, truths = {}, []
    for _ in range(300):
        X, y = linear_data(rng)
        truths.append(true_risk(X, y))
        for plan in ("5-fold", "leave-one-out", "100 bootstrap", "2x nested 5-fold", "hold-out"):
            seed = int(rng.integers(2**31))
            result = evaluate(LinearRegression(), X, y, plan=plan, scores="squared", random_state=seed)
            for claim in result["LinearRegression"].claims["squared"]:
                found.setdefault(claim.kind, []).append((claim.value, claim.standard_error))
    truth = np.mean(truths)
    noise = 3.0 * np.std(truths) / 300**0.5 / truth
    bias = {kind: np.mean(values, axis=0)[0] / truth - 1.0 for kind, values in found.items()}
    spread = {kind: np.std(np.array(values)[:, 0]) for kind, values in found.items()}
    error = {kind: np.sqrt(np.mean(np.array(values)[:, 1] ** 2)) for kind, values in found.items()}
    assert abs(bias["leave-one-out"]) < 0.03 + noise
    assert 0.0 < bias["cross-validation"] < 0.10  # it learns from four fifths of the rows
    assert abs(bias["nested cross-validation"]) < 0.05 + noise
    assert abs(bias[".632+"]) < 0.10
    assert abs(bias[".632"]) < 0.10
    assert bias["out of bag"] > 0.05  # it learns from 63 % of the rows
    assert abs(bias["optimism-corrected"]) < 0.10
    assert 0.0 < bias["held out"] < 0.15
    for kind in set(found) - {"nested cross-validation"}:  # whose coverage has a test of its own
        assert 0.75 < error[kind] / spread[kind] < 1.5, kind


@pytest.mark.slow
def test_intervals_of_a_held_out_part_cover_the_risk_of_their_fit():
    """Coverage of 90 % intervals for the risk of the very fit that was judged: 500 simulations."""
    rng = np.random.default_rng(1)
    inside = []
    for _ in range(500):
        X, y = linear_data(rng, n=400)
        plan = "hold-out 0.5"
        result = evaluate(LinearRegression(), X, y, plan=plan, scores="squared", random_state=int(rng.integers(2**31)))
        learned = result["LinearRegression"].refits.held.there
        low, high = result.claim("squared").interval(0.9)
        inside.append(low <= true_risk(X[~learned], y[~learned]) <= high)
    assert np.mean(inside) == pytest.approx(0.9, abs=0.04)


@pytest.mark.parametrize("unit", [1e-250, 1e-100, 1e100, 1e250])
def test_the_error_of_a_mean_follows_its_unit(unit):
    losses = np.random.default_rng(0).exponential(size=50)
    error = np.std(losses, ddof=1) / np.sqrt(50)
    with np.errstate(all="raise"):
        assert row_error(unit * losses, np.ones(50)) == pytest.approx(unit * error, rel=1e-12)

"""Smoothed weights: against a plain loop of the published formulas, scipy's distribution, and laws."""

import numpy as np
import pytest
from scipy import stats

from credo.validate.pareto import fit_generalized_pareto, smoothed_log_weights


def looped_fit(x):
    """Zhang & Stephens 2009, §2, and the prior of Vehtari et al. 2024, in plain loops."""
    n, m = len(x), 30 + int(len(x) ** 0.5)
    quartile = x[int(n / 4 + 0.5) - 1]
    thetas = [1 / x[-1] + (1 - (m / (j - 0.5)) ** 0.5) / (3 * quartile) for j in range(1, m + 1)]
    shape_of = lambda theta: sum(np.log(1 - theta * v) for v in x) / n  # noqa: E731
    profiles = [n * (np.log(-theta / shape_of(theta)) - shape_of(theta) - 1) for theta in thetas]
    weights = [1 / sum(np.exp(other - own) for other in profiles) for own in profiles]
    theta = sum(w * t for w, t in zip(weights, thetas, strict=True))
    k = shape_of(theta)
    return (n * k + 5) / (n + 10), -k / theta


def looped_weights(log_ratios, efficiency):
    """One row, point by point."""
    s = len(log_ratios)
    m = int(np.ceil(min(s / 5, 3 * np.sqrt(s / efficiency))))
    ratios = np.exp(log_ratios - log_ratios.max())
    order = sorted(range(s), key=lambda i: ratios[i])
    base = ratios[order[s - m - 1]]
    tail = order[s - m :]
    k, sigma = looped_fit([ratios[i] - base for i in tail])
    for j, i in enumerate(tail):
        ratios[i] = min(base + stats.genpareto.ppf((j + 0.5) / m, k, scale=sigma), 1.0)
    return np.log(ratios / ratios.sum()), k


@pytest.mark.parametrize("scale", [0.1, 1.0, 2.5])
@pytest.mark.parametrize("efficiency", [1.0, 0.3])
def test_equals_plain_loops(scale, efficiency):
    log_ratios = scale * np.random.default_rng(0).normal(size=(3, 400))
    weights, shape = smoothed_log_weights(log_ratios, np.full(3, efficiency))
    for i in range(3):
        expected, k = looped_weights(log_ratios[i], efficiency)
        np.testing.assert_allclose(weights[i], expected, atol=1e-9)
        assert shape[i] == pytest.approx(k, rel=1e-9)


def test_rows_do_not_know_each_other():
    log_ratios = np.random.default_rng(1).standard_t(3.0, size=(4, 300))
    efficiency = np.array([0.2, 1.0, 1.0, 2.0])
    together, shapes = smoothed_log_weights(log_ratios, efficiency)
    for i in range(4):
        alone, shape = smoothed_log_weights(log_ratios[i : i + 1], efficiency[i : i + 1])
        np.testing.assert_allclose(together[i], alone[0], rtol=1e-12)
        assert shapes[i] == pytest.approx(shape[0], rel=1e-12)


@pytest.mark.parametrize("k", [-0.3, 0.0, 0.4, 0.9])
def test_the_fit_finds_the_shape_and_scale_it_was_drawn_from(k):
    drawn = stats.genpareto.rvs(k, scale=2.0, size=(200, 500), random_state=3)
    shape, scale = fit_generalized_pareto(np.sort(drawn, axis=1))
    pulled = (500 * k + 5.0) / 510
    # Maximum likelihood has standard error (1 + k)/√n for the shape: a mean of 200 is within a tenth of that.
    assert np.mean(shape) == pytest.approx(pulled, abs=0.3 * (1 + k) / np.sqrt(500))
    assert np.std(shape) < 1.4 * max(1 + k, 0.7) / np.sqrt(500)
    assert np.mean(scale) == pytest.approx(2.0, rel=0.03)


def test_weights_are_normalized_keep_their_order_and_their_maximum():
    log_ratios = np.random.default_rng(4).normal(size=(5, 1000)) * 3.0
    weights, _ = smoothed_log_weights(log_ratios, np.ones(5))
    np.testing.assert_allclose(np.exp(weights).sum(axis=1), 1.0)
    at = np.argsort(log_ratios, axis=1)
    assert np.all(np.diff(np.take_along_axis(weights, at, axis=1), axis=1) >= 0.0)
    moved = smoothed_log_weights(log_ratios + 700.0, np.ones(5))[0]  # a common factor cancels
    np.testing.assert_allclose(moved, weights, atol=1e-9)


def test_rows_without_a_tail_to_fit():
    rng = np.random.default_rng(5)
    equal = np.full(200, -3.0)
    stuck = np.where(np.arange(200) < 150, 2.0, rng.normal(size=200))  # a chain that sat on its largest ratio
    spike = np.r_[0.0, np.full(199, -1000.0)]  # all others vanish
    weights, shape = smoothed_log_weights(np.stack([equal, stuck, spike]), np.ones(3))
    assert shape.tolist() == [0.0, np.inf, np.inf]
    np.testing.assert_allclose(weights[0], -np.log(200.0))
    np.testing.assert_allclose(weights[2, 0], 0.0)
    assert np.all(np.isfinite(weights))


def test_ties_with_the_cutoff_are_left_out_of_the_tail():
    rng = np.random.default_rng(6)
    few = np.sort(rng.exponential(size=12)) + 0.1
    row = np.r_[np.zeros(188), few]  # 40 would be in the tail, 28 of them at the cutoff
    _, shape = smoothed_log_weights(row[None], np.ones(1))
    ratios = np.exp(few - few.max()) - np.exp(-few.max())
    assert shape[0] == pytest.approx(looped_fit(ratios)[0], rel=1e-9)

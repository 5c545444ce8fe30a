"""The average of a small process against one over a grid of its parameters, and each member against dense algebra."""

import numpy as np
import pytest

from credo.infer.gaussian.quick_average import average_at, average_quickly, drawn_parameters, mode_shape, modes_from
from credo.infer.gaussian.quick_mode import Evidence, mode_of
from credo.infer.gaussian.quick_prior import LogPrior
from textbook_gp import matern52

X = np.linspace(-1.5, 1.5, 9)[:, None]
NEW = np.array([[-2.0], [0.2], [1.0]])
LEVEL, LEAST, VARIANCE = 1.0, 1e-8, 1e-3  # the spread of the logarithm of the variance is so small that it is one
TARGETS = {
    "one mode": np.sin(2.0 * X[:, 0]) + 0.05 * np.cos(20.0 * X[:, 0]),
    "two modes": np.array([0.1, 0.9, -0.8, 1.0, -1.1, 0.7, -0.2, -1.0, 1.3]),  # a fast wave, or slow and noisy
}
PRIOR = LogPrior(
    np.array([[0.0, 0.0, -6.0], [0.0, 0.0, -0.5]]),
    np.array([[1.0, VARIANCE, 3.0], [1.0, VARIANCE, 1.0]]),
    np.array([0.5, 0.5]),
)


def posterior(y, length, noise):
    """Mean and variance at new rows, and the log evidence, as in the textbook."""
    covariance = matern52(X, X, 1.0, length) + LEVEL + (noise + LEAST) * np.eye(len(y))
    cross = matern52(NEW, X, 1.0, length) + LEVEL
    solved = np.linalg.solve(covariance, np.column_stack([y, cross.T]))
    log_evidence = -0.5 * y @ solved[:, 0] - 0.5 * np.linalg.slogdet(covariance)[1]
    return cross @ solved[:, 0], 1.0 + LEVEL - np.sum(cross * solved[:, 1:].T, axis=1), log_evidence


def on_a_grid(y):
    lengths, noises = np.linspace(-5.0, 5.0, 81), np.linspace(-16.0, 4.0, 81)
    logs = np.array([[length, 0.0, noise] for length in lengths for noise in noises])
    found = [posterior(y, np.exp(length), np.exp(noise)) for length, _, noise in logs]
    weights = np.exp([each[2] for each in found] + PRIOR.log_density(logs))
    weights /= weights.sum()
    means, variances = (np.array([each[k] for each in found]) for k in (0, 1))
    mean = weights @ means
    return mean, weights @ (variances + (means - mean) ** 2)


@pytest.mark.parametrize("name", TARGETS)
def test_moments_are_those_of_a_grid(name):
    y = TARGETS[name]
    evidence = Evidence(X, y, np.array([False]), prior=PRIOR, least=LEAST, level=LEVEL)
    average = average_quickly(evidence, modes_from(evidence, list(PRIOR.middle)))
    assert average.weights.sum() == pytest.approx(1.0)
    assert average.effective > 40
    shares, means, variances, _ = average.at(NEW)
    mean = means @ shares
    variance = (variances + (means - mean[:, None]) ** 2) @ shares
    wanted_mean, wanted_variance = on_a_grid(y)
    np.testing.assert_allclose(mean, wanted_mean, atol=0.1 * np.sqrt(wanted_variance).max())
    np.testing.assert_allclose(variance, wanted_variance, rtol=0.25)


@pytest.mark.parametrize("name", TARGETS)
def test_at_few_rows_all_draws_count(name):
    y = TARGETS[name]
    evidence = Evidence(X, y, np.array([False]), prior=PRIOR, least=LEAST, level=LEVEL)
    shares, means, variances, noises = average_at(evidence, modes_from(evidence, list(PRIOR.middle)), NEW)
    mean = means @ shares
    variance = (variances + (means - mean[:, None]) ** 2) @ shares
    wanted_mean, wanted_variance = on_a_grid(y)
    np.testing.assert_allclose(mean, wanted_mean, atol=0.1 * np.sqrt(wanted_variance).max())
    np.testing.assert_allclose(variance, wanted_variance, rtol=0.2)
    many = average_quickly(evidence, modes_from(evidence, list(PRIOR.middle))).at(NEW)
    np.testing.assert_allclose(many.shares, shares)
    np.testing.assert_allclose(many.noises, noises)
    np.testing.assert_allclose((many.means, many.variances), (means, variances), rtol=1e-4, atol=1e-7)


def test_a_member_is_the_posterior_at_its_parameters():
    y = TARGETS["one mode"]
    evidence = Evidence(X, y, np.array([False]), prior=PRIOR, least=LEAST, level=LEVEL)
    member = average_quickly(evidence, modes_from(evidence, list(PRIOR.middle))).members[0]
    length = 1.0 / member.terms[0].rates[0]
    noise = np.sum(member.lower[0] ** 2) - member.terms[0].variance - LEVEL - LEAST
    wanted = posterior(y, length, noise)
    for found, expected in zip(member.moments(NEW), wanted[:2], strict=True):
        np.testing.assert_allclose(found, expected, rtol=1e-2)


def test_with_more_rows_the_highest_mode_and_few_draws_are_enough():
    """They average as a grid over the parameters does."""
    rng = np.random.default_rng(0)
    rows = rng.uniform(-1.5, 1.5, (25, 1))
    y = np.sin(2.0 * rows[:, 0]) + 0.1 * rng.normal(size=25)
    evidence = Evidence(rows, y, np.array([False]), prior=PRIOR, least=LEAST, level=LEVEL)
    mode = mode_shape(evidence, mode_of(evidence, list(PRIOR.middle)))
    few = average_quickly(evidence, [mode])
    logs = drawn_parameters(evidence, [mode], 64)
    assert logs.shape == (64, 3)
    middle = np.average(np.sqrt(few.noises), weights=few.weights)
    assert middle == pytest.approx(0.1, rel=0.4)
    assert middle == pytest.approx(np.mean(np.sqrt(np.exp(logs[:, 2]))), rel=0.1)
    shares, means, variances, _ = few.at(NEW)
    grid = np.array([[length, 0.0, noise] for length in np.linspace(-3, 3, 41) for noise in np.linspace(-9, 0, 41)])
    dense = evidence.at_many(grid, NEW)
    weights = np.exp(dense.log_densities - np.max(dense.log_densities))
    weights /= weights.sum()
    np.testing.assert_allclose(means @ shares, weights @ dense.means, atol=0.05)
    spread = np.sqrt(variances @ shares + ((means - (means @ shares)[:, None]) ** 2) @ shares)
    wanted = np.sqrt(weights @ dense.variances + weights @ (dense.means - weights @ dense.means) ** 2)
    np.testing.assert_allclose(spread, wanted, rtol=0.2)

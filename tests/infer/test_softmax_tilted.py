"""Moments of a Gaussian times a softmax against quadrature and long Monte Carlo runs."""

import jax
import numpy as np
import pytest
from scipy.special import log_softmax, softmax

from credo.infer.softmax_tilted import contrasts, tilted_points, tilted_softmax
from credo.numerics import gauss_normal, tensor_rule

TILTED = jax.jit(tilted_softmax)


def a_cavity(classes, variance, agreement, seed=0):
    """μ and R: correlated, with the observed class `agreement` standard deviations above zero."""
    rng = np.random.default_rng(seed)
    basis, d = contrasts(classes), classes - 1
    part = rng.normal(size=(d, d)) / np.sqrt(d)
    root = np.linalg.cholesky(variance * (0.5 * part @ part.T + 0.5 * np.eye(d)))
    mean = np.sqrt(variance) * (agreement * basis[1] + 0.3 * rng.normal(size=d))
    return mean, root


def moments_at(points, weights, mean, root, classes, power):
    """The textbook average over the cavity itself, recentered at the tilted mean so that few points are lost."""
    center = mean.copy()
    for _ in range(3):
        g = center + points @ root.T
        shift = np.linalg.solve(root, center - mean)
        log_weights = power * log_softmax(g @ contrasts(classes).T, axis=1)[:, 1] - points @ shift - 0.5 * shift @ shift
        log_weights = log_weights + np.log(weights)
        top = log_weights.max()
        share = np.exp(log_weights - top)
        center = share @ g / share.sum()
    away = g - center
    return center, (away * share[:, None]).T @ away / share.sum(), top + np.log(share.sum())


def settled(mean, root, classes, power):
    """The moments once the guess is the mean of π, as it is where expectation propagation has converged."""
    observed = np.eye(classes)[1]
    guess = softmax(contrasts(classes) @ mean + observed * np.sum(root**2))
    for _ in range(40):
        slope = np.linalg.solve(root.T, np.asarray(TILTED(mean, root, observed, power, guess).shift)) / power
        chances = np.clip(observed - contrasts(classes) @ slope, 1e-10, 1.0)
        guess = 0.5 * guess + 0.5 * chances / chances.sum()
    return TILTED(mean, root, observed, power, guess)


@pytest.mark.parametrize("agreement", [2.0, 0.0, -2.0, -5.0])
@pytest.mark.parametrize("variance", [0.1, 1.0, 10.0, 50.0])
@pytest.mark.parametrize("classes", [2, 3, *(pytest.param(c, marks=pytest.mark.slow) for c in (5, 10))])
def test_moments_are_the_integrals(classes, variance, agreement):
    mean, root = a_cavity(classes, variance, agreement)
    if classes <= 3:
        rule = tensor_rule([gauss_normal(200)] * (classes - 1))
        points, weights = np.reshape(rule.nodes, (-1, classes - 1)), rule.weights
        points, weights = points[weights > 1e-250], weights[weights > 1e-250]
    else:
        half = np.random.default_rng(1).normal(size=(200_000, classes - 1))
        points, weights = np.concatenate([half, -half]), np.full(400_000, 1.0 / 400_000)
    wanted_mean, wanted_covariance, log_normalizer = moments_at(points, weights, mean, root, classes, 1.0)
    found = settled(mean, root, classes, 1.0)
    covariance = root @ (np.eye(classes - 1) - np.asarray(found.loss)) @ root.T
    std = np.sqrt(np.diag(wanted_covariance))
    # A site off by a tenth moves a probability by less than a hundredth.
    limit = 0.02 if classes < 10 else 0.1
    assert np.max(np.abs(mean + root @ np.asarray(found.shift) - wanted_mean) / std) < limit
    assert np.max(np.abs(covariance - wanted_covariance) / np.outer(std, std)) < 2.0 * limit
    np.testing.assert_allclose(found.log_normalizer, log_normalizer, atol=limit)


@pytest.mark.parametrize("variance", [0.1, 10.0])
def test_a_power_below_one_is_that_of_the_label(variance):
    mean, root = a_cavity(3, variance, -1.0)
    rule = tensor_rule([gauss_normal(200)] * 2)
    keep = rule.weights > 1e-250
    wanted = moments_at(rule.nodes[keep], rule.weights[keep], mean, root, 3, 0.3)
    found = settled(mean, root, 3, 0.3)
    np.testing.assert_allclose(mean + root @ np.asarray(found.shift), wanted[0], atol=0.01 * np.sqrt(variance))
    covariance = root @ (np.eye(2) - np.asarray(found.loss)) @ root.T
    np.testing.assert_allclose(covariance, wanted[1], atol=0.02 * variance)
    np.testing.assert_allclose(found.log_normalizer, wanted[2], atol=0.01)


def test_points_have_mean_zero_and_unit_covariance():
    points = tilted_points(4)
    np.testing.assert_allclose(points.mean(axis=0), 0.0, atol=1e-12)
    np.testing.assert_allclose(points.T @ points / len(points), np.eye(4), atol=1e-12)

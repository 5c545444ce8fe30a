"""Moments of many paths of one call against the textbook posterior: between the data, and far from them."""

import numpy as np
import pytest

from credo.infer.gaussian.means import ZeroMean
from credo.infer.gaussian.observations import observations
from credo.infer.gaussian.paths import sample_paths
from credo.infer.gaussian.posterior import condition
from credo.infer.gaussian.process import ConstantNoise, NoNoise, Process
from credo.kernels import RBF, Matern12, Matern32, Matern52
from textbook_gp import Textbook, matern52, rbf, scaled_distance


def matern12(A, B, variance, lengthscale):
    return variance * np.exp(-scaled_distance(A, B, lengthscale))


def matern32(A, B, variance, lengthscale):
    a = np.sqrt(3.0) * scaled_distance(A, B, lengthscale)
    return variance * (1.0 + a) * np.exp(-a)


KERNELS = {
    "matern12": (Matern12, matern12),
    "matern32": (Matern32, matern32),
    "matern52": (Matern52, matern52),
    "rbf": (RBF, rbf),
}
SOME = [("matern32", 1, 10, 0.0), ("matern52", 2, 60, 1e-4)]
ALL = [(k, d, n, noise) for k in KERNELS for d in (1, 2, 5) for n in (10, 60) for noise in (0.0, 1e-2)]


def between(X, rng):
    """Midpoints of neighboring rows, of rows that are not neighbors, and two points far away."""
    near = np.argsort(scaled_distance(X, X, 1.0), axis=1)[:, 1]
    chosen = rng.permutation(len(X))[:8]
    midpoints = 0.5 * (X[chosen] + X[near[chosen]]), 0.5 * (X[chosen[:4]] + X[chosen[4:]])
    far = np.array([[9.0], [9.1]]) * np.ones(X.shape[1])
    return np.unique(np.concatenate([*midpoints, far]), axis=0)


def assert_moments(values, mean, covariance):
    """Variances within 5 %, correlations within 0.05 and means within 5 % of a standard deviation, beyond 4 errors."""
    draws, errors = len(values), np.sqrt(np.diag(covariance))
    scaled = (values - mean) / errors
    kurtosis = np.mean(scaled**4, axis=0)
    assert np.max(np.abs(np.mean(scaled, axis=0))) < 0.05 + 4.0 / np.sqrt(draws)
    assert np.all(np.abs(np.mean(scaled**2, axis=0) - 1.0) < 0.05 + 4.0 * np.sqrt((kurtosis - 1.0) / draws))
    found, wanted = np.corrcoef(scaled.T), covariance / np.outer(errors, errors)
    of_correlation = np.sqrt(np.mean((scaled[:, :, None] * scaled[:, None, :]) ** 2, axis=0) / draws)
    assert np.all(np.abs(found - wanted) < 0.05 + 4.0 * of_correlation)
    return kurtosis


def check(name, d, n, noise, draws, seed=0):
    kernel, textbook = KERNELS[name]
    lengths = np.full(d, 0.4 * d**0.5)
    if not noise and (name, d) in (("rbf", 1), ("rbf", 2), ("matern52", 1)):
        noise = 1e-5  # without, the inverse of the textbook loses all digits of the variance
    rng = np.random.default_rng(seed)
    X = rng.random((n, d))
    y, Z = np.sin(4.0 * X[:, 0]), between(X, rng)
    process = Process(kernel(1.3, lengths), ZeroMean(), ConstantNoise(noise) if noise else NoNoise())
    posterior = condition(process, observations(X, y)[0])
    exact = Textbook(lambda A, B: textbook(A, B, 1.3, lengths), X, y, noise + float(posterior.factor.info.jitter))
    return assert_moments(np.asarray(sample_paths(posterior, draws, random_state=seed)(Z)), *exact.posterior(Z))


@pytest.mark.parametrize(("name", "d", "n", "noise"), SOME)
def test_moments_between_the_data(name, d, n, noise):
    check(name, d, n, noise, draws=4000)


@pytest.mark.slow
@pytest.mark.parametrize(("name", "d", "n", "noise"), ALL)
def test_moments_between_the_data_in_many_cases(name, d, n, noise):
    """And the kurtosis of one point, which is 3 for a normal, is about as the docstring of `Paths` states it."""
    kurtosis = check(name, d, n, noise, draws=8000)
    assert np.max(kurtosis) < (4.5 if noise else 20.0)

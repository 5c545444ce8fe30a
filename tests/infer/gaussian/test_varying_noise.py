"""Noise that depends on x."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from credo.infer.gaussian.varying_noise import VaryingNoise, varying_noise
from credo.kernels import RBF
from credo.models import GPRegressor

SITES = jnp.asarray([[0.0], [1.0], [2.5]])


def noise(values):
    return VaryingNoise(RBF(lengthscale=0.7), SITES, -1.0, values=jnp.asarray(values))


def test_log_noise_is_the_mean_of_a_process_through_its_values():
    values = np.array([0.5, -1.0, 2.0])
    X = np.linspace(-1.0, 3.0, 7)[:, None]
    k = lambda a, b: np.exp(-0.5 * (a - b.T) ** 2 / 0.49)  # noqa: E731
    covariance = k(np.asarray(SITES), np.asarray(SITES)) + 1e-8 * np.eye(3)
    at_sites = np.linalg.cholesky(covariance) @ values
    expected = np.exp(-1.0 + k(X, np.asarray(SITES)) @ np.linalg.solve(covariance, at_sites))
    np.testing.assert_allclose(noise(values).variance(jnp.asarray(X)), expected, rtol=1e-9)


def test_zero_values_are_constant_noise_and_gradients_are_finite():
    X = jnp.linspace(-1.0, 3.0, 5)[:, None]
    np.testing.assert_allclose(noise(np.zeros(3)).variance(X), np.exp(-1.0), rtol=1e-12)
    slope = jax.grad(lambda v: jnp.sum(noise(v).variance(X)))(jnp.array([0.1, 0.2, 0.3]))
    assert np.all(np.isfinite(slope))
    assert np.any(slope != 0)


def test_sites_are_distinct_rows_and_no_more_than_there_are():
    X = np.repeat(np.random.default_rng(0).normal(size=(5, 2)), 4, axis=0)
    start = varying_noise(X)
    assert start.sites.shape == (5, 2)
    assert len(np.unique(np.asarray(start.sites), axis=0)) == 5
    assert varying_noise(np.random.default_rng(0).normal(size=(200, 2))).sites.shape == (24, 2)


@pytest.fixture(scope="module")
def growing():
    """Noise whose standard deviation grows from 0.05 to 1.05."""
    rng = np.random.default_rng(0)
    x = rng.uniform(0.0, 10.0, 120)
    return x[:, None], np.sin(x) + (0.05 + 0.1 * x) * rng.normal(size=120)


@pytest.mark.slow
def test_regressor_learns_where_the_noise_is(growing):
    X, y = growing
    steady = GPRegressor(random_state=0, n_restarts=1).fit(X, y)
    varying = GPRegressor(noise_variance="varying", random_state=0, n_restarts=1).fit(X, y)
    assert varying.log_evidence_ > steady.log_evidence_ + 10.0
    quiet, loud = np.sqrt(np.asarray(varying.predict_dist([[0.5], [9.0]]).budget.noise))
    assert quiet < 0.3 < 0.6 < loud
    rng = np.random.default_rng(1)
    x = rng.uniform(0.0, 10.0, 1000)
    truth = np.sin(x) + (0.05 + 0.1 * x) * rng.normal(size=1000)
    scores = [np.mean(np.asarray(gp.predict_dist(x[:, None]).log_prob(truth))) for gp in (steady, varying)]
    assert scores[1] > scores[0] + 0.1

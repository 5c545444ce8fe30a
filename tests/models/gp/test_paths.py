"""Sampled functions in the user's units."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from credo.kernels import Matern52
from credo.models import FunctionPaths, GPRegressor

KERNEL = Matern52(1.3, [0.7, 1.4])


@pytest.fixture(scope="module")
def rows():
    rng = np.random.default_rng(0)
    X = np.array([300.0, -0.02]) + rng.normal(size=(20, 2)) * [50.0, 0.003]
    return X, 1000.0 + 40.0 * np.sin((X[:, 0] - 300.0) / 20.0)


@pytest.fixture(scope="module")
def gp(rows):
    return GPRegressor(kernel=KERNEL, noise_variance=0.1, inference=None).fit(*rows)


def test_moments_are_those_of_the_joint_belief(gp, rows):
    """2000 paths at 6 points near the data: means and covariances within 4 standard errors."""
    X = rows[0][:6] + np.array([5.0, 0.0003])
    paths = gp.sample_paths(2000, random_state=0)
    assert isinstance(paths, FunctionPaths)
    values, joint = np.asarray(paths(X)), gp.joint(X)
    covariance = np.asarray(joint.covariance)
    errors = np.sqrt(np.diag(covariance))
    assert np.max(np.abs(values.mean(axis=0) - joint.mean) / (errors / np.sqrt(2000))) < 4
    spread = np.sqrt((np.outer(errors, errors) ** 2 + covariance**2) / 2000)
    assert np.max(np.abs(np.cov(values.T) - covariance) / spread) < 4


def test_without_noise_every_path_goes_through_the_data(rows):
    X, y = rows
    exact = GPRegressor(kernel=KERNEL, noise_variance=0, inference=None).fit(X, y)
    np.testing.assert_allclose(exact.sample_paths(4, random_state=1)(X), np.broadcast_to(y, (4, 20)), rtol=1e-7)


def test_gradients_are_in_your_units(gp, rows):
    paths, X = gp.sample_paths(2, random_state=2), jnp.asarray(rows[0][:16] + np.array([1.0, 0.0001]))
    slope = jax.grad(lambda x: jnp.sum(paths(x)[0]))(X)[:, 1]
    step = jnp.array([0.0, 1e-7])
    np.testing.assert_allclose(slope, (paths(X + step) - paths(X - step))[0] / 2e-7, rtol=1e-4, atol=1.0)


def test_a_seed_gives_the_same_functions(gp, rows):
    one, same, other = (gp.sample_paths(2, random_state=seed)(rows[0]) for seed in (3, 3, 4))
    np.testing.assert_array_equal(one, same)
    assert np.any(one != other)

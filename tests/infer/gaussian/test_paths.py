"""Sampled functions: their moments against the textbook posterior, and that they are functions."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import credo.infer.gaussian.paths as paths_module
from credo.errors import UndefinedError
from credo.infer.gaussian.means import LinearMean, ZeroMean
from credo.infer.gaussian.observations import observations
from credo.infer.gaussian.paths import sample_paths
from credo.infer.gaussian.posterior import condition
from credo.infer.gaussian.process import ConstantNoise, NoNoise, Process
from credo.kernels import Linear, Matern52, White
from textbook_gp import Textbook, matern52

LENGTHS = np.array([0.7, 1.4])


@pytest.fixture(scope="module")
def rows():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(20, 2))
    return X, np.sin(2 * X[:, 0]) + 0.4 * rng.normal(size=20), rng.uniform(0.0, 0.3, size=20)


@pytest.fixture(scope="module")
def posterior(rows):
    process = Process(Matern52(1.3, LENGTHS), LinearMean([0.5, -0.3], 0.2), ConstantNoise(0.15))
    return condition(process, observations(*rows[:2], None, rows[2])[0])


def deviations(values, mean, covariance):
    """How many standard errors the moments of normal draws (a row each) lie from those they should have."""
    n = len(values)
    errors = np.sqrt(np.diag(covariance))
    of_mean = (values.mean(axis=0) - mean) / (errors / np.sqrt(n))
    spread = np.sqrt((np.outer(errors, errors) ** 2 + covariance**2) / n)
    return np.abs(of_mean).max(), np.abs((np.cov(values.T) - covariance) / spread).max()


def test_moments_are_those_of_the_posterior(rows, posterior):
    """2000 paths at 6 points near the data, where Fourier features are a small part of them: within 4 errors."""
    X, y, known = rows
    Z = X[:6] + 0.1
    values = np.asarray(sample_paths(posterior, 2000, features=1024, random_state=0)(Z))
    assert values.shape == (2000, 6)
    k = lambda A, B: matern52(A, B, 1.3, LENGTHS)  # noqa: E731
    dense = Textbook(k, X, y, 0.15 + known, mean=lambda A: 0.2 + A @ [0.5, -0.3])
    of_mean, of_covariance = deviations(values, *dense.posterior(Z))
    assert of_mean < 4
    assert of_covariance < 4


def test_without_noise_every_path_goes_through_the_data(rows):
    X, y, _ = rows
    exact = condition(Process(Matern52(1.3, LENGTHS), ZeroMean(), NoNoise()), observations(X, y)[0])
    paths = sample_paths(exact, 5, features=1024, random_state=1)
    np.testing.assert_allclose(paths(X), np.broadcast_to(y, (5, 20)), atol=1e-6)
    apart = np.asarray(paths(X + 3.0))
    assert np.all(apart.std(axis=0) > 0.1)


def test_a_linear_kernel_has_exact_features(rows):
    """Then far from the data, too, the moments are right: with weights w ~ N(m, S), f(z) = zᵀw."""
    X, y, _ = rows
    linear = condition(Process(Linear(0.5), ZeroMean(), ConstantNoise(0.15)), observations(X, y)[0])
    Z = np.array([[10.0, 0.0], [0.0, -10.0]])
    values = np.asarray(sample_paths(linear, 2000, random_state=2)(Z))
    covariance = np.linalg.inv(X.T @ X / 0.15 + np.eye(2) / 0.5)
    of_mean, of_covariance = deviations(values, Z @ covariance @ X.T @ y / 0.15, Z @ covariance @ Z.T)
    assert of_mean < 4
    assert of_covariance < 4


@pytest.fixture(scope="module")
def few(posterior):
    return sample_paths(posterior, 3, features=64, random_state=3)


def test_blocks_of_rows_give_the_same_values(few, monkeypatch):
    Z = np.random.default_rng(4).normal(size=(41, 2))
    pieces = np.concatenate([np.asarray(few(Z[rows])) for rows in (slice(0, 16), slice(16, 32), slice(25, 41))], axis=1)
    monkeypatch.setattr(paths_module, "_BLOCK", 16 * 64)  # entries: 16 rows at a time
    whole = np.asarray(few(Z))
    np.testing.assert_allclose(whole[:, :32], pieces[:, :32], rtol=1e-12)
    np.testing.assert_allclose(whole[:, 25:], pieces[:, 32:], rtol=1e-12)


def test_a_path_is_one_differentiable_function(few):
    """The same values whenever it is asked, and a gradient that is the limit of differences; jit and vmap pass."""
    Z = jnp.asarray(np.random.default_rng(5).normal(size=(16, 2)))
    np.testing.assert_array_equal(few(Z), few(Z))
    gradient = jax.jit(jax.grad(lambda z: jnp.sum(few(z)[1])))(Z)
    step = jnp.array([0.0, 1e-5])
    np.testing.assert_allclose(gradient[:, 1], (few(Z + step) - few(Z - step))[1] / 2e-5, rtol=1e-5, atol=1e-7)
    np.testing.assert_allclose(jax.vmap(lambda z: few(z[None])[:, 0])(Z).T, few(Z), rtol=1e-10, atol=1e-12)


def test_the_seed_says_which_functions(few, posterior):
    Z = np.zeros((16, 2))
    again, other = (sample_paths(posterior, 3, features=64, random_state=seed)(Z) for seed in (3, 4))
    np.testing.assert_array_equal(few(Z), again)
    assert np.all(few(Z) != other)


def test_a_kernel_without_features_is_refused(rows):
    white = condition(Process(White(1.0), ZeroMean(), ConstantNoise(0.1)), observations(*rows[:2])[0])
    with pytest.raises(UndefinedError, match=r"sample\(X, n\)"):
        sample_paths(white, 1)

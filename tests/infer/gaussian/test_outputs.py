"""Outputs that share functions, against dense matrices written out, and outputs on their own against each alone."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from credo.infer.gaussian.means import ZeroMean
from credo.infer.gaussian.observations import observations
from credo.infer.gaussian.outputs import SeparateOutputs, SharedOutputs, mixing_start, stacked
from credo.infer.gaussian.posterior import condition
from credo.infer.gaussian.process import ConstantNoise, OutputNoise, Process
from credo.kernels import RBF, Coregionalization, On
from textbook_gp import Textbook, rbf

RNG = np.random.default_rng(0)
X, NEW = RNG.normal(size=(7, 2)), RNG.normal(size=(3, 2))
Y = RNG.normal(size=(7, 2))
OUTPUTS = Coregionalization([[1.0], [-0.7]], [0.2, 0.5])
LEVELS = np.array([0.1, 0.3])


@pytest.fixture(scope="module")
def shared():
    process = Process(On(RBF(1.0, 0.8), (0, 1)) * On(OUTPUTS, (2,)), ZeroMean(), OutputNoise(LEVELS))
    data, _ = observations(stacked(jnp.asarray(X), 2), Y.ravel())
    return SharedOutputs(condition(process, data), None)


@pytest.fixture(scope="module")
def textbook():
    def k(A, B):
        matrix = np.array([[1.2, -0.7], [-0.7, 0.49 + 0.5]])
        return rbf(A[:, :2], B[:, :2], 1.0, 0.8) * matrix[np.ix_(A[:, 2].astype(int), B[:, 2].astype(int))]

    rows = np.array([[*x, o] for x in X for o in range(2)])
    return Textbook(k, rows, Y.ravel(), np.tile(LEVELS, len(X)))


def test_stacked_rows_name_their_output():
    assert stacked(jnp.asarray([[5.0], [6.0]]), 2).tolist() == [[5, 0], [5, 1], [6, 0], [6, 1]]


def test_moments_of_shared_outputs_are_the_blocks_of_the_dense_posterior(shared, textbook):
    mean, covariance, *_ = shared.moments(jnp.asarray(NEW))
    expected_mean, expected = textbook.posterior(np.array([[*x, o] for x in NEW for o in range(2)]))
    np.testing.assert_allclose(mean, expected_mean.reshape(3, 2), atol=1e-12)
    np.testing.assert_allclose(
        covariance, [expected[2 * i : 2 * i + 2, 2 * i : 2 * i + 2] for i in range(3)], atol=1e-12
    )


def test_noise_and_correlation_are_those_of_the_outputs(shared):
    np.testing.assert_allclose(shared.noise(jnp.asarray(NEW)), np.tile(LEVELS, (3, 1)))
    np.testing.assert_allclose(shared.correlation[0, 1], -0.7 / np.sqrt(1.2 * 0.99), rtol=1e-12)


def test_draws_have_the_moments(shared):
    draws = np.asarray(shared.draws(jnp.asarray(NEW), 20_000, jax.random.key(0)))
    mean, covariance, *_ = shared.moments(jnp.asarray(NEW))
    spread = np.sqrt(np.diagonal(covariance, axis1=1, axis2=2))
    assert draws.shape == (20_000, 3, 2)
    assert np.max(np.abs(draws.mean(axis=0) - mean) / spread) < 4.0 / np.sqrt(20_000)
    for i in range(3):
        np.testing.assert_allclose(np.cov(draws[:, i].T), covariance[i], atol=0.05 * float(np.max(covariance[i])))


def test_separate_outputs_are_each_alone():
    posteriors = [
        condition(Process(RBF(1.0, scale), ZeroMean(), ConstantNoise(0.1)), observations(X, y)[0])
        for scale, y in zip((0.5, 1.5), Y.T, strict=True)
    ]
    separate = SeparateOutputs(tuple(posteriors), (None,) * len(posteriors))
    mean, covariance, *_ = separate.moments(jnp.asarray(NEW))
    for o, posterior in enumerate(posteriors):
        alone = posterior.predict(NEW)
        np.testing.assert_allclose(mean[:, o], alone.loc, rtol=1e-12)
        np.testing.assert_allclose(covariance[:, o, o], alone.variance, rtol=1e-12)
    assert np.all(np.asarray(covariance)[:, 0, 1] == 0.0)
    assert separate.draws(jnp.asarray(NEW), 5, jax.random.key(0)).shape == (5, 3, 2)
    np.testing.assert_array_equal(separate.correlation, np.eye(2))


def test_a_start_shares_what_is_correlated():
    shared_part = RNG.normal(size=500)
    Z = np.stack([shared_part, -shared_part, RNG.normal(size=500)], axis=1) + 0.1 * RNG.normal(size=(500, 3))
    start = mixing_start((Z - Z.mean(axis=0)) / Z.std(axis=0), np.ones(500), 1)
    matrix = np.asarray(start.matrix)
    np.testing.assert_allclose(np.diagonal(matrix), 1.0, atol=0.15)
    assert matrix[0, 1] < -0.9
    assert abs(matrix[0, 2]) < 0.2

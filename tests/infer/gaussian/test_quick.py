"""A small process by NumPy against the same by JAX: moments, slopes, and what it leaves alone."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from credo.infer.gaussian.means import ConstantMean, ZeroMean
from credo.infer.gaussian.observations import observations
from credo.infer.gaussian.posterior import condition, marginal_block, padded
from credo.infer.gaussian.process import ConstantNoise, Process
from credo.infer.gaussian.quick import quick_process, solved_at, terms_at
from credo.infer.gaussian.quick_mode import Evidence
from credo.infer.gaussian.quick_prior import LogPrior
from credo.kernels import RBF, Hamming, Matern32, Matern52, On

RNG = np.random.default_rng(0)
X = np.stack([RNG.uniform(size=15), RNG.integers(0, 3, 15), RNG.uniform(size=15)], axis=1)
Y = np.sin(6.0 * X[:, 0]) + X[:, 1]
NEW = np.stack([RNG.uniform(size=6), RNG.integers(0, 3, 6), RNG.uniform(size=6)], axis=1)
SHIFT, SCALE = np.array([2.0, 0.0, -1.0]), np.array([0.5, 1.0, 3.0])
FLAT = LogPrior.normal(np.zeros(5), np.ones(5))
KERNELS = {
    "numbers": Matern52(variance=1.7, lengthscale=np.array([0.4, 1.2, 0.8])),
    "one length-scale": Matern52(lengthscale=0.6),
    "smooth": RBF(variance=0.6, lengthscale=np.array([0.4, 1.2, 0.8])),
    "a sum": On(Matern52(variance=0.4, lengthscale=np.array([0.4, 0.8])), (0, 2))
    + On(Matern52(lengthscale=np.array([1.4, 0.3])), (0, 2)) * On(Hamming(lengthscale=np.array([1.5])), (1,)),
    "smooth choices": On(RBF(lengthscale=0.7), (0, 2)) * On(Hamming(lengthscale=np.array([1.5])), (1,)),
    "choices": On(Matern52(lengthscale=np.array([0.4, 0.8])), (0, 2)) * On(Hamming(lengthscale=np.array([1.5])), (1,)),
}


def posterior(kernel, mean=None):
    data, _ = observations(X, Y, np.ones(15), np.zeros(15), noiseless=False, who="test")
    return padded(condition(Process(kernel, mean or ZeroMean(), ConstantNoise(0.01)), data))


@pytest.mark.parametrize("name", KERNELS)
def test_moments_and_slopes_are_those_of_jax(name):
    belief = posterior(KERNELS[name])
    quick = quick_process(belief, SHIFT, SCALE)
    rows = SHIFT + SCALE * NEW
    mean, variance = marginal_block(belief, jnp.asarray(NEW))
    np.testing.assert_allclose(quick.moments(rows), [mean, variance], rtol=1e-9)
    at = lambda row, part: marginal_block(belief, ((row - SHIFT) / SCALE)[None])[part][0]  # noqa: E731
    found, numbers = quick.slopes(rows), quick.terms[0].numbers
    for part, slopes in enumerate((found.mean_slope, found.variance_slope)):
        wanted = jax.vmap(jax.grad(lambda row, part=part: at(row, part)))(jnp.asarray(rows))
        np.testing.assert_allclose(slopes[:, numbers], np.asarray(wanted)[:, numbers], rtol=1e-7, atol=1e-9)


@pytest.mark.parametrize("name", ["numbers", "a sum"])
def test_averages_over_nodes_are_those_of_the_joint_belief(name):
    belief = posterior(KERNELS[name])
    quick = quick_process(belief, SHIFT, SCALE)
    weights = np.array([0.5, 0.2, 0.3])
    nodes = (SHIFT + SCALE * NEW).reshape(2, 3, 3)
    mean, variance = quick.averages(nodes, weights)
    for i in range(2):
        joint = belief.joint(jnp.asarray(NEW[3 * i : 3 * i + 3]))
        np.testing.assert_allclose(mean[i], weights @ np.asarray(joint.mean), rtol=1e-9)
        np.testing.assert_allclose(variance[i], weights @ np.asarray(joint.covariance) @ weights, rtol=1e-8)


@pytest.mark.parametrize("summands", [(True,), (False, True)])
def test_measurements_of_many_rows_are_solved_as_those_of_few(summands):
    codes = np.array([False, True, False])
    prior = LogPrior.normal(np.zeros(5 * len(summands) + 1), np.ones(5 * len(summands) + 1))
    evidence = Evidence(X, Y, codes, prior=prior, least=1e-8, summands=summands)
    logs = np.linspace(-1.0, 0.5, evidence.terms[-1].variance + 2)
    wanted = evidence.solved(logs)
    found = solved_at(terms_at(evidence, logs), np.exp(logs[-1]) + 1e-8, X, Y)
    np.testing.assert_allclose(np.tril(found.lower), wanted.lower, rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(found.weights, wanted.weights, rtol=1e-7)


def test_rows_that_repeat_are_solved_with_jitter():
    twice, evidence = np.repeat(X, 2, axis=0), Evidence(X, Y, np.zeros(3, bool), prior=FLAT, least=0.0)
    found = solved_at(terms_at(evidence, np.zeros(5)), 0.0, twice, np.repeat(Y, 2))
    assert np.all(np.isfinite(found.lower))
    assert np.all(np.isfinite(found.weights))


def test_blocks_of_rows_have_the_moments_of_all_together(monkeypatch):
    quick = quick_process(posterior(KERNELS["a sum"]), SHIFT, SCALE)
    rows = SHIFT + SCALE * NEW
    together = quick.moments(rows)
    monkeypatch.setattr("credo.infer.gaussian.quick._ENTRIES", 2 * len(X))
    np.testing.assert_allclose(quick.moments(rows), together, rtol=1e-12)
    assert quick.moments(rows[:0])[0].shape == (0,)


def test_other_kernels_and_means_are_left_to_jax():
    assert quick_process(posterior(Matern32()), SHIFT, SCALE) is None
    assert quick_process(posterior(On(RBF(), (0,)) * On(Matern52(), (1, 2))), SHIFT, SCALE) is None
    assert quick_process(posterior(Matern52() * Matern52()), SHIFT, SCALE) is None
    assert quick_process(posterior(Matern52() + Matern32()), SHIFT, SCALE) is None
    assert quick_process(posterior(Matern52(), ConstantMean()), SHIFT, SCALE) is None

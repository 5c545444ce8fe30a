"""The evidence by NumPy against JAX's of the same process, its gradient against differences, and the mode."""

import jax.numpy as jnp
import numpy as np
import pytest

from credo.infer.gaussian.evidence import log_evidence
from credo.infer.gaussian.means import ZeroMean
from credo.infer.gaussian.observations import observations
from credo.infer.gaussian.process import ConstantNoise, Process
from credo.infer.gaussian.quick_mode import Evidence, curvature_at, mode_near, mode_of
from credo.infer.gaussian.quick_prior import LogPrior
from credo.infer.gaussian.quick_profiles import PROFILES
from credo.kernels import Hamming, Matern52, On
from credo.numerics.scalar import LOG_2PI

RNG = np.random.default_rng(0)
CODES = np.array([False, True, False])
X = np.stack([RNG.uniform(size=18), RNG.integers(0, 3, 18), RNG.uniform(size=18)], axis=1)
Y = np.sin(6.0 * X[:, 0]) + X[:, 1] + 0.1 * RNG.normal(size=18)
MIDDLE, SPREAD, LEAST = np.array([0.1, -0.2, 0.3, 0.0, -3.0]), np.array([1.0, 2.0, 1.5, 1.0, 3.0]), 1e-6
LOGS = np.array([-0.7, 0.2, 0.4, 0.3, -2.0])


@pytest.fixture(scope="module", params=PROFILES, ids=lambda kernel: kernel.__name__)
def smooth(request):
    return request.param


@pytest.fixture(scope="module")
def evidence(smooth):
    return Evidence(X, Y, CODES, prior=LogPrior.normal(MIDDLE, SPREAD), least=LEAST, profile=PROFILES[smooth])


def process_at(logs, smooth):
    scales, variance, noise = np.exp(logs[:3]), np.exp(logs[3]), np.exp(logs[4]) + LEAST
    numbers = On(smooth(variance=variance, lengthscale=jnp.asarray(scales[:2])), (0, 2))
    return Process(numbers * On(Hamming(lengthscale=jnp.asarray(scales[2:])), (1,)), ZeroMean(), ConstantNoise(noise))


def test_is_minus_the_log_evidence_and_the_log_prior(evidence, smooth):
    data, _ = observations(X, Y)
    believed = -0.5 * np.sum(((LOGS - MIDDLE) / SPREAD) ** 2)
    wanted = float(log_evidence(process_at(LOGS, smooth), data)) + 0.5 * len(Y) * LOG_2PI + believed
    assert -evidence(LOGS)[0] == pytest.approx(wanted, rel=1e-10)


def test_its_gradient_is_that_of_differences(evidence):
    step = 1e-5 * np.eye(5)
    wanted = [(evidence(LOGS + each)[0] - evidence(LOGS - each)[0]) / 2e-5 for each in step]
    np.testing.assert_allclose(evidence(LOGS)[1], wanted, rtol=1e-6, atol=1e-7)


def test_solves_for_the_posterior(evidence, smooth):
    process = process_at(LOGS, smooth)
    covariance = np.asarray(process.kernel(X)) + (np.exp(LOGS[4]) + LEAST) * np.eye(len(Y))
    lower, weights = evidence.solved(LOGS)
    np.testing.assert_allclose(lower, np.linalg.cholesky(covariance), atol=1e-12)
    np.testing.assert_allclose(weights, np.linalg.solve(covariance, Y), rtol=1e-8)


def test_a_sum_has_parameters_of_its_own():
    """A function of numbers alone, and one for each choice: the evidence is JAX's, its gradient that of differences."""
    logs = np.array([-0.7, 0.2, -0.5, 0.3, -0.1, 0.4, 0.3, -2.0])
    around, width = np.zeros(8), np.full(8, 2.0)
    both = Evidence(X, Y, CODES, prior=LogPrior.normal(around, width), least=LEAST, summands=(False, True))
    at = np.exp(logs)
    alone = On(Matern52(variance=at[2], lengthscale=jnp.asarray(at[:2])), (0, 2))
    coded = On(Matern52(variance=at[6], lengthscale=jnp.asarray(at[3:5])), (0, 2))
    kernel = alone + coded * On(Hamming(lengthscale=jnp.asarray(at[5:6])), (1,))
    process = Process(kernel, ZeroMean(), ConstantNoise(at[7] + LEAST))
    wanted = float(log_evidence(process, observations(X, Y)[0])) + 0.5 * len(Y) * LOG_2PI - np.sum(logs**2) / 8.0
    assert -both(logs)[0] == pytest.approx(wanted, rel=1e-10)
    slopes = [(both(logs + each)[0] - both(logs - each)[0]) / 2e-5 for each in 1e-5 * np.eye(8)]
    np.testing.assert_allclose(both(logs)[1], slopes, rtol=1e-6, atol=1e-7)


def test_the_mode_is_nowhere_lower_around_it(evidence):
    mode = mode_of(evidence, [MIDDLE, LOGS])
    around = mode.logs + 0.1 * RNG.normal(size=(200, 5))
    assert min(evidence(logs)[0] for logs in around) > mode.loss - 1e-3
    assert mode.loss == pytest.approx(evidence(mode.logs)[0])


def test_a_search_near_a_mode_ends_there_with_its_curvature(evidence):
    mode = mode_of(evidence, [LOGS])
    near = mode_near(evidence, mode.logs + 0.1)
    assert near.loss == pytest.approx(mode.loss, abs=1e-3)
    exact = curvature_at(evidence, near.logs)
    np.testing.assert_allclose(near.precision, exact, atol=0.5 * np.max(np.abs(exact)))
    again = mode_near(evidence, near.logs)
    assert again.loss == pytest.approx(mode.loss, abs=1e-3)


def test_rows_that_repeat_and_wild_starts_are_no_trouble():
    twice = np.concatenate([X, X])
    repeated = Evidence(twice, np.concatenate([Y, Y]), CODES, prior=LogPrior.normal(MIDDLE, SPREAD), least=1e-12)
    mode = mode_of(repeated, [MIDDLE + 1e3, MIDDLE])
    assert np.all(np.isfinite(mode.logs))
    assert all(np.all(np.isfinite(part)) for part in repeated.solved(mode.logs))
    singular = np.array([5.0, 5.0, 5.0, 0.0, -60.0])
    assert all(np.all(np.isfinite(part)) for part in repeated.solved(singular))


def test_many_points_at_once_have_the_same_densities(smooth):
    """Also of two summands, with a constant that is integrated out, and where there is no factor."""
    prior = LogPrior.normal(np.zeros(8), np.full(8, 2.0))
    both = Evidence(X, Y, CODES, prior=prior, least=LEAST, profile=PROFILES[smooth], summands=(False, True), level=2.0)
    points = 0.5 * RNG.normal(size=(40, 8))
    np.testing.assert_allclose(both.at_many(points).log_densities, [-both(logs)[0] for logs in points], rtol=1e-9)
    repeated = Evidence(
        np.repeat(X, 2, axis=0), np.repeat(Y, 2), CODES, prior=prior, least=1e-30, summands=(False, True)
    )
    nowhere = np.where(np.arange(8) == 7, -80.0, points)  # no noise at repeated rows
    found = repeated.at_many(np.concatenate([points[:3], nowhere[:2]])).log_densities
    assert np.all(np.isfinite(found[:3]))
    assert np.all(found[3:] < found[0] - 1e3)


def test_the_belief_at_rows_comes_along(smooth):
    rows = np.array([[0.3, 1.0, 0.4], [0.9, 2.0, 0.1]])
    leveled = Evidence(
        X, Y, CODES, prior=LogPrior.normal(MIDDLE, SPREAD), least=LEAST, profile=PROFILES[smooth], level=1.5
    )
    found = leveled.at_many(np.stack([MIDDLE, LOGS]), rows)
    kernel = process_at(LOGS, smooth).kernel
    covariance = np.asarray(kernel(X)) + 1.5 + (np.exp(LOGS[4]) + LEAST) * np.eye(len(Y))
    cross = np.asarray(kernel.cross(jnp.asarray(rows), jnp.asarray(X))) + 1.5
    np.testing.assert_allclose(found.means[1], cross @ np.linalg.solve(covariance, Y), rtol=1e-8)
    left = np.exp(LOGS[3]) + 1.5 - np.sum(cross * np.linalg.solve(covariance, cross.T).T, axis=1)
    np.testing.assert_allclose(found.variances[1], left, rtol=1e-8)


def test_a_constant_is_a_term_of_the_covariance(smooth):
    leveled = Evidence(
        X, Y, CODES, prior=LogPrior.normal(MIDDLE, SPREAD), least=LEAST, profile=PROFILES[smooth], level=1.5
    )
    covariance = np.asarray(process_at(LOGS, smooth).kernel(X)) + 1.5 + (np.exp(LOGS[4]) + LEAST) * np.eye(len(Y))
    np.testing.assert_allclose(leveled.solved(LOGS).weights, np.linalg.solve(covariance, Y), rtol=1e-8)
    step = 1e-5 * np.eye(5)
    wanted = [(leveled(LOGS + each)[0] - leveled(LOGS - each)[0]) / 2e-5 for each in step]
    np.testing.assert_allclose(leveled(LOGS)[1], wanted, rtol=1e-6, atol=1e-7)


def test_the_curvature_is_that_of_second_differences(evidence):
    h, found = 1e-3, curvature_at(evidence, LOGS)
    for i, j in ((0, 0), (1, 3), (4, 4)):
        a, b = h * np.eye(5)[i], h * np.eye(5)[j]
        corners = [evidence(LOGS + x)[0] for x in (a + b, a - b, b - a, -a - b)]
        wanted = (corners[0] - corners[1] - corners[2] + corners[3]) / (4 * h * h)
        assert found[i, j] == pytest.approx(wanted, rel=0.02, abs=0.1)  # of one-sided differences


def test_left_out_errors_are_those_of_refits_without_each_row(evidence, smooth):
    found = evidence.left_out(LOGS)
    kernel = process_at(LOGS, smooth).kernel
    covariance = np.asarray(kernel(X)) + (np.exp(LOGS[4]) + LEAST) * np.eye(len(Y))
    for i in (0, 7, 17):
        others = np.arange(len(Y)) != i
        weights = np.linalg.solve(covariance[np.ix_(others, others)], covariance[others, i])
        spread = np.sqrt(covariance[i, i] - covariance[i, others] @ weights)
        assert found[i] == pytest.approx((Y[i] - weights @ Y[others]) / spread, rel=1e-8)


def test_a_search_that_leaves_the_bounds_is_made_again_inside():
    class Beyond:
        """A loss that is least far outside."""

        prior = LogPrior.normal(np.zeros(2), np.ones(2))

        def __call__(self, logs):
            return 0.5 * float(np.sum((logs - 20.0) ** 2)), logs - 20.0

    np.testing.assert_allclose(mode_near(Beyond(), np.ones(2)).logs, [8.0, 8.0])

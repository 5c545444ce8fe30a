"""Improvements against mpmath in both tails, and against Monte Carlo."""

import jax
import jax.numpy as jnp
import mpmath as mp
import numpy as np
import pytest

from credo.decide.acquisitions import (
    ConfidenceBound,
    LogExpectedImprovement,
    LogProbabilityOfImprovement,
    Surface,
    growing_width,
    log_expected_improvement,
    log_probability_of_improvement,
)
from credo.decide.acquisitions.improvement import improvement_slopes
from credo.errors import InputError

RNG = np.random.default_rng(0)


class Given(Surface):
    """Moments that are known, whatever the row: column 0 moves the mean."""

    mean: jax.Array
    variance: jax.Array

    def moments(self, X):
        return X[:, :1] + self.mean, jnp.broadcast_to(self.variance, (X.shape[0], len(self.variance)))


def exact(z, std):
    with mp.workdps(60):
        z, std = mp.mpf(float(z)), mp.mpf(float(std))
        tail = mp.erfc(-z / mp.sqrt(2)) / 2
        excess = mp.npdf(z) + z * tail
        return float(mp.log(std) + mp.log(excess)), float(tail / excess)


@pytest.mark.parametrize("std", [1e-3, 1.0, 50.0])
def test_log_expected_improvement_and_its_gradient_are_mpmaths_over_forty_deviations(std):
    z = np.linspace(-40.0, 40.0, 321)
    means = -z * std
    values = log_expected_improvement(means, std, 0.0)
    slopes = jax.vmap(jax.grad(lambda m: log_expected_improvement(m, std, 0.0)))(jnp.asarray(means))
    wanted = np.array([exact(each, std) for each in -means / std])
    np.testing.assert_allclose(values, wanted[:, 0], rtol=1e-10, atol=1e-10)
    np.testing.assert_allclose(slopes, -wanted[:, 1] / std, rtol=1e-10)


@pytest.mark.parametrize("std", [1e-3, 1.0, 50.0])
def test_improvement_and_its_slopes_by_numpy_are_mpmaths(std):
    z = np.concatenate([np.linspace(-40.0, 40.0, 161), [-1e4, -300.0, -100.5, -99.5, -1.0 - 1e-12, -1.0]])
    value, by_mean, by_std = improvement_slopes(-z * std, np.full(len(z), std), 0.0)
    wanted = np.array([exact(each, std) for each in z])
    np.testing.assert_allclose(value, wanted[:, 0], rtol=1e-10, atol=1e-10)
    np.testing.assert_allclose(by_mean, -wanted[:, 1] / std, rtol=1e-9)
    with mp.workdps(60):
        ratios = [
            float(mp.npdf(each) / (mp.npdf(each) + each * mp.erfc(-each / mp.sqrt(2)) / 2)) for each in map(mp.mpf, z)
        ]
    np.testing.assert_allclose(by_std, np.array(ratios) / std, rtol=1e-9)


def test_improvements_are_those_of_draws():
    draws = 0.3 + 0.8 * RNG.normal(size=400_000)
    gain = np.maximum(0.1 - draws, 0.0)
    error = np.std(gain) / len(gain) ** 0.5
    assert np.exp(log_expected_improvement(0.3, 0.8, 0.1)) == pytest.approx(np.mean(gain), abs=4.0 * error)
    hit = draws < 0.1 - 0.25
    found = np.exp(log_probability_of_improvement(0.3, 0.8, 0.1, slack=0.25))
    assert found == pytest.approx(np.mean(hit), abs=4.0 * np.std(hit) / len(hit) ** 0.5)


def test_of_several_beliefs_the_gain_is_averaged():
    means, variances, best = np.array([0.2, -0.5, 1.0]), np.array([0.5, 0.1, 2.0]), np.array([0.0, -0.2, 0.3])
    surface, X = Given(jnp.asarray(means), jnp.asarray(variances)), jnp.asarray(RNG.normal(size=(4, 2)))
    stds = np.sqrt(variances)
    for x, gain, chance in zip(
        X,
        LogExpectedImprovement(surface, jnp.asarray(best))(X),
        LogProbabilityOfImprovement(surface, jnp.asarray(best), jnp.asarray(0.1))(X),
        strict=True,
    ):
        each = [np.exp(log_expected_improvement(x[0] + m, s, b)) for m, s, b in zip(means, stds, best, strict=True)]
        assert np.exp(gain) == pytest.approx(np.mean(each), rel=1e-12)
        each = [
            np.exp(log_probability_of_improvement(x[0] + m, s, b, 0.1))
            for m, s, b in zip(means, stds, best, strict=True)
        ]
        assert np.exp(chance) == pytest.approx(np.mean(each), rel=1e-12)


def test_a_confidence_bound_is_that_of_the_mixture():
    means, variances = np.array([0.2, -0.5]), np.array([0.5, 0.1])
    bound = ConfidenceBound(Given(jnp.asarray(means), jnp.asarray(variances)), jnp.asarray(2.0))
    draws = means[:, None] + np.sqrt(variances)[:, None] * RNG.normal(size=(2, 200_000))
    assert -bound(jnp.zeros((1, 1)))[0] == pytest.approx(np.mean(draws) - 2.0 * np.std(draws), abs=0.01)


def test_the_width_grows_as_its_formula_says_and_not_for_nonsense():
    assert growing_width(7, 3, 0.05) ** 2 == pytest.approx(2.0 * np.log(7**3.5 * np.pi**2 / 0.15))
    with pytest.raises(InputError, match="step 0"):
        growing_width(0, 3)


def test_the_width_is_a_number_in_many_dimensions():
    assert growing_width(100, 400) == pytest.approx(np.sqrt(2.0 * (202.0 * np.log(100.0) + np.log(np.pi**2 / 0.3))))

"""Composed acquisitions against what they are made of, and against draws."""

import jax.numpy as jnp
import numpy as np
import pytest
from scipy import stats

from credo.decide.acquisitions import Acquisition, ConfidenceBound, LogExpectedImprovement, Surface, surface_of
from credo.decide.acquisitions.composed import Feasible, Likely, PerCost, Priced, ThompsonSample
from credo.infer.gaussian.paths import sample_paths
from small_process import conditioned, fitted, measured

X, Y = measured()
Z = 1.0 + 0.5 * np.random.default_rng(1).random((3, 2))  # away from what was measured
OUTCOME = Y**2 - 0.5


class Line(Surface):
    """A mean with a slope, nearly sure."""

    slope: float

    def moments(self, X):
        return self.slope * X, jnp.full(X.shape, 1e-6)


def test_a_gain_counts_where_the_outcome_is_within_its_bound():
    surface, outcome = surface_of(fitted(X, Y)), surface_of(fitted(X, OUTCOME))
    gain = LogExpectedImprovement(surface, jnp.asarray([1.0]))
    found = np.exp(Feasible(gain, (outcome,), jnp.asarray([0.3]))(jnp.asarray(Z)))
    rng = np.random.default_rng(2)
    for i, z in enumerate(Z):
        (m, v), (c, w) = (conditioned(X, values, z[None]) for values in (Y, OUTCOME))
        draws = m[0] + v[0, 0] ** 0.5 * rng.normal(size=200_000)
        kept = c[0] + w[0, 0] ** 0.5 * rng.normal(size=200_000) <= 0.3
        gains = np.maximum(1.0 - draws, 0.0) * kept
        assert found[i] == pytest.approx(np.mean(gains), abs=4.0 * np.std(gains) / 200_000**0.5)
    alone = Feasible(None, (outcome,), jnp.asarray([0.3]))
    np.testing.assert_allclose(alone(jnp.asarray(Z)), alone.log_probability(jnp.asarray(Z)))


def test_a_gain_per_cost():
    surface, cost = surface_of(fitted(X, Y)), surface_of(fitted(X, np.log(1.0 + X[:, 0])))
    gain = LogExpectedImprovement(surface, jnp.asarray([0.1]))
    log_cost, _ = conditioned(X, np.log(1.0 + X[:, 0]), Z)
    found = PerCost(gain, cost)(jnp.asarray(Z)) - gain(jnp.asarray(Z))
    np.testing.assert_allclose(found, -log_cost, atol=1e-9)


def test_a_drawn_function_goes_through_what_was_measured_up_to_noise():
    model = fitted(X, Y)
    path = sample_paths(model.posterior_, 1, random_state=0)
    sample = ThompsonSample(path, model.scaling_.shift, model.scaling_.scale)
    assert -sample(jnp.asarray(Z))[0] == pytest.approx(float(np.asarray(path(Z))[0, 0]))
    assert np.max(np.abs(-np.asarray(sample(jnp.asarray(X))) - Y)) < 1.0


class Sure(Acquisition):
    """The same gain everywhere."""

    log_gain: float

    def __call__(self, X):
        return jnp.full(X.shape[0], self.log_gain)


def test_successes_are_expected_to_make_up_for_crashes_at_their_price():
    """P(success) is 0.9, 0.6 and 0.3; a crash costs three trials, so that 3/4 is required."""

    class Chance(Surface):
        def moments(self, X):
            return -jnp.asarray(stats.norm.ppf([0.9, 0.6, 0.3]))[:, None], jnp.ones((3, 1))

    rows, chances = jnp.zeros((3, 1)), np.array([0.9, 0.6, 0.3])
    success = Feasible(None, (Chance(),), jnp.zeros(1))
    gain = Feasible(Sure(np.log(0.2)), (Chance(),), jnp.zeros(1))
    per_trial = np.log(0.2 * chances / (chances + 3.0 * (1.0 - chances)))
    priced = Priced(gain, success, jnp.asarray(3.0))
    assert priced.required == pytest.approx(0.75)
    missing = np.array([0.0, np.log(0.75 / 0.6), np.log(0.75 / 0.3)])
    np.testing.assert_allclose(priced(rows), per_trial - 1e3 * missing, rtol=1e-9)
    of_no_gain = Priced(Sure(-2.0), success, jnp.asarray(3.0), of_logarithm=False)
    np.testing.assert_allclose(of_no_gain(rows), -2.0 - 1e3 * missing, rtol=1e-9)


def test_what_is_no_gain_is_taken_where_it_is_likely_feasible():
    """A mean that falls to the right, a bound that is met to the left of 0.5."""
    surface, heat = Line(-1.0), Line(1.0)
    likely = Likely(ConfidenceBound(surface, jnp.asarray(0.0)), Feasible(None, (heat,), jnp.asarray([0.5])))
    rows = jnp.linspace(0.0, 1.0, 101)[:, None]
    assert float(rows[int(jnp.argmax(likely(rows))), 0]) == pytest.approx(0.5, abs=0.011)
    nowhere = Likely(ConfidenceBound(surface, jnp.asarray(0.0)), Feasible(None, (heat,), jnp.asarray([-3.0])))
    assert int(jnp.argmax(nowhere(rows))) == 0

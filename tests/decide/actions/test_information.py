"""The value of information: textbook closed forms, bounds, and errors that hold the truth as often as they say."""

import numpy as np
import pytest
from scipy import stats

from credo.beliefs import Bernoulli, Categorical, Empirical, Gamma, MultivariateNormal, Normal
from credo.decide.actions import (
    Absolute,
    Costs,
    LinearLoss,
    NoisyMeasurement,
    Outcomes,
    Perfect,
    Pinball,
    Squared,
    value_of_information,
)
from credo.errors import InputError
from credo.numerics import log_expected_excess

BATCH = Normal([0.0, 1.0, -2.0], [1.0, 0.5, 3.0])
ACT = LinearLoss([0.0, 0.7], [0.0, -1.0])  # nothing, or 0.7 − y


def unit_normal_loss(distance, spread):
    return spread * np.exp(np.asarray(log_expected_excess(-np.abs(distance) / spread)))


def as_function(loss):
    return lambda action, y: loss.of(action, y, action if isinstance(action, int) else 0)


def test_perfect_information_is_the_variance():
    found = value_of_information(Gamma([2.0, 3.0], 2.0), "squared", None, Perfect())
    np.testing.assert_allclose(found.value, [0.5, 0.75])
    assert found.certificate.kind == "exact"
    np.testing.assert_allclose(found.before, found.value)


def test_two_actions_are_the_unit_normal_loss():
    distance = np.array([0.0, 1.0, -2.0]) - 0.7
    found = value_of_information(BATCH, ACT, None, Perfect())
    np.testing.assert_allclose(found.value, unit_normal_loss(distance, np.array([1.0, 0.5, 3.0])), rtol=1e-12)
    noise = 0.8
    spread = np.array([1.0, 0.25, 9.0]) / np.sqrt(np.array([1.0, 0.25, 9.0]) + noise)
    found = value_of_information(BATCH, ACT, None, NoisyMeasurement(noise))
    np.testing.assert_allclose(found.value, unit_normal_loss(distance, spread), rtol=1e-12)


def test_a_measurement_lowers_the_variance():
    s2 = np.array([1.0, 0.25, 9.0])
    after = s2 * 0.8 / (s2 + 0.8)
    found = value_of_information(BATCH, "squared", None, NoisyMeasurement(0.8))
    np.testing.assert_allclose(found.value, s2 - after)
    found = value_of_information(BATCH, Pinball(0.9), None, NoisyMeasurement(0.8))
    np.testing.assert_allclose(found.value, (np.sqrt(s2) - np.sqrt(after)) * stats.norm.pdf(stats.norm.ppf(0.9)))


@pytest.mark.parametrize("observation", [Perfect(), NoisyMeasurement(0.8)], ids=repr)
@pytest.mark.parametrize(
    ("loss", "actions"), [(ACT, [0, 1]), (Squared(), [-1.0, 0.5, 2.0]), (Absolute(), [-1.0, 0.5])], ids=str
)
def test_functions_agree_with_closed_forms(loss, actions, observation):
    exact = value_of_information(BATCH, loss, None if loss is ACT else actions, observation, draws=20_000)
    sampled = value_of_information(BATCH, as_function(loss), actions, observation, draws=20_000, random_state=1)
    allowed = 4.0 * np.hypot(sampled.error, exact.error)
    assert np.all(np.abs(sampled.value - exact.value) <= allowed)
    assert np.all(sampled.error <= 0.2 * exact.value)
    assert sampled.certificate.kind == "estimated"


def test_pinball_among_few_actions_against_integration():
    """After the measurement the mean m is normal, and the loss of each action is known: integrate over m."""
    actions, noise = [-0.5, 0.0, 1.0], 0.5
    spread, after = 1.0 / np.sqrt(1.5), np.sqrt(0.5 / 1.5)
    m = np.linspace(-8.0, 8.0, 4001)

    def risk(a):
        z = (a - m) / after
        h = lambda x: stats.norm.pdf(x) + x * stats.norm.cdf(x)  # noqa: E731
        return after * (0.7 * h(-z) + 0.3 * h(z))

    risks, density = np.array([risk(a) for a in actions]), stats.norm(0.0, spread).pdf(m)
    truth = np.min(np.trapezoid(risks * density, m, axis=1)) - np.trapezoid(np.min(risks, axis=0) * density, m)
    found = value_of_information(Normal(0.0, 1.0), Pinball(0.7), actions, NoisyMeasurement(noise), draws=40_000)
    assert abs(found.value - truth) < 4 * found.error
    assert found.error < 0.05 * truth


def test_errors_hold_the_truth_as_often_as_they_say():
    truth = value_of_information(Normal(0.3, 1.0), ACT, None, Perfect()).value
    z, times = stats.norm.ppf(0.95), 500
    found = [
        value_of_information(Normal(0.3, 1.0), as_function(ACT), [0, 1], Perfect(), draws=400, random_state=seed)
        for seed in range(times)
    ]
    held = sum(abs(f.value - truth) <= z * f.error for f in found)
    assert stats.binomtest(held, times, 0.9).pvalue > 1e-3


def test_classes_by_hand():
    """A disease of 10 %, a test of sensitivity 0.9 and specificity 0.8, treating costs 1 and missing 10."""
    costs, test = Costs([[0.0, 10.0], [1.0, 1.0]]), Outcomes([[0.8, 0.2], [0.1, 0.9]])
    positive, negative = 0.9 * 0.2 + 0.1 * 0.9, 0.9 * 0.8 + 0.1 * 0.1
    after = positive * min(10.0 * 0.09 / positive, 1.0) + negative * min(10.0 * 0.01 / negative, 1.0)
    for belief in (Bernoulli(0.1), Categorical([0.9, 0.1])):
        found = value_of_information(belief, costs, None, test)
        assert found.before == pytest.approx(1.0)
        assert found.value == pytest.approx(1.0 - after)
        perfect = value_of_information(belief, costs, None, Perfect())
        assert perfect.value == pytest.approx(1.0 - 0.1)
        useless = value_of_information(belief, costs, None, Outcomes([[0.3, 0.7], [0.3, 0.7]]))
        assert useless.value == pytest.approx(0.0, abs=1e-12)


def test_a_coin_guessed_by_a_number():
    """E Var(y | z), by Bayes' rule."""
    table = np.array([[0.8, 0.2], [0.1, 0.9]])
    joint = np.array([0.7, 0.3])[:, None] * table
    after = np.sum(np.prod(joint, axis=0) / np.sum(joint, axis=0))
    found = value_of_information(Bernoulli(0.3), "squared", None, Outcomes(table))
    assert found.value == pytest.approx(0.21 - after)


@pytest.mark.parametrize("noise", [1e-4, 0.1, 10.0])
def test_never_below_zero_nor_above_perfect(noise):
    for loss, actions in [("squared", None), ("absolute", None), ("squared", [0.0, 1.0]), (ACT, None)]:
        some = value_of_information(BATCH, loss, actions, NoisyMeasurement(noise))
        everything = value_of_information(BATCH, loss, actions, Perfect())
        assert np.all(some.value >= 0.0)
        assert np.all(some.value <= everything.value)
        assert np.all(value_of_information(BATCH, loss, actions, NoisyMeasurement(noise / 2)).value >= some.value)


def test_samples_with_perfect_information_are_summed():
    found = value_of_information(Empirical([0.0, 1.0, 5.0]), "absolute", [0.0, 4.0], Perfect())
    assert found.value == pytest.approx(min(6.0, 8.0) / 3.0 - (0.0 + 1.0 + 1.0) / 3.0)
    assert found.error == 0.0
    assert str(found) == "worth 1.333 of an expected loss of 2 (exact, converged)"


def test_bad_input():
    with pytest.raises(InputError, match="draws"):
        value_of_information(Normal(0.0, 1.0), "squared", None, Perfect(), draws="many")
    with pytest.raises(InputError, match="observation"):
        value_of_information(Normal(0.0, 1.0), "squared", None, 0.5)
    with pytest.raises(InputError, match="2 rows, but the belief 3 classes"):
        value_of_information(Categorical([0.2, 0.3, 0.5]), "zero_one", None, Outcomes(np.eye(2)))
    both = MultivariateNormal([0.0, 0.0], np.eye(2))
    with pytest.raises(InputError, match="of a number"):
        value_of_information(both, lambda a, y: a * y[..., 0], [0.0, 1.0], NoisyMeasurement(1.0))

"""Observations known by their likelihood only: against closed forms, with errors that hold them."""

import numpy as np
import pytest
from scipy import stats

from credo.beliefs import Bernoulli, Beta, Categorical, Empirical, MultivariateNormal, Normal
from credo.decide.actions import Likelihood, LinearLoss, NoisyMeasurement, Outcomes, Pinball, value_of_information
from credo.errors import InputError


def within(found, truth, times=4.0):
    assert np.all(np.abs(np.asarray(found.value) - truth) < times * np.asarray(found.error))
    assert np.all(np.asarray(found.error) < 0.15 * np.asarray(truth))


def binomial(trials):
    """Successes of some trials of probability y."""
    return Likelihood(lambda y, rng: rng.binomial(trials, y), lambda z, y: z * np.log(y) + (trials - z) * np.log1p(-y))


def test_trials_of_an_unknown_probability():
    """Beta–binomial: the variance falls by the share n / (a + b + n) on average."""
    a, b, n = 2.0, 3.0, 10
    variance = a * b / ((a + b) ** 2 * (a + b + 1))
    within(value_of_information(Beta(a, b), "squared", None, binomial(n)), variance * n / (a + b + n))


def test_two_actions_and_trials_by_going_through_all_counts():
    a, b, n = 2.0, 3.0, 8
    loss = LinearLoss([0.0, 0.45], [0.0, -1.0])  # act where the probability is above 0.45
    counts = np.arange(n + 1)
    chance = stats.betabinom(n, a, b).pmf(counts)
    mean_after = (a + counts) / (a + b + n)
    truth = min(0.0, 0.45 - a / (a + b)) - np.sum(chance * np.minimum(0.0, 0.45 - mean_after))
    within(value_of_information(Beta(a, b), loss, None, binomial(n)), truth)


def test_the_likelihood_of_a_measurement_agrees_with_the_conjugate_form():
    belief, measurement = Normal([0.0, 1.0], [1.0, 2.0]), NoisyMeasurement(0.5)
    for loss, actions in [("squared", None), (Pinball(0.8), None), ("squared", [-1.0, 0.0, 2.0])]:
        exact = value_of_information(belief, loss, actions, measurement)
        within(value_of_information(belief, loss, actions, measurement.likelihood()), exact.value)


def test_errors_hold_the_truth_as_often_as_they_say():
    """Errors have the bias besides the noise, so they may hold it more often than 90 %, not less."""
    belief, observation = Normal(0.3, 1.0), NoisyMeasurement(1.0)
    loss = LinearLoss([0.0, 0.0], [0.0, -1.0])
    truth = value_of_information(belief, loss, None, observation).value
    z, times = stats.norm.ppf(0.95), 150
    likelihood = observation.likelihood()
    found = [value_of_information(belief, loss, None, likelihood, draws=512, random_state=s) for s in range(times)]
    held = sum(abs(f.value - truth) <= z * f.error for f in found)
    assert stats.binomtest(held, times, 0.9, alternative="less").pvalue > 1e-3
    assert abs(np.mean([f.value for f in found]) - truth) < 4 * np.std([f.value for f in found]) / np.sqrt(times)


def test_more_draws_simulate_more_observations():
    """The variance of a standard normal falls to one half; four times the draws halve the stated error."""
    likelihood = NoisyMeasurement(1.0).likelihood()
    few, many = (
        value_of_information(Normal(0.0, 1.0), "squared", None, likelihood, draws=draws) for draws in (4096, 16_384)
    )
    assert 1.4 < few.error / many.error < 2.8
    assert abs(few.value - 0.5) < 4 * few.error
    assert abs(many.value - 0.5) < 4 * many.error
    assert many.certificate.notes[1] == "1024 simulated observations, 2892 values of y for each"
    assert many.certificate.error == many.error


@pytest.mark.slow
def test_more_draws_make_the_error_smaller():
    """Of a uniform probability and ten trials the variance 1/12 falls by 10/12. Eight times the draws give eight times
    the observations: both errors fall by √8 = 2.8."""
    truth = 1.0 / 12.0 * 10.0 / 12.0
    seeds = range(12)
    few, many = (
        [value_of_information(Beta(1.0, 1.0), "squared", None, binomial(10), draws=d, random_state=s) for s in seeds]
        for d in (4096, 32_768)
    )
    stated = [np.mean([found.error for found in each]) for each in (few, many)]
    true = [np.sqrt(np.mean([(found.value - truth) ** 2 for found in each])) for each in (few, many)]
    assert 2.3 < stated[0] / stated[1] < 3.4
    assert true[0] / true[1] > 1.4  # 2.8 expected, of twelve seeds each


def test_finite_beliefs_have_no_bias_of_values():
    table = np.array([[0.9, 0.1], [0.3, 0.7]])
    simulated = Likelihood(
        lambda y, rng: (rng.random(y.shape) < table[y.astype(int), 1]).astype(int),
        lambda z, y: np.log(table[np.asarray(y, dtype=int), z]),
    )
    for belief in (Categorical([0.6, 0.4]), Bernoulli(0.4)):
        exact = value_of_information(belief, "zero_one", None, Outcomes(table))
        within(value_of_information(belief, "zero_one", None, simulated), exact.value)


def test_samples_and_vectors():
    samples = np.random.default_rng(0).normal(size=3000)
    found = value_of_information(Empirical(samples), "squared", None, NoisyMeasurement(1.0))
    within(found, 0.5, times=6.0)  # the samples are a little off a normal themselves
    both = MultivariateNormal([0.0, 0.0], np.eye(2))
    first = Likelihood(lambda y, rng: y[:, 0] + rng.standard_normal(len(y)), lambda z, y: -0.5 * (z - y[..., 0]) ** 2)
    loss = lambda a, y: -a * (y[..., 0] + y[..., 1])  # noqa: E731
    # the mean of the first after is normal of variance 1/2
    within(value_of_information(both, loss, [0.0, 1.0], first), np.sqrt(0.5) * stats.norm.pdf(0.0))


def test_a_sharp_observation_is_said_to_need_more_draws():
    found = value_of_information(Normal(0.0, 1.0), "squared", None, NoisyMeasurement(1e-7).likelihood())
    assert any("more draws" in note for note in found.certificate.notes)


@pytest.mark.parametrize(
    ("likelihood", "says"),
    [
        (Likelihood(lambda y, rng: y[:3], lambda z, y: z - y), "draw returned"),
        (Likelihood(lambda y, rng: y, lambda z, y: z[:, 0]), "log_density"),
        (Likelihood(lambda y, rng: y, lambda z, y: (z - y) * np.nan), "log_density"),
    ],
)
def test_bad_likelihoods(likelihood, says):
    with pytest.raises(InputError, match=says):
        value_of_information(Normal(0.0, 1.0), "squared", None, likelihood)


@pytest.mark.parametrize("actions", [None, [-1.0, 0.0, 1.0]])
def test_a_likelihood_that_no_draw_can_explain_asks_for_more_draws(actions):
    narrow = Likelihood(
        lambda y, rng: y + rng.uniform(-1e-3, 1e-3, size=y.shape),
        lambda z, y: np.where(np.abs(z - y) <= 1e-3, 0.0, -np.inf),
    )
    with pytest.raises(InputError, match=r"of 512 simulated observations have likelihood zero.*more draws"):
        value_of_information(Normal(0.0, 1.0), "squared", actions, narrow)


def test_a_likelihood_of_bounded_support_is_fine_where_draws_reach_it():
    wide = Likelihood(
        lambda y, rng: y + rng.uniform(-1.0, 1.0, size=y.shape),
        lambda z, y: np.where(np.abs(z - y) <= 1.0, 0.0, -np.inf),
    )
    # The variance left is that of a normal cut to y within one of z, averaged over z.
    z = np.linspace(-5.0, 5.0, 2001)
    chance = 0.5 * (stats.norm.cdf(z + 1.0) - stats.norm.cdf(z - 1.0))
    left = np.trapezoid(chance * stats.truncnorm.var(z - 1.0, z + 1.0), z)
    found = value_of_information(Beta(1.0, 1.0), "squared", None, wide)
    assert 0.0 < found.value < 1.0 / 12.0
    within(value_of_information(Normal(0.0, 1.0), "squared", None, wide, draws=32_768), 1.0 - left)

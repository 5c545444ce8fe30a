"""Bernoulli and Binomial: certainty, edges of the quantile, each other."""

import numpy as np
import pytest
import scipy.stats

from credo.beliefs import Bernoulli, Binomial


def test_certainty_is_allowed_and_has_no_nan():
    sure = Bernoulli(np.array([0.0, 1.0]))
    np.testing.assert_array_equal(sure.log_prob(1.0), [-np.inf, 0.0])
    np.testing.assert_array_equal(sure.log_prob(0.0), [0.0, -np.inf])
    np.testing.assert_array_equal(sure.kl(sure), [0.0, 0.0])
    np.testing.assert_array_equal(sure.kl(Bernoulli(0.5)), np.log([2.0, 2.0]))
    np.testing.assert_array_equal(sure.sample(4, random_state=0), [[0.0, 1.0]] * 4)
    np.testing.assert_array_equal(sure.quantile(0.5), [0.0, 1.0])


def test_one_trial_is_a_bernoulli():
    x = np.array([0.0, 1.0])
    np.testing.assert_allclose(Binomial(1, 0.3).log_prob(x), Bernoulli(0.3).log_prob(x), rtol=1e-12)
    np.testing.assert_allclose(Binomial(1, 0.3).cdf(x), Bernoulli(0.3).cdf(x), rtol=1e-12)


@pytest.mark.slow
def test_quantile_steps_exactly_at_the_cdf():
    belief = Bernoulli(0.3)
    np.testing.assert_array_equal(belief.quantile(np.array([0.0, 0.699, 0.7, 0.701, 1.0])), [0, 0, 0, 1, 1])
    k = np.arange(11.0)
    ten = Binomial(10, 0.3)
    np.testing.assert_array_equal(ten.quantile(ten.cdf(k)), k)
    np.testing.assert_array_equal(ten.quantile(np.asarray(ten.cdf(k))[:-1] * (1 + 1e-9)), k[1:])


def test_trials_may_be_none_and_probability_certain():
    np.testing.assert_allclose(Binomial(0, 0.3).log_prob(np.array([0.0, 1.0])), [0.0, -np.inf], atol=1e-14)
    np.testing.assert_allclose(Binomial(5, np.array([0.0, 1.0])).log_prob(5.0), [-np.inf, 0.0], atol=1e-15)
    np.testing.assert_array_equal(Binomial(5, np.array([0.0, 1.0])).cdf(3.0), [1.0, 0.0])
    np.testing.assert_array_equal(Binomial(5, np.array([0.0, 1.0])).quantile(0.5), [0.0, 5.0])
    np.testing.assert_array_equal(Binomial(5, np.array([0.0, 1.0])).sample((3,), random_state=0), [[0.0, 5.0]] * 3)


@pytest.mark.slow
def test_many_trials():
    belief, twin = Binomial(100_000, 0.37), scipy.stats.binom(100_000, 0.37)
    k = np.array([36_500.0, 37_000.0, 37_400.0])
    np.testing.assert_allclose(belief.log_prob(k), twin.logpmf(k), rtol=1e-9)
    np.testing.assert_allclose(belief.cdf(k), twin.cdf(k), rtol=1e-8)
    np.testing.assert_array_equal(belief.quantile(np.array([0.01, 0.5, 0.99])), twin.ppf([0.01, 0.5, 0.99]))

"""Poisson: edges of the quantile, sums, large rates."""

import numpy as np
import scipy.stats

from credo.beliefs import Poisson


def test_quantile_steps_exactly_at_the_cdf():
    belief = Poisson(3.7)
    k = np.arange(15.0)
    np.testing.assert_array_equal(belief.quantile(belief.cdf(k)), k)
    np.testing.assert_array_equal(belief.quantile(np.asarray(belief.cdf(k)) * (1 + 1e-9)), k + 1)
    np.testing.assert_array_equal(belief.quantile(np.array([0.0, 1.0])), [0.0, np.inf])


def test_sums_of_independent_counts():
    k = np.arange(60.0)
    first, second = np.exp(Poisson(2.0).log_prob(k)), np.exp(Poisson(3.5).log_prob(k))
    np.testing.assert_allclose(
        np.convolve(first, second)[:60], np.exp(Poisson(5.5).log_prob(k)), rtol=1e-11, atol=1e-300
    )


def test_large_rates():
    belief, twin = Poisson(1e6), scipy.stats.poisson(1e6)
    k = np.array([997_000.0, 1_000_000.0, 1_003_000.0])
    np.testing.assert_allclose(belief.log_prob(k), twin.logpmf(k), rtol=1e-8)
    np.testing.assert_allclose(belief.cdf(k), twin.cdf(k), rtol=1e-8)
    np.testing.assert_array_equal(belief.quantile(np.array([0.01, 0.5, 0.99])), twin.ppf([0.01, 0.5, 0.99]))


def test_between_integers_the_cdf_is_flat_and_the_probability_nothing():
    np.testing.assert_array_equal(Poisson(2.0).cdf(2.999), Poisson(2.0).cdf(2.0))
    assert Poisson(2.0).log_prob(2.5) == -np.inf
    assert Poisson(2.0).cdf(-0.1) == 0.0

"""Beta: corners, order statistics, draws of tiny parameters."""

import numpy as np
import scipy.stats

from credo.beliefs import Beta, Binomial


def test_density_at_the_corners():
    expected = [0.0, -np.inf, np.inf]
    np.testing.assert_allclose(Beta(np.array([1.0, 2.0, 0.5]), 1.0).log_prob(0.0), expected, atol=1e-14)
    np.testing.assert_allclose(Beta(1.0, np.array([1.0, 2.0, 0.5])).log_prob(1.0), expected, atol=1e-14)


def test_order_statistic_of_uniforms():
    """The third smallest of seven uniforms is Beta(3, 5): at least three of seven fall below x."""
    x = np.array([0.1, 0.4, 0.8])
    np.testing.assert_allclose(Beta(3.0, 5.0).cdf(x), 1.0 - np.asarray(Binomial(7, x).cdf(2)), rtol=1e-12)


def test_draws_of_tiny_parameters_are_numbers():
    draws = np.asarray(Beta(1e-3, 1e-3).sample(2000, random_state=0))
    assert np.all(np.isfinite(draws))
    assert abs(draws.mean() - 0.5) < 4 * 0.5 / np.sqrt(2000)


def test_maximum_likelihood_agrees_with_scipy_fit():
    x = np.random.default_rng(2).beta(2.0, 5.0, 400)
    fitted = Beta(1.0, 1.0).maximum_likelihood(np.mean(Beta(1.0, 1.0).statistics(x), axis=0))
    a, b, *_ = scipy.stats.beta.fit(x, floc=0.0, fscale=1.0)
    np.testing.assert_allclose([fitted.a, fitted.b], [a, b], rtol=1e-6)

"""Gamma and Exponential: the boundary, small shapes, and each other."""

import numpy as np
import scipy.stats

from credo.beliefs import Exponential, Gamma


def test_shape_one_is_the_exponential():
    x, p = np.array([0.0, 0.3, 5.0]), np.array([0.01, 0.5, 0.999])
    np.testing.assert_allclose(Gamma(1.0, 2.0).log_prob(x), Exponential(2.0).log_prob(x), rtol=1e-13)
    np.testing.assert_allclose(Gamma(1.0, 2.0).cdf(x), Exponential(2.0).cdf(x), rtol=1e-13)
    np.testing.assert_allclose(Gamma(1.0, 2.0).quantile(p), Exponential(2.0).quantile(p), rtol=1e-12)


def test_density_at_zero():
    np.testing.assert_array_equal(Gamma(np.array([0.5, 1.0, 2.0]), 3.0).log_prob(0.0), [np.inf, np.log(3.0), -np.inf])


def test_small_shape_quantiles_are_tiny_but_right():
    np.testing.assert_allclose(Gamma(0.01, 1.0).quantile(0.1), scipy.stats.gamma(0.01).ppf(0.1), rtol=1e-11)


def test_exponential_has_no_memory():
    belief = Exponential(0.7)
    left = lambda x: 1.0 - belief.cdf(x)  # noqa: E731
    np.testing.assert_allclose(left(5.0) / left(2.0), left(3.0), rtol=1e-12)


def test_exponential_keeps_small_probabilities():
    np.testing.assert_allclose(Exponential(1.0).cdf(1e-20), 1e-20, rtol=1e-14)
    np.testing.assert_allclose(Exponential(1.0).quantile(1e-20), 1e-20, rtol=1e-14)


def test_maximum_likelihood_agrees_with_scipy_fit():
    x = np.random.default_rng(1).gamma(3.0, 0.5, 400)
    fitted = Gamma(1.0, 1.0).maximum_likelihood(np.mean(Gamma(1.0, 1.0).statistics(x), axis=0))
    shape, _, scale = scipy.stats.gamma.fit(x, floc=0.0)
    np.testing.assert_allclose([fitted.shape, fitted.rate], [shape, 1.0 / scale], rtol=1e-6)


def test_nothing_at_infinity():
    assert Gamma(2.0, 1.0).log_prob(np.inf) == -np.inf
    assert Exponential(1.0).log_prob(np.inf) == -np.inf

"""InverseGamma: the reciprocal of a Gamma."""

import numpy as np

from credo.beliefs import Gamma, InverseGamma


def test_reciprocal_probabilities_and_density():
    belief, reciprocal = InverseGamma(2.5, 3.0), Gamma(2.5, 3.0)
    x = np.array([0.05, 0.7, 40.0])
    np.testing.assert_allclose(belief.cdf(x), 1.0 - reciprocal.cdf(1.0 / x), rtol=1e-11, atol=1e-14)
    np.testing.assert_allclose(belief.log_prob(x), reciprocal.log_prob(1.0 / x) - 2.0 * np.log(x), rtol=1e-12)
    np.testing.assert_allclose(belief.quantile(0.2), 1.0 / reciprocal.quantile(0.8), rtol=1e-12)


def test_moments_that_do_not_exist_are_infinite():
    belief = InverseGamma(np.array([0.5, 1.0, 1.5, 2.0, 3.0]), 2.0)
    np.testing.assert_allclose(belief.mean, [np.inf, np.inf, 4.0, 2.0, 1.0])
    np.testing.assert_allclose(belief.variance, [np.inf, np.inf, np.inf, np.inf, 1.0])


def test_far_upper_tail_of_a_heavy_one():
    belief = InverseGamma(0.1, 1.0)
    x = belief.quantile(1.0 - 1e-10)
    np.testing.assert_allclose(1.0 - belief.cdf(x), 1e-10, rtol=1e-4)  # the digits that 1 - 1e-10 has

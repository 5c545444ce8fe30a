"""Laplace: by hand."""

import numpy as np

from credo.beliefs import Exponential, Laplace


def test_the_distance_from_the_center_is_exponential():
    belief, distance = Laplace(1.0, 2.0), Exponential(0.5)
    x = np.array([0.1, 3.0, 20.0])
    np.testing.assert_allclose(belief.cdf(1.0 + x) - belief.cdf(1.0 - x), distance.cdf(x), rtol=1e-13)


def test_far_lower_tail_is_not_rounded_to_zero():
    np.testing.assert_allclose(Laplace(0.0, 1.0).cdf(-700.0), 0.5 * np.exp(-700.0), rtol=1e-12)
    np.testing.assert_allclose(Laplace(0.0, 1.0).quantile(1e-200), np.log(2e-200), rtol=1e-13)


def test_median_is_the_center_and_the_ends_are_infinite():
    assert Laplace(3.0, 1.0).quantile(0.5) == 3.0
    np.testing.assert_array_equal(Laplace(3.0, 1.0).quantile(np.array([0.0, 1.0])), [-np.inf, np.inf])

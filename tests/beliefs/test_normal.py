"""The normal distribution far out, and its natural form by hand."""

import mpmath
import numpy as np
import pytest

from credo.beliefs import Normal


@pytest.mark.parametrize("x", [-40.0, -10.0, -1.0, 0.0, 3.0])
def test_log_cdf_far_in_the_tail(x):
    with mpmath.workdps(60):
        expected = float(mpmath.log(mpmath.ncdf(x)))
    np.testing.assert_allclose(Normal(0.0, 1.0).log_cdf(x), expected, rtol=1e-13)


def test_natural_parameters_by_hand():
    np.testing.assert_allclose(Normal(3.0, 2.0).natural, [0.75, -0.125])
    np.testing.assert_allclose(Normal(3.0, 2.0).mean_parameters, [3.0, 13.0])


def test_fisher_information_is_the_covariance_of_the_statistics():
    """Cov(x, x²) by the moments of a normal: Var x² = 2σ⁴ + 4μ²σ², Cov(x, x²) = 2μσ²."""
    loc, variance = 1.5, 4.0
    expected = [[variance, 2 * loc * variance], [2 * loc * variance, 2 * variance**2 + 4 * loc**2 * variance]]
    np.testing.assert_allclose(Normal(loc, 2.0).fisher_information(), expected, rtol=1e-12)


def test_kl_is_the_textbook_formula():
    p, q = Normal(1.0, 2.0), Normal(-0.5, 3.0)
    expected = np.log(3.0 / 2.0) + (4.0 + 1.5**2) / 18.0 - 0.5
    np.testing.assert_allclose(p.kl(q), expected, rtol=1e-12)


def test_maximum_likelihood_is_mean_and_standard_deviation():
    x = np.random.default_rng(0).normal(size=50)
    fitted = Normal(0.0, 1.0).maximum_likelihood(Normal(0.0, 1.0).statistics(x).mean(axis=0))
    np.testing.assert_allclose([fitted.loc, fitted.scale], [x.mean(), x.std()], rtol=1e-12)

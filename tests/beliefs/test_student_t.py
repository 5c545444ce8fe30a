"""StudentT: tails, many degrees of freedom, moments that do not exist."""

import jax
import jax.numpy as jnp
import mpmath
import numpy as np
import pytest
import scipy.stats

from credo.beliefs import Normal, StudentT


def test_one_degree_of_freedom_is_cauchy():
    x = np.array([-1e6, -2.0, 0.0, 0.5, 1e3])
    np.testing.assert_allclose(StudentT(1.0).log_prob(x), -np.log(np.pi * (1 + x**2)), rtol=1e-13)
    np.testing.assert_allclose(StudentT(1.0).cdf(x), scipy.stats.cauchy.cdf(x), rtol=1e-12)
    np.testing.assert_allclose(
        StudentT(1.0).quantile(np.array([1e-9, 0.3, 0.5])), scipy.stats.cauchy.ppf([1e-9, 0.3, 0.5]), rtol=1e-12
    )


@pytest.mark.parametrize("df", [1e3, 9.9e3, 1.01e4, 1e6, 1e10])
def test_many_degrees_of_freedom_against_fifty_digits(df):
    belief = StudentT(df)
    for t in (-8.0, -1.5, -1e-3, 0.7):
        with mpmath.workdps(50):
            density = lambda s: (1 + s * s / df) ** (-(df + 1) / mpmath.mpf(2))  # noqa: E731
            norm = mpmath.quad(density, [-60, -20, -8, -2, 0, 2, 8, 20, 60])
            mass = mpmath.quad(density, sorted({-60, -20, -12, t})) / norm
            log_density = mpmath.log(density(mpmath.mpf(t)) / norm)
        np.testing.assert_allclose(belief.cdf(t), float(mass), rtol=2e-10)
        np.testing.assert_allclose(belief.log_prob(t), float(log_density), rtol=1e-12)
        np.testing.assert_allclose(belief.quantile(float(mass)), t, rtol=1e-9)


def test_the_limit_is_normal_and_both_expansions_meet():
    x = np.linspace(-6, 6, 25)
    np.testing.assert_allclose(StudentT(1e14, 1.0, 2.0).cdf(x), Normal(1.0, 2.0).cdf(x), rtol=1e-11)
    below, above = StudentT(9999.999), StudentT(10000.001)
    np.testing.assert_allclose(below.cdf(x), above.cdf(x), rtol=1e-8)


def test_moments_that_do_not_exist_are_infinite_and_the_budget_is_not_split():
    belief = StudentT(jnp.array([0.5, 1.0, 1.5, 2.0, 3.0]), 1.0, 2.0)
    np.testing.assert_array_equal(belief.mean, [np.inf, np.inf, 1.0, 1.0, 1.0])
    np.testing.assert_allclose(belief.variance, [np.inf, np.inf, np.inf, np.inf, 12.0])
    assert not belief.budget.is_split


def test_far_tail_keeps_its_digits():
    np.testing.assert_allclose(StudentT(3.0).cdf(-1e8), scipy.stats.t.cdf(-1e8, 3), rtol=1e-10)
    np.testing.assert_allclose(StudentT(3.0).quantile(1e-20), scipy.stats.t.ppf(1e-20, 3), rtol=1e-10)
    near = 0.5 + 1e-12
    np.testing.assert_allclose(StudentT(3.0).quantile(near), (near - 0.5) * np.pi * np.sqrt(3.0) / 2.0, rtol=1e-10)


def test_derivative_of_the_cdf_at_the_center_is_the_density():
    for df in (3.0, 2e4):
        belief = StudentT(df, 0.0, 1.0)
        for x in (0.0, 0.3, -2.0):
            np.testing.assert_allclose(jax.grad(belief.cdf)(x), np.exp(belief.log_prob(x)), rtol=1e-9)

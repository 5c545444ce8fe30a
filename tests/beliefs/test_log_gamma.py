import jax
import jax.numpy as jnp
import mpmath
import numpy as np
import pytest
from scipy.special import digamma

from credo.beliefs.log_gamma import log_beta, log_choose, log_gamma_ratio, log_multivariate_beta

mpmath.mp.dps = 50
SIZES = [1e-8, 0.3, 1.0, 7.5, 14.9, 15.1, 100.0, 1e5, 1e12]


def exact_ratio(x, h):
    return float(mpmath.loggamma(mpmath.mpf(x) + mpmath.mpf(h)) - mpmath.loggamma(mpmath.mpf(x)))


def exact_beta(a, b):
    a, b = mpmath.mpf(a), mpmath.mpf(b)
    return float(mpmath.loggamma(a) + mpmath.loggamma(b) - mpmath.loggamma(a + b))


@pytest.mark.parametrize("h", [0.0, 0.5, 1.0, 33.3, 1e6])
def test_ratio_against_many_digits(h):
    got = log_gamma_ratio(np.array(SIZES), h)
    np.testing.assert_allclose(got, [exact_ratio(x, h) for x in SIZES], rtol=2e-13, atol=2e-14)


def test_beta_against_many_digits():
    a, b = (part.ravel() for part in np.meshgrid(SIZES, SIZES))
    expected = [exact_beta(x, y) for x, y in zip(a, b, strict=True)]
    np.testing.assert_allclose(log_beta(a, b), expected, rtol=2e-13, atol=2e-14)


def test_choose_against_whole_numbers():
    n = np.repeat(np.arange(60), 60)
    k = np.tile(np.arange(60), 60)
    n, k = n[k <= n], k[k <= n]
    expected = [float(mpmath.log(mpmath.binomial(int(i), int(j)))) for i, j in zip(n, k, strict=True)]
    np.testing.assert_allclose(log_choose(n, k), expected, atol=1e-13)


def test_multivariate_beta():
    alpha = np.array([[0.5, 20.0, 3.0], [1e4, 2e5, 1.0]])
    expected = [float(sum(mpmath.loggamma(a) for a in row) - mpmath.loggamma(mpmath.fsum(row))) for row in alpha]
    np.testing.assert_allclose(log_multivariate_beta(jnp.asarray(alpha)), expected, rtol=1e-12)


@jax.jit
def first_two_derivatives(a, b):
    return jax.grad(log_beta)(a, b), jax.grad(jax.grad(log_beta))(a, b)


@pytest.mark.parametrize("b", [2.0, 3.0, 40.0])
def test_first_and_second_derivatives(b):
    a = 3.0  # with b = 3 the two arguments tie
    first, second = first_two_derivatives(a, b)
    np.testing.assert_allclose(first, digamma(a) - digamma(a + b), rtol=1e-12)
    exact = float(mpmath.psi(1, a) - mpmath.psi(1, a + b))
    np.testing.assert_allclose(second, exact, rtol=1e-10)

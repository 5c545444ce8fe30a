"""Inverse incomplete gamma and beta functions, normal quantiles of log probabilities, quantiles on the integers."""

import equinox as eqx
import jax
import jax.numpy as jnp
import mpmath
import numpy as np
import pytest
import scipy.special

from credo.beliefs import Beta, Gamma, InverseGamma, StudentT, TruncatedNormal
from credo.beliefs.inverse import first_integer, log_gamma_quantile, logit_beta_quantile, ndtri_exp

N = 2000


@pytest.fixture
def rng():
    return np.random.default_rng(0)


def small_and_central(rng):
    return np.concatenate([rng.uniform(0, 1, N // 2), 10.0 ** rng.uniform(-14, 0, N - N // 2)])


def test_gamma_quantile_from_either_tail(rng):
    shape, p = 10.0 ** rng.uniform(-2, 3.5, N), small_and_central(rng)
    for lower, upper, reference in (
        (p, 1 - p, scipy.special.gammaincinv(shape, p)),
        (1 - p, p, scipy.special.gammainccinv(shape, p)),
    ):
        x = np.exp(log_gamma_quantile(shape, lower, upper))
        seen = reference > 1e-290
        np.testing.assert_allclose(x[seen], reference[seen], rtol=1e-11)
        assert np.all(x[~seen] < 1e-280)


@pytest.mark.slow
def test_beta_quantile(rng):
    a, b, p = 10.0 ** rng.uniform(-2, 3, N), 10.0 ** rng.uniform(-2, 3, N), small_and_central(rng)
    x = np.asarray(jax.nn.sigmoid(logit_beta_quantile(a, b, p, 1 - p)))
    reference = scipy.special.betaincinv(a, b, p)
    seen = reference > 1e-290
    np.testing.assert_allclose(x[seen], reference[seen], rtol=2e-9)
    # By symmetry, and with all digits of the small distance from one.
    mirrored = logit_beta_quantile(b, a, 1 - p, p)
    np.testing.assert_allclose(mirrored, -np.asarray(logit_beta_quantile(a, b, p, 1 - p)), rtol=1e-9, atol=1e-9)


def test_quantiles_at_the_ends():
    assert log_gamma_quantile(2.0, 0.0, 1.0) == -np.inf
    assert log_gamma_quantile(2.0, 1.0, 0.0) == np.inf
    assert logit_beta_quantile(2.0, 3.0, 0.0, 1.0) == -np.inf
    assert logit_beta_quantile(2.0, 3.0, 1.0, 0.0) == np.inf


def test_normal_quantile_of_a_log_probability():
    log_p = -np.concatenate([np.linspace(0.5, 50, 200), 10.0 ** np.linspace(2, 6, 100)])
    np.testing.assert_allclose(ndtri_exp(log_p), scipy.special.ndtri_exp(log_p), rtol=1e-12)
    assert ndtri_exp(-np.inf) == -np.inf
    assert ndtri_exp(0.0) == np.inf


def test_first_integer_by_hand():
    cdf = lambda k: jnp.where(k < 3, 0.0, jnp.where(k < 1000, 0.25, 1.0))  # noqa: E731
    np.testing.assert_array_equal(
        first_integer(cdf, jnp.array([0.1, 0.25, 0.26, 0.99]), 0.0, jnp.inf), [3, 3, 1000, 1000]
    )
    assert first_integer(cdf, jnp.asarray(1.0), 0.0, 1000.0) == 1000
    assert first_integer(cdf, jnp.asarray(1.0), 0.0, jnp.inf) == np.inf
    assert first_integer(cdf, jnp.asarray(0.0), 0.0, jnp.inf) == 0


@pytest.mark.parametrize(
    "belief",
    [
        Gamma(2.5, 1.5),
        InverseGamma(3.0, 2.0),
        TruncatedNormal(0.5, 2.0, -1.0, np.inf),
        StudentT(4.0, 1.0, 2.0),
        Beta(2.0, 3.0),
    ],
    ids=lambda b: type(b).__name__,
)
def test_quantile_has_the_derivative_of_the_implicit_function(belief):
    slope = jax.grad(lambda p: belief.quantile(p))(0.7)
    x = belief.quantile(0.7)
    np.testing.assert_allclose(slope, np.exp(-belief.log_prob(x)), rtol=1e-8)


@pytest.mark.parametrize(
    ("belief", "name"),
    [
        (Gamma(2.5, 1.5), "shape"),
        (Gamma(2.5, 1.5), "rate"),
        (InverseGamma(3.0, 2.0), "shape"),
        (TruncatedNormal(0.5, 2.0, -1.0, 3.0), "scale"),
    ],
    ids=str,
)
def test_quantile_derivative_in_a_parameter_against_differences(belief, name):
    value = getattr(belief, name)
    moved = lambda v: eqx.tree_at(lambda b: getattr(b, name), belief, v).quantile(0.2)  # noqa: E731
    h = 1e-5
    difference = (moved(value + h) - moved(value - h)) / (2 * h)
    np.testing.assert_allclose(jax.grad(moved)(value), difference, rtol=1e-6)


def test_gamma_quantile_against_fifty_digits():
    with mpmath.workdps(50):
        for shape, p in ((0.3, 1e-8), (7.5, 0.42), (150.0, 1e-12)):
            x = mpmath.mpf(float(jnp.exp(log_gamma_quantile(shape, p, 1 - p))))
            mass = mpmath.gammainc(shape, 0, x, regularized=True)
            assert abs(mass / p - 1) < 1e-11

"""The site of a label against the moments of the tilted density by adaptive quadrature."""

from itertools import pairwise

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from scipy import integrate, optimize
from scipy.special import log_ndtr

from credo.infer.probit_sites import probit_site

site_of = jax.jit(probit_site)


def tilted(sign, mean, variance, power):
    """Log normalizer, mean and variance of N(f | mean, variance) Φ(sign f)^power, piece by piece around the mode."""

    def log_density(f):
        return -0.5 * (f - mean) ** 2 / variance - 0.5 * np.log(2 * np.pi * variance) + power * log_ndtr(sign * f)

    std = np.sqrt(variance)
    mode = optimize.minimize_scalar(lambda f: -log_density(f), bracket=(mean, mean + sign * std)).x
    near = [k for k in (-30, -9, -3, -1, 0, 1, 3, 9, 30) if abs(k - mode) < 12 * std]
    ends = sorted({*near, *(mode + std * k for k in (-12, -6, -3, -1, 0, 1, 3, 6, 12))})

    def moment(k):
        def integrand(f):
            return np.exp(log_density(f) - log_density(mode)) * (f - mode) ** k

        return sum(integrate.quad(integrand, a, b, epsabs=1e-14, epsrel=1e-12, limit=200)[0] for a, b in pairwise(ends))

    mass, first, second = moment(0), moment(1), moment(2)
    return np.log(mass) + log_density(mode), mode + first / mass, second / mass - (first / mass) ** 2


POWERS = [1.0, 0.9, 0.5, 0.1, 0.001]


@pytest.mark.parametrize("power", POWERS)
def test_site_and_cavity_have_the_moments_of_the_tilted_density(power):
    z, variance, sign = (
        g.ravel() for g in np.meshgrid([-20.0, -3.0, 0.0, 2.0, 8.0], [1e-4, 0.3, 10.0, 1e6], [-1.0, 1.0])
    )
    mean = sign * z * np.sqrt(1 + variance)
    found = site_of(sign, mean, variance, np.full(len(z), power))
    precision = 1 / variance + power * np.asarray(found.precision)
    moments = np.array([tilted(*case, power) for case in zip(sign, mean, variance, strict=True)])
    np.testing.assert_allclose(found.log_normalizer, moments[:, 0], rtol=1e-8, atol=1e-10)
    np.testing.assert_allclose(1 / precision, moments[:, 2], rtol=1e-7)
    matched = (mean / variance + power * np.asarray(found.shift)) / precision
    np.testing.assert_allclose((matched - moments[:, 1]) / np.sqrt(moments[:, 2]), 0.0, atol=1e-6)
    assert np.all(found.precision >= 0)


def test_a_power_near_one_is_near_one():
    cases = jnp.array([-1.0, 1.0, 1.0]), jnp.array([2.0, -5.0, 0.3]), jnp.array([0.1, 4.0, 1e4])
    whole, almost = site_of(*cases, jnp.ones(3)), site_of(*cases, jnp.full(3, 1 - 1e-9))
    for a, b in zip(whole, almost, strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-7)


def test_whole_and_partial_labels_do_not_meet():
    mixed = site_of(jnp.ones(2), jnp.array([0.4, 0.4]), jnp.array([2.0, 2.0]), jnp.array([1.0, 0.5]))
    whole = site_of(jnp.ones(2), jnp.array([0.4, 0.4]), jnp.array([2.0, 2.0]), jnp.ones(2))
    np.testing.assert_allclose([part[0] for part in mixed], [part[0] for part in whole], rtol=1e-14)
    assert mixed.log_normalizer[1] > whole.log_normalizer[1]


def test_extreme_cavities_stay_finite():
    means, variances, powers = (
        g.ravel() for g in np.meshgrid([-1e6, -50.0, 0.0, 50.0, 1e6], [0.0, 1e-12, 1.0, 1e12], [1.0, 0.3])
    )
    found = site_of(np.ones(len(means)), means, variances, powers)
    assert np.all(np.isfinite(np.stack(found)))
    assert np.all(found.precision >= 0)

"""Logit and probit against mpmath in 40 digits and against adaptive quadrature over the latent Gaussian."""

from itertools import pairwise

import jax
import jax.numpy as jnp
import mpmath
import numpy as np
import pytest
from scipy import integrate

from credo.infer import LogitLikelihood, ProbitLikelihood

CASES = [
    pytest.param(LogitLikelihood(), lambda x: 1 / (1 + mpmath.exp(-x)), id="logit"),
    pytest.param(ProbitLikelihood(), lambda x: mpmath.erfc(-x / mpmath.sqrt(2)) / 2, id="probit"),
]
LATENT = np.array([-40.0, -9.0, -3.0, -0.4, 0.0, 0.7, 2.0, 6.0])


@pytest.mark.parametrize(("likelihood", "link"), CASES)
@pytest.mark.parametrize("label", [0, 1])
def test_value_and_derivatives_are_those_of_forty_digits(likelihood, link, label):
    sign = 2 * label - 1

    def exact(order):
        with mpmath.workdps(40):
            return [float(mpmath.diff(lambda f: mpmath.log(link(sign * f)), mpmath.mpf(f), order)) for f in LATENT]

    labels = np.full(len(LATENT), label)
    found = (likelihood.log_prob(labels, LATENT), *likelihood.derivatives(labels, LATENT))
    for order, values in enumerate(found):
        wanted = np.array(exact(order))
        seen = np.abs(wanted) > 1e-12  # below, the differences of 40 digits have none left
        np.testing.assert_allclose(np.asarray(values)[seen], wanted[seen], rtol=1e-9)


@pytest.mark.parametrize(("likelihood", "link"), CASES)
def test_far_tails_are_finite_and_concave(likelihood, link):
    far = np.array([-1e8, -1e3, -60.0, 60.0, 1e3, 1e8])
    for label in (0, 1):
        labels = np.full(len(far), label)
        assert np.all(np.isfinite(likelihood.log_prob(labels, far)))
        derivatives = likelihood.derivatives(labels, far)
        assert np.all(np.isfinite(np.stack(derivatives)))
        assert np.all(derivatives.second <= 0)


def by_quadrature(link, mean, std):
    """Mean and variance of link(mean + std z), integrated piecewise around the bend of the link."""
    bend = [(k - mean) / std for k in (-40, -9, -3, 0, 3, 9, 40)]
    ends = sorted({-14.0, 14.0, *(b for b in bend if abs(b) < 14)})

    def expect(function):
        def integrand(z):
            return function(link(mean + std * z)) * np.exp(-0.5 * z**2) / np.sqrt(2 * np.pi)

        pieces = pairwise(ends)
        return sum(integrate.quad(integrand, a, b, epsabs=1e-14, epsrel=1e-12, limit=200)[0] for a, b in pieces)

    first = expect(lambda p: p)
    return first, expect(lambda p: (p - first) ** 2)


@pytest.mark.parametrize(("likelihood", "link"), CASES)
def test_probability_is_the_integral_over_the_latent_gaussian(likelihood, link):
    means = np.array([-12.0, -3.0, 0.0, 1.0, 9.0])
    stds = np.array([0.1, 0.999, 1.001, 3.0, 100.0])  # on both sides of the switch between the rules
    mean, std = (grid.ravel() for grid in np.meshgrid(means, stds))
    found = likelihood.probability(mean, std**2)
    wanted = np.array([by_quadrature(lambda x: float(link(x)), m, s) for m, s in zip(mean, std, strict=True)])
    np.testing.assert_allclose(found.mean, wanted[:, 0], atol=1e-11)
    np.testing.assert_allclose(found.variance, wanted[:, 1], atol=1e-11)


@pytest.mark.parametrize(("likelihood", "link"), CASES)
def test_probability_of_a_known_latent_value_is_the_link(likelihood, link):
    found = likelihood.probability(LATENT, 0.0)
    np.testing.assert_allclose(found.mean, [float(link(f)) for f in LATENT], atol=1e-14)
    np.testing.assert_allclose(found.variance, 0.0, atol=1e-14)


@pytest.mark.parametrize(("likelihood", "link"), CASES)
def test_probability_has_the_right_slopes(likelihood, link):
    for variance in (0.3, 4.0):
        at = (jnp.asarray(0.8), jnp.asarray(variance))
        slopes = jax.grad(lambda m, v: likelihood.probability(m, v).mean, argnums=(0, 1))(*at)
        step = 1e-5
        up, down = (likelihood.probability(at[0] + h, at[1]).mean for h in (step, -step))
        np.testing.assert_allclose(slopes[0], (up - down) / (2 * step), rtol=1e-6)
        up, down = (likelihood.probability(at[0], at[1] + h).mean for h in (step, -step))
        np.testing.assert_allclose(slopes[1], (up - down) / (2 * step), rtol=1e-6)

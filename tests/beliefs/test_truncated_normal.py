"""TruncatedNormal: far tails and narrow intervals against fifty digits."""

import jax
import jax.numpy as jnp
import mpmath
import numpy as np
import pytest

from credo.beliefs import Normal, TruncatedNormal
from credo.beliefs.truncated_normal import log_mass
from credo.errors import InputError

ENDS = [
    (30.0, np.inf),
    (-np.inf, -30.0),
    (30.0, 30.1),
    (-2.0, 0.5),
    (1e-3, 1.0001e-3),
    (-40.0, -39.0),
    (5.0, 5.00001),
    (100.0, np.inf),
]


def _exact(low, high):
    """Mass, mean and variance of a standard normal between the ends, in fifty digits."""
    with mpmath.workdps(60):
        a, b = mpmath.mpf(low), mpmath.mpf(high)
        tail = lambda z: mpmath.erfc(z / mpmath.sqrt(2)) / 2  # noqa: E731
        mass = tail(a) - tail(b) if a > 0 else tail(-b) - tail(-a)
        density = lambda z: mpmath.npdf(z) if mpmath.isfinite(z) else mpmath.mpf(0)  # noqa: E731
        weighted = lambda z: z * mpmath.npdf(z) if mpmath.isfinite(z) else mpmath.mpf(0)  # noqa: E731
        mean = (density(a) - density(b)) / mass
        variance = 1 + (weighted(a) - weighted(b)) / mass - mean**2
        return mass, mean, variance


@pytest.mark.parametrize(("low", "high"), ENDS)
def test_moments_and_density_against_fifty_digits(low, high):
    mass, mean, variance = _exact(low, high)
    belief = TruncatedNormal(0.0, 1.0, low, high)
    np.testing.assert_allclose(log_mass(jnp.asarray(low), jnp.asarray(high)), float(mpmath.log(mass)), rtol=1e-12)
    np.testing.assert_allclose(belief.mean, float(mean), rtol=1e-12)
    np.testing.assert_allclose(belief.variance, float(variance), rtol=1e-10)
    x = float(mean)
    np.testing.assert_allclose(belief.log_prob(x), float(mpmath.log(mpmath.npdf(x) / mass)), rtol=1e-11, atol=1e-11)


@pytest.mark.parametrize(("low", "high"), ENDS)
def test_quantile_inverts_the_cdf_wherever_the_interval_is(low, high):
    belief = TruncatedNormal(0.0, 1.0, low, high)
    p = np.array([1e-6, 0.1, 0.5, 0.9, 1 - 1e-6])
    x = belief.quantile(p)
    assert np.all((x >= low) & (x <= high))
    np.testing.assert_allclose(
        belief.cdf(x), p, atol=1e-15 * np.max(np.abs(x)) * np.exp(np.max(belief.log_prob(x))) + 1e-11
    )


def test_without_ends_it_is_the_normal():
    x = np.linspace(-4, 4, 9)
    free, parent = TruncatedNormal(1.0, 2.0), Normal(1.0, 2.0)
    np.testing.assert_allclose(free.log_prob(x), parent.log_prob(x), rtol=1e-13)
    np.testing.assert_allclose(free.cdf(x), parent.cdf(x), rtol=1e-12)
    np.testing.assert_allclose([free.mean, free.variance], [1.0, 4.0], rtol=1e-12)
    np.testing.assert_allclose(free.quantile(np.array([1e-9, 0.4])), parent.quantile(np.array([1e-9, 0.4])), rtol=1e-12)


def test_gradients_are_finite_with_infinite_ends():
    def log_density(loc, scale):
        return TruncatedNormal(loc, scale, 0.0, jnp.inf).log_prob(3.0)

    slope_loc, slope_scale = jax.grad(log_density, argnums=(0, 1))(-20.0, 1.0)
    h = 1e-5
    np.testing.assert_allclose(slope_loc, (log_density(-20 + h, 1.0) - log_density(-20 - h, 1.0)) / (2 * h), rtol=1e-5)
    np.testing.assert_allclose(
        slope_scale, (log_density(-20.0, 1 + h) - log_density(-20.0, 1 - h)) / (2 * h), rtol=1e-5
    )


@pytest.mark.parametrize(("low", "high"), [(1.0, 0.0), (1.0, 1.0), (np.inf, np.inf), (-np.inf, -np.inf), (np.nan, 1.0)])
def test_ends_out_of_order_are_refused(low, high):
    with pytest.raises(InputError, match="TruncatedNormal"):
        TruncatedNormal(0.0, 1.0, low, high)

"""The tails of the normal against mpmath with hundreds of digits, values and derivatives, far out on both sides."""

import jax
import jax.numpy as jnp
import mpmath as mp
import numpy as np
import pytest

from credo.numerics import (
    erfcx,
    inverse_mills,
    log_expected_excess,
    log_ndtr,
    ndtri,
    truncated_gap,
    truncated_variance,
)

SIDE = np.logspace(-10, 2.4, 120)
X = np.concatenate([-SIDE[::-1], [0.0], SIDE])


def Phi(x):
    return mp.erfc(-x / mp.sqrt(2)) / 2


def phi(x):
    return mp.exp(-x * x / 2) / mp.sqrt(2 * mp.pi)


def hazard(x):
    return phi(x) / Phi(x)


def gap(x):
    return x + hazard(x)


def variance(x):
    return 1 - hazard(x) * gap(x)


def log_cdf(x):
    return mp.log(Phi(x)) if x < 0 else mp.log1p(-Phi(-x))


def scaled(x):
    return mp.exp(x * x) * mp.erfc(x)


def reference(function, x):
    with mp.workdps(80):
        return np.array([float(function(mp.mpf(float(v)))) for v in x])


# Each function with its definition and with its first and second derivative, worked out by hand.
CASES = {
    "erfcx": (
        erfcx,
        scaled,
        lambda x: 2 * x * scaled(x) - 2 / mp.sqrt(mp.pi),
        lambda x: (2 + 4 * x * x) * scaled(x) - 4 * x / mp.sqrt(mp.pi),
    ),
    "log_ndtr": (log_ndtr, log_cdf, hazard, lambda x: -hazard(x) * gap(x)),
    "inverse_mills": (
        inverse_mills,
        hazard,
        lambda x: -hazard(x) * gap(x),
        lambda x: hazard(x) * (gap(x) ** 2 - variance(x)),
    ),
    "truncated_gap": (truncated_gap, gap, variance, lambda x: hazard(x) * (gap(x) ** 2 - variance(x))),
    "truncated_variance": (truncated_variance, variance, lambda x: hazard(x) * (gap(x) ** 2 - variance(x)), None),
    "log_expected_excess": (
        log_expected_excess,
        lambda x: mp.log(phi(x) + x * Phi(x)),
        lambda x: 1 / gap(x),
        lambda x: -variance(x) / gap(x) ** 2,
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_values_and_derivatives(name):
    function, value, first, second = CASES[name]
    x = X[X > -26.0] if name == "erfcx" else X
    slope = jax.grad(function)
    curve = jax.grad(slope) if second is not None else slope
    values, slopes, curvatures = jax.jit(jax.vmap(lambda z: (function(z), slope(z), curve(z))))(x)
    np.testing.assert_allclose(values, reference(value, x), rtol=1e-14, atol=1e-300)
    # Differences of third order cancel: inverse_mills'' and truncated_variance' are right to an absolute tolerance.
    loose = name in ("inverse_mills", "truncated_gap", "truncated_variance")
    np.testing.assert_allclose(slopes, reference(first, x), rtol=1e-13, atol=1e-13 if loose else 1e-300)
    if second is not None:
        tolerance = {"rtol": 1e-11, "atol": 1e-11 if loose or name == "erfcx" else 1e-300}
        np.testing.assert_allclose(curvatures, reference(second, x), **tolerance)


def test_limits_at_infinity_and_nan():
    ends = np.array([-np.inf, np.inf, np.nan])
    np.testing.assert_array_equal(erfcx(ends), [np.inf, 0.0, np.nan])
    np.testing.assert_array_equal(log_ndtr(ends), [-np.inf, 0.0, np.nan])
    np.testing.assert_array_equal(inverse_mills(ends), [np.inf, 0.0, np.nan])
    np.testing.assert_array_equal(truncated_gap(ends), [0.0, np.inf, np.nan])
    np.testing.assert_array_equal(truncated_variance(ends), [0.0, 1.0, np.nan])
    np.testing.assert_array_equal(log_expected_excess(ends), [-np.inf, np.inf, np.nan])
    assert jax.grad(truncated_variance)(np.inf) == 0.0


def test_the_far_left_is_the_exponential_law():
    """Below a cut at −t the normal is an exponential of rate t, so the gap is 1/t and the variance 1/t²."""
    t = np.logspace(6, 150, 20)
    np.testing.assert_allclose(truncated_gap(-t), 1 / t, rtol=1e-11)
    np.testing.assert_allclose(truncated_variance(-t), t**-2.0, rtol=1e-11)
    np.testing.assert_allclose(jax.jit(jax.vmap(jax.grad(log_expected_excess)))(-t), t, rtol=1e-11)
    np.testing.assert_allclose(
        jax.jit(jax.vmap(jax.grad(jax.grad(log_expected_excess))))(-t[t < 1e100]), -1.0, rtol=1e-11
    )


def test_expected_excess_is_the_expectation_of_the_excess():
    z = np.random.default_rng(0).standard_normal(400_000)
    for x in (-1.0, 0.0, 1.5):
        excess = np.maximum(x + z, 0.0)
        error = 4.0 * excess.std() / np.sqrt(z.size)
        assert abs(np.exp(log_expected_excess(x)) - excess.mean()) < error


def test_truncated_moments_are_those_of_truncated_draws():
    z = np.random.default_rng(1).standard_normal(400_000)
    below = z[z < 0.3]
    assert abs(0.3 - below.mean() - truncated_gap(0.3)) < 4.0 * below.std() / np.sqrt(below.size)
    assert abs(below.var() - truncated_variance(0.3)) < 0.01


def test_quantile_inverts_the_distribution_function_from_the_left_tail_on():
    p = np.concatenate([np.logspace(-300, -1, 100), np.linspace(0.1, 0.9, 17)])
    np.testing.assert_allclose(log_ndtr(ndtri(p)), np.log(p), rtol=1e-13)
    np.testing.assert_array_equal(ndtri(np.array([0.0, 0.5, 1.0])), [-np.inf, 0.0, np.inf])
    assert np.all(np.isnan(ndtri(np.array([-0.1, 1.1]))))
    slope = jax.jit(jax.vmap(jax.grad(ndtri)))(jnp.asarray(p))
    log_density = -0.5 * np.asarray(ndtri(p)) ** 2 - 0.5 * np.log(2 * np.pi)
    np.testing.assert_allclose(np.log(slope), -log_density, rtol=1e-13)

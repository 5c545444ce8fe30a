"""Scalar functions against mpmath over wide ranges, and their gradients at the awkward points."""

import jax
import jax.numpy as jnp
import mpmath as mp
import numpy as np
import pytest

from credo.numerics import (
    array_expit,
    expit,
    log1m,
    log1mexp,
    log1pexp,
    log_diff_exp,
    logit,
    safe_divide,
    safe_log,
    safe_sqrt,
    xlogy,
)

SIDE = np.concatenate([np.logspace(-300, -20, 20), np.logspace(-20, 2.8, 120)])
WIDE = np.concatenate([-SIDE, SIDE])


def reference(function, x):
    with mp.workdps(320):
        return np.array([float(function(mp.mpf(float(v)))) for v in x])


def slope(function, x):
    return np.asarray(jax.jit(jax.vmap(jax.grad(function)))(jnp.asarray(x)))


def test_log1mexp_and_its_slope():
    x = WIDE[WIDE < 0]
    np.testing.assert_allclose(log1mexp(x), reference(lambda v: mp.log(-mp.expm1(v)), x), rtol=2e-15)
    np.testing.assert_allclose(slope(log1mexp, x), reference(lambda v: -1 / mp.expm1(-v), x), rtol=2e-15)
    np.testing.assert_array_equal(log1mexp(np.array([0.0, -np.inf])), [-np.inf, 0.0])
    assert slope(log1mexp, [-np.inf]) == 0.0
    assert np.isnan(log1mexp(0.1))


def test_log1m_and_its_slope():
    p = np.concatenate([np.logspace(-300, -1e-4, 200), np.linspace(0.1, 1 - 1e-12, 200), -np.logspace(-10, 3, 50)])
    np.testing.assert_allclose(log1m(p), reference(lambda v: mp.log(1 - v), p), rtol=1e-15)
    np.testing.assert_allclose(slope(log1m, p), 1.0 / (p - 1.0), rtol=1e-15)
    assert log1m(1.0) == -np.inf
    assert np.isnan(log1m(1.5))


def test_log1pexp_and_its_slope():
    np.testing.assert_allclose(log1pexp(WIDE), reference(lambda v: mp.log1p(mp.exp(v)), WIDE), rtol=2e-15)
    np.testing.assert_allclose(slope(log1pexp, WIDE), reference(lambda v: 1 / (1 + mp.exp(-v)), WIDE), rtol=2e-15)


def test_log_diff_exp():
    a = np.array([0.0, -1000.0, 1000.0, 3.0, -5.0])
    b = np.array([-1e-12, -1001.0, -1000.0, 2.9, -np.inf])
    with mp.workdps(60):
        exact = [mp.log(mp.exp(mp.mpf(p)) - mp.exp(mp.mpf(q))) for p, q in zip(a, b, strict=True)]
    np.testing.assert_allclose(log_diff_exp(a, b), np.array(exact, dtype=float), rtol=2e-15)
    np.testing.assert_array_equal(log_diff_exp(np.array([1.0, -np.inf]), np.array([1.0, -np.inf])), [-np.inf, -np.inf])
    assert np.isnan(log_diff_exp(0.0, 1.0))
    both = jax.jit(jax.grad(log_diff_exp, argnums=(0, 1)))
    ga, gb = both(2.0, 1.0)
    np.testing.assert_allclose([ga, gb], [np.e**2 / (np.e**2 - np.e), -np.e / (np.e**2 - np.e)], rtol=1e-14)
    np.testing.assert_array_equal(np.array(both(-jnp.inf, -jnp.inf)), [0.0, 0.0])
    np.testing.assert_allclose(np.array(both(-1.0, -jnp.inf)), [1.0, 0.0])


def test_safe_sqrt_at_zero_below_and_above():
    x = np.array([0.0, -1e-18, 4.0])
    np.testing.assert_array_equal(safe_sqrt(x), [0.0, 0.0, 2.0])
    np.testing.assert_array_equal(slope(safe_sqrt, x), [0.0, 0.0, 0.25])
    np.testing.assert_array_equal(slope(jax.grad(safe_sqrt), x), [0.0, 0.0, -0.25 / 8])
    assert np.isnan(safe_sqrt(np.nan))


def test_distances_of_coincident_points_have_finite_gradients():
    points = jnp.array([[1.0, 2.0], [1.0, 2.0], [3.0, 5.0]])
    total = lambda z: jnp.sum(safe_sqrt(jnp.sum((z[:, None] - z[None]) ** 2, axis=-1)))  # noqa: E731
    gradient = jax.jit(jax.grad(total))(points)
    unit = np.array([2.0, 3.0]) / np.sqrt(13.0)
    np.testing.assert_allclose(gradient, [-2 * unit, -2 * unit, 4 * unit], rtol=1e-14)


def test_safe_log_is_truly_minus_infinity_with_a_finite_slope():
    np.testing.assert_array_equal(safe_log(np.array([0.0, 1.0, np.inf])), [-np.inf, 0.0, np.inf])
    np.testing.assert_array_equal(slope(safe_log, [0.0, 2.0]), [0.0, 0.5])
    assert np.all(np.isnan(safe_log(np.array([-1.0, np.nan]))))
    entropy = lambda p: -jnp.sum(xlogy(p, p))  # noqa: E731
    assert np.all(np.isfinite(jax.grad(entropy)(jnp.array([0.0, 0.5, 0.5]))))


def test_safe_divide():
    np.testing.assert_array_equal(safe_divide(np.array([1.0, 0.0, 6.0]), np.array([0.0, 0.0, 3.0])), [0.0, 0.0, 2.0])
    both = jax.jit(jax.grad(safe_divide, argnums=(0, 1)))
    np.testing.assert_array_equal(np.array(both(1.0, 0.0)), [0.0, 0.0])
    np.testing.assert_array_equal(np.array(both(6.0, 3.0)), [1 / 3, -6 / 9])


def test_xlogy_with_nothing_times_anything():
    y = np.array([0.0, np.inf, 2.0, -1.0])
    np.testing.assert_array_equal(xlogy(np.zeros(4), y), np.zeros(4))
    assert xlogy(1.0, 0.0) == -np.inf
    assert np.isnan(xlogy(0.0, np.nan))
    both = jax.jit(jax.grad(xlogy, argnums=(0, 1)))
    np.testing.assert_array_equal(np.array(both(0.0, 0.0)), [0.0, 0.0])
    np.testing.assert_allclose(np.array(both(0.0, 2.0)), [np.log(2.0), 0.0])
    np.testing.assert_allclose(np.array(both(3.0, 2.0)), [np.log(2.0), 1.5])


def test_logit_and_expit_are_inverse_in_both_tails():
    x = np.linspace(-600.0, 30.0, 400)
    np.testing.assert_allclose(logit(expit(x))[x < 5], x[x < 5], rtol=1e-13, atol=1e-13)
    np.testing.assert_allclose(expit(x), reference(lambda v: 1 / (1 + mp.exp(-v)), x), rtol=1e-14)
    np.testing.assert_allclose(array_expit(x), reference(lambda v: 1 / (1 + mp.exp(-v)), x), rtol=1e-14)


def test_expit_of_an_array_far_out_and_of_one_number():
    with np.errstate(all="raise"):
        assert array_expit(np.array([-1e4, 1e4])).tolist() == [0.0, 1.0]
    assert float(array_expit(np.array(0.0))) == 0.5


@pytest.mark.parametrize("function", [safe_sqrt, safe_log, log1m, log1mexp, log1pexp])
def test_integers_go_in_and_float64_comes_out(function):
    assert function(np.array([0, 0])).dtype == jnp.float64


def test_safe_sqrt_of_a_difference_that_is_computed_twice():
    """Under jit and vmap the square of a difference may be zero in one place and round-off in another."""
    x, z = jnp.array([[0.3], [0.7]]), jnp.array([[0.3], [0.1], [0.9]])
    slopes = jax.jacfwd(lambda u: u[0] * safe_sqrt((x / u[1] - z.T / u[1]) ** 2))
    at = jnp.array([[0.8, 0.9], [0.5, 0.4]])
    together = jax.jit(jax.vmap(slopes))(at)
    for i in range(2):
        np.testing.assert_allclose(together[i], slopes(at[i]), atol=1e-12)

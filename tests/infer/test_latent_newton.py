"""The Newton iteration on a Poisson likelihood, which no engine here has, against SciPy's minimizer."""

from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
from scipy import optimize

from credo.infer.latent import site_factor
from credo.infer.latent_newton import Direction, latent_newton

N = 6
COUNTS = np.array([0.0, 1, 3, 40, 2, 0])
POINTS = np.linspace(-2, 2, N)
COVARIANCE = 4.0 * np.exp(-0.5 * (POINTS[:, None] - POINTS) ** 2) + 1e-6 * np.eye(N)
MEAN = np.full(N, 0.5)


def log_likelihood(latent):
    return jnp.sum(COUNTS * latent - jnp.exp(latent))


def direction(latent, alpha):
    root = jnp.exp(0.5 * latent)
    factor = site_factor(jnp.asarray(COVARIANCE), root)
    gradient = COUNTS - jnp.exp(latent) - alpha
    step = gradient - root * factor.solve(root * (COVARIANCE @ gradient))
    return Direction(gradient, step, jnp.asarray(factor.info.jitter))


@partial(jax.jit, static_argnums=(1, 2))
def climb(mean, max_iterations=100, tolerance=1e-10):
    return latent_newton(jnp.asarray(COVARIANCE), mean, log_likelihood, direction, max_iterations, tolerance)


def test_mode_is_that_of_a_general_minimizer():
    def negative(latent):
        away = latent - MEAN
        return float(-log_likelihood(latent) + 0.5 * away @ np.linalg.solve(COVARIANCE, away))

    found = climb(jnp.asarray(MEAN))
    wanted = optimize.minimize(negative, MEAN, method="BFGS", options={"gtol": 1e-9})
    np.testing.assert_allclose(found.latent, wanted.x, atol=1e-4)
    assert negative(np.asarray(found.latent)) <= wanted.fun + 1e-12
    np.testing.assert_allclose(COUNTS - np.exp(found.latent), found.alpha, atol=1e-10)
    assert found.decrement <= 1e-10


def test_steps_that_overshoot_are_halved():
    """From far below, the full Newton step for a count of 40 would jump to a latent value near 40 / e^f."""
    found = climb(jnp.full(N, -8.0))
    np.testing.assert_allclose(COUNTS - np.exp(found.latent), found.alpha, atol=1e-9)
    assert 5 < found.iterations < 60


def test_few_iterations_say_how_far_they_came():
    found = climb(jnp.asarray(MEAN), 2)
    assert found.iterations == 2
    assert found.decrement > 1e-3


def test_what_is_not_finite_ends_the_iteration():
    found = climb(jnp.full(N, jnp.nan))
    assert found.stuck
    assert found.iterations == 1
    assert np.isinf(found.decrement)

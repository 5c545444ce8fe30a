"""Draws against the closed form of their joint distribution: a multivariate t, or a normal where the noise is known."""

import jax.numpy as jnp
import numpy as np
import pytest
from scipy import stats

from credo.infer import LinearPrior, draw_coefficients, linear_posteriors

RNG = np.random.default_rng(0)
X = RNG.normal(size=(12, 2)) * [1.0, 3.0] + [0.5, -1.0]
ROWS = jnp.asarray(np.column_stack([X, 1.0 + X @ [1.0, -0.5] + RNG.normal(size=12)]))
COUNT = 20_000


@pytest.mark.parametrize("known", [None, 0.7])
def test_moments_and_tails_of_the_joint(known):
    noise = None if known is None else jnp.asarray(known)
    _, posterior = linear_posteriors(ROWS, jnp.ones((2, 12)), LinearPrior(2.0, 1.0, 0.8, noise_variance=noise))
    draws = draw_coefficients(posterior, COUNT, random_state=1)
    assert draws.coefficients.shape == (COUNT, 2, 2)
    assert draws.intercept.shape == draws.noise_variance.shape == (COUNT, 2)
    # The textbook's posterior of (intercept, slopes), with a flat prior on the first.
    A, y = np.column_stack([np.ones(12), X]), np.asarray(ROWS[:, -1])
    precision = A.T @ A + np.diag([0.0, *(X.var(axis=0) / 0.8**2)])
    mean = np.linalg.solve(precision, A.T @ y)
    a, b = 2.0 + 11 / 2, 1.0 + 0.5 * (y @ y - mean @ precision @ mean)
    variance = b / (a - 1.0) if known is None else known
    joint = np.column_stack([draws.intercept[:, 1], draws.coefficients[:, 1]])
    covariance = variance * np.linalg.inv(precision)
    error = np.sqrt(np.diag(covariance) / COUNT)
    assert np.all(np.abs(joint.mean(axis=0) - mean) < 4.0 * error)
    np.testing.assert_allclose(np.cov(joint.T), covariance, rtol=0.08, atol=0.01 * np.max(covariance))
    # The Mahalanobis distance has a known law, heavier where the noise is learned.
    square = np.einsum("ni,ij,nj->n", joint - mean, precision, joint - mean)
    law = stats.f(3, 2 * a, scale=3 * b / a) if known is None else stats.chi2(3, scale=known)
    assert stats.kstest(square[:4000], law.cdf).pvalue > 1e-3
    if known is None:
        assert stats.kstest(draws.noise_variance[:4000, 0], stats.invgamma(a, scale=b).cdf).pvalue > 1e-3
    else:
        assert np.all(draws.noise_variance == known)


def test_a_seed_repeats_itself():
    posterior = linear_posteriors(ROWS, jnp.ones((1, 12)), LinearPrior(2.0, 1.0, 0.8))[1]
    one, again, other = (draw_coefficients(posterior, 3, seed).coefficients for seed in (0, 0, 1))
    np.testing.assert_array_equal(one, again)
    assert not np.any(one == other)


def test_a_draw_is_a_function():
    _, posterior = linear_posteriors(ROWS, jnp.ones((1, 12)), LinearPrior(2.0, 1.0, 0.8))
    draws = draw_coefficients(posterior, 3, random_state=1)
    wanted = np.asarray(draws.intercept)[:, 0, None] + np.asarray(draws.coefficients)[:, 0] @ X.T
    np.testing.assert_allclose(draws(X)[:, 0], wanted, rtol=1e-12)

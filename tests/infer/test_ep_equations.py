"""The equations of expectation propagation against the textbook's own forms, with inverses written out."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from scipy.stats import norm

from credo.infer.ep_equations import ep_log_evidence, ep_marginals, ep_site_tangents, ep_update
from credo.infer.latent import latent_problem

N = 4
RNG = np.random.default_rng(0)
ROOT = RNG.normal(size=(N, N))
COVARIANCE = ROOT @ ROOT.T + 0.1 * np.eye(N)
LABELS = np.array([1, 0, 0, 1])
PRECISION, SHIFT = jnp.array([0.4, 1.1, 0.2, 0.9]), jnp.array([0.5, -0.7, 0.1, 1.2])
PROBLEM = latent_problem("test", COVARIANCE, LABELS, None, None)


def test_marginals_are_those_of_the_product_of_gaussians():
    weights, mean = np.array([2.0, 1.0, 0.5, 1.0]), np.array([0.3, -0.2, 1.0, 0.0])
    found = ep_marginals(latent_problem("test", COVARIANCE, LABELS, weights, mean), PRECISION, SHIFT)
    inverse = np.linalg.inv(COVARIANCE)
    joint = np.linalg.inv(inverse + np.diag(weights * PRECISION))
    np.testing.assert_allclose(found.variance, np.diag(joint), rtol=1e-10)
    np.testing.assert_allclose(found.mean, joint @ (inverse @ mean + weights * SHIFT), rtol=1e-9)
    np.testing.assert_allclose(found.alpha, inverse @ (found.mean - mean), rtol=1e-8)


def test_evidence_is_the_textbooks():
    """Rasmussen and Williams (2006), eq. 3.65, term by term: site means, site variances, cavities."""
    noise, observed = 1 / PRECISION, SHIFT / PRECISION
    joint = np.linalg.inv(np.linalg.inv(COVARIANCE) + np.diag(PRECISION))
    mean, variance = joint @ SHIFT, np.diag(joint)
    cavity = 1 / (1 / variance - PRECISION)
    cavity_mean = cavity * (mean / variance - SHIFT)
    z = (2 * LABELS - 1) * cavity_mean / np.sqrt(1 + cavity)
    total = COVARIANCE + np.diag(noise)
    wanted = (
        -0.5 * np.linalg.slogdet(total)[1]
        - 0.5 * observed @ np.linalg.solve(total, observed)
        + np.sum(norm.logcdf(z))
        + 0.5 * np.sum(np.log(cavity + noise))
        + 0.5 * np.sum((cavity_mean - observed) ** 2 / (cavity + noise))
    )
    np.testing.assert_allclose(ep_log_evidence(PROBLEM, PRECISION, SHIFT), wanted, rtol=1e-10)


def test_evidence_of_two_copies_is_that_of_weight_two():
    twice = latent_problem("test", np.ones((2, 2)), np.ones(2), None, np.full(2, 0.3))
    weighted = latent_problem("test", np.ones((1, 1)), np.ones(1), np.array([2.0]), np.array([0.3]))
    copies = ep_log_evidence(twice, jnp.full(2, 0.4), jnp.full(2, 0.5))
    np.testing.assert_allclose(ep_log_evidence(weighted, jnp.array([0.4]), jnp.array([0.5])), copies, rtol=1e-12)


def test_update_is_the_textbooks():
    """Eqs. 3.56 to 3.59: cavity, tilted mean and variance, site."""
    mean, variance = jnp.array([0.3, -1.0, 0.2, 2.0]), jnp.array([0.5, 0.6, 1.5, 0.4])
    found = ep_update(PROBLEM.labels, PROBLEM.weights, mean, variance, PRECISION, SHIFT)
    cavity = 1 / (1 / variance - PRECISION)
    cavity_mean = cavity * (mean / variance - SHIFT)
    sign = 2 * LABELS - 1
    z = sign * cavity_mean / np.sqrt(1 + cavity)
    ratio = norm.pdf(z) / norm.cdf(z)
    tilted_mean = cavity_mean + sign * cavity * ratio / np.sqrt(1 + cavity)
    tilted = cavity - cavity**2 * ratio / (1 + cavity) * (z + ratio)
    np.testing.assert_allclose(found[0], 1 / tilted - 1 / cavity, rtol=1e-10)
    np.testing.assert_allclose(found[1], tilted_mean / tilted - cavity_mean / cavity, rtol=1e-10)


@jax.jit
def whole_update(covariance, mean, sites):
    problem = PROBLEM._replace(covariance=covariance, mean=mean)
    marginals = ep_marginals(problem, *sites)
    return jnp.stack(ep_update(problem.labels, problem.weights, marginals.mean, marginals.variance, *sites))


@pytest.mark.slow
def test_site_tangents_solve_the_linearized_fixed_point():
    """With F the whole update, differentiated by differences: (I − ∂F) dx = ∂F along (dK, dm)."""
    change, drift, step = RNG.normal(size=(N, N)), RNG.normal(size=N), 1e-6
    change = change + change.T
    sites = np.stack([PRECISION, SHIFT])
    marginals = ep_marginals(PROBLEM, PRECISION, SHIFT)
    pull = marginals.root[:, None] * marginals.factor.inverse() * marginals.root
    found = jax.jit(ep_site_tangents)(
        PROBLEM, (PRECISION, SHIFT), marginals, pull, change, change @ marginals.alpha + drift
    )

    def slope(move):
        return np.ravel(move(step) - move(-step)) / (2 * step)

    direct = slope(lambda h: whole_update(COVARIANCE + h * change, h * drift, sites))
    columns = [
        slope(lambda h, e=e: whole_update(COVARIANCE, np.zeros(N), sites + h * e.reshape(2, N))) for e in np.eye(2 * N)
    ]
    wanted = np.linalg.solve(np.eye(2 * N) - np.stack(columns, axis=1), direct)
    np.testing.assert_allclose(np.concatenate(found), wanted, rtol=1e-5)

"""Posteriors, evidences and predictives of normal data against quadrature over the parameters."""

import jax.numpy as jnp
import numpy as np
import pytest
import scipy.stats

from credo.beliefs import (
    Normal,
    NormalInverseGamma,
    NormalInverseWishart,
    NormalKnownVariance,
    NormalUnknownCovariance,
    NormalUnknownVariance,
)
from credo.errors import InputError

X = np.array([1.3, -0.4, 2.2, 0.9])
MU, STEP = np.linspace(-12, 13, 2001, retstep=True)
LOG_V, LOG_STEP = np.linspace(-4.5, 6.5, 801, retstep=True)


def test_known_variance_against_quadrature():
    pair, prior = NormalKnownVariance(0.8), Normal(0.5, 1.5)
    joint = scipy.stats.norm(0.5, 1.5).pdf(MU) * np.prod(scipy.stats.norm(MU[:, None], 0.8).pdf(X), axis=1)
    evidence = np.sum(joint) * STEP
    posterior = pair.posterior(prior, pair.statistics(X))
    np.testing.assert_allclose(np.exp(posterior.log_prob(MU)), joint / evidence, atol=1e-10)
    np.testing.assert_allclose(pair.log_evidence(prior, pair.statistics(X)), np.log(evidence), rtol=1e-9)
    y = np.array([-1.0, 0.7, 3.0])
    expected = scipy.stats.norm(MU, 0.8).pdf(y[:, None]) @ (joint / evidence) * STEP
    np.testing.assert_allclose(np.exp(pair.predictive(posterior).log_prob(y)), expected, rtol=1e-9)


def test_unknown_variance_against_quadrature():
    """The trapezoid rule in (μ, log σ²), where the integrand is smooth and vanishes at the ends."""
    pair, prior = NormalUnknownVariance(), NormalInverseGamma(0.5, 1.2, 6.0, 4.0)
    mu, v = MU[:, None], np.exp(LOG_V)
    log_prior = scipy.stats.invgamma(6.0, scale=4.0).logpdf(v) + scipy.stats.norm(0.5, np.sqrt(v / 1.2)).logpdf(mu)
    log_likelihood = -0.5 * sum((x - mu) ** 2 / v + np.log(2 * np.pi * v) for x in X)
    mass = np.exp(log_prior + log_likelihood + LOG_V) * STEP * LOG_STEP
    evidence = mass.sum()
    posterior = pair.posterior(prior, pair.statistics(X))
    np.testing.assert_allclose(pair.log_evidence(prior, pair.statistics(X)), np.log(evidence), rtol=1e-7)
    log_density = posterior.log_prob(np.stack(np.broadcast_arrays(mu, v), axis=-1))
    np.testing.assert_allclose(np.exp(log_density), np.exp(log_prior + log_likelihood) / evidence, rtol=1e-5, atol=1e-9)
    for y in (-1.0, 0.7, 3.0):
        expected = np.sum(mass * np.exp(-0.5 * (y - mu) ** 2 / v) / np.sqrt(2 * np.pi * v)) / evidence
        np.testing.assert_allclose(np.exp(pair.predictive(posterior).log_prob(y)), expected, rtol=1e-6)


def test_unknown_covariance_against_simulated_integrals():
    """Evidence and predictive as averages of the likelihood over draws from the prior, within four standard errors."""
    pair = NormalUnknownCovariance()
    prior = NormalInverseWishart([0.3, -0.2], 1.5, 6.0, [[2.0, 0.5], [0.5, 1.0]])
    x = np.array([[0.5, 0.1], [-0.3, -0.4]])
    mean, covariance = (np.asarray(part) for part in prior.split(prior.sample(100_000, random_state=0)))
    precision = np.linalg.inv(covariance)
    gaps = x[:, None] - mean
    squares = np.einsum("ans,nst,ant->an", gaps, precision, gaps)
    likelihood = np.exp(-0.5 * (squares + np.log(np.linalg.det(2 * np.pi * covariance)))).prod(axis=0)
    error = likelihood.std() / likelihood.mean() / np.sqrt(100_000)
    log_evidence = pair.log_evidence(prior, pair.statistics(x))
    assert abs(np.exp(log_evidence) / likelihood.mean() - 1) < 4 * error
    posterior = pair.posterior(prior, pair.statistics(x))
    weighted = likelihood @ mean / likelihood.sum()
    np.testing.assert_allclose(posterior.marginal_mean().mean, weighted, atol=4 * 0.6 / np.sqrt(30_000))


@pytest.mark.slow
def test_unknown_covariance_against_quadrature():
    """The trapezoid rule in (log σ₁², log σ₂², artanh ρ); given Σ the mean integrates in closed form (I + 11ᵀ/κ)."""
    m, count, df, scatter = np.array([0.3, -0.2]), 1.5, 7.0, np.array([[2.0, 0.5], [0.5, 1.0]])
    x = np.random.default_rng(1).normal(size=(4, 2))
    (a, da), (b, db) = (np.linspace(-6.0, 5.0, 75, retstep=True) for _ in range(2))
    r, dr = np.linspace(-4.5, 4.5, 75, retstep=True)
    v, w, rho = np.exp(a)[:, None, None], np.exp(b)[:, None], np.tanh(r)
    off = rho * np.sqrt(v * w)
    grid = np.stack(np.broadcast_arrays(v, off, off, w), axis=-1).reshape(-1, 2, 2)
    jacobian = (v * w * np.sqrt(v * w) * (1 - rho**2)).ravel() * da * db * dr
    log_prior = scipy.stats.invwishart(df, scatter).logpdf(np.moveaxis(grid, 0, -1))
    rows = np.eye(4) + 1.0 / count
    squares = np.einsum("nst,ts->n", np.linalg.inv(grid), (x - m).T @ np.linalg.solve(rows, x - m))
    log_likelihood = -0.5 * (squares + 4 * np.log(np.linalg.det(2 * np.pi * grid)) + 2 * np.log(np.linalg.det(rows)))
    mass = np.exp(log_prior + log_likelihood) * jacobian

    pair, prior = NormalUnknownCovariance(), NormalInverseWishart(m, count, df, scatter)
    statistics = pair.statistics(x)
    posterior = pair.posterior(prior, statistics)
    np.testing.assert_allclose(pair.log_evidence(prior, statistics), np.log(mass.sum()), rtol=1e-4)
    covariance = np.tensordot(mass, grid, axes=(0, 0)) / mass.sum()
    np.testing.assert_allclose(posterior.scatter / (posterior.df - 3), covariance, rtol=1e-3)
    np.testing.assert_allclose(posterior.loc, (count * m + x.sum(axis=0)) / (count + 4), rtol=1e-12)


@pytest.mark.parametrize("point", [(0.1, 0.2, 1.0, 0.3, 0.8), (-0.5, 1.0, 2.0, -0.4, 0.5)])
def test_unknown_covariance_is_bayes_rule_at_every_point(point):
    """log prior + log likelihood − log evidence = log posterior, at any (μ, Σ)."""
    pair = NormalUnknownCovariance()
    prior = NormalInverseWishart([0.3, -0.2], 1.5, 6.0, [[2.0, 0.5], [0.5, 1.0]])
    x = np.random.default_rng(0).normal(size=(5, 2))
    mean, covariance = (np.asarray(part) for part in prior.split(np.array(point)))
    log_likelihood = scipy.stats.multivariate_normal(mean, covariance).logpdf(x).sum()
    statistics = pair.statistics(x)
    expected = prior.log_prob(np.array(point)) + log_likelihood - pair.log_evidence(prior, statistics)
    np.testing.assert_allclose(pair.posterior(prior, statistics).log_prob(np.array(point)), expected, rtol=1e-10)


def test_one_dimensional_wishart_pair_is_the_gamma_pair():
    gamma, matrix = NormalUnknownVariance(), NormalUnknownCovariance()
    one, two = NormalInverseGamma(0.5, 1.2, 6.0, 4.0), NormalInverseWishart([0.5], 1.2, 12.0, [[8.0]])
    s, S = gamma.statistics(X), matrix.statistics(X[:, None])
    np.testing.assert_allclose(gamma.log_evidence(one, s), matrix.log_evidence(two, S), rtol=1e-12)
    a, b = gamma.predictive(gamma.posterior(one, s)), matrix.predictive(matrix.posterior(two, S))
    np.testing.assert_allclose(a.log_prob(0.3), b.log_prob(np.array([0.3])), rtol=1e-12)


def test_natural_parameters_add():
    """The centered formulas are η' = η + (Σ T(x), n) written so that nothing cancels."""
    pair, prior, n = NormalUnknownVariance(), NormalInverseGamma(0.5, 1.2, 6.0, 4.0), len(X)
    shift = np.array([-0.5 * n, -0.5 * np.sum(X**2), np.sum(X), -0.5 * n])
    np.testing.assert_allclose(pair.posterior(prior, pair.statistics(X)).natural, prior.natural + shift, rtol=1e-12)
    matrix, vector_prior = (
        NormalUnknownCovariance(),
        NormalInverseWishart([0.3, -0.2], 1.5, 6.0, [[2.0, 0.5], [0.5, 1.0]]),
    )
    x = np.stack([X, X[::-1]], axis=1)
    second = x.T @ x
    shift = np.array([-0.5 * n, -0.5 * second[0, 0], -second[1, 0], -0.5 * second[1, 1], *x.sum(axis=0), -0.5 * n])
    posterior = matrix.posterior(vector_prior, matrix.statistics(x))
    np.testing.assert_allclose(posterior.natural, vector_prior.natural + shift, rtol=1e-12)


def test_data_far_from_zero_keep_their_digits():
    pair, far = NormalUnknownVariance(), 1e8
    near = pair.log_evidence(NormalInverseGamma(0.0, 1.2, 6.0, 4.0), pair.statistics(X))
    moved = pair.log_evidence(NormalInverseGamma(far, 1.2, 6.0, 4.0), pair.statistics(X + far))
    np.testing.assert_allclose(moved, near, rtol=1e-7)
    parts = pair.statistics(X[:2] + far) + pair.statistics(X[2:] + far)
    np.testing.assert_allclose(parts.scatter, np.sum((X - X.mean()) ** 2), rtol=1e-6)


def test_wrong_sizes_are_refused():
    pair = NormalUnknownCovariance()
    prior = NormalInverseWishart([0.3, -0.2], 1.5, 6.0, np.eye(2))
    with pytest.raises(InputError, match="NormalUnknownCovariance"):
        pair.posterior(prior, pair.statistics(np.ones((4, 3))))
    with pytest.raises(InputError, match="NormalKnownVariance"):
        NormalKnownVariance(noise=0.0)
    assert jnp.isfinite(NormalKnownVariance(noise=2.0).noise)

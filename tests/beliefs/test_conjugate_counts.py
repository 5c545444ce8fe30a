"""Posteriors, evidences and predictives of counts against quadrature over the parameter."""

import numpy as np
import pytest
import scipy.stats

from credo.beliefs import Beta, BetaBernoulli, Dirichlet, DirichletCategorical, Gamma, GammaPoisson
from credo.errors import InputError

NODES, WEIGHTS = np.polynomial.legendre.leggauss(300)
THETA, D_THETA = 0.5 * (NODES + 1), 0.5 * WEIGHTS  # on 0 to 1
RATE, D_RATE = 30 * THETA, 30 * D_THETA  # on 0 to 30


def by_quadrature(prior, likelihood, step):
    """The normalized product of prior and likelihood on the nodes, and its integral."""
    joint = prior * likelihood
    evidence = np.sum(joint * step)
    return joint / evidence, np.log(evidence)


def test_successes():
    pair, prior, x = BetaBernoulli(), Beta(2.5, 3.0), np.array([1, 1, 0, 1, 0, 1])
    likelihood = THETA**4 * (1 - THETA) ** 2
    density, log_evidence = by_quadrature(scipy.stats.beta(2.5, 3.0).pdf(THETA), likelihood, D_THETA)
    posterior = pair.posterior(prior, pair.statistics(x))
    np.testing.assert_allclose(np.exp(posterior.log_prob(THETA)), density, rtol=1e-7)
    np.testing.assert_allclose(pair.log_evidence(prior, pair.statistics(x)), log_evidence, rtol=1e-8)
    np.testing.assert_allclose(pair.predictive(posterior).probability, np.sum(THETA * density * D_THETA), rtol=1e-8)


def test_successes_among_trials():
    pair, prior = BetaBernoulli(), Beta(2.5, 3.0)
    successes, trials = np.array([3, 0, 5]), np.array([4, 2, 9])
    statistics = pair.counts(successes, trials)
    likelihood = np.prod(scipy.stats.binom(trials, THETA[:, None]).pmf(successes), axis=1)
    density, log_evidence = by_quadrature(scipy.stats.beta(2.5, 3.0).pdf(THETA), likelihood, D_THETA)
    posterior = pair.posterior(prior, statistics)
    np.testing.assert_allclose(np.exp(posterior.log_prob(THETA)), density, rtol=1e-7, atol=1e-12)
    np.testing.assert_allclose(pair.log_evidence(prior, statistics), log_evidence, rtol=1e-8)
    predictive = pair.predictive_counts(posterior, 6)
    expected = scipy.stats.binom(6, THETA[:, None]).pmf(np.arange(7)).T @ (density * D_THETA)
    np.testing.assert_allclose(np.exp(predictive.log_prob(np.arange(7))), expected, rtol=1e-8)
    np.testing.assert_allclose(predictive.budget.total, predictive.variance, rtol=1e-12)


def test_events():
    pair, prior, x, exposure = GammaPoisson(), Gamma(2.5, 0.8), np.array([3, 0, 7]), np.array([1.0, 0.5, 2.0])
    statistics = pair.statistics(x, exposure=exposure)
    likelihood = np.prod(scipy.stats.poisson(RATE[:, None] * exposure).pmf(x), axis=1)
    density, log_evidence = by_quadrature(scipy.stats.gamma(2.5, scale=1 / 0.8).pdf(RATE), likelihood, D_RATE)
    posterior = pair.posterior(prior, statistics)
    np.testing.assert_allclose(np.exp(posterior.log_prob(RATE)), density, rtol=1e-7, atol=1e-12)
    np.testing.assert_allclose(pair.log_evidence(prior, statistics), log_evidence, rtol=1e-8)
    k = np.arange(15)
    for ahead in (1.0, 2.5):
        predictive = pair.predictive(posterior, exposure=ahead)
        expected = scipy.stats.poisson(ahead * RATE[:, None]).pmf(k).T @ (density * D_RATE)
        np.testing.assert_allclose(np.exp(predictive.log_prob(k)), expected, rtol=1e-7)
        np.testing.assert_allclose(predictive.budget.total, predictive.variance, rtol=1e-12)


def triangle():
    """Nodes on the simplex of three classes, the image of the square, with the weights of the first two entries."""
    x, y = THETA[:, None], (1 - THETA[:, None]) * THETA
    grid = np.stack(np.broadcast_arrays(x, y, 1 - x - y), axis=-1)
    return grid, (1 - x) * D_THETA[:, None] * D_THETA


def test_classes():
    pair, alpha, x = DirichletCategorical(3), np.array([2.0, 1.5, 3.0]), np.array([0, 2, 2, 1, 0, 2])
    grid, step = triangle()
    prior = np.exp(scipy.stats.dirichlet(alpha).logpdf(np.moveaxis(grid, -1, 0).reshape(3, -1))).reshape(step.shape)
    density, log_evidence = by_quadrature(prior, np.prod(grid ** np.array([2, 1, 3]), axis=-1), step)
    posterior = pair.posterior(Dirichlet(alpha), pair.statistics(x))
    np.testing.assert_allclose(np.exp(posterior.log_prob(grid)), density, rtol=1e-5, atol=1e-9)
    np.testing.assert_allclose(pair.log_evidence(Dirichlet(alpha), pair.statistics(x)), log_evidence, rtol=1e-6)
    expected = np.sum(grid * (density * step)[..., None], axis=(0, 1))
    np.testing.assert_allclose(pair.predictive(posterior).probabilities, expected, rtol=1e-6)


def test_counts_of_classes():
    pair, prior, x = DirichletCategorical(3), Dirichlet([2.0, 1.5, 3.0]), np.array([[2, 1, 0], [0, 0, 4]])
    statistics = pair.counts(x)
    assert statistics.totals.tolist() == [2.0, 1.0, 4.0]
    expected = sum(
        scipy.stats.dirichlet_multinomial(np.asarray(prior_row.concentration), int(row.sum())).logpmf(row)
        for prior_row, row in [(prior, x[0]), (pair.posterior(prior, pair.counts(x[:1])), x[1])]
    )
    np.testing.assert_allclose(pair.log_evidence(prior, statistics), expected, rtol=1e-10)


@pytest.mark.parametrize(
    "ask",
    [
        lambda: BetaBernoulli().statistics([0.5, 1.0]),
        lambda: BetaBernoulli().counts([3], [2]),
        lambda: BetaBernoulli().counts([1.5], [2]),
        lambda: GammaPoisson().statistics([-1.0]),
        lambda: GammaPoisson().statistics([1.5]),
        lambda: GammaPoisson().statistics([1.0], exposure=[0.0]),
        lambda: DirichletCategorical(2).statistics([0, 2]),
        lambda: DirichletCategorical(2).counts([[1, 2, 3]]),
        lambda: DirichletCategorical(2).counts([[1, 0.5]]),
    ],
)
def test_bad_counts_are_refused(ask):
    with pytest.raises(InputError):
        ask()

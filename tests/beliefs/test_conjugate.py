"""What every pair obeys: sequential equals batch, weights are repetitions, batches are rows, bad data are refused."""

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest

from credo.beliefs import (
    Beta,
    BetaBernoulli,
    Dirichlet,
    DirichletCategorical,
    Gamma,
    GammaPoisson,
    Normal,
    NormalInverseGamma,
    NormalInverseWishart,
    NormalKnownVariance,
    NormalUnknownCovariance,
    NormalUnknownVariance,
    UncertaintyBudget,
)
from credo.beliefs.conjugate import split_budget
from credo.errors import InputError

rng = np.random.default_rng(0)
NUMBERS = rng.normal(3.0, 2.0, size=8)
PAIRS = {
    "NormalKnownVariance": (NormalKnownVariance(1.5), Normal(0.5, 2.0), NUMBERS),
    "NormalUnknownVariance": (NormalUnknownVariance(), NormalInverseGamma(0.5, 0.7, 2.5, 1.3), NUMBERS),
    "NormalUnknownCovariance": (
        NormalUnknownCovariance(),
        NormalInverseWishart([0.5, 0.0], 0.7, 5.0, [[1.0, 0.2], [0.2, 2.0]]),
        rng.normal(size=(8, 2)),
    ),
    "BetaBernoulli": (BetaBernoulli(), Beta(1.5, 2.5), np.array([1.0, 0, 0, 1, 1, 0, 1, 1])),
    "GammaPoisson": (GammaPoisson(), Gamma(2.0, 0.5), rng.poisson(4.0, size=8).astype(float)),
    "DirichletCategorical": (DirichletCategorical(3), Dirichlet([1.0, 2.0, 0.5]), np.array([0.0, 2, 2, 1, 0, 2, 2, 1])),
}
every_pair = pytest.mark.parametrize("name", PAIRS)


def assert_same(one, two, rtol=1e-11):
    for a, b in zip(jax.tree.leaves(one), jax.tree.leaves(two), strict=True):
        np.testing.assert_allclose(a, b, rtol=rtol, atol=1e-11)


@every_pair
def test_sequential_equals_batch(name):
    pair, prior, x = PAIRS[name]
    first, second = pair.statistics(x[:3]), pair.statistics(x[3:])
    whole = pair.statistics(x)
    assert_same(first + second, whole)
    middle = pair.posterior(prior, first)
    assert_same(pair.posterior(middle, second), pair.posterior(prior, whole))
    chained = pair.log_evidence(prior, first) + pair.log_evidence(middle, second)
    np.testing.assert_allclose(chained, pair.log_evidence(prior, whole), rtol=1e-11)


@every_pair
def test_weights_are_repetitions(name):
    pair, prior, x = PAIRS[name]
    weights = np.array([2.0, 0.0, 1.0, 3.0, 1.0, 0.0, 2.0, 1.0])
    weighted, repeated = pair.statistics(x, weights), pair.statistics(np.repeat(x, weights.astype(int), axis=0))
    assert_same(weighted, repeated)
    np.testing.assert_allclose(pair.log_evidence(prior, weighted), pair.log_evidence(prior, repeated), rtol=1e-11)


@every_pair
def test_no_data_change_nothing(name):
    pair, prior, x = PAIRS[name]
    nothing = pair.statistics(x, np.zeros(8))
    assert_same(pair.posterior(prior, nothing), prior)
    np.testing.assert_allclose(pair.log_evidence(prior, nothing), 0.0, atol=1e-12)
    assert_same(nothing + pair.statistics(x), pair.statistics(x))


@every_pair
def test_one_observation_has_the_predictive_density_as_evidence(name):
    """The chain rule: p(x₁, …, xₙ) is the product of the predictives of each given those before it."""
    pair, prior, x = PAIRS[name]
    total = 0.0
    for row in x:
        one = pair.statistics(row[None])
        log_predictive = pair.predictive(prior).log_prob(row)
        np.testing.assert_allclose(pair.log_evidence(prior, one), log_predictive, rtol=1e-10, atol=1e-12)
        prior, total = pair.posterior(prior, one), total + log_predictive
    _, start, _ = PAIRS[name]
    np.testing.assert_allclose(pair.log_evidence(start, pair.statistics(x)), total, rtol=1e-10)


@every_pair
def test_the_budget_of_the_predictive_adds_up_and_shrinks(name):
    pair, prior, x = PAIRS[name]
    before, after = pair.predictive(prior), pair.predictive(pair.posterior(prior, pair.statistics(x, np.full(8, 50.0))))
    np.testing.assert_allclose(before.budget.total, before.variance, rtol=1e-12)
    np.testing.assert_allclose(after.budget.total, after.variance, rtol=1e-10)
    assert after.budget.shares()["parameter"] < 0.1 * before.budget.shares()["parameter"]


@every_pair
def test_weights_of_many_refits_are_one_batch(name):
    pair, prior, x = PAIRS[name]
    W = rng.integers(0, 3, size=(4, 8)).astype(float)

    @eqx.filter_jit
    def refit(prior, x, W):
        statistics = pair.statistics(x, W)
        posterior = pair.posterior(prior, statistics)
        return posterior, pair.log_evidence(prior, statistics), pair.predictive(posterior)

    posterior, log_evidence, predictive = refit(prior, x, W)
    assert posterior.batch_shape == predictive.batch_shape == (4,)
    vmapped = jax.vmap(lambda w: pair.posterior(prior, pair.statistics(jnp.asarray(x), w)))(W)
    assert_same(vmapped, posterior)
    alone = pair.statistics(x, W[2])
    assert_same(posterior[2], pair.posterior(prior, alone))
    np.testing.assert_allclose(log_evidence[2], pair.log_evidence(prior, alone), rtol=1e-11)


@every_pair
def test_bad_data_are_refused(name):
    pair, _, x = PAIRS[name]
    spoilt = x.copy()
    spoilt[0] = np.nan
    for data, weights in [
        (spoilt, None),
        (x, np.full(8, -1.0)),
        (x, np.ones(7)),
        (x, np.full(8, np.nan)),
        (x[0, ...] if x.ndim == 1 else x[0], None),
    ]:
        with pytest.raises(InputError, match=name):
            pair.statistics(data, weights)


def test_infinite_variance_is_not_split():
    infinite = split_budget(jnp.array(jnp.inf), jnp.array(1.0))
    assert not infinite.is_split
    assert isinstance(split_budget(jnp.array(2.0), jnp.array(1.0)), UncertaintyBudget)
    assert not NormalUnknownVariance().predictive(NormalInverseGamma(0.0, 1.0, 0.9, 1.0)).budget.is_split

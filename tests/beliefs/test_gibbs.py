import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest
import scipy.stats
from families_multivariate import vectors
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import logsumexp

from credo.beliefs import Gibbs
from credo.errors import InputError


@jax.jit
def derivatives(costs, beta):
    log_z = lambda b: Gibbs(costs, b).log_normalizer  # noqa: E731
    return jax.grad(log_z)(beta), jax.grad(jax.grad(log_z))(beta)


@given(vectors(4), st.floats(-3.0, 5.0))
def test_everything_follows_from_the_partition_function(costs, beta):
    belief = Gibbs(costs, beta)
    p = np.exp(-beta * costs - logsumexp(-beta * costs))
    np.testing.assert_allclose(belief.log_normalizer, logsumexp(-beta * costs), rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(belief.probabilities, p, rtol=1e-10)
    np.testing.assert_allclose(belief.log_prob(np.arange(4)), np.log(p), rtol=1e-10, atol=1e-12)
    np.testing.assert_allclose(belief.mean_cost, p @ costs, atol=1e-12)
    np.testing.assert_allclose(belief.entropy(), scipy.stats.entropy(p), atol=1e-12)
    np.testing.assert_allclose(belief.entropy(), belief.log_normalizer + beta * belief.mean_cost, atol=1e-10)
    first, second = derivatives(costs, beta)
    np.testing.assert_allclose(-first, belief.mean_cost, atol=1e-12)
    np.testing.assert_allclose(second, belief.cost_variance, atol=1e-10)


@given(vectors(4), st.floats(0.1, 5.0), vectors(4, st.floats(0.1, 1.0)))
def test_free_energy_is_the_least(costs, beta, other):
    """Gibbs' variational principle: E c − H/β is smallest at the Gibbs distribution, where it is −log Z/β."""
    belief, q = Gibbs(costs, beta), other / other.sum()
    np.testing.assert_allclose(belief.free_energy, belief.mean_cost - belief.entropy() / beta, atol=1e-10)
    assert belief.free_energy <= q @ costs - scipy.stats.entropy(q) / beta + 1e-12


def test_hot_and_cold():
    costs = np.array([3.0, 1.0, 2.0])
    np.testing.assert_allclose(Gibbs(costs, 0.0).probabilities, 1 / 3)
    np.testing.assert_allclose(Gibbs(costs, 1e6).probabilities, [0.0, 1.0, 0.0])
    np.testing.assert_allclose(Gibbs(costs, 1e6).entropy(), 0.0, atol=1e-12)
    assert np.isfinite(Gibbs(costs, 1e6).log_normalizer)


def test_exponential_family_in_the_inverse_temperature():
    belief = Gibbs([0.0, 1.0, 3.0], 0.7)
    np.testing.assert_allclose(belief.exponential_log_prob(np.arange(3)), belief.log_prob(np.arange(3)), rtol=1e-12)
    np.testing.assert_allclose(belief.fisher_information()[0, 0], belief.cost_variance, rtol=1e-12)
    fitted = Gibbs([0.0, 1.0, 3.0], 0.0).maximum_likelihood(jnp.array([-belief.mean_cost]))
    np.testing.assert_allclose(fitted.inverse_temperature, 0.7, rtol=1e-8)
    colder = Gibbs([0.0, 1.0, 3.0], 2.0)
    np.testing.assert_allclose(
        belief.kl(colder), scipy.stats.entropy(belief.probabilities, colder.probabilities), rtol=1e-9
    )


def test_draws_batches_jit_and_vmap():
    rows = Gibbs([0.0, 1.0, 3.0], np.array([0.0, 1.0]))
    drawn = np.asarray(rows.sample((10_000,), random_state=0))
    shares = np.stack([np.mean(drawn == i, axis=0) for i in range(3)], axis=-1)
    np.testing.assert_allclose(shares, rows.mean, atol=4 * 0.5 / 100)
    expected = [rows[i].log_prob(1) for i in range(2)]
    np.testing.assert_allclose(rows.log_prob(1), expected)
    np.testing.assert_allclose(eqx.filter_jit(lambda b: b.log_prob(1))(rows), expected)
    np.testing.assert_allclose(jax.vmap(lambda b: b.log_prob(1))(rows), expected)
    assert rows.log_prob(3)[0] == -np.inf


@pytest.mark.parametrize(
    ("costs", "beta"), [([0.0, np.nan], 1.0), ([0.0, np.inf], 1.0), ([0.0, 1.0], np.nan), (0.0, 1.0)]
)
def test_bad_parameters_are_refused(costs, beta):
    with pytest.raises(InputError, match="Gibbs"):
        Gibbs(costs, beta)


def test_divergence_between_other_costs_by_hand():
    p, q = Gibbs([0.0, 1.0], 1.0), Gibbs([1.0, 0.0], 1.0)
    a, b = np.exp(p.log_probabilities), np.exp(q.log_probabilities)
    np.testing.assert_allclose(p.kl(q), np.sum(a * np.log(a / b)), rtol=1e-12)
    with pytest.raises(InputError, match="other states"):
        p.kl(Gibbs([0.0, 1.0, 2.0], 1.0))


def test_free_energy_without_heat():
    assert Gibbs([3.0], 0.0).free_energy == 3.0
    assert Gibbs([3.0, 1.0], 0.0).free_energy == -np.inf

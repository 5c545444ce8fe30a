import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest
import scipy.stats
from families_multivariate import beta_binomials
from hypothesis import given

from credo.beliefs import BetaBinomial
from credo.errors import InputError


@given(beta_binomials)
def test_against_scipy(belief):
    twin = scipy.stats.betabinom(int(belief.trials), float(belief.a), float(belief.b))
    k = np.arange(-1, 14)
    np.testing.assert_allclose(belief.log_prob(k), twin.logpmf(k), rtol=1e-10, atol=1e-12)
    np.testing.assert_allclose(belief.cdf(k), twin.cdf(k), rtol=1e-10, atol=1e-12)
    np.testing.assert_allclose([belief.mean, belief.variance], [twin.mean(), twin.var()], rtol=1e-10)
    p = np.array([0.013, 0.31, 0.77, 0.991])
    np.testing.assert_array_equal(belief.quantile(p), twin.ppf(p))


def test_many_trials():
    belief, twin = BetaBinomial(5000, 20.0, 30.0), scipy.stats.betabinom(5000, 20.0, 30.0)
    k = np.array([1500.0, 2000.0, 2500.5])
    np.testing.assert_allclose(belief.cdf(k), twin.cdf(k), rtol=1e-9)
    assert belief.quantile(0.5) == twin.ppf(0.5)


def test_ends():
    belief = BetaBinomial(4, 1.0, 1.0)
    assert belief.cdf(np.array([-1.0, 4.0, 9.0])).tolist() == [0.0, 1.0, 1.0]
    assert belief.quantile(np.array([0.0, 1.0])).tolist() == [0.0, 4.0]
    assert belief.log_prob(np.array([0.5, 5.0])).tolist() == [-np.inf, -np.inf]
    assert np.isnan(belief.log_prob(np.nan))
    assert np.isnan(belief.cdf(np.nan))


def test_draws_batches_jit_and_vmap():
    rows = BetaBinomial([5, 20], [1.0, 2.0], 3.0)
    x = np.asarray(rows.sample((20_000,), random_state=0))
    np.testing.assert_array_less(np.abs(x.mean(axis=0) - rows.mean), 4 * np.sqrt(np.asarray(rows.variance) / 20_000))
    k = np.array([2.0, 7.0])
    expected = [rows[i].cdf(k[i]) for i in range(2)]
    np.testing.assert_allclose(rows.cdf(k), expected)
    np.testing.assert_allclose(eqx.filter_jit(lambda b: b.cdf(k))(rows), expected)
    np.testing.assert_allclose(jax.vmap(lambda b, k: b.cdf(k))(rows, jnp.asarray(k)), expected)


@pytest.mark.parametrize(("n", "a", "b"), [(2.5, 1.0, 1.0), (-1, 1.0, 1.0), (3, 0.0, 1.0), (3, 1.0, np.nan)])
def test_bad_parameters_are_refused(n, a, b):
    with pytest.raises(InputError, match="BetaBinomial"):
        BetaBinomial(n, a, b)

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest
from families_multivariate import positives, vectors
from hypothesis import given
from hypothesis import strategies as st

from credo.beliefs import Empirical, UncertaintyBudget
from credo.errors import InputError, UndefinedError

rng = np.random.default_rng(0)


@given(vectors(7), st.floats(0.0, 1.0))
def test_quantile_against_numpy(samples, p):
    expected = np.quantile(samples, p, method="inverted_cdf")
    assert Empirical(samples).quantile(p) == expected


@given(vectors(5), vectors(5, st.integers(0, 3).map(float)))
def test_weights_are_repetitions(samples, weights):
    weights[0] += 1.0
    belief = Empirical(samples, weights)
    repeated = np.repeat(samples, weights.astype(int))
    np.testing.assert_allclose(belief.mean, repeated.mean(), atol=1e-12)
    np.testing.assert_allclose(belief.variance, repeated.var(), atol=1e-12)
    p = np.array(
        [0.0, 0.017, 0.123, 0.31, 0.471, 0.618, 0.771, 0.93, 1.0]
    )  # no multiple of 1/n, where rounding decides
    np.testing.assert_array_equal(belief.quantile(p), np.quantile(repeated, p, method="inverted_cdf"))
    np.testing.assert_allclose(belief.cdf(0.5), np.mean(repeated <= 0.5), atol=1e-12)


@given(vectors(6), vectors(6, positives))
def test_quantile_is_the_inverse_of_the_step_cdf(samples, weights):
    belief = Empirical(samples, weights)
    np.testing.assert_array_equal(belief.quantile(belief.cdf(samples)), samples)


def test_ten_equal_weights_reach_their_tenths():
    belief = Empirical(np.arange(1.0, 11.0))
    np.testing.assert_array_equal(belief.quantile(np.arange(1, 11) / 10), np.arange(1.0, 11.0))


def test_zero_weight_is_absence():
    belief = Empirical([0.0, 1.0, 2.0, 3.0], [0.0, 1.0, 1.0, 0.0])
    assert (belief.quantile(0.0), belief.quantile(1.0)) == (1.0, 2.0)
    assert belief.log_prob(0.0) == -np.inf
    np.testing.assert_allclose(belief.effective_size, 2.0)


def test_log_prob_is_the_mass_of_equal_atoms():
    belief = Empirical([1.0, 2.0, 1.0, 4.0])
    np.testing.assert_allclose(belief.log_prob(np.array([1.0, 2.0, 3.0])), [np.log(0.5), np.log(0.25), -np.inf])
    assert np.isnan(belief.log_prob(np.nan))
    assert np.isnan(belief.cdf(np.nan))


def test_vector_events():
    samples = rng.normal(size=(8, 3))
    belief = Empirical(samples, np.arange(8.0), event_ndim=1)
    assert (belief.batch_shape, belief.event_shape) == ((), (3,))
    weights = np.arange(8.0) / 28
    np.testing.assert_allclose(belief.mean, weights @ samples)
    np.testing.assert_allclose(belief.variance, np.diag(np.cov(samples.T, aweights=np.arange(8.0), bias=True)))
    np.testing.assert_allclose(belief.log_prob(samples[[1, 7]]), np.log([1 / 28, 7 / 28]))
    drawn = np.asarray(belief.sample(50, random_state=0))
    assert drawn.shape == (50, 3)
    assert np.all(np.isfinite(belief.log_prob(drawn)))
    with pytest.raises(UndefinedError, match="Empirical"):
        belief.quantile(0.5)
    with pytest.raises(UndefinedError, match="Empirical"):
        belief.cdf(0.5)


def test_draws_follow_the_weights_in_every_row():
    belief = Empirical([[0.0, 1.0], [10.0, 11.0]], [[0.2, 0.8], [0.5, 0.5]])
    x = np.asarray(belief.sample((10_000,), random_state=0))
    assert set(np.unique(x[:, 0])) == {0.0, 1.0}
    np.testing.assert_allclose(x.mean(axis=0), belief.mean, atol=4 * 0.5 / 100)


def test_batches_rows_jit_and_vmap():
    samples, weights = rng.normal(size=(4, 6)), rng.uniform(size=(4, 6))
    rows = Empirical(samples, weights, budget=UncertaintyBudget(noise=jnp.arange(4.0), parameter=jnp.ones(4)))
    assert rows.batch_shape == (4,)
    for i in range(4):
        alone = Empirical(samples[i], weights[i])
        np.testing.assert_array_equal(rows.quantile(0.3)[i], alone.quantile(0.3))
        np.testing.assert_allclose(rows[i].mean, alone.mean)
    assert rows[2].budget.noise == 2.0
    assert rows.quantile(np.array([[0.1], [0.9]])).shape == (2, 4)
    np.testing.assert_array_equal(eqx.filter_jit(lambda b: b.quantile(0.3))(rows), rows.quantile(0.3))
    np.testing.assert_array_equal(jax.vmap(lambda b: b.quantile(0.3))(rows), rows.quantile(0.3))
    low, high = rows.interval(0.5)
    assert np.all(low <= high)


@pytest.mark.parametrize(
    ("samples", "weights"),
    [
        ([1.0, np.nan], None),
        ([], None),
        ([1.0, 2.0], [1.0]),
        ([1.0, 2.0], [-1.0, 2.0]),
        ([1.0, 2.0], [0.0, 0.0]),
        (1.0, None),
        (["a"], None),
    ],
)
def test_bad_parameters_are_refused(samples, weights):
    with pytest.raises(InputError, match="Empirical"):
        Empirical(samples, weights)

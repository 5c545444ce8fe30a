import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest
import scipy.stats
from families_multivariate import categoricals, multinomials
from hypothesis import given

from credo.beliefs import Categorical, Multinomial
from credo.beliefs.exponential import ExponentialFamily
from credo.errors import InputError, UndefinedError


@given(categoricals, categoricals)
def test_classes(one, two):
    p, q = np.asarray(one.probabilities), np.asarray(two.probabilities)
    codes = np.arange(3)
    np.testing.assert_allclose(one.log_prob(codes), np.log(p), atol=1e-12)
    np.testing.assert_allclose(one.exponential_log_prob(codes), np.log(p), atol=1e-12)
    np.testing.assert_allclose(one.kl(two), scipy.stats.entropy(p, q), atol=1e-12)
    np.testing.assert_allclose(one.entropy(), scipy.stats.entropy(p), atol=1e-12)
    np.testing.assert_allclose(one.with_natural(one.natural).probabilities, p, atol=1e-12)


def test_moments_are_those_of_the_one_hot_vector():
    belief = Categorical([0.2, 0.3, 0.5])
    hot = np.eye(3)[np.asarray(belief.sample(40_000, random_state=0))]
    np.testing.assert_allclose(hot.mean(axis=0), belief.mean, atol=4 * 0.5 / 200)
    np.testing.assert_allclose(belief.variance, [0.16, 0.21, 0.25])
    np.testing.assert_allclose(belief.mean_parameters, [0.2, 0.3], atol=1e-12)
    np.testing.assert_allclose(belief.fisher_information(), [[0.16, -0.06], [-0.06, 0.21]], atol=1e-12)


def test_what_is_no_code_has_no_probability():
    belief = Categorical([0.2, 0.8])
    assert belief.log_prob(np.array([-1, 2])).tolist() == [-np.inf, -np.inf]
    assert belief.log_prob(0.5) == -np.inf
    assert np.isnan(belief.log_prob(np.nan))
    with pytest.raises(UndefinedError, match="Categorical"):
        belief.interval(0.9)


def test_zero_probabilities():
    belief, other = Categorical([0.0, 1.0]), Categorical([0.5, 0.5])
    assert belief.entropy() == 0.0
    assert belief.log_prob(0) == -np.inf
    np.testing.assert_allclose(belief.kl(other), np.log(2))
    assert other.kl(belief) == np.inf
    assert np.all(belief.sample(100, random_state=0) == 1)


def test_logits_and_maximum_likelihood():
    belief = Categorical.from_logits([0.0, np.log(3.0)])
    np.testing.assert_allclose(belief.probabilities, [0.25, 0.75])
    np.testing.assert_allclose(belief.maximum_likelihood(jnp.array([0.4])).probabilities, [0.4, 0.6])
    with pytest.raises(InputError, match="logits"):
        Categorical.from_logits([0.0, np.inf])


def test_batches_broadcast():
    rows = Categorical([[0.2, 0.8], [0.6, 0.4]])
    codes = np.array([[0, 1], [1, 0], [1, 1]])
    expected = np.log(np.asarray(rows.probabilities))[np.arange(2), codes]
    np.testing.assert_allclose(rows.log_prob(codes), expected)
    np.testing.assert_allclose(eqx.filter_jit(lambda b: b.log_prob(codes))(rows), expected)
    np.testing.assert_allclose(jax.vmap(lambda b, c: b.log_prob(c), (0, 1), 1)(rows, jnp.asarray(codes)), expected)
    assert rows.sample((3,), random_state=0).shape == (3, 2)
    assert rows[1].probabilities.tolist() == [0.6, 0.4]


@given(multinomials)
def test_counts_against_scipy(belief):
    n, p = int(belief.trials), np.asarray(belief.probabilities)
    twin = scipy.stats.multinomial(n, p)
    x = np.array([n // 2, n - n // 2 - n // 3, n // 3])
    np.testing.assert_allclose(belief.log_prob(x), twin.logpmf(x), atol=1e-10)
    np.testing.assert_allclose(belief.exponential_log_prob(x), twin.logpmf(x), atol=1e-10)
    np.testing.assert_allclose(belief.covariance, twin.cov(), atol=1e-12)
    np.testing.assert_allclose(belief.variance, np.diag(twin.cov()), atol=1e-12)


def test_counts_sum_to_the_trials_and_have_the_moments():
    belief = Multinomial(10, [0.2, 0.3, 0.5])
    x = np.asarray(belief.sample(20_000, random_state=0))
    assert np.all(x.sum(axis=1) == 10)
    np.testing.assert_array_less(
        np.abs(x.mean(axis=0) - belief.mean), 4 * np.sqrt(np.asarray(belief.variance) / 20_000)
    )
    assert belief.log_prob(np.array([5.0, 5.0, 5.0])) == -np.inf
    assert belief.log_prob(np.array([5.5, 4.5, 0.0])) == -np.inf
    np.testing.assert_allclose(belief.maximum_likelihood(jnp.array([4.0, 4.0])).probabilities, [0.4, 0.4, 0.2])
    np.testing.assert_allclose(
        ExponentialFamily.kl(belief, Multinomial(10, [0.5, 0.25, 0.25])),
        10 * scipy.stats.entropy([0.2, 0.3, 0.5], [0.5, 0.25, 0.25]),
    )


@pytest.mark.parametrize("probabilities", [[0.5, 0.6], [-0.1, 1.1], [np.nan, 1.0], 1.0])
def test_bad_parameters_are_refused(probabilities):
    with pytest.raises(InputError, match="Categorical"):
        Categorical(probabilities)
    with pytest.raises(InputError, match="Multinomial"):
        Multinomial(3, probabilities)


def test_bad_trials_are_refused():
    with pytest.raises(InputError, match="trials"):
        Multinomial(2.5, [0.5, 0.5])

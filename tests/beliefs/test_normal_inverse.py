import functools

import equinox as eqx
import numpy as np
import pytest
import scipy.stats
from families_multivariate import (
    assert_rows_are_beliefs,
    normal_inverse_gammas,
    normal_inverse_wisharts,
    positives,
    reals,
    spd_matrices,
    vectors,
)
from hypothesis import given

from credo.beliefs import NormalInverseGamma, NormalInverseWishart
from credo.errors import InputError

NIG = NormalInverseGamma(0.5, 2.0, 5.0, 3.0)
NIW = NormalInverseWishart([0.5, -1.0], 2.0, 12.0, [[3.0, 0.6], [0.6, 2.0]])
exponential_log_prob = eqx.filter_jit(lambda b, x: b.exponential_log_prob(x))
mean_parameters = eqx.filter_jit(lambda b: b.mean_parameters)


@functools.cache
def _draws(name):
    return np.asarray({"NIG": NIG, "NIW": NIW}[name].sample(30_000, random_state=0))


def draws_of(belief):
    """The same 30 000 draws for every test: compiling the sampler takes longer than the tests."""
    return _draws("NIG" if belief is NIG else "NIW")


@given(normal_inverse_gammas, reals, positives)
def test_gamma_density_is_the_composition(belief, mu, variance):
    m, k, a, b = (float(part) for part in (belief.loc, belief.count, belief.shape, belief.scale))
    expected = scipy.stats.norm(m, np.sqrt(variance / k)).logpdf(mu) + scipy.stats.invgamma(a, scale=b).logpdf(variance)
    x = np.array([mu, variance])
    np.testing.assert_allclose(belief.log_prob(x), expected, rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(exponential_log_prob(belief, x), expected, rtol=1e-9, atol=1e-9)


@given(normal_inverse_wisharts, vectors(2), spd_matrices(2))
def test_wishart_density_is_the_composition(belief, mu, covariance):
    normal = scipy.stats.multivariate_normal(np.asarray(belief.loc), covariance / float(belief.count))
    matrix = scipy.stats.invwishart(float(belief.df), np.asarray(belief.scatter))
    expected = normal.logpdf(mu) + matrix.logpdf(covariance)
    x = belief.join(mu, covariance)
    np.testing.assert_allclose(belief.log_prob(x), expected, rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(exponential_log_prob(belief, x), expected, rtol=1e-8, atol=1e-8)


def test_one_dimensional_wishart_is_the_gamma():
    matrix = NormalInverseWishart([0.5], 2.0, 10.0, [[6.0]])
    x = np.array([[0.0, 1.0], [2.0, 0.3]])
    np.testing.assert_allclose(matrix.log_prob(x), NIG.log_prob(x), rtol=1e-12)


@pytest.mark.slow
def test_gamma_density_integrates_to_one():
    mu, step = np.linspace(-40, 41, 4001, retstep=True)
    log_v, log_step = np.linspace(-4, 6, 2001, retstep=True)
    grid = np.stack(np.broadcast_arrays(mu[:, None], np.exp(log_v)), axis=-1)
    total = np.sum(np.exp(np.asarray(NIG.log_prob(grid)) + log_v)) * step * log_step
    np.testing.assert_allclose(total, 1.0, rtol=1e-5)


@pytest.mark.parametrize("belief", [NIG, NIW], ids=["gamma", "wishart"])
def test_draws_have_the_moments(belief):
    x = draws_of(belief)
    assert x.shape == (30_000, *belief.event_shape)
    np.testing.assert_array_less(np.abs(x.mean(axis=0) - belief.mean), 4 * x.std(axis=0) / np.sqrt(len(x)))
    spread = (x - x.mean(axis=0)) ** 2
    np.testing.assert_array_less(
        np.abs(spread.mean(axis=0) - belief.variance), 4 * spread.std(axis=0) / np.sqrt(len(x))
    )
    statistics = np.asarray(belief.statistics(x))
    gap = np.abs(statistics.mean(axis=0) - mean_parameters(belief))
    np.testing.assert_array_less(gap, 4 * statistics.std(axis=0) / np.sqrt(len(x)))


@pytest.mark.parametrize("belief", [NIG, NIW], ids=["gamma", "wishart"])
def test_natural_form(belief):
    again = belief.with_natural(belief.natural)
    for name in ("loc", "count", "scale" if belief is NIG else "scatter"):
        np.testing.assert_allclose(getattr(again, name), getattr(belief, name), rtol=1e-12)
    np.testing.assert_allclose(belief.log_normalizer, belief.log_partition(belief.natural), rtol=1e-12)


@pytest.mark.slow
def test_marginals_against_simulation():
    x = draws_of(NIG)
    assert scipy.stats.kstest(x[:, 0], lambda t: np.asarray(NIG.marginal_mean().cdf(t))).pvalue > 1e-3
    assert scipy.stats.kstest(x[:, 1], lambda t: np.asarray(NIG.marginal_variance().cdf(t))).pvalue > 1e-3
    first = NIW.marginal_mean().marginals()[0]
    assert scipy.stats.kstest(draws_of(NIW)[:, 0], lambda t: np.asarray(first.cdf(t))).pvalue > 1e-3


def test_split_and_join():
    mean, covariance = NIW.split(draws_of(NIW)[:3])
    assert mean.shape == (3, 2)
    assert covariance.shape == (3, 2, 2)
    np.testing.assert_array_equal(NIW.split(NIW.join(mean, covariance))[1], covariance)


def test_outside_the_support():
    assert NIG.log_prob(np.array([0.0, -1.0])) == -np.inf
    assert NIW.log_prob(np.array([0.0, 0.0, 1.0, 2.0, 1.0])) == -np.inf
    assert np.isnan(NIG.log_prob(np.array([np.nan, 1.0])))
    assert np.isnan(NIW.log_prob(np.array([0.0, np.nan, 1.0, 0.0, 1.0])))


def test_batch_jit_and_vmap():
    rows = NormalInverseWishart([[0.0, 1.0], [2.0, 3.0]], [1.0, 2.0], 6.0, np.eye(2))
    assert_rows_are_beliefs(rows, rows.join(np.zeros((2, 2)), np.stack([np.eye(2), 2 * np.eye(2)])))
    assert_rows_are_beliefs(NormalInverseGamma([0.0, 1.0], 1.0, 2.0, 3.0), np.array([[0.0, 1.0], [1.0, 2.0]]))


@pytest.mark.parametrize(
    "build",
    [
        lambda: NormalInverseGamma(0.0, 0.0, 1.0, 1.0),
        lambda: NormalInverseGamma(0.0, 1.0, 1.0, np.nan),
        lambda: NormalInverseWishart([0.0, 0.0], 1.0, 1.0, np.eye(2)),
        lambda: NormalInverseWishart([0.0, 0.0, 0.0], 1.0, 5.0, np.eye(2)),
        lambda: NormalInverseWishart([0.0, 0.0], 1.0, 5.0, np.ones((2, 2))),
    ],
)
def test_bad_parameters_are_refused(build):
    with pytest.raises(InputError, match="NormalInverse"):
        build()

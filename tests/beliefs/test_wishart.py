import equinox as eqx
import numpy as np
import pytest
import scipy.stats
from families_multivariate import assert_rows_are_beliefs, inverse_wisharts, spd_matrices, wisharts
from hypothesis import given, settings

from credo.beliefs import InverseWishart, Wishart
from credo.errors import InputError

V = np.array([[2.0, 0.5, 0.2], [0.5, 1.0, -0.3], [0.2, -0.3, 1.5]])
exponential_log_prob = eqx.filter_jit(lambda b, x: b.exponential_log_prob(x))


@given(wisharts, spd_matrices(2))
def test_wishart_against_scipy(belief, x):
    twin = scipy.stats.wishart(float(belief.df), np.asarray(belief.scale))
    np.testing.assert_allclose(belief.log_prob(x), twin.logpdf(x), rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(exponential_log_prob(belief, x), twin.logpdf(x), rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(belief.mean, twin.mean(), rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(belief.variance, twin.var(), rtol=1e-12, atol=1e-12)


@given(inverse_wisharts, spd_matrices(2))
def test_inverse_wishart_against_scipy(belief, x):
    twin = scipy.stats.invwishart(float(belief.df), np.asarray(belief.scatter))
    np.testing.assert_allclose(belief.log_prob(x), twin.logpdf(x), rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(exponential_log_prob(belief, x), twin.logpdf(x), rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(belief.mean, twin.mean(), rtol=1e-10, atol=1e-12)
    np.testing.assert_allclose(belief.variance, twin.var(), rtol=1e-10, atol=1e-12)


@pytest.mark.parametrize("belief", [Wishart(6.5, V), InverseWishart(13.0, V)], ids=["Wishart", "InverseWishart"])
def test_draws_have_the_moments(belief):
    x = np.asarray(belief.sample(30_000, random_state=0))
    assert x.shape == (30_000, 3, 3)
    np.testing.assert_array_equal(x, np.swapaxes(x, -1, -2))
    error = x.std(axis=0) / np.sqrt(len(x))
    np.testing.assert_array_less(np.abs(x.mean(axis=0) - belief.mean), 4 * error)
    spread = (x - x.mean(axis=0)) ** 2
    np.testing.assert_array_less(
        np.abs(spread.mean(axis=0) - belief.variance), 4 * spread.std(axis=0) / np.sqrt(len(x))
    )
    statistics = np.asarray(belief.statistics(x))
    gap = np.abs(statistics.mean(axis=0) - eqx.filter_jit(lambda b: b.mean_parameters)(belief))
    np.testing.assert_array_less(gap, 4 * statistics.std(axis=0) / np.sqrt(len(x)))


def test_one_dimension_is_gamma_and_inverse_gamma():
    x = np.linspace(0.2, 4, 5)
    np.testing.assert_allclose(
        Wishart(3.0, [[2.0]]).log_prob(x[:, None, None]), scipy.stats.gamma(1.5, scale=4.0).logpdf(x), rtol=1e-12
    )
    np.testing.assert_allclose(
        InverseWishart(3.0, [[2.0]]).log_prob(x[:, None, None]),
        scipy.stats.invgamma(1.5, scale=1.0).logpdf(x),
        rtol=1e-12,
    )


@given(wisharts)
@settings(max_examples=5)
def test_natural_parameters_lead_back(belief):
    again = belief.with_natural(belief.natural)
    np.testing.assert_allclose(again.df, belief.df)
    np.testing.assert_allclose(again.scale, belief.scale, atol=1e-10)


def test_maximum_likelihood_recovers_the_member():
    belief = Wishart(6.5, V[:2, :2])
    fitted = Wishart(4.0, np.eye(2)).maximum_likelihood(eqx.filter_jit(lambda b: b.mean_parameters)(belief))
    np.testing.assert_allclose(fitted.df, 6.5, rtol=1e-6)
    np.testing.assert_allclose(fitted.scale, belief.scale, rtol=1e-6)


def test_moments_are_infinite_where_they_do_not_exist():
    assert np.all(np.isinf(InverseWishart(4.0, V).mean))
    assert np.all(np.isinf(InverseWishart(6.0, V).variance))
    assert np.all(np.isfinite(InverseWishart(4.1, V).mean))


@pytest.mark.parametrize("belief", [Wishart(5.0, np.eye(2)), InverseWishart(5.0, np.eye(2))])
def test_outside_the_support(belief):
    assert belief.log_prob(np.array([[1.0, 2.0], [2.0, 1.0]])) == -np.inf
    assert belief.log_prob(np.array([[1.0, 0.5], [0.0, 1.0]])) == -np.inf
    assert np.isnan(belief.log_prob(np.full((2, 2), np.nan)))


def test_batch_jit_and_vmap():
    x = np.stack([np.eye(3), V])
    assert_rows_are_beliefs(InverseWishart([4.0, 9.0], V), x)
    assert_rows_are_beliefs(Wishart([4.0, 9.0], V), x)


@pytest.mark.parametrize("family", [Wishart, InverseWishart])
@pytest.mark.parametrize(("df", "matrix"), [(1.0, np.eye(2)), (5.0, np.ones((2, 2))), (np.nan, np.eye(2)), (5.0, 1.0)])
def test_bad_parameters_are_refused(family, df, matrix):
    with pytest.raises(InputError, match="Wishart"):
        family(df, matrix)

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest
import scipy.stats
from families_multivariate import assert_rows_are_beliefs, mixtures
from hypothesis import given
from scipy.integrate import quad

from credo.beliefs import (
    Categorical,
    Empirical,
    Mixture,
    MultivariateNormal,
    Normal,
    Poisson,
    StudentT,
    UncertaintyBudget,
)
from credo.errors import InputError, UndefinedError

TWO = Mixture([0.3, 0.7], Normal([-2.0, 1.0], [0.5, 1.5]))
ROWS = Mixture([[0.3, 0.7], [0.5, 0.5], [1.0, 0.0]], Normal([[-2.0, 1.0], [0.0, 0.0], [3.0, 9.0]], [0.5, 1.5]))


def textbook_density(x):
    return 0.3 * scipy.stats.norm(-2, 0.5).pdf(x) + 0.7 * scipy.stats.norm(1, 1.5).pdf(x)


def test_density_and_moments_by_quadrature():
    x = np.linspace(-6, 6, 9)
    np.testing.assert_allclose(TWO.log_prob(x), np.log(textbook_density(x)), rtol=1e-10)
    mean = quad(lambda t: t * textbook_density(t), -20, 20, points=[-2, 1])[0]
    np.testing.assert_allclose(TWO.mean, mean, rtol=1e-8)
    np.testing.assert_allclose(
        TWO.variance, quad(lambda t: (t - mean) ** 2 * textbook_density(t), -20, 20)[0], rtol=1e-7
    )


@given(mixtures)
def test_quantile_is_the_inverse_of_the_cdf(belief):
    p = np.array([1e-9, 0.01, 0.3, 0.5, 0.9, 1 - 1e-9])
    np.testing.assert_allclose(belief.cdf(belief.quantile(p)), p, rtol=1e-9)


@given(mixtures)
def test_variance_is_the_law_of_total_variance(belief):
    w, m, s = (np.asarray(part) for part in (belief.weights, belief.components.loc, belief.components.scale))
    np.testing.assert_allclose(belief.variance, np.sum(w * (s**2 + m**2)) - np.sum(w * m) ** 2, rtol=1e-9)
    budget = UncertaintyBudget(noise=belief.within, parameter=belief.between)
    np.testing.assert_allclose(budget.total, belief.variance, rtol=1e-12)


def test_ends_and_zero_weights():
    assert TWO.quantile(0.0) == -np.inf
    assert TWO.quantile(1.0) == np.inf
    alone = ROWS[2]
    np.testing.assert_allclose(alone.quantile(0.9), Normal(3.0, 0.5).quantile(0.9))
    np.testing.assert_allclose(alone.log_prob(3.0), Normal(3.0, 0.5).log_prob(3.0))
    heavy = Mixture([1.0, 0.0], StudentT([5.0, 1.0], [0.0, 0.0], [1.0, 1.0]))
    np.testing.assert_allclose(heavy.variance, 5.0 / 3.0)
    assert Mixture([0.5, 0.5], StudentT([5.0, 1.0], [0.0, 0.0], [1.0, 1.0])).variance == np.inf


def test_quantile_of_counts_is_the_smallest_count():
    belief = Mixture([0.4, 0.6], Poisson([0.5, 9.0]))
    k = np.arange(30)
    cdf = 0.4 * scipy.stats.poisson(0.5).cdf(k) + 0.6 * scipy.stats.poisson(9.0).cdf(k)
    p = np.array([0.05, 0.2, 0.3, 0.4, 0.5, 0.9, 0.999])
    expected = [k[np.argmax(cdf >= level)] for level in p]
    found = belief.quantile(np.concatenate([p, belief.cdf(k[:20])]))
    np.testing.assert_array_equal(found, np.concatenate([expected, k[:20]]))
    assert belief.is_discrete


def test_mixture_of_weighted_samples():
    belief = Mixture([0.5, 0.5], Empirical([[1.5, 2.5], [0.0, 2.5]]))
    together = Empirical([1.5, 2.5, 0.0, 2.5])
    p = np.array([0.1, 0.26, 0.49, 0.6, 1.0])
    np.testing.assert_array_equal(belief.quantile(p), together.quantile(p))
    np.testing.assert_allclose(belief.log_prob(2.5), np.log(0.5))


def test_derivative_of_the_quantile_against_differences():
    f = lambda loc: Mixture([0.3, 0.7], Normal(jnp.array([loc, 1.0]), jnp.array([0.5, 1.5]))).quantile(0.3)  # noqa: E731
    slope = jax.jit(jax.grad(f))(-2.0)
    np.testing.assert_allclose(slope, (f(-2.0 + 1e-5) - f(-2.0 - 1e-5)) / 2e-5, rtol=1e-6)


def test_batches_rows_jit_and_vmap():
    assert (ROWS.batch_shape, ROWS.event_shape) == ((3,), ())
    assert ROWS[1:].batch_shape == (2,)
    assert_rows_are_beliefs(ROWS, np.array([0.0, 1.0, 2.0]))
    low, high = ROWS.interval(0.8)
    np.testing.assert_allclose(ROWS[1].interval(0.8), [low[1], high[1]], rtol=1e-12)
    np.testing.assert_allclose(ROWS[1].mean, ROWS.mean[1], rtol=1e-12)
    levels = ROWS.quantile(np.array([[0.1], [0.9]]))
    np.testing.assert_allclose(levels, np.stack([low, high]), rtol=1e-12)
    vmapped = eqx.filter_jit(eqx.filter_vmap(lambda b: b.quantile(0.1)))(ROWS)
    np.testing.assert_allclose(vmapped, low, rtol=1e-12)


def test_the_budget_follows_the_row():
    budget = UncertaintyBudget(noise=ROWS.within, parameter=ROWS.between)
    assert ROWS.with_budget(budget)[1].budget.noise == ROWS.within[1]


def test_draws_are_of_the_mixture():
    x = np.asarray(ROWS.sample((10_000,), random_state=0))
    assert x.shape == (10_000, 3)
    for i in range(3):
        assert scipy.stats.kstest(x[:, i], lambda t, i=i: np.asarray(ROWS[i].cdf(t))).pvalue > 1e-3


def test_vector_components():
    belief = Mixture([0.5, 0.5], MultivariateNormal([[0.0, 0.0], [3.0, 1.0]], np.eye(2)))
    assert (belief.batch_shape, belief.event_shape, belief.event_ndim) == ((), (2,), 1)
    np.testing.assert_allclose(belief.mean, [1.5, 0.5])
    np.testing.assert_allclose(belief.variance, [1 + 2.25, 1 + 0.25])
    x = np.array([[0.5, 0.5], [2.0, 1.0]])
    one, two = scipy.stats.multivariate_normal([0, 0]), scipy.stats.multivariate_normal([3, 1])
    np.testing.assert_allclose(belief.log_prob(x), np.log(0.5 * one.pdf(x) + 0.5 * two.pdf(x)), rtol=1e-10)
    np.testing.assert_allclose(belief.responsibilities(x)[:, 0], one.pdf(x) / (one.pdf(x) + two.pdf(x)), rtol=1e-10)
    draws = np.asarray(belief.sample(20_000, random_state=0))
    np.testing.assert_allclose(draws.mean(axis=0), belief.mean, atol=4 * np.sqrt(3.25 / 20_000))
    for ask in (lambda: belief.cdf(x), lambda: belief.quantile(0.5), belief.interval):
        with pytest.raises(UndefinedError, match="Mixture"):
            ask()


def test_classes():
    belief = Mixture([0.25, 0.75], Categorical([[1.0, 0.0], [0.2, 0.8]]))
    np.testing.assert_allclose(belief.mean, [0.4, 0.6])
    np.testing.assert_allclose(belief.variance, [0.24, 0.24])
    np.testing.assert_allclose(belief.log_prob(1), np.log(0.6))
    assert abs(np.mean(np.asarray(belief.sample(10_000, random_state=0))) - 0.6) < 4 * np.sqrt(0.24 / 10_000)


@pytest.mark.parametrize(
    ("weights", "components"),
    [
        ([0.5, 0.6], Normal([0.0, 1.0], 1.0)),
        ([0.5, 0.5], Normal([0.0, 1.0, 2.0], 1.0)),
        ([1.0], Normal(0.0, 1.0)),
        (np.full((3, 2), 0.5), Normal([0.0, 1.0], 1.0)),
        ([np.nan, 1.0], Normal([0.0, 1.0], 1.0)),
        ([1.0], Normal([0.0, 1.0], 1.0)),
    ],
)
def test_bad_parameters_are_refused(weights, components):
    with pytest.raises(InputError, match="Mixture"):
        Mixture(weights, components)


def test_bad_probability_is_refused():
    with pytest.raises(InputError, match="probability"):
        TWO.quantile(1.5)

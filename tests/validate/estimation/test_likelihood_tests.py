"""Wald, likelihood ratio and score tests: statsmodels' values, invariances, size and power in simulation."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
import statsmodels.api as sm
from scipy import stats

from credo.errors import InputError, NumericalError
from credo.validate.estimation import likelihood_tests, score_test

RNG = np.random.default_rng(0)
Z = np.column_stack([np.ones(90), RNG.normal(size=(90, 3))])
K = RNG.poisson(np.exp(Z @ [0.5, 0.3, 0.1, -0.05]))
H = np.array([[0.0, 0.0, 1.0, 0.0], [0.0, 0.0, 0.0, 1.0]])


def poisson(beta, data):
    Z, k = data
    return k * (Z @ beta) - jnp.exp(Z @ beta) - jax.scipy.special.gammaln(k + 1.0)


def test_poisson_regression_like_statsmodels():
    found = likelihood_tests(poisson, (Z, K), np.zeros(4), H)
    full = sm.GLM(K, Z, family=sm.families.Poisson()).fit(tol=1e-12)
    small = sm.GLM(K, Z[:, :2], family=sm.families.Poisson()).fit(tol=1e-12)
    wald = full.wald_test(H, use_f=False, scalar=True)
    np.testing.assert_allclose([found.wald.statistic, found.wald.p_value], [wald.statistic, wald.pvalue], rtol=1e-6)
    ratio = 2 * (full.llf - small.llf)
    np.testing.assert_allclose(found.likelihood_ratio.statistic, ratio, rtol=1e-7)
    np.testing.assert_allclose(found.likelihood_ratio.p_value, stats.chi2.sf(ratio, 2), rtol=1e-6)
    statistic, p_value, _ = small.model.score_test(small.params, exog_extra=Z[:, 2:])
    np.testing.assert_allclose([found.score.statistic, found.score.p_value], np.ravel([statistic, p_value]), rtol=1e-6)
    np.testing.assert_allclose(found.restricted, [*small.params, 0.0, 0.0], atol=1e-8)
    np.testing.assert_allclose(found.estimates.values, full.params, rtol=1e-6)
    assert found.certificate.converged
    assert found.wald.degrees == (2,)
    alone = score_test(poisson, (Z, K), np.zeros(4), H)
    np.testing.assert_allclose(alone.statistic, found.score.statistic)


def binomial(theta, x):
    return x * theta[0] - jnp.logaddexp(0.0, theta[0])


def test_a_coin_by_hand():
    n, k, p0 = 50, 32, 0.5
    x = np.r_[np.ones(k), np.zeros(n - k)]
    found = likelihood_tests(binomial, x, 0.0, [[1.0]], np.log(p0 / (1 - p0)))
    p = k / n
    logit = np.log(p / (1 - p))
    np.testing.assert_allclose(found.wald.statistic, n * p * (1 - p) * logit**2, rtol=1e-8)
    np.testing.assert_allclose(found.score.statistic, (p - p0) ** 2 / (p0 * (1 - p0) / n), rtol=1e-8)
    expected = 2 * (k * np.log(p / p0) + (n - k) * np.log((1 - p) / (1 - p0)))
    np.testing.assert_allclose(found.likelihood_ratio.statistic, expected, rtol=1e-8)


def gaussian(theta, x):
    """Mean and log scale."""
    return -theta[1] - 0.5 * ((x - theta[0]) / jnp.exp(theta[1])) ** 2


def reciprocal(theta, x):
    """The same in other parameters: 1/mean and scale."""
    return gaussian(jnp.array([1.0 / theta[0], jnp.log(theta[1])]), x)


def mean_minus_scale(theta):
    return theta[0] - jnp.exp(theta[1])


def product(theta):
    return theta[0] * theta[1]


def test_a_curved_hypothesis_and_other_parameters():
    x = np.random.default_rng(1).normal(2.0, 1.5, size=60)
    # Mean equal to scale, written in two ways: the likelihood ratio is one number, the Wald test is not.
    a = likelihood_tests(gaussian, x, [1.5, 0.3], mean_minus_scale)
    b = likelihood_tests(gaussian, x, [1.5, 0.3], lambda t: t[0] ** 3 - jnp.exp(3.0 * t[1]))
    c = likelihood_tests(reciprocal, x, [0.6, 1.4], product, 1.0)
    sigma = 0.5 * (-np.mean(x) + np.sqrt(np.mean(x) ** 2 + 4 * np.mean(x**2)))
    ratio = 2 * (stats.norm.logpdf(x, np.mean(x), np.std(x)).sum() - stats.norm.logpdf(x, sigma, sigma).sum())
    np.testing.assert_allclose([t.likelihood_ratio.statistic for t in (a, b, c)], ratio, rtol=1e-6)
    assert abs(a.wald.statistic - b.wald.statistic) > 0.01 * a.wald.statistic

    def expected(theta):
        return 60.0 * np.diag([np.exp(-2.0 * theta[1]), 2.0])

    def expected_of_reciprocal(theta):
        return 60.0 * np.diag([theta[0] ** -4.0, 2.0]) / theta[1] ** 2

    # With the expected information a score test does not depend on the parameters either.
    first = score_test(gaussian, x, [1.5, 0.3], mean_minus_scale, information=expected)
    other = score_test(reciprocal, x, [0.6, 1.4], product, 1.0, information=expected_of_reciprocal)
    np.testing.assert_allclose(first.statistic, other.statistic, rtol=1e-6)


def sizes(times, n=60, level=0.1):
    """How often each test rejects two true restrictions of a Poisson regression."""
    rng = np.random.default_rng(5)
    rejected = np.zeros(3)
    for _ in range(times):
        rows = np.column_stack([np.ones(n), rng.normal(size=(n, 2))])
        counts = rng.poisson(np.exp(rows @ [1.0, 0.3, 0.0]))
        found = likelihood_tests(poisson, (rows, counts), np.zeros(3), [[0.0, 1.0, 0.0], [0.0, 0.0, 1.0]], [0.3, 0.0])
        rejected += [t.p_value < level for t in (found.wald, found.likelihood_ratio, found.score)]
    return rejected


@pytest.mark.slow
def test_size_over_a_thousand_samples():
    rejected = sizes(1000)
    # Chi-squared is right as n grows: with 60 rows the size may be off by 0.01 beside Monte Carlo error.
    assert np.all(np.abs(rejected / 1000 - 0.1) < 4 * np.sqrt(0.09 / 1000) + 0.01)


def test_power():
    found = likelihood_tests(poisson, (Z, K), np.zeros(4), [[0.0, 1.0, 0.0, 0.0]], 1.5)
    assert max(found.wald.p_value, found.likelihood_ratio.p_value, found.score.p_value) < 1e-6
    assert str(found).count("chi2(1)") == 3


def cauchy(theta, x):
    return -jnp.log1p((x - theta[0]) ** 2)


def test_what_is_refused():
    with pytest.raises(InputError, match="combination of 4 parameters"):
        likelihood_tests(poisson, (Z, K), np.zeros(4), np.eye(3))
    with pytest.raises(InputError, match="NaN entries"):
        likelihood_tests(gaussian, [1.0, np.nan], [0.0, 0.0], [[1.0, 0.0]])
    # Far from the data a Cauchy likelihood is convex: the second derivative is no information there.
    x = np.array([-0.2, 0.0, 0.3, 0.1])
    with pytest.raises(NumericalError, match="under the hypothesis"):
        likelihood_tests(cauchy, x, 0.0, [[1.0]], 10.0)
    assert score_test(cauchy, x, 0.0, [[1.0]], 10.0, information=lambda t: [[4 * 0.5]]).statistic > 0.0

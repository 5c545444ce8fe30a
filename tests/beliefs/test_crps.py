"""The continuous ranked probability score: every closed form against the integral that defines it, and propriety."""

from itertools import pairwise

import equinox as eqx
import jax
import jax.numpy as jnp
import mpmath
import numpy as np
import pytest
from scipy import stats

from credo.beliefs import (
    Bernoulli,
    Beta,
    Binomial,
    Empirical,
    Exponential,
    Gamma,
    InverseGamma,
    Laplace,
    LogNormal,
    Mixture,
    MultivariateNormal,
    NegativeBinomial,
    Normal,
    Poisson,
    StudentT,
    TruncatedNormal,
    Uniform,
    crps,
)
from credo.beliefs.crps import _by_quantiles, _by_steps
from credo.errors import UndefinedError

_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(40)

CONTINUOUS = [
    Normal(1.0, 2.0),
    StudentT(4.0, 1.0, 2.0),
    StudentT(2e4, 1.0, 2.0),
    LogNormal(0.1, 0.5),
    Laplace(0.5, 2.0),
    Uniform(-1.0, 3.0),
    Gamma(2.5, 2.0),
    Gamma(0.7, 0.5),
    InverseGamma(6.0, 2.0),
    Exponential(2.0),
    Beta(2.0, 3.0),
    TruncatedNormal(0.0, 1.0, -1.0, 2.0),
    Mixture(jnp.array([0.3, 0.7]), Normal(jnp.array([-1.0, 2.0]), jnp.array([0.5, 1.5]))),
]
DISCRETE = [
    Bernoulli(0.3),
    Poisson(3.0),
    Poisson(80.0),
    Binomial(10, 0.3),
    Binomial(1, 0.5),
    Binomial(500, 0.02),
    NegativeBinomial(2.5, 0.2),
    NegativeBinomial(0.5, 0.05),
    NegativeBinomial(300.0, 0.6),
]
POISSONS = [
    ([0.3, 0.7], [2.0, 9.0]),
    ([0.2, 0.8], [0.01, 0.5]),
    ([0.5, 0.5], [1000.0, 1300.0]),
    ([0.1, 0.9], [5.0, 2e4]),
]
_score = eqx.filter_jit(crps)
_cdf = eqx.filter_jit(lambda belief, x: belief.cdf(x))


def on(beliefs, *fast):
    """The beliefs; all but one of each family named here are in the slow suite, which compiles for them."""
    fast, params = list(fast), []
    for belief in beliefs:
        quick = type(belief) in fast
        if quick:
            fast.remove(type(belief))
        params.append(pytest.param(belief, id=str(belief), marks=[] if quick else [pytest.mark.slow]))
    return pytest.mark.parametrize("belief", params)


def _integral(belief, y):
    """∫ (F(x) − 1{x ≥ y})² dx over panels that get shorter towards y and the ends of a bounded support."""
    low, high = (float(x) for x in belief.quantile(jnp.array([1e-13, 1.0 - 1e-13])))
    grid = np.concatenate([[0.0], np.logspace(-8, 0, 60)])
    inner = [low, high, *(x for x in (y, -1.0, 0.0, 0.5, 1.0, 3.0) if low < x < high)]
    total = max(low - y, 0.0) + max(y - high, 0.0)
    edges = np.unique(inner)
    points, weights = [], []
    for a, b in pairwise(edges):
        middle = 0.5 * (a + b)
        for start, end in ((a, middle), (b, middle)):
            knots = start + (end - start) * grid
            half = 0.5 * np.diff(knots)
            points.append((knots[:-1] + half)[:, None] + half[:, None] * _NODES)
            weights.append(np.abs(half)[:, None] * _WEIGHTS)
    x, w = np.concatenate(points).ravel(), np.concatenate(weights).ravel()
    return total + np.sum(w * (np.asarray(_cdf(belief, jnp.asarray(x))) - (x >= y)) ** 2)


def _sum(belief, y):
    """The same integral for a step function on the integers, exactly."""
    edges = np.unique(np.concatenate([np.arange(-1.0, float(belief.quantile(1 - 1e-15)) + 60), [y]]))
    inside = np.asarray(_cdf(belief, jnp.asarray(edges[:-1])))
    return np.sum((inside - (edges[:-1] >= y)) ** 2 * np.diff(edges))


@on(CONTINUOUS, Normal, LogNormal, Laplace, Uniform, Gamma, Exponential, Beta, InverseGamma)
def test_closed_form_is_the_integral(belief):
    for p in (0.02, 0.4, 0.97):
        y = float(belief.quantile(p))
        np.testing.assert_allclose(_score(belief, jnp.asarray(y)), _integral(belief, y), rtol=1e-8, atol=1e-10)


@on(DISCRETE, Bernoulli, Poisson)
def test_closed_form_is_the_sum(belief):
    mean = float(belief.mean)
    for y in (0.0, np.floor(mean), np.ceil(mean) + 0.5, np.floor(1.5 * mean) + 2.0):
        np.testing.assert_allclose(_score(belief, jnp.asarray(y)), _sum(belief, y), rtol=1e-10, atol=1e-10)


@on(CONTINUOUS, Normal, Laplace)
def test_quadrature_over_quantiles_agrees_with_closed_forms(belief):
    y = np.asarray(belief.quantile(jnp.array([1e-4, 0.3, 0.9])))
    rtol = 1e-5 if isinstance(belief, Laplace) else 1e-8  # the density of a Laplace has a kink
    np.testing.assert_allclose(_by_quantiles(belief, y), crps(belief, y), rtol=rtol)


def test_outside_the_support_the_distance_is_added():
    for belief in (
        LogNormal(0.1, 0.5),
        Gamma(2.5, 2.0),
        Exponential(2.0),
        Beta(2.0, 3.0),
        InverseGamma(6.0, 2.0),
        Uniform(0.0, 1.0),
    ):
        np.testing.assert_allclose(crps(belief, -3.0), crps(belief, 0.0) + 3.0, rtol=1e-12)


def test_of_samples_is_the_double_sum():
    rng = np.random.default_rng(0)
    x, w = rng.normal(size=7), rng.uniform(size=7)
    w = w / w.sum()
    for y in (-5.0, 0.1, 2.0):
        naive = np.sum(w * np.abs(x - y)) - 0.5 * np.sum(w[:, None] * w * np.abs(x[:, None] - x))
        np.testing.assert_allclose(crps(Empirical(x, w), y), naive, rtol=1e-12)
    batch = Empirical(rng.normal(size=(3, 7)), np.broadcast_to(w, (3, 7)))
    np.testing.assert_allclose(crps(batch, np.zeros(3))[1], crps(batch[1], 0.0), rtol=1e-12)


@pytest.mark.slow
def test_mixture_of_other_families_and_discrete_mixtures():
    mixture = Mixture(jnp.array([0.5, 0.5]), Exponential(jnp.array([0.2, 1.5])))
    np.testing.assert_allclose(crps(mixture, 3.0), _integral(mixture, 3.0), rtol=1e-8)
    same = Mixture(jnp.array([0.5, 0.5]), Poisson(jnp.array([4.0, 4.0])))
    np.testing.assert_allclose(crps(same, 3.0), crps(Poisson(4.0), 3.0), atol=30.0 / 4096)
    np.testing.assert_allclose(_by_steps(Poisson(4.0), 3.0), crps(Poisson(4.0), 3.0), atol=30.0 / 4096)


def test_infinite_without_a_mean_and_undefined_for_vectors():
    assert crps(StudentT(1.0), 0.0) == np.inf
    assert crps(InverseGamma(1.0, 1.0), 1.0) == np.inf
    with pytest.raises(UndefinedError, match="crps"):
        crps(MultivariateNormal(jnp.zeros(2), jnp.eye(2)), jnp.zeros(2))


def test_jit_vmap_and_gradient():
    batch = Normal(jnp.array([0.0, 1.0, 2.0]), 1.5)
    y = jnp.array([0.3, 0.3, 0.3])
    by_row = eqx.filter_jit(eqx.filter_vmap(crps))(batch, y)
    np.testing.assert_allclose(by_row, crps(batch, y), rtol=1e-12)
    slope = jax.grad(lambda loc: crps(Normal(loc, 1.5), 0.3))(1.0)
    h = 1e-6
    difference = (crps(Normal(1.0 + h, 1.5), 0.3) - crps(Normal(1.0 - h, 1.5), 0.3)) / (2 * h)
    np.testing.assert_allclose(slope, difference, rtol=1e-6)


def test_the_truth_scores_best_in_expectation():
    truth = Gamma(3.0, 2.0)
    y = truth.sample(20_000, random_state=0)
    best = crps(truth, y)
    for other in (Gamma(3.5, 2.0), Gamma(2.5, 2.0), Gamma(3.0, 2.5), Normal(truth.mean, truth.std), Gamma(6.0, 4.0)):
        excess = np.asarray(crps(other, y) - best)
        assert excess.mean() > 2.0 * excess.std() / np.sqrt(excess.size)


@pytest.mark.parametrize(("weights", "rates"), POISSONS)
def test_mixtures_of_poissons_are_the_sum_over_counts(weights, rates):
    k = np.arange(int(max(rates) + 60.0 * np.sqrt(max(rates)) + 100.0))
    below = np.sum(np.array(weights)[:, None] * stats.poisson.cdf(k, np.array(rates)[:, None]), axis=0)
    mixture = Mixture(jnp.array(weights), Poisson(jnp.array(rates)))
    for y in (0.0, np.floor(rates[0]), np.ceil(1.2 * rates[1])):
        assert float(_score(mixture, y)) == pytest.approx(np.sum((below - (k >= y)) ** 2), rel=1e-3)


@pytest.mark.parametrize(("scale", "y"), [(0.5, 2.0), (8.0, 1e-3), (12.0, 1e-3), (20.0, 1e5)])
def test_a_wide_log_normal_against_many_digits(scale, y):
    """E|X − y| − ½E|X − X'| with the parts of the mean as in the textbook, in 60 digits."""
    with mpmath.workdps(60):
        s, at = mpmath.mpf(scale), mpmath.mpf(y)
        mean, z = mpmath.exp(s**2 / 2), mpmath.log(at) / s
        below = mean * mpmath.ncdf(z - s)
        half = mean * (2 * mpmath.ncdf(s / mpmath.sqrt(2)) - 1)
        expected = float(at * (2 * mpmath.ncdf(z) - 1) + mean - 2 * below - half)
    assert float(crps(LogNormal(0.0, scale), y)) == pytest.approx(expected, rel=1e-9)
    assert float(crps(LogNormal(0.0, 60.0), y)) == np.inf

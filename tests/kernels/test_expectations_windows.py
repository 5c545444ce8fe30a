"""Averages of what is made of Gaussian windows, against panels of Gauss rules that meet at x."""

from itertools import pairwise

import equinox as eqx
import jax.numpy as jnp
import numpy as np
import pytest

from credo.beliefs import MultivariateNormal, Normal, Uniform
from credo.kernels import (
    RBF,
    Cosine,
    Linear,
    Matern12,
    Matern32,
    Matern52,
    On,
    Periodic,
    RationalQuadratic,
    SpectralMixture,
)
from credo.kernels.expectations_windows import windowed_double_mean, windowed_mean
from credo.numerics import gauss_legendre

X = np.array([[0.3, -0.2], [1.5, 2.0]])
NORMAL = Normal([0.2, -0.3], [0.7, 1.2])
BOX = Uniform([-1.0, 0.5], [2.0, 0.8])
FULL = MultivariateNormal([0.2, -0.3], [[1.0, 0.4], [0.4, 0.5]])
MEASURES = {"normal": NORMAL, "box": BOX, "full": FULL}

STILL = {
    "rbf": (RBF(2.0, [0.5, 2.0]),),
    "matern12": (Matern12(2.0, 0.8),),
    "matern32": (Matern32(lengthscale=[0.5, 2.0]),),
    "matern52": (Matern52(),),
    "rq": (RationalQuadratic(alpha=0.8, lengthscale=0.6),),
    "matern and rbf": (Matern32(), On(RBF(lengthscale=0.7), [1])),
}
WAVING = {
    "cosine": (Cosine(2.0, period=[2.0, 3.0]),),
    "mixture": (SpectralMixture([1.0, 0.5], [[0.0, 0.1], [0.3, -0.2]], [[0.1, 0.2], [0.2, 0.1]]),),
    "season": (On(Periodic(period=1.3), [0]), RBF(lengthscale=2.0)),
    "wave through a matern": (Cosine(period=3.0), Matern52()),
}
_mean, _double = map(eqx.filter_jit, (windowed_mean, windowed_double_mean))


def panels(low, high, x, size=96):
    """Nodes and weights on [low, high], in panels that meet at x, where there may be a kink, and are shorter there."""
    inner = (x, x - 0.05, x + 0.05, x - 0.5, x + 0.5, x - 2.0, x + 2.0)
    cuts = sorted({low, high} | {cut for cut in inner if low < cut < high})
    rules = [gauss_legendre(size // 2, a, b) for a, b in pairwise(cuts)]
    return np.concatenate([r.nodes for r in rules]), np.concatenate([r.weights for r in rules])


def brute_force(factors, x, measure):
    """∫ k(x, z) p(z) dz over nine standard deviations, or over the box."""
    reach = 9.0 * np.asarray(measure.std)
    low, high = np.asarray(measure.mean) - reach, np.asarray(measure.mean) + reach
    if isinstance(measure, Uniform):
        low, high = np.asarray(measure.low), np.asarray(measure.high)
    (a, wa), (b, wb) = (panels(float(low[j]), float(high[j]), x[j]) for j in range(2))
    grid = np.stack(np.meshgrid(a, b, indexing="ij"), axis=-1).reshape(-1, 2)
    log_density = np.asarray(measure.log_prob(grid)).reshape(grid.shape[0], -1).sum(axis=1)
    weights = np.outer(wa, wb).ravel() * np.exp(log_density)
    values = np.prod([np.asarray(factor(x[None], grid))[0] for factor in factors], axis=0)
    return weights @ values


@pytest.mark.parametrize("measure", MEASURES)
@pytest.mark.parametrize("name", [*STILL, *WAVING])
def test_mean(name, measure):
    factors = {**STILL, **WAVING}[name]
    got = _mean(factors, jnp.asarray(X), MEASURES[measure])
    if name in WAVING and measure == "box":
        assert got is None
        return
    expected = [brute_force(factors, x, MEASURES[measure]) for x in X]
    np.testing.assert_allclose(got.value, expected, atol=2e-6 if name == "matern12" else 1e-8)
    mixed = any(isinstance(factor, (Matern12, Matern32, Matern52, RationalQuadratic)) for factor in factors)
    assert np.all(got.error < 1e-11)
    assert np.all((got.error > 0.0) == mixed)


@pytest.mark.parametrize("name", ["rbf", "matern32", "season"])
def test_double_mean_of_gaussians_is_the_mean_over_their_difference(name):
    factors = {**STILL, **WAVING}[name]
    got = _double(factors, NORMAL, FULL)
    difference = MultivariateNormal(np.zeros(2), np.diag(NORMAL.variance) + np.asarray(FULL.covariance))
    expected = _mean(factors, jnp.asarray(NORMAL.loc - FULL.loc)[None], difference)
    np.testing.assert_allclose(got.value, expected.value[0], rtol=1e-12)


@pytest.mark.parametrize("name", ["rbf", "matern32", "rq"])
def test_double_mean_of_boxes_is_the_mean_of_the_mean(name):
    """Inside the box the mean is analytic in x; a Gauss rule over the other box averages it."""
    other = Uniform([0.0, 0.55], [1.0, 0.75])
    rule = gauss_legendre(40, 0.0, 1.0)
    grid = np.stack(np.meshgrid(rule.nodes, 0.55 + 0.2 * rule.nodes, indexing="ij"), axis=-1).reshape(-1, 2)
    inner = _mean(STILL[name], jnp.asarray(grid), BOX).value
    expected = np.outer(rule.weights, rule.weights).ravel() @ np.asarray(inner)
    np.testing.assert_allclose(_double(STILL[name], BOX, other).value, expected, rtol=1e-7)


def test_many_columns():
    """Matérn in six columns, where the mixture over length-scales is as accurate as in one."""
    d, rng = 6, np.random.default_rng(0)
    measure, x = Normal(rng.normal(size=d), rng.uniform(0.3, 1.0, size=d)), rng.normal(size=(1, d))
    got = _mean((Matern52(lengthscale=2.0),), jnp.asarray(x), measure)
    draws = np.asarray(measure.sample(200_000, 0))
    values = np.asarray(Matern52(lengthscale=2.0)(x, draws))[0]
    assert abs(float(got.value[0]) - values.mean()) < 4.0 * values.std() / np.sqrt(values.size)
    assert float(got.error[0]) < 1e-12


def test_the_error_of_a_flat_rational_quadratic_is_reported():
    """With α = 0.05 the mixture is too wide for the steps, and the two rules say so."""
    kernel, measure = RationalQuadratic(alpha=0.05), Normal([0.0, 0.0], [1.0, 1.0])
    got = _mean((kernel,), jnp.asarray(X), measure)
    expected = [brute_force((kernel,), x, measure) for x in X]
    assert np.all(np.abs(np.asarray(got.value) - expected) <= np.asarray(got.error))
    assert np.all(got.error > 1e-6)


def test_no_windows():
    assert windowed_mean((Linear(),), jnp.asarray(X), NORMAL) is None
    assert windowed_mean((RBF(), Linear()), jnp.asarray(X), NORMAL) is None
    assert windowed_mean((Matern12(), Matern32()), jnp.asarray(X), NORMAL) is None  # too many
    assert windowed_mean((Periodic(),), jnp.asarray(X), NORMAL) is None
    assert windowed_double_mean((RBF(),), NORMAL, BOX) is None

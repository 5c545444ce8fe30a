"""Kernel means and double means of whole expressions: against draws, against parts, and in their derivatives."""

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest

from credo.beliefs import MultivariateNormal, Normal, Uniform
from credo.errors import InputError, UndefinedError
from credo.kernels import (
    RBF,
    ArcCosine,
    ChangePoint,
    Hamming,
    Linear,
    Matern12,
    Matern32,
    On,
    Periodic,
    Polynomial,
    Warp,
    White,
)
from credo.kernels.expectations import kernel_double_mean, kernel_mean
from credo.numerics import flatten

D = 3
X = np.random.default_rng(0).normal(size=(4, D))
ROOT = np.array([[0.8, 0.0, 0.0], [0.3, 0.7, 0.0], [-0.2, 0.1, 0.9]])
MEASURES = {
    "normal": Normal([0.2, -0.3, 0.0], [0.7, 1.2, 0.5]),
    "box": Uniform([-1.0, 0.0, -0.5], [2.0, 0.7, 0.5]),
    "full": MultivariateNormal([0.2, -0.3, 0.0], ROOT @ ROOT.T),
}
# An expression, and the largest error that it may report: zero where every part has a closed form.
EXPRESSIONS = {
    "sum": (2.0 * RBF(lengthscale=[0.5, 2.0, 1.0]) + Linear() + White() + Polynomial(degree=2) + 3.0, 0.0),
    "separate columns": (On(Matern12(), [0]) * On(Matern32(lengthscale=0.5), [1]) * On(RBF(), [2]), 0.0),
    "power": ((RBF() + 0.5) ** 2 * On(Linear(), [1]), 1e-12),
    "one rough column": (On(Matern12() * Periodic(period=2.0), [0]) * RBF() * On(Linear(), [2]), 1e-6),
    "change": (ChangePoint(RBF(), On(Matern32(), [2]), column=1), 1e-3),
    "seen through a map": (On(Warp(RBF(), jnp.tanh), [2]) + On(ArcCosine(), [0, 1]), 1e-3),
}


@eqx.filter_jit
def _pairs(kernel, Z, others):
    return jax.vmap(kernel.of)(Z, others)


DRAWS = 40_000
FAST = {("sum", "normal"), ("sum", "full"), ("separate columns", "box"), ("one rough column", "normal")}


def cases():
    """Every expression with every measure; compiling them costs, so most are in the slow suite."""
    for name in EXPRESSIONS:
        for measure in MEASURES:
            yield pytest.param(name, measure, marks=[] if (name, measure) in FAST else [pytest.mark.slow])


@pytest.mark.parametrize(("name", "measure"), list(cases()))
def test_against_draws(name, measure):
    (kernel, largest), measure = EXPRESSIONS[name], MEASURES[measure]
    dependent = isinstance(measure, MultivariateNormal)
    mean, double = kernel_mean(kernel, X, measure), kernel_double_mean(kernel, measure)
    z, others = (np.asarray(measure.sample(DRAWS, seed)) for seed in (1, 2))
    values, pairs = np.asarray(kernel(X, z)), np.asarray(_pairs(kernel, z, others))
    assert np.all(np.abs(mean.value - values.mean(axis=1)) < 4.0 * values.std(axis=1) / np.sqrt(DRAWS) + mean.error)
    assert abs(double.value - pairs.mean()) < 4.0 * pairs.std() / np.sqrt(DRAWS) + double.error
    if not dependent:
        assert np.max(mean.error) <= largest
        assert double.error <= 2.0 * largest
    assert np.max(mean.error) < 0.05


def test_one_group_without_a_closed_form_scales_its_error():
    """The factor of a column that is independent multiplies value and error."""
    rough, measure = On(Matern12() * Periodic(period=0.3), [0]), MEASURES["normal"]
    alone, product = kernel_mean(rough, X, measure), kernel_mean(rough * On(RBF(4.0), [1]), X, measure)
    factor = kernel_mean(On(RBF(4.0), [1]), X, measure).value
    np.testing.assert_allclose(product.value, alone.value * factor, rtol=1e-12)
    np.testing.assert_allclose(product.error, alone.error * factor, rtol=1e-6)


def test_two_measures():
    kernel = EXPRESSIONS["separate columns"][0]
    got = kernel_double_mean(kernel, MEASURES["normal"], MEASURES["box"])
    swapped = kernel_double_mean(kernel, MEASURES["box"], MEASURES["normal"])
    np.testing.assert_allclose(got.value, swapped.value, rtol=1e-12)
    assert got.error < 1e-11
    z, others = np.asarray(MEASURES["normal"].sample(DRAWS, 1)), np.asarray(MEASURES["box"].sample(DRAWS, 2))
    pairs = np.asarray(_pairs(kernel, z, others))
    assert abs(got.value - pairs.mean()) < 4.0 * pairs.std() / np.sqrt(DRAWS) + got.error


def test_a_narrow_measure_is_a_point():
    kernel = On(RBF(), [2]) * On(Matern12(), [0]) + On(Matern32(), [1])
    center = np.array([[0.2, -0.3, 0.1]])
    measure = Uniform(center[0] - 1e-7, center[0] + 1e-7)
    np.testing.assert_allclose(kernel_mean(kernel, X, measure).value, kernel(X, center)[:, 0], rtol=1e-5)
    np.testing.assert_allclose(kernel_double_mean(kernel, measure).value, 2.0, rtol=1e-5)


@pytest.mark.parametrize("measure", ["normal", *(pytest.param(m, marks=pytest.mark.slow) for m in ("full", "box"))])
def test_gradient_in_the_parameters(measure):
    kernel = RBF(1.5, [0.5, 2.0, 1.0]) * On(Matern32(lengthscale=0.8), [0]) + Polynomial(degree=3, offset=0.5)
    vector, rebuild, *_ = flatten(kernel)
    target = MEASURES[measure]

    @jax.jit
    def both(u):
        return jnp.sum(kernel_mean(rebuild(u), X, target).value) + kernel_double_mean(rebuild(u), target).value

    slopes, step = np.asarray(jax.jit(jax.grad(both))(vector)), 1e-5
    shifts = step * np.eye(vector.size)
    differences = [(both(vector + h) - both(vector - h)) / (2.0 * step) for h in shifts]
    assert np.all(np.isfinite(slopes))
    np.testing.assert_allclose(slopes, differences, rtol=1e-6, atol=1e-7)


def test_gradient_in_the_points_and_in_the_measure():
    kernel = On(Matern12(), [0]) * RBF()

    def of(x, loc):
        return kernel_mean(kernel, x[None], Normal(loc, jnp.array([0.7, 1.2, 0.5]))).value[0]

    at, loc, step = jnp.asarray(X[0]), jnp.array([0.2, -0.3, 0.0]), 1e-6
    slopes = jax.grad(of, argnums=(0, 1))(at, loc)
    np.testing.assert_allclose(slopes[0], -slopes[1], rtol=1e-9)  # only their difference matters
    differences = [(of(at + h, loc) - of(at - h, loc)) / (2.0 * step) for h in step * np.eye(D)]
    np.testing.assert_allclose(slopes[0], differences, atol=1e-8)


def test_many_measures_by_vmap():
    locs = jnp.array([[0.0, 0.0, 0.0], [0.5, -0.5, 1.0]])
    values = jax.vmap(lambda loc: kernel_double_mean(RBF(), Normal(loc, jnp.ones(D)), MEASURES["normal"]).value)(locs)
    one = kernel_double_mean(RBF(), Normal(locs[1], jnp.ones(D)), MEASURES["normal"]).value
    np.testing.assert_allclose(values[1], one, rtol=1e-12)


def test_refuses_what_does_not_fit():
    with pytest.raises(InputError, match="X has 3 columns, but the measure has 1"):
        kernel_mean(RBF(), X, Normal(0.0, 1.0))
    with pytest.raises(InputError, match="the other measure has 1 columns, but the measure has 3"):
        kernel_double_mean(RBF(), MEASURES["normal"], Uniform(0.0, 1.0))
    with pytest.raises(UndefinedError, match="Hamming is on names"):
        kernel_mean(RBF() * On(Hamming(), [0]), X, MEASURES["normal"])
    with pytest.raises(InputError, match=r"kernel_double_mean: .* 2 length-scales"):
        kernel_double_mean(RBF(lengthscale=[1.0, 2.0]), MEASURES["normal"])

"""Sampled frequencies: their characteristic function is the correlation, within four standard errors."""

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest

from credo.errors import InputError, UndefinedError
from credo.kernels import (
    RBF,
    Constant,
    Cosine,
    Linear,
    Matern12,
    Matern32,
    Matern52,
    On,
    Periodic,
    PolynomialOf,
    RationalQuadratic,
    SpectralMixture,
    Warp,
    White,
)
from credo.kernels.frequencies import has_frequencies, sample_frequencies

KEYS, COUNT = 64, 64
LAGS = {1: np.array([[0.0], [0.3], [1.0], [2.5]]), 2: np.array([[0.0, 0.0], [0.3, 0.2], [1.0, -0.5], [-0.4, 2.0]])}

KERNELS = {
    "rbf": (RBF(2.0, [0.7, 1.5]), 2),
    "matern12": (Matern12(lengthscale=0.7), 1),
    "matern32": (Matern32(lengthscale=[0.7, 1.5]), 2),
    "matern52": (Matern52(), 1),
    "matern52 plane": (Matern52(), 2),
    "rq": (RationalQuadratic(alpha=0.7), 2),
    "constant": (Constant(2.0), 2),
    "cosine": (Cosine(period=[3.0, 2.0]), 2),
    "periodic": (Periodic(lengthscale=[0.7, 2.0], period=[1.3, 2.0]), 2),
    "mixture": (SpectralMixture([1.0, 0.5], [[0.0, 0.1], [0.3, -0.2]], [[0.1, 0.2], [0.2, 0.1]]), 2),
    "sum": (RBF() + 2.0 * Matern52(lengthscale=0.3) + 1.0, 1),
    "product": (On(RBF(0.5), [1]) * Cosine(period=[3.0, 2.0]) * 2.0, 2),
    "power": (PolynomialOf(RBF(1.5), jnp.array([0.5, 0.0, 0.3, 1.0])), 1),
}


@eqx.filter_jit
def _waves(kernel, lags):
    """The mean cosine and sine for each key, and the cosine of each first frequency."""

    def one(key):
        phase = sample_frequencies(kernel, key, COUNT, lags.shape[1]) @ lags.T
        return jnp.mean(jnp.cos(phase), axis=0), jnp.mean(jnp.sin(phase), axis=0), jnp.cos(phase[0])

    return jax.vmap(one)(jax.random.split(jax.random.key(3), KEYS))


def within_four_errors(draws, truth):
    error = draws.std(axis=0, ddof=1) / np.sqrt(draws.shape[0])
    return np.all(np.abs(draws.mean(axis=0) - truth) <= 4.0 * error + 1e-12)


SLOW = ("matern32", "matern52", "rq", "periodic", "power")  # compiling costs, and others share their formulas


@pytest.mark.parametrize("name", [pytest.param(n, marks=[pytest.mark.slow] if n in SLOW else []) for n in KERNELS])
def test_characteristic_function_is_the_correlation(name):
    kernel, d = KERNELS[name]
    cosines, sines, firsts = map(np.asarray, _waves(kernel, jnp.asarray(LAGS[d])))
    covariance = np.asarray(kernel(LAGS[d], np.zeros((1, d))))[:, 0]
    correlation = covariance / covariance[0]
    assert within_four_errors(cosines, correlation)
    assert within_four_errors(sines, 0.0)
    assert within_four_errors(firsts, correlation)  # any one row has the whole measure as its distribution


def test_averages_are_better_than_of_independent_draws():
    """An independent average has the standard deviation √((1 + k(2r))/2 − k(r)²)/√count."""
    cosines, *_ = _waves(RBF(), jnp.asarray(LAGS[1]))
    k = np.exp(-0.5 * LAGS[1][1:, 0] ** 2)
    independent = np.sqrt((0.5 * (1.0 + k**4) - k**2) / COUNT)
    assert np.all(np.std(cosines, axis=0)[1:] < 0.2 * independent)


def test_new_parameters_compile_nothing():
    traces = []

    @eqx.filter_jit
    def draw(kernel):
        traces.append(1)
        return sample_frequencies(kernel, jax.random.key(0), 8, 1)

    short, long = draw(Matern32(lengthscale=0.7) + Cosine()), draw(Matern32(lengthscale=3.0) + Cosine(2.0))
    assert len(traces) == 1
    assert short.shape == long.shape == (8, 1)


def test_length_scale_divides_and_has_a_derivative():
    key = jax.random.key(0)
    half, one = (sample_frequencies(Matern52(lengthscale=ell), key, 8, 2) for ell in (0.5, 1.0))
    np.testing.assert_allclose(half, 2.0 * one, rtol=1e-12)
    slope = jax.jacobian(lambda ell: sample_frequencies(Matern52(lengthscale=ell), key, 8, 2))(0.5)
    np.testing.assert_allclose(slope, -half / 0.5, rtol=1e-12)


@pytest.mark.parametrize(
    "kernel", [Linear(), White(), RBF() + White(), RBF() * Linear(), Warp(RBF(), jnp.sin)], ids=str
)
def test_no_measure_to_draw_from(kernel):
    assert not has_frequencies(kernel)
    with pytest.raises(UndefinedError, match=r"has no spectral measure .* sample\(X, n\)"):
        sample_frequencies(kernel, jax.random.key(0), 8, 1)


def test_refuses_what_does_not_fit():
    with pytest.raises(InputError, match="count=0"):
        sample_frequencies(RBF(), jax.random.key(0), 0, 1)
    with pytest.raises(InputError, match="3 length-scales"):
        sample_frequencies(RBF(lengthscale=[1.0, 2.0, 3.0]), jax.random.key(0), 4, 2)

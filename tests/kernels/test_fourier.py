"""Features: unbiased over seeds, exact where they are finite, better with more of them, and smooth in X."""

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest

from credo.errors import InputError, UndefinedError
from credo.kernels import (
    RBF,
    ArcCosine,
    ChangePoint,
    Constant,
    Linear,
    Matern12,
    Matern32,
    Matern52,
    On,
    Periodic,
    Polynomial,
    Warp,
    White,
)
from credo.kernels.fourier import fourier_features, stacked_features

D, SEEDS = 2, 24
X = jnp.asarray(np.random.default_rng(0).normal(size=(6, D)))
Z = jnp.asarray(np.random.default_rng(1).normal(size=(5, D)))

RANDOM = {
    "rbf": RBF(2.0, [0.7, 1.5]),
    "sum": Matern12() + 0.5 * Linear([1.0, 2.0], 0.3) + On(RBF(), [1]) + 1.0,
    "slope times wave": On(Linear(), [0]) * Matern52(lengthscale=0.7),
    "product": Warp(Matern52(), jnp.sin) * On(Periodic(), [1]) * RBF(3.0),
    "power": RBF(1.5) ** 2,
    "power of a sum": (RBF() + On(Linear(), [0])) ** 2,
    "change": ChangePoint(2.0 * RBF(), Matern32() + Linear(), location=0.3, column=1),
    "deep": On(Warp(RBF() + Polynomial(), lambda row: jnp.tanh(row) + row**2), [1]),
}
FINITE = {
    "linear": (Linear([1.0, 2.0], [0.3, 0.1]), 2),
    "polynomial": (Polynomial(degree=3, variance=[1.0, 0.3], offset=0.7), 10),
    "sum": (Linear() + Constant(2.0), 3),
    "product": (Linear(0.5) * On(Polynomial(), [0]) * 3.0, 6),
    "power": (Linear() ** 2, 7),
    "seen through a map": (On(Warp(Linear(), jnp.exp), [1]), 1),
}


@eqx.filter_jit
def _covariances(kernel, count, d, X, Z):
    def one(key):
        phi = fourier_features(kernel, count, d, random_state=key)
        return phi(X) @ phi(Z).T

    return jax.vmap(one)(jax.random.split(jax.random.key(2), SEEDS))


SLOW = ("product", "power", "power of a sum", "deep", "change")


@pytest.mark.parametrize("name", [pytest.param(n, marks=[pytest.mark.slow] if n in SLOW else []) for n in RANDOM])
def test_unbiased(name):
    estimates = np.asarray(_covariances(RANDOM[name], 80, D, X, Z))
    error = estimates.std(axis=0, ddof=1) / np.sqrt(SEEDS)
    assert np.all(np.abs(estimates.mean(axis=0) - RANDOM[name](X, Z)) < 4.0 * error + 1e-12)
    assert np.max(error) > 0.0


@pytest.mark.parametrize("name", FINITE)
def test_finite_kernels_are_exact(name):
    kernel, count = FINITE[name]
    phi = fourier_features(kernel, 64, D, random_state=0)
    assert phi(X).shape == (6, count)
    assert phi.count == count
    np.testing.assert_allclose(phi(X) @ phi(Z).T, kernel(X, Z), rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("name", [pytest.param(n, marks=[pytest.mark.slow] if n != "sum" else []) for n in RANDOM])
def test_stacked_maps_are_independent_and_unbiased(name):
    maps = stacked_features(RANDOM[name], 200, 64, D, random_state=3)
    estimates = np.asarray(eqx.filter_jit(eqx.filter_vmap(lambda phi: phi(X) @ phi(Z).T))(maps))
    error = estimates.std(axis=0, ddof=1) / np.sqrt(200)
    assert np.all(np.abs(estimates.mean(axis=0) - RANDOM[name](X, Z)) < 4.5 * error + 1e-12)
    halves = np.corrcoef(estimates[::2].reshape(100, -1)[:, 0], estimates[1::2].reshape(100, -1)[:, 0])[0, 1]
    assert abs(halves) < 0.4


def test_stacked_maps_of_finite_kernels_are_exact_however_few_are_asked_for():
    kernel, count = FINITE["polynomial"]
    maps = stacked_features(kernel, 3, 2, D, random_state=0)
    phi = eqx.filter_vmap(lambda phi: phi(X))(maps)
    assert phi.shape == (3, 6, count)
    np.testing.assert_allclose(phi[2] @ phi[2].T, kernel(X, X), rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("name", ["sum", "slope times wave"])
def test_weighing_is_the_product_with_the_features(name):
    phi = fourier_features(RANDOM[name], 80, D, random_state=0)
    weights = jnp.asarray(np.random.default_rng(2).normal(size=phi.count))
    np.testing.assert_allclose(phi.weigh(X, weights), phi(X) @ weights, atol=1e-12)


def test_the_norm_is_right_always():
    kernel = 3.0 * RBF(2.0, [0.7, 1.5])
    features = fourier_features(kernel, 32, D, random_state=5)(X)
    np.testing.assert_allclose(jnp.sum(features**2, axis=1), kernel.diagonal(X), rtol=1e-12)


def test_error_falls_with_count_and_below_that_of_independent_frequencies():
    """Independent pairs have the variance σ⁴ ((1 + k(2r))/2 − k(r)²) / (count / 2)."""
    kernel = RBF(lengthscale=1.5)
    truth = np.asarray(kernel(X, Z))
    errors = {
        count: np.sqrt(np.mean((np.asarray(_covariances(kernel, count, D, X, Z)) - truth) ** 2)) for count in (32, 512)
    }
    independent = np.sqrt(np.mean(0.5 * (1.0 + truth**4) - truth**2) / 256)
    assert errors[512] < errors[32] / 6.0  # 4 for independent ones
    assert errors[512] < 0.3 * independent


def test_terms_of_a_sum_have_equally_many():
    phi = fourier_features(RBF() + Linear() + Matern12(), 102, D, random_state=0)
    assert [term.waves[0].frequencies.shape[0] if term.waves else 0 for term in phi.terms] == [25, 0, 25]
    assert phi(X).shape == (6, 102)


def test_derivative_in_x():
    kernel = RANDOM["slope times wave"]
    phi = fourier_features(kernel, 64, D, random_state=0)
    slopes = jax.jacobian(lambda x: phi(x[None])[0])(X[0])
    step = 1e-6 * np.eye(D)
    differences = [(phi(X[:1] + h) - phi(X[:1] - h))[0] / 2e-6 for h in step]
    np.testing.assert_allclose(slopes, np.stack(differences, axis=1), atol=1e-7)


def test_same_seed_same_features_and_new_parameters_compile_nothing():
    traces = []

    @eqx.filter_jit
    def values(kernel):
        traces.append(1)
        return fourier_features(kernel, 16, D, random_state=7)(X)

    first = values(RBF() + Linear())
    np.testing.assert_array_equal(first, values(RBF() + Linear()))
    assert not np.allclose(first, values(RBF(lengthscale=0.2) + Linear(3.0)))
    assert len(traces) == 1
    np.testing.assert_allclose(first, fourier_features(RBF() + Linear(), 16, D, random_state=7)(X), rtol=1e-12)


@pytest.mark.parametrize("kernel", [RBF() + White(0.1), ArcCosine(), RBF().exp()], ids=str)
def test_no_features(kernel):
    with pytest.raises(UndefinedError, match=r"neither a spectral measure nor finitely .* sample\(X, n\)"):
        fourier_features(kernel, 100, D)
    with pytest.raises(UndefinedError, match=r"neither a spectral measure nor finitely .* sample\(X, n\)"):
        stacked_features(kernel, 2, 100, D)


def test_refuses_what_does_not_fit():
    with pytest.raises(InputError, match=r"count=8 is too few .* Try count=10 or more"):
        fourier_features(Linear() * RBF() + Polynomial(), 8, D)
    fourier_features(Linear() * RBF() + Polynomial(), 10, D)
    with pytest.raises(InputError, match="Try count=3 or more"):
        fourier_features(Linear() + 1.0, 2, D)
    with pytest.raises(InputError, match=r"X has shape \(2,\)"):
        fourier_features(RBF(), 4, D)(X[0])
    with pytest.raises(InputError, match="3 length-scales"):
        fourier_features(RBF(lengthscale=[1.0, 2.0, 3.0]), 4, D)

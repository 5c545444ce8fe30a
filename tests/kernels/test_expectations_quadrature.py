"""Quadrature of kernel averages: the reported error holds the real one where a closed form knows it."""

import equinox as eqx
import jax.numpy as jnp
import numpy as np
import pytest

from credo.beliefs import MultivariateNormal, Normal, Uniform
from credo.kernels import RBF, Matern12, Matern32, Matern52, Product
from credo.kernels.expectations_closed import closed_mean
from credo.kernels.expectations_quadrature import Expectation, averaged, compared, quadrature_mean
from credo.kernels.expectations_windows import windowed_double_mean, windowed_mean

_by_rule, _closed, _windowed = map(eqx.filter_jit, (quadrature_mean, closed_mean, windowed_mean))


def measure(kind, d):
    if kind == "box":
        return Uniform(np.full(d, -1.0), np.linspace(0.5, 2.0, d))
    if kind == "normal":
        return Normal(np.zeros(d), np.linspace(0.5, 1.2, d))
    return MultivariateNormal(np.zeros(d), 0.3 * np.eye(d) + 0.4)


@pytest.mark.parametrize("kind", ["normal", "box"])
@pytest.mark.parametrize("kernel", [Matern12(lengthscale=0.3), Matern32(), Matern52()], ids=str)
def test_one_column_with_a_kink(kernel, kind):
    """Either side of x the integrand is smooth, so that even the roughest is exact to many digits."""
    X = jnp.linspace(-3.0, 3.0, 41)[:, None]
    got, truth = _by_rule(kernel, X, measure(kind, 1)), _closed(kernel, X, measure(kind, 1))
    assert np.all(np.abs(got.value - truth) <= got.error + 1e-16)  # the round-off of the truth
    assert np.all(got.error < 1e-9)


FAST = {("RBF", "full", 2), ("Matern12", "normal", 2), ("Matern12", "box", 3), ("Matern12", "full", 5)}


def cases():
    """Smooth and rough, in every measure and number of columns; compiling them costs, so most are in the slow suite."""
    for kernel in (RBF(2.0), Matern12()):
        for kind in ("normal", "box", "full"):
            for d in (2, 3, 5):
                name = type(kernel).__name__, kind, d
                yield pytest.param(*name[1:], kernel, id=str(name), marks=[] if name in FAST else [pytest.mark.slow])


@pytest.mark.parametrize(("kind", "d", "kernel"), list(cases()))
def test_several_columns(kind, d, kernel):
    """At most one point in twenty is off by more than its error, and none by more than twice that."""
    X = jnp.asarray(np.random.default_rng(0).normal(size=(60, d)))
    got, truth = _by_rule(kernel, X, measure(kind, d)), _windowed((kernel,), X, measure(kind, d))
    ratio = np.abs(np.asarray(got.value - truth.value)) / np.asarray(got.error + truth.error)
    assert np.mean(ratio > 1.0) <= 1.0 / 20.0
    assert np.max(ratio) < 2.0
    assert np.max(got.error) < (5e-3 if isinstance(kernel, RBF) else 0.05)


def test_average_of_a_function_with_an_error():
    """The mean of the mean is the double mean; the error of the function is added."""
    first, second = measure("normal", 2), measure("box", 2)

    @eqx.filter_jit
    def both(first, second):
        def inner(rows):
            return Expectation(windowed_mean((RBF(),), rows, second).value, jnp.full(rows.shape[0], 0.25))

        return averaged(inner, second), windowed_double_mean((RBF(),), second, second)

    got, truth = both(first, second)
    np.testing.assert_allclose(got.value, truth.value, rtol=1e-12)
    np.testing.assert_allclose(got.error, 0.25, atol=1e-10)


def test_product_of_kernels_in_one_column():
    kernel = Product((Matern12(), Matern52(lengthscale=0.5)))
    X = jnp.linspace(-1.0, 1.0, 5)[:, None]
    got = _by_rule(kernel, X, measure("box", 1))
    z = np.linspace(-1.0, 0.5, 200_001)
    expected = np.trapezoid(np.asarray(kernel(X, z[:, None])), z, axis=1) / 1.5
    np.testing.assert_allclose(got.value, expected, atol=1e-9)


def test_comparison_of_rules():
    exact, pair = compared(jnp.array([[2.0]])), compared(jnp.array([[2.0, 1.5]]))
    assert (float(exact.value[0]), float(exact.error[0])) == (2.0, 0.0)
    np.testing.assert_allclose([pair.value[0], pair.error[0]], [2.0, 1.0], rtol=1e-12)
    many = compared(jnp.arange(8.0)[None])
    np.testing.assert_allclose([many.value[0], many.error[0]], [3.5, 4.0 * np.sqrt(6.0 / 8.0)], rtol=1e-12)

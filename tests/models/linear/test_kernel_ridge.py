"""Kernel ridge against scikit-learn, a Gaussian process at the same numbers, and brute-force leave-one-out."""

import numpy as np
import pytest
from sklearn import kernel_ridge

from credo.errors import UndefinedError
from credo.kernels import RBF, Linear, Matern32
from credo.models import GPRegressor, KernelRidge, Ridge

RNG = np.random.default_rng(0)
X = RNG.normal(size=(40, 2))
Y = np.sin(2.0 * X[:, 0]) + X[:, 1] + 0.1 * RNG.normal(size=40)


def test_fitted_values_are_those_of_scikit_learn():
    w = RNG.uniform(0.5, 2.0, size=40)
    model = KernelRidge(kernel=RBF(lengthscale=0.8), alpha=0.3, fit_intercept=False).fit(X, Y, sample_weight=w)
    peer = kernel_ridge.KernelRidge(kernel="rbf", gamma=0.5 / 0.8**2, alpha=0.3).fit(X, Y, sample_weight=w)
    new = RNG.normal(size=(7, 2))
    np.testing.assert_allclose(model.predict(new), peer.predict(new), rtol=1e-8)


def test_belief_is_that_of_a_gaussian_process_but_for_the_noise():
    model = KernelRidge(kernel=Matern32(lengthscale=1.2), alpha=0.2, fit_intercept=False).fit(X, Y)
    new = RNG.normal(size=(6, 2))
    belief = model.predict_dist(new)
    process = GPRegressor(
        kernel=Matern32(lengthscale=1.2), noise_variance=0.2, inference=None, standardize=False, mean="zero"
    ).fit(X, Y)
    other = process.predict_dist(new)
    np.testing.assert_allclose(belief.mean, other.mean, rtol=1e-6)
    degrees = 40 - model.effective_degrees_
    noise = model.scatter_ / degrees
    np.testing.assert_allclose(np.asarray(belief.scale) ** 2 / noise, np.asarray(other.variance) / 0.2, rtol=1e-6)


def test_leave_one_out_is_what_a_loop_gives():
    model = KernelRidge(kernel=RBF(), alpha=0.5).fit(X, Y)
    errors = []
    for i in range(40):
        rest = np.arange(40) != i
        errors.append(Y[i] - KernelRidge(kernel=RBF(), alpha=0.5).fit(X[rest], Y[rest]).predict(X[i : i + 1])[0])
    np.testing.assert_allclose(model.loo_error_, np.mean(np.square(errors)), rtol=1e-8)
    chosen = KernelRidge(kernel=RBF()).fit(X, Y)
    assert chosen.loo_error_ <= model.loo_error_
    assert "chosen" in str(chosen.certificate_)


def test_a_linear_kernel_is_ridge():
    model = KernelRidge(kernel=Linear(), alpha=2.0).fit(X, Y)
    ridge = Ridge(alpha=2.0).fit(X, Y)
    np.testing.assert_allclose(model.predict(X), ridge.predict(X), rtol=1e-8)
    np.testing.assert_allclose(model.predict_interval(X[:4]), ridge.predict_interval(X[:4]), rtol=1e-8)


def test_a_fit_without_residual_degrees_has_no_interval():
    model = KernelRidge(kernel=RBF(lengthscale=1e-3), alpha=1e-18).fit(X, Y)
    with pytest.raises(UndefinedError, match="larger alpha"):
        model.predict_interval(X)


@pytest.mark.slow
def test_intervals_cover():
    rng, inside = np.random.default_rng(1), []
    for _ in range(200):
        x = rng.uniform(0.0, 6.0, size=(70, 1))
        y = np.sin(x[:, 0]) + 0.3 * rng.normal(size=70)
        low, high = KernelRidge().fit(x[:50], y[:50]).predict_interval(x[50:], 0.9)
        inside.append(np.mean((low <= y[50:]) & (y[50:] <= high)))
    assert abs(np.mean(inside) - 0.9) < 0.03

"""The coefficients of a mean function are integrated out: generalized least squares, written out."""

import jax.numpy as jnp
import numpy as np
import pytest

from credo.infer.gaussian import BasisMean, LinearMean
from credo.kernels import Matern52
from credo.models import GPRegressor
from textbook_gp import matern52

KERNEL = Matern52(variance=0.8, lengthscale=0.6)
NOISE, PRIOR = 0.05, 3.0**2


def rows(seed=0, n=25):
    rng = np.random.default_rng(seed)
    X = rng.uniform(-1.0, 1.0, size=(n, 1))
    return X, 1.0 + 2.0 * X[:, 0] + 0.3 * np.sin(4.0 * X[:, 0]) + 0.2 * rng.normal(size=n)


def least_squares(features, X, y, Z):
    """Rasmussen and Williams 2006, eq. 2.41 with b = 0 and B = 9 I: mean and variance of f at the rows Z."""
    K = matern52(X, X, 0.8, np.array([0.6])) + NOISE * np.eye(len(X))
    cross, H, H_new = matern52(Z, X, 0.8, np.array([0.6])), features(X), features(Z)
    inner = np.linalg.inv(np.linalg.inv(PRIOR * np.eye(H.shape[1])) + H.T @ np.linalg.solve(K, H))
    beta = inner @ H.T @ np.linalg.solve(K, y)
    R = H_new - cross @ np.linalg.solve(K, H)
    mean = cross @ np.linalg.solve(K, y) + R @ beta
    plain = 0.8 - np.sum(cross * np.linalg.solve(K, cross.T).T, axis=1)
    return mean, plain + np.sum((R @ inner) * R, axis=1)


@pytest.mark.parametrize(
    ("mean", "features"),
    [
        ("constant", lambda X: np.ones((len(X), 1))),
        ("linear", lambda X: np.hstack([np.ones((len(X), 1)), X])),
    ],
)
def test_named_means_are_generalized_least_squares(mean, features):
    X, y = rows()
    Z = np.linspace(-3.0, 3.0, 9)[:, None]
    gp = GPRegressor(kernel=KERNEL, mean=mean, noise_variance=NOISE, inference=None, standardize=False).fit(X, y)
    expected, variance = least_squares(features, X, y, Z)
    np.testing.assert_allclose(gp.predict(Z), expected, rtol=1e-8)
    np.testing.assert_allclose(gp.posterior(Z).variance, variance, rtol=1e-8)


def test_a_given_basis_is_integrated_out_unless_it_is_held():
    X, y = rows()
    basis = BasisMean(lambda x: jnp.array([1.0, x[0]]), [5.0, 5.0])
    settings = {"kernel": KERNEL, "noise_variance": NOISE, "standardize": False, "n_restarts": 0}
    learned = GPRegressor(mean=basis, inference="ml", **settings).fit(X, y)
    named = GPRegressor(mean="linear", inference="ml", **settings).fit(X, y)
    np.testing.assert_allclose(learned.predict([[3.0]]), named.predict([[3.0]]), rtol=1e-4)
    held = GPRegressor(mean=LinearMean([2.0], 1.0), inference=None, **settings).fit(X, y)
    np.testing.assert_allclose(held.predict([[40.0]]), [81.0], rtol=1e-8)


@pytest.mark.slow
def test_extrapolated_trends_are_covered():
    """90 % intervals far outside of the rows, over lines plus draws of the kernel; with plugged-in slopes 38 %."""
    covered = []
    for seed in range(200):
        rng = np.random.default_rng(seed)
        X = np.vstack([rng.uniform(-1.0, 1.0, size=(30, 1)), [[-6.0], [6.0]]])
        wiggle = np.linalg.cholesky(matern52(X, X, 0.2, np.array([0.4])) + 1e-9 * np.eye(32)) @ rng.normal(size=32)
        slope, level = rng.normal(size=2)
        y = level + slope * X[:, 0] + wiggle + 0.3 * rng.normal(size=32)
        gp = GPRegressor(mean="linear", n_restarts=0, random_state=0).fit(X[:30], y[:30])
        low, high = gp.predict_interval(X[30:])
        covered.extend((low <= y[30:]) & (y[30:] <= high))
    assert 0.85 <= np.mean(covered) <= 0.96

"""A small Gaussian process with held parameters, which tests of decisions share, and its textbook covariances."""

from functools import partial

import numpy as np

from credo.kernels import Matern52
from credo.models import GPRegressor
from textbook_gp import Textbook, matern52

KERNEL, NOISE = Matern52(1.3, [0.4, 0.7]), 0.04


def measured(rows=7, seed=0):
    """Noisy measurements of a function of two columns."""
    rng = np.random.default_rng(seed)
    X = rng.random((rows, 2))
    return X, np.sin(5.0 * X[:, 0]) + X[:, 1] + 0.2 * rng.normal(size=rows)


def fitted(X, y):
    """The process after these measurements, in the units as they are."""
    return GPRegressor(kernel=KERNEL, noise_variance=NOISE, inference=None, standardize=False).fit(X, y)


def conditioned(X, y, Z, noise=NOISE):
    """Mean and covariance at Z by the formula, with the inverse."""
    return Textbook(partial(matern52, variance=1.3, lengthscale=np.array([0.4, 0.7])), X, y, noise).posterior(Z)

"""Which rows support a machine: libsvm's sequential minimal optimization, through scikit-learn, loosely."""

import warnings

import numpy as np
from jaxtyping import Float
from sklearn.exceptions import ConvergenceWarning
from sklearn.svm import SVC, SVR

from credo.infer.dual.covariance import RowCovariance, StreamedCovariance
from credo.infer.dual.problem import MarginProblem, on_bounds
from credo.kernels import RBF, Kernel, Linear, Polynomial

__all__ = ["identified", "is_native"]

_NATIVE = (RBF, Linear, Polynomial)
_UPDATES = 100_000  # of two coefficients, and 100 a row, at the most


def is_native(kernel: Kernel) -> bool:
    """Whether libsvm has the kernel itself, and so needs no matrix of it."""
    return type(kernel) in _NATIVE


def identified(
    problem: MarginProblem, covariance: RowCovariance, tolerance: float, memory: int
) -> Float[np.ndarray, " n"]:
    """Coefficients that violate no row's condition by more than `tolerance`.

    libsvm keeps up to `memory` bytes of rows of the covariance. O(n) an update, of which there are a few times n.
    """
    if isinstance(covariance, StreamedCovariance):
        rows, variance, settings = _native(covariance.kernel, covariance.X)
    else:
        rows, variance, settings = covariance.dense(), 1.0, {"kernel": "precomputed"}
    cost = np.maximum(problem.high, -problem.low) * variance
    limits = {"max_iter": _UPDATES + 100 * len(cost), "cache_size": max(memory / 2**20, 1.0)}
    shared = {"C": 1.0, "tol": tolerance, **limits, **settings}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # the gap says how far it came
        if np.any((problem.low < 0.0) & (problem.high > 0.0)):
            found = SVR(epsilon=problem.tube, **shared).fit(rows, problem.targets, sample_weight=cost)
        else:
            found = SVC(**shared).fit(rows, problem.targets, sample_weight=cost)
    theta = np.zeros(len(problem.targets))
    theta[found.support_] = found.dual_coef_[0] / variance
    return on_bounds(problem, theta)


def _native(kernel: Kernel, X: np.ndarray) -> tuple[np.ndarray, float, dict]:
    """Rows in the units of libsvm's kernel, the variance that multiplies it, and its settings."""
    if isinstance(kernel, RBF):
        return X / np.asarray(kernel.lengthscale), float(kernel.variance), {"kernel": "rbf", "gamma": 0.5}
    if isinstance(kernel, Linear):
        return (X - np.asarray(kernel.center)) * np.sqrt(np.asarray(kernel.variance)), 1.0, {"kernel": "linear"}
    assert isinstance(kernel, Polynomial)
    settings = {"kernel": "poly", "degree": kernel.degree, "gamma": 1.0, "coef0": float(kernel.offset)}
    return X * np.sqrt(np.asarray(kernel.variance)), 1.0, settings

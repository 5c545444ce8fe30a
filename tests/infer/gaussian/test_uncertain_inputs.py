"""The variance of f over an uncertain input, after the data, against quadrature of the textbook posterior."""

import numpy as np
import pytest

from credo.infer.gaussian import (
    ConstantMean,
    ConstantNoise,
    Process,
    averaged,
    condition,
    observations,
    variance_over_inputs,
)
from credo.kernels import RBF, Expected, Linear
from credo.numerics import Fixed, flatten

RNG = np.random.default_rng(0)
X = RNG.uniform(-2.0, 2.0, size=(17, 1))
Y = np.sin(2.0 * X[:, 0])
ROWS = np.array([[0.3, 0.4], [-1.0, 0.05], [3.0, 1.0], [0.5, 0.0]])
KERNEL = RBF(1.7, 0.8) + Linear(0.4, 0.5)
PROCESS = Process(Expected(KERNEL), ConstantMean(0.3), ConstantNoise(Fixed(0.04)))
DATA = observations(np.hstack([X, np.zeros((17, 1))]), Y)[0]


def by_quadrature(row):
    """E s²(x) + Var m(x) − Var E f(x), each from the moments of f on a grid of 60 nodes."""
    nodes, weights = np.polynomial.hermite_e.hermegauss(60)
    x, weights = (row[0] + np.sqrt(row[1]) * nodes)[:, None], weights / np.sqrt(2.0 * np.pi)
    C = np.linalg.inv(np.asarray(KERNEL(X)) + 0.04 * np.eye(17))
    q = np.asarray(KERNEL(x, X))
    covariance, mean = np.asarray(KERNEL(x)) - q @ C @ q.T, q @ C @ (Y - 0.3)
    return weights @ np.diag(covariance) + weights @ (mean - weights @ mean) ** 2 - weights @ covariance @ weights


def test_equals_the_law_of_total_variance_on_a_grid():
    found = variance_over_inputs(condition(PROCESS, DATA), ROWS)
    np.testing.assert_allclose(found, [by_quadrature(row) for row in ROWS], rtol=1e-7, atol=1e-10)


@pytest.mark.slow
def test_of_each_draw_of_the_parameters():
    free = np.asarray(flatten(PROCESS).vector) + 0.3 * RNG.normal(size=(3, len(flatten(PROCESS).vector)))
    average = averaged(PROCESS, DATA, free)
    found = np.asarray(variance_over_inputs(average, ROWS))
    each = [variance_over_inputs(condition(flatten(PROCESS).rebuild(u), DATA), ROWS) for u in free]
    np.testing.assert_allclose(found, np.stack(each, axis=1), rtol=1e-6, atol=1e-9)

"""Softmax regression against scikit-learn and statsmodels, and its information against finite differences."""

import sys

import numpy as np
import pytest
import statsmodels.api as sm
from sklearn.datasets import load_iris
from sklearn.linear_model import LogisticRegression as Peer

from credo.infer.glm import LinearDesign
from credo.infer.glm.softmax import _Task, _value_and_slope, fit_softmax, softmax_information

X, Y = load_iris(return_X_y=True)
X = X * [1.0, 10.0, 0.1, 1.0]
W = np.random.default_rng(0).integers(1, 4, len(Y)).astype(float)
DESIGN = LinearDesign(X, True, np.zeros(len(Y)))


def test_penalized_coefficients_are_those_of_scikit_learn():
    found = fit_softmax(DESIGN, Y, W, 3, 2.0)
    peer = Peer(C=0.5, tol=1e-12, max_iter=10_000, solver="newton-cg").fit(X, Y, sample_weight=W)
    assert found.converged
    np.testing.assert_allclose(found.coefficients[1:].T, peer.coef_, rtol=1e-5, atol=1e-7)
    np.testing.assert_allclose(np.sum(found.coefficients, axis=1), 0.0, atol=1e-12)


def test_likelihood_and_standard_errors_are_those_of_statsmodels():
    rng = np.random.default_rng(1)
    A = rng.normal(size=(300, 2))
    logits = np.column_stack([A @ [1.0, 0.0], A @ [0.0, -1.0] + 0.5, np.zeros(300)])
    y = np.argmax(logits + rng.gumbel(size=(300, 3)), axis=1)
    design = LinearDesign(A, True, np.zeros(300))
    found = fit_softmax(design, y, np.ones(300), 3, 0.0)
    # Their reference is the first class; ours in the information is the last.
    peer = sm.MNLogit(2 - y, sm.add_constant(A)).fit(disp=False, method="newton", tol=1e-14)
    against = found.coefficients[:, [1, 0]] - found.coefficients[:, [2]]
    np.testing.assert_allclose(against, peer.params, rtol=1e-5)
    np.testing.assert_allclose(-found.value, peer.llf, rtol=1e-10)
    contrast = np.kron([[0.0, 1.0, -1.0], [1.0, 0.0, -1.0]], np.eye(3))
    errors = np.sqrt(np.diag(contrast @ found.inverse_information @ contrast.T))
    np.testing.assert_allclose(errors.reshape(2, 3).T, peer.bse, rtol=1e-7)
    assert found.rank == 6


def test_slope_against_finite_differences():
    task = _Task(DESIGN, Y, W, 3, DESIGN.penalties(0.7))
    beta = np.random.default_rng(2).normal(size=(5, 3)) / 10
    _, slope = _value_and_slope(task, beta)
    for j, k in ((0, 0), (2, 1), (4, 2)):
        step = np.zeros_like(beta)
        step[j, k] = 1e-6
        difference = (_value_and_slope(task, beta + step)[0] - _value_and_slope(task, beta - step)[0]) / 2e-6
        np.testing.assert_allclose(slope[j, k], difference, rtol=1e-5)


def test_information_against_finite_differences_of_the_slope():
    task = _Task(DESIGN, Y, W, 3, DESIGN.penalties(0.7))
    beta = np.random.default_rng(3).normal(size=(5, 3)) / 10
    information = softmax_information(DESIGN, beta, W, task.penalties)
    for j, k in ((0, 0), (2, 1), (4, 2)):
        step = np.zeros_like(beta)
        step[j, k] = 1e-6
        difference = (_value_and_slope(task, beta + step)[1] - _value_and_slope(task, beta - step)[1]) / 2e-6
        np.testing.assert_allclose(information[k * 5 + j], difference.T.ravel(), rtol=1e-5, atol=1e-5)


def test_many_rows_begin_on_some(monkeypatch):
    alone = fit_softmax(DESIGN, Y, W, 3, 1.0)
    module = sys.modules["credo.infer.glm.softmax"]
    monkeypatch.setattr(module, "_SAMPLE", 1)
    repeated = LinearDesign(np.tile(X, (10, 1)), True, np.zeros(10 * len(Y)))
    many = fit_softmax(repeated, np.tile(Y, 10), np.tile(W, 10) / 10, 3, 1.0)
    np.testing.assert_allclose(many.coefficients, alone.coefficients, rtol=1e-5, atol=1e-7)


@pytest.mark.parametrize("unit", [1e-8, 1e8])
def test_units_do_not_matter(unit):
    alone = fit_softmax(DESIGN, Y, W, 3, 0.0)
    scaled = fit_softmax(LinearDesign(X * unit, True, np.zeros(len(Y))), Y, W, 3, 0.0)
    np.testing.assert_allclose(scaled.value, alone.value, rtol=1e-5, atol=1e-5)

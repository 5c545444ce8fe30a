"""Chunks, memory, extremes: whatever the way, the same machine, and the gap says how good it is."""

import tracemalloc

import numpy as np
import pytest
from sklearn.svm import SVC

from credo.errors import IndefiniteKernelWarning, InputError
from credo.infer.dual import Limits, class_problem, kernel_machine, number_problem, solve, solve_margin
from credo.kernels import RBF, Linear, Matern32, Polynomial, Sigmoid

RNG = np.random.default_rng(0)
X = RNG.normal(size=(400, 2))
Y = np.sin(2.0 * X[:, 0]) + X[:, 1] + 0.3 * RNG.normal(size=400)
SIGN = np.where(Y > 0.5, 1.0, -1.0)
PROBLEMS = {
    "classes": class_problem(SIGN, RNG.uniform(0.5, 2.0, size=400)),
    "numbers": number_problem(Y, RNG.uniform(0.5, 2.0, size=400), 0.3),
}


def scores(kernel, problem, found, X=X):
    return kernel_machine(kernel, X, found).decision(X)


@pytest.mark.parametrize("name", PROBLEMS)
@pytest.mark.parametrize("kernel", [RBF(), Linear()])
def test_chunks_give_the_machine_of_all_rows(name, kernel, monkeypatch):
    problem = PROBLEMS[name]
    whole = solve_margin(kernel, X, problem, Limits(1e-9))
    monkeypatch.setattr(solve, "_SMALL", 40)
    seen = []
    solved = solve._solved
    monkeypatch.setattr(solve, "_solved", lambda p, *rest, **k: seen.append(len(p.targets)) or solved(p, *rest, **k))
    chunked = solve_margin(kernel, X, problem, Limits(1e-9))
    assert len(seen) > 1
    assert seen[0] < 400
    np.testing.assert_allclose(scores(kernel, problem, chunked), scores(kernel, problem, whole), atol=1e-4)
    assert chunked.gap <= 1e-9
    assert chunked.square == pytest.approx(whole.square, rel=1e-5)


@pytest.mark.parametrize("name", PROBLEMS)
@pytest.mark.parametrize("kernel", [RBF(lengthscale=[1.0, 2.0], variance=2.0), Linear(), Polynomial(degree=2)])
def test_above_memory_the_rows_are_streamed(name, kernel):
    problem = PROBLEMS[name]
    whole = solve_margin(kernel, X, problem, Limits(1e-7))
    streamed = solve_margin(kernel, X, problem, Limits(1e-7, 2**20))
    np.testing.assert_allclose(scores(kernel, problem, streamed), scores(kernel, problem, whole), atol=2e-3)
    assert streamed.gap <= 1e-7


def test_other_kernels_are_refused_above_memory_with_the_figure():
    with pytest.raises(InputError, match=r"Machine: 400 rows .* take .* GiB.*Try memory=8388608"):
        solve_margin(Matern32(), X, PROBLEMS["classes"], Limits(1e-3, 2**20, "Machine"))
    assert solve_margin(Matern32(), X, PROBLEMS["classes"], Limits(1e-3, 8388608)).gap <= 1e-3


@pytest.mark.parametrize("kernel", [RBF(), Linear()])
@pytest.mark.slow
def test_no_more_memory_than_was_stated(kernel):
    big = np.random.default_rng(1).normal(size=(1400, 2))
    sign = np.where(big[:, 0] + 0.5 * np.random.default_rng(2).normal(size=1400) > 0.0, 1.0, -1.0)
    memory = 40 * 1400**2
    solve_margin(kernel, big, class_problem(sign, np.ones(1400)), Limits(1e-6, memory))
    tracemalloc.start()
    solve_margin(kernel, big, class_problem(sign, np.ones(1400)), Limits(1e-6, memory))
    assert tracemalloc.get_traced_memory()[1] <= memory
    tracemalloc.stop()


@pytest.mark.parametrize("gap", [0.3, 1e-2, 1e-5])
def test_the_error_bounds_what_is_missing(gap):
    best = solve_margin(RBF(), X, PROBLEMS["classes"], Limits(1e-12))
    cost = PROBLEMS["classes"].high - PROBLEMS["classes"].low

    def value(found):
        hinge = np.maximum(0.0, 1.0 - SIGN * scores(RBF(), PROBLEMS["classes"], found))
        return 0.5 * found.square + cost @ hinge

    found = solve_margin(RBF(), X, PROBLEMS["classes"], Limits(gap))
    assert found.gap <= gap
    assert found.certificate.kind == "bounded"
    assert -1e-8 <= value(found) - value(best) <= found.certificate.error + 1e-8


@pytest.mark.parametrize("cost", [1e-6, 1e6])
@pytest.mark.parametrize("kernel", [RBF(), Linear()])
def test_extreme_costs_converge(kernel, cost):
    some = slice(0, 60)
    for problem in (class_problem(SIGN[some], np.full(60, cost)), number_problem(Y[some], np.full(60, cost), 0.1)):
        found = solve_margin(kernel, X[some], problem)
        assert found.certificate.converged
        assert abs(found.coefficients.sum()) < 1e-8 * cost * 60


def test_duplicated_rows_and_constant_columns():
    """Of a singular covariance the coefficients are not unique; the function is."""
    twice = np.column_stack([np.repeat(X[:60], 2, axis=0), np.ones(120)])
    sign = np.repeat(SIGN[:60], 2)
    found = solve_margin(RBF(), twice, class_problem(sign, np.ones(120)), Limits(1e-9))
    once = solve_margin(RBF(), X[:60], class_problem(SIGN[:60], np.full(60, 2.0)), Limits(1e-9))
    ours = kernel_machine(RBF(), twice, found).decision(twice)[::2]
    np.testing.assert_allclose(ours, kernel_machine(RBF(), X[:60], once).decision(X[:60]), atol=1e-4)


def test_an_indefinite_kernel_has_no_bound():
    with pytest.warns(IndefiniteKernelWarning):
        kernel = Sigmoid(scale=0.5, offset=-0.5)
    K = np.asarray(kernel(X))
    assert np.min(np.linalg.eigvalsh(K)) < -1e-3
    found = solve_margin(kernel, X, PROBLEMS["classes"], Limits(1e-3))
    assert found.certificate.kind == "heuristic"
    assert found.certificate.error is None
    assert any("not positive semi-definite" in note for note in found.certificate.notes)
    cost = np.abs(PROBLEMS["classes"].high + PROBLEMS["classes"].low)
    peer = SVC(kernel="precomputed", tol=1e-6).fit(K, SIGN, sample_weight=cost)
    agree = np.sign(scores(kernel, PROBLEMS["classes"], found)) == peer.predict(K)
    assert np.mean(agree) > 0.9

import numpy as np
import pytest
from scipy.optimize import minimize

from credo.infer.dual.covariance import covariance_of
from credo.infer.dual.polish import assessed, polish
from credo.infer.dual.problem import class_problem, dual_value, number_problem
from credo.kernels import RBF, Linear

RNG = np.random.default_rng(0)
X = RNG.normal(size=(14, 2))
Y = np.sin(2.0 * X[:, 0]) + 0.4 * RNG.normal(size=14)
PROBLEMS = [class_problem(np.where(Y > 0.0, 1.0, -1.0), np.full(14, 1.5)), number_problem(Y, np.full(14, 0.7), 0.2)]


def best_dual(problem, K):
    """By sequential quadratic programming on the two halves of each coefficient."""
    n = len(K)

    def value(u):
        theta = u[:n] - u[n:]
        return 0.5 * theta @ K @ theta + problem.tube * u.sum() - problem.targets @ theta

    bounds = [*((0.0, h) for h in problem.high), *((0.0, -low) for low in problem.low)]
    level = {"type": "eq", "fun": lambda u: np.sum(u[:n] - u[n:])}
    options = {"ftol": 1e-13, "maxiter": 1000}
    return -minimize(value, np.zeros(2 * n), bounds=bounds, constraints=[level], method="SLSQP", options=options).fun


@pytest.mark.parametrize("kernel", [RBF(), Linear()])
@pytest.mark.parametrize("problem", PROBLEMS)
def test_from_nothing_to_the_solution(problem, kernel):
    """Also where the kernel has rank two: every step raises the dual, and the gap bounds what is missing."""
    covariance = covariance_of(kernel, X)
    best = best_dual(problem, covariance.matrix)
    state = assessed(problem, np.zeros(14), np.zeros(14))
    for _ in range(60):
        assert state.dual <= best + 1e-7
        assert state.primal >= best - 1e-7
        further, steps = polish(problem, covariance, state, gap=1e-10, steps=1)
        if not steps:
            break
        assert further.dual >= state.dual - 1e-12
        state = further
        assert abs(state.theta.sum()) < 1e-13
    assert state.gap <= 1e-9
    assert state.dual == pytest.approx(best, rel=1e-6)
    np.testing.assert_allclose(state.function, covariance.times(state.theta), atol=1e-10)


def test_a_solution_takes_no_step():
    covariance = covariance_of(RBF(), X)
    state, _ = polish(PROBLEMS[0], covariance, assessed(PROBLEMS[0], np.zeros(14), np.zeros(14)), gap=1e-9, steps=60)
    again, steps = polish(PROBLEMS[0], covariance, state, gap=1e-9, steps=60)
    assert steps == 0
    assert again is state
    assert state.dual == dual_value(PROBLEMS[0], state.theta, state.theta @ state.function)

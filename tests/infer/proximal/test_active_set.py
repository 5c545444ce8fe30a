import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from credo.infer.proximal.active_set import solve_active_set
from credo.infer.proximal.quadratic import WholeQuadratic


def problem(d: int, rank: int, seed: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    A = rng.normal(size=(rank, d))
    return A.T @ A / rank, A.T @ rng.normal(size=rank) / rank, rng.uniform(0.05, 0.5, size=d)


def objective(hessian, linear, penalty, beta):
    return 0.5 * beta @ hessian @ beta - linear @ beta + penalty @ np.abs(beta)


@settings(max_examples=60, deadline=None)
@given(st.integers(1, 12), st.integers(1, 20), st.integers(0, 10_000), st.floats(0.01, 3.0))
def test_the_conditions_of_optimality_hold(d, rank, seed, scale):
    hessian, linear, penalty = problem(d, rank, seed)
    penalty = scale * penalty
    start = np.random.default_rng(seed + 1).normal(size=d) * (np.arange(d) % 2)
    found = solve_active_set(WholeQuadratic(hessian, linear), penalty, start)
    assert found.settled
    active = found.beta != 0
    np.testing.assert_allclose(found.descent, linear - hessian @ found.beta, atol=1e-12)
    np.testing.assert_allclose(found.descent[active], (penalty * np.sign(found.beta))[active], rtol=1e-6)
    assert np.all(np.abs(found.descent[~active]) <= penalty[~active] * (1 + 1e-6))


@pytest.mark.parametrize("seed", range(5))
def test_no_point_nearby_or_from_another_method_is_lower(seed):
    hessian, linear, penalty = problem(8, 20, seed)
    best = objective(
        hessian, linear, penalty, solve_active_set(WholeQuadratic(hessian, linear), penalty, np.zeros(8)).beta
    )
    beta = np.zeros(8)
    for _ in range(5000):  # proximal gradient
        step = beta + (linear - hessian @ beta) / np.linalg.norm(hessian, 2)
        threshold = penalty / np.linalg.norm(hessian, 2)
        beta = np.sign(step) * np.maximum(np.abs(step) - threshold, 0.0)
    np.testing.assert_allclose(best, objective(hessian, linear, penalty, beta), rtol=1e-10)


def test_columns_given_twice_are_no_obstacle():
    hessian, linear, penalty = problem(6, 20, 0)
    double = np.tile(hessian, (2, 2))
    found = solve_active_set(WholeQuadratic(double, np.tile(linear, 2)), np.tile(penalty, 2), np.zeros(12))
    once = solve_active_set(WholeQuadratic(hessian, linear), penalty, np.zeros(6))
    np.testing.assert_allclose(found.beta[:6] + found.beta[6:], once.beta, atol=1e-6)


def test_a_penalty_above_every_pull_leaves_nothing():
    hessian, linear, _ = problem(5, 10, 1)
    found = solve_active_set(WholeQuadratic(hessian, linear), np.full(5, 10.0), np.ones(5))
    assert not np.any(found.beta)

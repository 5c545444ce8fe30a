import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize_scalar

from credo.infer.dual.problem import (
    best_intercept,
    class_problem,
    dual_value,
    number_problem,
    on_bounds,
    primal_value,
    violations,
)

NUMBERS = st.lists(st.integers(-20, 20).map(lambda i: i / 4.0), min_size=2, max_size=8)


def drawn(values, seed, tube):
    rng = np.random.default_rng(seed)
    y, cost = np.array(values), rng.integers(1, 4, size=len(values)).astype(float)
    return number_problem(y, cost, tube) if seed % 2 else class_problem(np.where(y > 0.0, 1.0, -1.0), cost)


@settings(max_examples=60, deadline=None)
@given(NUMBERS, st.integers(0, 1000), st.sampled_from([0.0, 0.5, 3.0]))
def test_no_intercept_leaves_less_loss(values, seed, tube):
    problem = drawn(values, seed, tube)
    residual = np.random.default_rng(seed).integers(-8, 9, size=len(values)) / 4.0
    loss = lambda b: primal_value(problem, residual - b, 0.0)  # noqa: E731
    kinks = np.concatenate([residual - problem.tube, residual + problem.tube])  # where a loss of lines has its least
    least = min(loss(b) for b in kinks)
    found = best_intercept(problem, residual)
    assert loss(found) == pytest.approx(least, abs=1e-9)
    if np.isfinite(found):  # as far from one end of the best ones as from the other
        best = [b for b in kinks if loss(b) <= least + 1e-9]
        assert loss(2.0 * found - best[0]) == pytest.approx(least, abs=1e-9) or len(best) == 1


@settings(max_examples=60, deadline=None)
@given(NUMBERS, st.integers(0, 1000), st.sampled_from([0.0, 0.5]))
def test_a_coefficient_violates_where_moving_it_helps(values, seed, tube):
    """Against the slopes of the Lagrangian in each coefficient, to both sides."""
    problem, rng = drawn(values, seed, tube), np.random.default_rng(seed)
    share = rng.choice([0.0, 0.5, 1.0], size=len(values))
    theta = share * np.where(rng.random(len(values)) < 0.5, problem.low, problem.high)
    residual = rng.integers(-8, 9, size=len(values)) / 4.0
    gain = lambda t, i: residual[i] * (t - theta[i]) - problem.tube * abs(t)  # noqa: E731
    found, h = violations(problem, theta, residual), 1e-6
    for i in range(len(values)):
        slopes = [(gain(t, i) - gain(theta[i], i)) / h for t in (theta[i] - h, theta[i] + h)]
        allowed = [theta[i] > problem.low[i], theta[i] < problem.high[i]]
        most = max((s for s, yes in zip(slopes, allowed, strict=True) if yes), default=-np.inf)
        assert max(found[i], 0.0) == pytest.approx(max(most, 0.0), abs=1e-6)


def test_objectives_are_the_textbook_ones():
    rng = np.random.default_rng(0)
    y, cost, r = rng.normal(size=9), rng.uniform(1.0, 2.0, size=9), rng.normal(size=9)
    problem = number_problem(y, cost, 0.3)
    assert primal_value(problem, r, 2.0) == pytest.approx(1.0 + cost @ np.maximum(0.0, np.abs(r) - 0.3))
    sign = np.sign(y)
    hinge = cost @ np.maximum(0.0, 1.0 - sign * (sign - r))  # r = s − f
    assert primal_value(class_problem(sign, cost), r, 0.0) == pytest.approx(hinge)
    theta = r - r.mean()
    assert dual_value(problem, theta, 2.0) == pytest.approx(y @ theta - 0.3 * np.abs(theta).sum() - 1.0)
    shifted = dual_value(problem._replace(targets=y + 1e9), theta, 2.0)
    assert shifted == pytest.approx(dual_value(problem, theta, 2.0), abs=1e-5)


@pytest.mark.parametrize("square", [0.1, 3.0])
def test_the_dual_is_below_the_primal(square):
    """For one row pair f = ±a: P(a) ≥ D(t) for every a and feasible t."""
    problem, K = class_problem(np.array([1.0, -1.0]), np.full(2, 2.0)), np.array([[1.0, -1.0], [-1.0, 1.0]]) * square
    P = lambda t: primal_value(problem, problem.targets - K @ [t, -t], [t, -t] @ K @ [t, -t])  # noqa: E731
    least = minimize_scalar(P, bounds=(-3.0, 3.0), method="bounded").fun
    duals = [dual_value(problem, np.array([t, -t]), [t, -t] @ K @ [t, -t]) for t in np.linspace(0.0, 2.0, 2001)]
    assert max(duals) <= least + 1e-6
    assert max(duals) == pytest.approx(least, rel=1e-4)


def test_nearly_on_a_bound_is_on_it():
    problem = number_problem(np.zeros(5), np.ones(5), 0.1)
    theta = on_bounds(problem, np.array([1.0 - 1e-12, -1.0 + 1e-12, 1e-12, 0.5, -0.5 + 1e-11]))
    assert theta[:3].tolist() == [1.0, -1.0, 0.0]
    assert abs(theta.sum()) < 1e-15

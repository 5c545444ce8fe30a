r"""The last digits of a support vector machine: Newton steps on the rows whose coefficient is free to move.

On the free rows F the dual is a quadratic with one equality, whose maximum solves $K_{FF}d + \beta 1 = r_F -
\varepsilon s$, $\sum d = 0$, with s the side of zero that each is on. The step goes there or to the first bound, where
that row stays; it raises the dual each time and ends when no row is held that should not be: an active-set method
(Nocedal & Wright 2006, §16.5) from a start that is nearly there. A small multiple of the identity is added to
$K_{FF}$; as the step is from where it stands, that changes the way, not the end.
"""

from typing import NamedTuple

import numpy as np
from jaxtyping import Float, Int

from credo.infer.dual.covariance import RowCovariance
from credo.infer.dual.problem import MarginProblem, best_intercept, dual_value, on_bounds, primal_value, violations
from credo.numerics.subset_factor import SubsetFactor

__all__ = ["MarginState", "assessed", "polish"]

_PROXIMAL = 1e-9  # of the mean variance, added to the diagonal


class MarginState(NamedTuple):
    """Coefficients, their function at the rows, the intercept, and how far the two objectives are apart."""

    theta: Float[np.ndarray, " n"]
    function: Float[np.ndarray, " n"]
    intercept: float
    primal: float
    dual: float

    @property
    def gap(self) -> float:
        """(P − D)/P: zero at the solution."""
        return max(self.primal - self.dual, 0.0) / self.primal if self.primal > 0.0 else 0.0


def assessed(problem: MarginProblem, theta: Float[np.ndarray, " n"], function: Float[np.ndarray, " n"]) -> MarginState:
    """Coefficients with the intercept that is best for them, and both objectives."""
    square = float(theta @ function)
    intercept = best_intercept(problem, problem.targets - function)
    residual = problem.targets - function - intercept
    primal, dual = primal_value(problem, residual, square), dual_value(problem, theta, square)
    return MarginState(theta, function, intercept, primal, dual)


def polish(
    problem: MarginProblem, covariance: RowCovariance, state: MarginState, *, gap: float, steps: int
) -> tuple[MarginState, int]:
    """Newton steps until the relative gap is at most `gap`, the dual no longer rises, or there were `steps` of them.

    Returns the state and the number of steps. O(|F|²) a step once the first has been factored, O(|F|³), and a product
    with the covariance.
    """
    proximal = _PROXIMAL * max(float(np.mean(covariance.diagonal())), np.finfo(float).tiny)
    with_proximal = lambda i, j: covariance.entries(i, j) + proximal * (i[:, None] == j[None, :])  # noqa: E731
    factor = SubsetFactor(with_proximal, len(state.theta))
    for step in range(steps):
        if state.gap <= gap:
            return state, step
        move = _free_rows(problem, state)
        for way in (_to_the_bounds, _to_the_first_bound):  # the second always rises, the first mostly, and goes further
            theta = way(covariance, factor, state.theta, move)
            further = state if theta is None else _moved(problem, covariance, state, theta)
            if further.dual > state.dual:
                break
        if further.dual <= state.dual and further.gap >= state.gap:  # rounding is all that is left
            return state, step
        state = further
    return state, steps


def _moved(
    problem: MarginProblem, covariance: RowCovariance, state: MarginState, theta: Float[np.ndarray, " n"]
) -> MarginState:
    """The state at other coefficients, put back on bounds and sum where rounding took them off."""
    theta = on_bounds(problem, theta)
    return assessed(problem, theta, state.function + covariance.times(theta - state.theta))


class _Move(NamedTuple):
    """Rows that may move, what their residuals lack, and between which bounds."""

    free: Int[np.ndarray, " f"]
    right: Float[np.ndarray, " f"]
    low: Float[np.ndarray, " f"]
    high: Float[np.ndarray, " f"]

    def of(self, kept: np.ndarray) -> "_Move":
        return _Move(*(part[kept] for part in self))


def _free_rows(problem: MarginProblem, state: MarginState) -> _Move:
    """The rows inside their bounds, and those on a bound that their residual tells to leave."""
    theta, residual = state.theta, problem.targets - state.function - state.intercept
    inside = (theta != 0.0) & (theta > problem.low) & (theta < problem.high)
    free = np.flatnonzero(inside | (violations(problem, theta, residual) > 0.0))
    side = np.where(theta[free] != 0.0, np.sign(theta[free]), np.sign(residual[free]))
    end = np.where(side > 0.0, problem.high[free], problem.low[free])
    return _Move(free, residual[free] - problem.tube * side, np.minimum(0.0, end), np.maximum(0.0, end))


def _to_the_bounds(
    covariance: RowCovariance, factor: SubsetFactor, theta: np.ndarray, move: _Move
) -> np.ndarray | None:
    """The maximum on the free rows; where it is beyond bounds, those rows on them and the maximum on the others."""
    theta = theta.copy()
    total = 0.0  # of the changes so far
    while len(move.free) > 1:
        direction = _direction(factor, move, -total)
        if direction is None:
            return None
        there = theta[move.free] + direction
        beyond = (there < move.low) | (there > move.high)
        if not np.any(beyond):
            theta[move.free] = there
            return theta
        held, move = move.of(beyond), move.of(~beyond)
        change = np.clip(there[beyond], held.low, held.high) - theta[held.free]
        theta[held.free] += change
        total += float(np.sum(change))
        move = move._replace(right=move.right - covariance.entries(move.free, held.free) @ change)
    return None


def _to_the_first_bound(_: RowCovariance, factor: SubsetFactor, theta: np.ndarray, move: _Move) -> np.ndarray | None:
    """Towards the maximum on the free rows as far as all bounds allow; rows that could not start are left out."""
    while len(move.free) > 1:
        direction = _direction(factor, move, 0.0)
        if direction is None:
            return None
        start = theta[move.free]
        blocked = ((direction < 0.0) & (start <= move.low)) | ((direction > 0.0) & (start >= move.high))
        if not np.any(blocked):
            room = np.where(direction > 0.0, move.high - start, move.low - start)
            with np.errstate(divide="ignore", invalid="ignore"):
                lengths = np.where(direction != 0.0, room / direction, np.inf)
            moved = theta.copy()
            moved[move.free] = start + min(1.0, float(np.min(lengths))) * direction
            return moved
        move = move.of(~blocked)
    return None


def _direction(factor: SubsetFactor, move: _Move, total: float) -> np.ndarray | None:
    """d with K d + β 1 = right and Σd = total."""
    both = factor.solve(move.free, np.stack([move.right, np.ones(len(move.free))], axis=1))
    if both is None:
        return None
    toward, ones = both.T
    return toward + (total - np.sum(toward)) / np.sum(ones) * ones

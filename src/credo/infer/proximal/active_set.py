r"""A quadratic with an absolute-value penalty, solved exactly by an active set.

Minimize $\tfrac12\beta^\top H\beta - c^\top\beta + \sum_j \lambda_j|\beta_j|$. Where the signs of the slopes are known
this is a linear system; so the slopes step towards the solution of theirs, as far along the line as the true objective
falls, and a slope whose zero the line crosses changes its sign or leaves (Lee, Battle, Raina & Ng 2007, in blocks). The
objective falls at every step, so no pattern of signs comes twice.
"""

from typing import NamedTuple

import numpy as np
from jaxtyping import Float
from scipy import linalg

from credo.infer.proximal.quadratic import Quadratic
from credo.numerics.subset_factor import SubsetFactor

__all__ = ["ActiveSet", "solve_active_set", "subset_factor"]

_MOST_STEPS = 500
_SLACK = 1e-9  # relative to the penalty: by how much a slope at zero may pull before it is let in
_ROUNDING = 1e-14
_FIRST = 16  # slopes let in at once, at least
_NOISE = 1e-10  # relative


class ActiveSet(NamedTuple):
    """The slopes, c − Hβ at them, and how many systems were solved; `settled` when no slope pulls any more."""

    beta: Float[np.ndarray, " d"]
    descent: Float[np.ndarray, " d"]
    steps: int
    settled: bool


class _Problem(NamedTuple):
    """H = G + ridge, and what solves with parts of it."""

    quadratic: Quadratic
    penalty: np.ndarray
    ridge: np.ndarray
    factor: SubsetFactor

    def descent(self, beta: np.ndarray) -> np.ndarray:
        active = np.flatnonzero(beta)
        return self.quadratic.descent(active, beta[active]) - self.ridge * beta

    def aim(self, signs: np.ndarray) -> np.ndarray:
        """The right side of the system for known signs."""
        return self.quadratic.linear - self.penalty * signs


def subset_factor(quadratic: Quadratic, ridge: float | np.ndarray = 0.0) -> SubsetFactor:
    """What solves with parts of G + ridge; worth keeping between solutions that are alike."""
    added = np.broadcast_to(ridge, quadratic.linear.shape)

    def entries(rows: np.ndarray, columns: np.ndarray) -> np.ndarray:
        part = quadratic.between(rows, columns)
        return part + added[columns] * (rows[:, None] == columns) if np.any(added) else part

    return SubsetFactor(entries, len(quadratic.linear))


def solve_active_set(
    quadratic: Quadratic,
    penalty: Float[np.ndarray, " d"],
    start: Float[np.ndarray, " d"],
    *,
    ridge: float | np.ndarray = 0.0,
    factor: SubsetFactor | None = None,
    descent: Float[np.ndarray, " d"] | None = None,
) -> ActiveSet:
    """Solve from `start`, with `ridge`, one or one per slope, added to the diagonal of G.

    `descent` is c − Hβ at the start, if it is known.

    A step costs a descent of the quadratic and O(a²) a slope that comes or goes, of a that are not zero; a start near
    the solution takes few. Where columns are linearly dependent a solution is found, not all.
    """
    factor = subset_factor(quadratic, ridge) if factor is None else factor
    problem = _Problem(quadratic, penalty, np.broadcast_to(ridge, penalty.shape), factor)
    beta, descent, step = start.copy(), problem.descent(start) if descent is None else descent, 0
    slack = _SLACK * penalty + _ROUNDING * np.max(np.abs(quadratic.linear), initial=0.0)
    while step < _MOST_STEPS:
        active = beta != 0.0
        pull = np.abs(descent) - penalty
        waiting = ~active & (pull > slack)
        settled = bool(np.all(np.abs(descent - penalty * np.sign(beta))[active] <= slack[active]))
        if settled and not np.any(waiting):
            return ActiveSet(beta, descent, step, True)
        step += 1
        signs = np.where(active, np.sign(beta), np.sign(descent))
        entering = _strongest(pull, waiting, max(_FIRST, int(np.sum(active)) // 4))
        moved = _jump(problem, beta, descent, signs, active | entering)
        if moved is None:
            entering = _strongest(pull, waiting, 1) if settled else np.zeros_like(active)
            moved = _walk(problem, beta, descent, signs, active | entering)
        if moved is None:
            break  # rounding: no direction is left in which the objective falls
        beta, descent = moved
    return ActiveSet(beta, descent, step, False)


def _jump(
    problem: _Problem, beta: np.ndarray, descent: np.ndarray, signs: np.ndarray, chosen: np.ndarray
) -> tuple[np.ndarray, np.ndarray] | None:
    """The solution for the chosen slopes and their signs, without those that would change theirs; None if no lower."""
    kept, target, moved = np.flatnonzero(chosen), problem.aim(signs), np.zeros_like(beta)
    while len(kept):
        aim = problem.factor.solve(kept, target[kept])
        if aim is None:
            return None
        right = aim * signs[kept] > 0.0
        if np.all(right):
            moved[kept] = aim
            break
        kept = kept[right]
    after = problem.descent(moved)
    # Of a quadratic the mean of the two slopes at its ends is the exact change.
    change = -0.5 * float((descent + after) @ (moved - beta))
    change += float(problem.penalty @ (np.abs(moved) - np.abs(beta)))
    return (moved, after) if change < 0.0 else None


def _walk(
    problem: _Problem, beta: np.ndarray, descent: np.ndarray, signs: np.ndarray, chosen: np.ndarray
) -> tuple[np.ndarray, np.ndarray] | None:
    """Towards the solution for these signs, as far as the objective falls; None where it does not.

    It falls when the slopes that are not zero are off their optimum, and when they are not and one enters.
    """
    kept = np.flatnonzero(chosen)
    block = problem.quadratic.block(kept) + np.diag(problem.ridge[kept])
    right = problem.aim(signs)[kept]
    aim = problem.factor.solve(kept, right)
    if aim is None:
        aim = _solved_nearly(block, right)
    found = _line_search(block, descent[kept], problem.penalty[kept], beta[kept], aim)
    if found is None:
        return None
    moved = beta.copy()
    moved[kept] = found
    return moved, problem.descent(moved)


def _strongest(pull: np.ndarray, waiting: np.ndarray, most: int) -> np.ndarray:
    """Those that wait and pull most."""
    if np.sum(waiting) <= most:
        return waiting
    bar = np.partition(pull[waiting], -most)[-most]
    return waiting & (pull >= bar)


def _solved_nearly(block: np.ndarray, right: np.ndarray) -> np.ndarray:
    """As if noise were added to dependent columns: far along the line on which they make up for each other."""
    lifted = block.copy()
    lifted[np.diag_indices_from(lifted)] += _NOISE * np.maximum(np.diagonal(block), np.finfo(float).tiny)
    return np.asarray(linalg.solve(lifted, right, assume_a="sym", check_finite=False))


def _line_search(
    block: np.ndarray, descent: np.ndarray, cost: np.ndarray, here: np.ndarray, aim: np.ndarray
) -> np.ndarray | None:
    """The slopes where the objective is least on the way from `here` to `aim`; None where it does not fall.

    Along the line it is a parabola between the points where a slope crosses zero, with a kink up at each: convex, so
    the minimum is where its derivative changes sign.
    """
    way = aim - here
    turning = np.where(here != 0.0, np.sign(here), np.sign(way))
    slope = -float(descent @ way) + float(cost @ (turning * way))
    if slope >= 0.0:
        return None
    curvature = float(way @ (block @ way))
    with np.errstate(divide="ignore", invalid="ignore"):
        crossing = np.where(here * aim < 0.0, here / (here - aim), np.inf)
    order = np.argsort(crossing)
    order = order[: np.searchsorted(crossing[order], 1.0)]
    # The derivative just before each crossing, and after it.
    kinks = 2.0 * cost[order] * np.abs(way[order])
    before = slope + curvature * crossing[order] + np.concatenate([[0.0], np.cumsum(kinks)[:-1]])[: len(order)]
    uphill_before, uphill_after = before >= 0.0, before + kinks >= 0.0
    stop = int(np.argmax(uphill_after)) if np.any(uphill_after) else len(order)
    if stop < len(order) and not uphill_before[stop]:
        moved = here + crossing[order[stop]] * way
        moved[order[stop]] = 0.0
    else:
        passed = slope + float(np.sum(kinks[:stop]))
        share = min(-passed / curvature, 1.0) if curvature > 0.0 else 1.0
        moved = aim.copy() if share == 1.0 else here + share * way
    return moved

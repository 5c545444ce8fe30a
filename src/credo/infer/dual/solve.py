"""Support vector machines to a stated duality gap, on as few rows as they need.

Rows that are on the right side of the margin have no coefficient, and the machine is the same without them. So some
rows are solved, what violates the machine is added, and so on until the gap over all rows is small (chunking: Boser,
Guyon & Vapnik 1992). Each set is solved by libsvm at a loose tolerance, which finds the supporting rows, and Newton
steps, which find their coefficients.
"""

from typing import NamedTuple

import numpy as np
from jaxtyping import Float, Int

from credo.errors import InputError
from credo.infer.dual.covariance import (
    RowCovariance,
    StreamedCovariance,
    WholeCovariance,
    bordered,
    covariance_of,
    kernel_product,
)
from credo.infer.dual.interior import interior_point
from credo.infer.dual.libsvm import identified, is_native
from credo.infer.dual.polish import MarginState, assessed, polish
from credo.infer.dual.problem import MarginProblem, on_bounds, violations
from credo.kernels import Kernel
from credo.numerics.certificate import Certificate
from credo.numerics.padding import bucket

__all__ = ["Limits", "SupportVectors", "solve_margin"]

_SMALL = 1500  # rows that are solved at once
_SHARE = 3  # of more rows, one in so many is solved first
_RESERVE = 1.3  # times as many rows as support or violate the first machine are solved next
_FEW = 50  # rows that were missed, of which Newton steps take care
_ROUNDS = 20
_STEPS = 50
_LOOSE = 0.03  # violation of a margin of one that libsvm leaves to the Newton steps, at first
_ATTEMPTS = 3
_INTERIOR = 1e-8  # of its cost, within which a coefficient of the interior-point method is on its bound
_BYTES = 40  # an entry of a solved set at the most: the matrix, a copy, and what an interior-point method needs


class Limits(NamedTuple):
    """The relative gap that is small enough, the bytes that covariances may take, and who asks."""

    gap: float = 1e-6
    memory: int = 2**30
    who: str = "solve_margin"


class SupportVectors(NamedTuple):
    """The solution: which rows support it, with which coefficients, and how well its conditions hold."""

    rows: Int[np.ndarray, " s"]
    coefficients: Float[np.ndarray, " s"]
    intercept: float
    square: float
    gap: float
    violation: float
    certificate: Certificate


def solve_margin(
    kernel: Kernel, X: Float[np.ndarray, "n d"], problem: MarginProblem, limits: Limits = Limits()
) -> SupportVectors:
    """The machine whose primal and dual objectives are within a gap of each other, relatively.

    Never matrices of more than the memory of `limits`: above it libsvm computes its own kernels row by row, and other
    kernels are refused. O(s²) a round for s rows solved, and O(n s) for the check of the others.
    """
    rows, iterations, missed = _first(problem), 0, len(X)
    whole = assessed(problem, np.zeros(len(X)), np.zeros(len(X)))
    supporting = _Set(rows, _covariance(kernel, X[rows], limits))
    for round_ in range(_ROUNDS):
        # A share of the rows only shows which others matter; where few were missed, the machine goes on from there.
        state, steps = _solved(
            problem.of(supporting.rows),
            supporting.covariance,
            whole.theta[supporting.rows] if missed <= _FEW else None,
            gap=0.5 * limits.gap if round_ or len(rows) == len(X) else np.inf,
            memory=limits.memory,
        )
        iterations += steps
        whole = _everywhere(kernel, X, problem, supporting.rows, state)
        wrong = violations(problem, whole.theta, problem.targets - whole.function - whole.intercept)
        if whole.gap <= limits.gap or len(supporting.rows) == len(X):
            break
        if round_ == 0:
            rows = _nearest(whole.theta, wrong)
            supporting = _Set(rows, _covariance(kernel, X[rows], limits))
        else:
            missed = int(np.sum(np.delete(wrong, supporting.rows) > 0.0))
            supporting = _extended(supporting, kernel, X, wrong, limits)
    return _answer(whole, wrong, limits.gap, iterations, convex=kernel.is_positive_semidefinite)


class _Set(NamedTuple):
    """Rows that are solved together, and their covariance."""

    rows: np.ndarray
    covariance: RowCovariance


def _first(problem: MarginProblem) -> np.ndarray:
    """All rows where they are few; else a share of each side, in random order that is the same each time."""
    n = len(problem.targets)
    if n <= _SMALL:
        return np.arange(n)
    order = np.random.default_rng(0).permutation(n)
    upper = problem.high[order] > 0.0
    count = bucket(max(n // _SHARE, _SMALL // 2))
    sides = order[upper], order[~upper]
    above = min(max(round(count * len(sides[0]) / n), min(len(sides[0]), 1)), count - min(len(sides[1]), 1))
    return np.sort(np.concatenate([sides[0][:above], sides[1][: count - above]]))


def _solved(
    problem: MarginProblem, covariance: RowCovariance, started: np.ndarray | None, *, gap: float, memory: int
) -> tuple[MarginState, int]:
    """One set of rows: libsvm, unless a start is given, then Newton steps; from better starts where these fail."""
    scale = 1.0 if problem.tube == 0.0 else max(float(np.std(problem.targets)), problem.tube)
    nothing = np.zeros(len(problem.targets))
    best, count = assessed(problem, nothing, nothing), 0
    for attempt in range(_ATTEMPTS):
        if started is None and attempt and not isinstance(covariance, StreamedCovariance):
            started = on_bounds(problem, interior_point(problem, covariance.dense()), _INTERIOR)
        elif started is None:
            started = identified(problem, covariance, _LOOSE * scale / 10.0**attempt, memory // 4)
        state = assessed(problem, started, covariance.times(started))
        state, steps = polish(problem, covariance, state, gap=gap, steps=_STEPS)
        count, started = count + steps, None
        best = state if state.gap < best.gap else best
        if best.gap <= gap:
            break
    return best, count


def _covariance(kernel: Kernel, X: np.ndarray, limits: Limits) -> WholeCovariance | StreamedCovariance:
    needed = _BYTES * len(X) ** 2
    if needed <= limits.memory:
        return covariance_of(kernel, X)
    if is_native(kernel):
        return StreamedCovariance(kernel, X)
    raise InputError(
        limits.who,
        f"{len(X)} rows may support the machine, and their covariances take {needed / 2**30:.2g} GiB of memory",
        f"memory allows {limits.memory / 2**30:.2g} GiB",
        f"Try memory={2 ** int(np.ceil(np.log2(needed)))}, fewer rows, or an RBF, Linear or Polynomial kernel",
    )


def _everywhere(
    kernel: Kernel, X: np.ndarray, problem: MarginProblem, rows: np.ndarray, state: MarginState
) -> MarginState:
    """The state over all rows, from that over some."""
    theta, function = np.zeros(len(X)), np.empty(len(X))
    theta[rows], function[rows] = state.theta, state.function
    others, support = np.setdiff1d(np.arange(len(X)), rows), np.flatnonzero(theta)
    if len(others):
        function[others] = kernel_product(kernel, X[others], X[support], theta[support])
    return assessed(problem, theta, function)


def _nearest(theta: np.ndarray, wrong: np.ndarray) -> np.ndarray:
    """What supports or violates the machine, and what is closest to it, up to a padded length a tenth above."""
    distance = np.where(theta != 0.0, np.inf, wrong)
    count = min(bucket(max(int(_RESERVE * np.sum(distance > 0.0)), 2)), len(theta))
    return np.sort(np.argsort(-distance, kind="stable")[:count])


def _extended(supporting: _Set, kernel: Kernel, X: np.ndarray, wrong: np.ndarray, limits: Limits) -> _Set:
    """The set, and what violates the machine or is next to: none is left out, so that the rounds end."""
    distance = wrong.copy()
    distance[supporting.rows] = -np.inf
    count = min(max(2 * int(np.sum(distance > 0.0)), 16), len(X) - len(supporting.rows))
    new = np.sort(np.argsort(-distance, kind="stable")[:count])
    rows, known = np.concatenate([supporting.rows, new]), supporting.covariance
    if not isinstance(known, WholeCovariance) or _BYTES * len(rows) ** 2 > limits.memory:
        return _Set(rows, _covariance(kernel, X[rows], limits))
    return _Set(rows, bordered(known, kernel, X[supporting.rows], X[new]))


def _answer(state: MarginState, wrong: np.ndarray, gap: float, iterations: int, *, convex: bool) -> SupportVectors:
    support, violation = np.flatnonzero(state.theta), max(float(np.max(wrong)), 0.0)
    bound = f"relative duality gap {state.gap:.2g}: so close is the objective to the least there is"
    certificate = Certificate(
        "bounded" if convex else "heuristic",
        status="converged" if state.gap <= gap else "stopped early",
        error=max(state.primal - state.dual, 0.0) if convex else None,
        iterations=iterations,
        residual=violation,
        notes=(bound if convex else "the kernel is not positive semi-definite: the machine may be no minimum",),
    )
    square = max(float(state.theta @ state.function), 0.0)
    return SupportVectors(support, state.theta[support], state.intercept, square, state.gap, violation, certificate)

r"""Newton's method for generalized linear models: Fisher scoring (IRLS) with a line search.

Minimizes $\tfrac12\sum_i w_i d(y_i, \mu_i) + \tfrac12 \lambda\lVert\beta\rVert^2$, the intercept unpenalized. Where
rows are many it begins on some of them, and keeps an information matrix while steps with it converge quickly: the
last one is taken at the solution, where standard errors want it.
"""

from typing import Any, NamedTuple

import numpy as np

from credo.errors import NumericalError
from credo.infer.glm.loss import Loss, loss_of
from credo.infer.glm.problem import GLMProblem
from credo.infer.glm.sweep import Sweep, information_at, sweep
from credo.numerics.semidefinite import scaled_inverse

__all__ = ["Newton", "close_enough", "newton"]

# Of the Newton decrement, in nats, where rows are few: 3e-8 of a standard error. The information taken there is off by
# the decrement's root times the standard error of a predictor: with many rows to a column, where it is small, more is
# allowed.
_CLOSE = 1e-15
_FEW = 30.0  # rows a column
_MANY = 2**24  # products in an information matrix, from which on it is kept for several steps
_SAMPLE = 8192  # rows of the first fit, where they are many
_ROUGH = 1e-3  # nats that are near enough there: other rows move the solution by many more
_QUICK = 0.01  # of the decrement, in a step: keep the matrix
_KEPT = 2  # steps with the first matrix, of a point that is not yet near
_ROUNDING = 1e-15  # of a predictor
_ITERATIONS = 100
_HALVINGS = 30


class Newton(NamedTuple):
    """Where it ended: coefficients, the predictor of each row, the information there (with penalty), its inverse."""

    coefficients: np.ndarray
    predictor: np.ndarray
    information: np.ndarray
    inverse: np.ndarray
    value: float
    decrement: float
    iterations: int
    rank: int
    converged: bool


class _Solver(NamedTuple):
    """The information at some point, and its inverse."""

    point: Sweep
    information: np.ndarray
    inverse: np.ndarray
    rank: int

    def step(self, gradient: np.ndarray) -> np.ndarray:
        return self.inverse @ gradient


def newton(
    problem: GLMProblem, start: np.ndarray | None = None, *, close: float | None = None, who: str = "newton"
) -> Newton:
    """Minimize from `start`, or from where a step on working targets leads. O(n p²) an information matrix.

    The step from where the Newton decrement is at most `close` nats, or `close_enough`, is the last.
    """
    rows, columns = len(problem.y), problem.design.columns
    many = rows * columns**2 > _MANY and rows > 4 * max(_SAMPLE, 20 * columns)
    if start is None:
        start = newton(_some_rows(problem, columns), close=_ROUGH).coefficients if many else _working_start(problem)
    loss = loss_of(problem.family, problem.link)
    point = sweep(problem, loss, start, information=True)
    if not np.isfinite(point.value):
        point = sweep(problem, loss, _working_start(problem), information=True)
    if not np.isfinite(point.value):
        raise NumericalError(
            who,
            "the likelihood is zero where the search begins",
            "The link can give means that the family does not have",
            "Try the family's own link, or standardized columns",
        )
    enough = float(close_enough(np.sum(problem.weights), columns)) if close is None else close
    return _descend(problem, loss, point, enough=enough, keep=many)


def close_enough(weight: Any, columns: int) -> Any:
    """The Newton decrement, in nats, from which one more step leads to the maximum, for rows of a total weight."""
    return _CLOSE * np.clip(weight / (_FEW * columns), 1.0, 10.0) ** 2


def _descend(problem: GLMProblem, loss: Loss, point: Sweep, *, enough: float, keep: bool) -> Newton:
    solver, before, decrement = _solver(problem, point), 0.0, np.inf
    for iteration in range(1, _ITERATIONS + 1):
        step = solver.step(point.gradient)
        decrement = float(point.gradient @ step)
        close = _close(problem, point, enough)
        if solver.point is not point and (decrement <= close or decrement > _QUICK * before):
            # Close, or slower than it should be: the matrix is taken anew, here.
            solver = _solver(problem, point)
            continue
        # A kept matrix is taken anew after two steps, and where the next point is close if this step is like the last.
        planned = not keep or iteration == _KEPT or 4.0 * decrement**2 <= close * before
        moved = _moved(problem, loss, point, step, decrement, information=bool(planned and decrement > close))
        if decrement <= close or moved is None:
            return _ended(point if moved is None else moved, solver, decrement, iteration, decrement <= close)
        point, before = moved, decrement
        if point.information is not None:
            solver = _solver(problem, point)
    return _ended(point, _solver(problem, point), decrement, iteration, converged=False)


def _ended(point: Sweep, solver: _Solver, decrement: float, iterations: int, converged: bool) -> Newton:
    return Newton(
        point.beta,
        point.eta,
        solver.information,
        solver.inverse,
        point.value,
        decrement,
        iterations,
        solver.rank,
        converged,
    )


def _close(problem: GLMProblem, point: Sweep, enough: float) -> float:
    """The decrement that is small enough: in units of the dispersion, as the deviance has it, where it is not one.

    An exact fit has no dispersion; there it is what rounding of the predictors leaves.
    """
    if problem.family.known_dispersion:
        return enough
    rounding = _ROUNDING * (1.0 + np.abs(point.eta))
    nats = 2.0 * point.value / float(np.sum(problem.weights))
    return max(enough * nats, float((problem.weights * point.curvature) @ rounding**2))


def _moved(
    problem: GLMProblem, loss: Loss, point: Sweep, step: np.ndarray, decrement: float, *, information: bool
) -> Sweep | None:
    """The point a step down, halved until the value is lower (Armijo); None where none is."""
    # The value is a sum over rows, of terms of about one, and is no better than that.
    slack = 1e-12 * abs(point.value) + 1e-14 * float(np.sum(problem.weights))
    for halvings in range(_HALVINGS):
        size = 0.5**halvings
        moved = sweep(problem, loss, point.beta - size * step, information=information)
        if moved.value <= point.value - 1e-4 * size * decrement + slack:
            return moved
    return None


def _solver(problem: GLMProblem, point: Sweep) -> _Solver:
    information = point.information
    if information is None:
        information = information_at(problem, point.curvature)
    return _Solver(point, information, *scaled_inverse(information))


def _some_rows(problem: GLMProblem, columns: int) -> GLMProblem:
    """A sample of the rows, drawn alike every time; its solution is where the search on all rows begins."""
    count = max(_SAMPLE, 20 * columns)
    return problem.of(np.sort(np.random.default_rng(0).choice(len(problem.y), count, replace=False)))


def _working_start(problem: GLMProblem) -> np.ndarray:
    """One weighted least-squares step from means between each target and the mean of all."""
    y, w, design = problem.y, problem.weights, problem.design
    mean = problem.family.start(y, float(np.average(y, weights=w)))
    eta = problem.link.predictor(mean)
    slope = problem.link.slope(eta)
    curvature = slope**2 / problem.family.variance(mean)
    target = eta + (y - mean) / slope - design.offset
    inverse, _ = scaled_inverse(information_at(problem, curvature))
    return inverse @ design.against(w * curvature * target)

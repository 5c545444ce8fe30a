r"""Newton's method for generalized linear models: Fisher scoring (IRLS) with a line search.

Minimizes $\tfrac12\sum_i w_i d(y_i, \mu_i) + \tfrac12 \lambda\lVert\beta\rVert^2$, the intercept unpenalized. Where
rows are many it begins on some of them, and keeps an information matrix while steps with it converge quickly: the
last one is taken at the solution, where standard errors want it.
"""

from typing import NamedTuple

import numpy as np

from credo.errors import NumericalError
from credo.infer.glm.design import LinearDesign
from credo.infer.glm.families import Family
from credo.infer.glm.links import Link
from credo.infer.glm.loss import Loss, loss_of
from credo.numerics.semidefinite import scaled_inverse

__all__ = ["GLMProblem", "Newton", "newton"]

_CLOSE = 1e-15  # of the Newton decrement, in nats: 3e-8 of a standard error
_MANY = 2**24  # products in an information matrix, from which on it is kept for several steps
_SAMPLE = 8192  # rows of the first fit, where they are many
_ROUGH = 1e-3  # nats that are near enough there: other rows move the solution by many more
_QUICK = 0.01  # of the decrement, in a step: keep the matrix
_ITERATIONS = 100
_HALVINGS = 30


class GLMProblem(NamedTuple):
    """A design, targets, weights (frequencies times sizes), family and link, and the ridge, one or one a slope."""

    design: LinearDesign
    y: np.ndarray
    weights: np.ndarray
    family: Family
    link: Link
    ridge: float | np.ndarray = 0.0

    @property
    def penalties(self) -> np.ndarray:
        """One a coefficient."""
        return self.design.penalties(self.ridge)


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


class _Point(NamedTuple):
    beta: np.ndarray
    eta: np.ndarray
    value: float


class _Solver(NamedTuple):
    """The information at some point, and its inverse."""

    information: np.ndarray
    inverse: np.ndarray
    rank: int

    def step(self, gradient: np.ndarray) -> np.ndarray:
        return self.inverse @ gradient


def newton(
    problem: GLMProblem, start: np.ndarray | None = None, *, close: float = _CLOSE, who: str = "newton"
) -> Newton:
    """Minimize from `start`, or from where a step on working targets leads. O(n p²) an information matrix.

    The step from where the Newton decrement is at most `close` nats is the last.
    """
    rows, columns = len(problem.y), problem.design.columns
    many = rows * columns**2 > _MANY and rows > 4 * max(_SAMPLE, 20 * columns)
    if start is None:
        start = newton(_some_rows(problem, columns), close=_ROUGH).coefficients if many else _working_start(problem)
    loss = loss_of(problem.family, problem.link)
    point = _at(problem, loss, start)
    if not np.isfinite(point.value):
        point = _at(problem, loss, _working_start(problem))
    if not np.isfinite(point.value):
        raise NumericalError(
            who,
            "the likelihood is zero where the search begins",
            "The link can give means that the family does not have",
            "Try the family's own link, or standardized columns",
        )
    return _descend(problem, loss, point, enough=close, keep=many)


def _descend(problem: GLMProblem, loss: Loss, point: _Point, *, enough: float, keep: bool) -> Newton:
    solver, fresh, before, decrement = None, False, np.inf, np.inf
    # Of an exact fit nothing is left that a decrement could be held against, but for where it began.
    least = 1e-12 * _scale_of(problem, point.value)
    for iteration in range(1, _ITERATIONS + 1):
        score, curvature = loss.derivatives(problem.y, point.eta)
        gradient = problem.penalties * point.beta - problem.design.against(problem.weights * score)
        if solver is None or not keep:
            solver, fresh, before = _solver(problem, problem.weights * curvature), True, np.inf
        step = solver.step(gradient)
        decrement = float(gradient @ step)
        close = decrement <= enough * max(_scale_of(problem, point.value), least)
        if not fresh and (close or decrement > _QUICK * before):
            # Close, or slower than it should be: the matrix is taken anew, here.
            solver = None
            continue
        point, lowered = _moved(problem, loss, point, step, decrement)
        if close or not lowered:
            return _ended(point, solver, decrement, iteration, converged=bool(close))
        before, fresh = decrement, False
    return _ended(point, _solver(problem, problem.weights * curvature), decrement, iteration, converged=False)


def _ended(point: _Point, solver: _Solver, decrement: float, iterations: int, *, converged: bool) -> Newton:
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


def _scale_of(problem: GLMProblem, value: float) -> float:
    """What a nat is: the dispersion, as the deviance has it, where it is not one."""
    if problem.family.known_dispersion:
        return 1.0
    return max(2.0 * value / float(np.sum(problem.weights)), np.finfo(float).tiny)


def _at(problem: GLMProblem, loss: Loss, beta: np.ndarray) -> _Point:
    eta = problem.design.predictor(beta)
    return _Point(beta, eta, _value(problem, loss, beta, eta))


def _value(problem: GLMProblem, loss: Loss, beta: np.ndarray, eta: np.ndarray) -> float:
    penalty = 0.5 * float(problem.penalties @ beta**2)
    return float(problem.weights @ loss.value(problem.y, eta)) + penalty


def _moved(problem: GLMProblem, loss: Loss, point: _Point, step: np.ndarray, decrement: float) -> tuple[_Point, bool]:
    """The point a step down, halved until the value is lower (Armijo); the same point where none is."""
    change = problem.design.predictor(step) - problem.design.offset
    # The value is a sum over rows, of terms of about one, and is no better than that.
    slack = 1e-12 * abs(point.value) + 1e-14 * float(np.sum(problem.weights))
    for halvings in range(_HALVINGS):
        size = 0.5**halvings
        beta, eta = point.beta - size * step, point.eta - size * change
        value = _value(problem, loss, beta, eta)
        if value <= point.value - 1e-4 * size * decrement + slack:
            return _Point(beta, eta, value), True
    return point, False


def _solver(problem: GLMProblem, curvature: np.ndarray) -> _Solver:
    information = problem.design.gram(curvature)
    np.einsum("ii->i", information)[...] += problem.penalties
    return _Solver(information, *scaled_inverse(information))


def _some_rows(problem: GLMProblem, columns: int) -> GLMProblem:
    """A sample of the rows, drawn alike every time; its solution is where the search on all rows begins."""
    count = max(_SAMPLE, 20 * columns)
    chosen = np.sort(np.random.default_rng(0).choice(len(problem.y), count, replace=False))
    return problem._replace(design=problem.design.rows(chosen), y=problem.y[chosen], weights=problem.weights[chosen])


def _working_start(problem: GLMProblem) -> np.ndarray:
    """One weighted least-squares step from means between each target and the mean of all."""
    y, w, design = problem.y, problem.weights, problem.design
    mean = problem.family.start(y, float(np.average(y, weights=w)))
    eta = problem.link.predictor(mean)
    slope = problem.link.slope(eta)
    curvature = w * slope**2 / problem.family.variance(mean)
    target = eta + (y - mean) / slope - design.offset
    return _solver(problem, curvature).step(design.against(curvature * target))

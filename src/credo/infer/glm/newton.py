r"""Newton's method for generalized linear models: Fisher scoring (IRLS) with a line search.

Minimizes $\tfrac12\sum_i w_i d(y_i, \mu_i) + \tfrac12 \lambda\lVert\beta\rVert^2$, the intercept unpenalized. Where
rows are many it begins on some of them and takes the inverse of their information along, which secants improve on the
way: on all rows an information matrix is needed at the solution only, where standard errors want it.
"""

from functools import partial
from typing import Any, NamedTuple, cast

import numpy as np

from credo.errors import NumericalError
from credo.infer.glm.descent import Descended, Exact, descend
from credo.infer.glm.loss import loss_of
from credo.infer.glm.problem import GLMProblem
from credo.infer.glm.sweep import Sweep, information_at, sweep

__all__ = ["Newton", "close_enough", "newton"]

# Of the Newton decrement, in nats, where rows are few. The information taken there is off by the decrement's root times
# the standard error of a predictor, about the root of columns over rows: where rows are many, more is allowed.
_CLOSE = 1e-15
_FEW = 30.0  # rows a column
_MANY = 2**24  # products in an information matrix, from which on steps do without
_SAMPLE = 8192  # rows of the first fit, where they are many
_ROUGH = 1e-3  # nats that are near enough there: other rows move the solution by many more
_QUICK = 0.1  # of the decrement, in a step: keep the inverse
_ROUNDING = 1e-15  # of a predictor


class Newton(NamedTuple):
    """Where it ended: coefficients, the predictor of each row, the information there (with penalty), its inverse.

    `curvature` is that of each row, not yet weighted, where the information and the decrement were taken: a last step
    leads from there to the coefficients.
    """

    coefficients: np.ndarray
    predictor: np.ndarray
    curvature: np.ndarray
    information: np.ndarray
    inverse: np.ndarray
    value: float
    decrement: float
    iterations: int
    rank: int
    converged: bool


def newton(
    problem: GLMProblem, start: np.ndarray | None = None, *, close: float | None = None, who: str = "newton"
) -> Newton:
    """Minimize from `start`, or from where a step on working targets leads. O(n p²) an information matrix.

    The step from where the Newton decrement is at most `close` nats, or `close_enough`, is the last.
    """
    rows, columns = len(problem.y), problem.design.columns
    many = rows * columns**2 > _MANY and rows > 4 * max(_SAMPLE, 20 * columns)
    loss, inverse = loss_of(problem.family, problem.link), None
    if start is None and many:
        some = _some_rows(problem, columns)
        found = newton(some, close=_ROUGH)
        start, inverse = found.coefficients, found.inverse * (np.sum(some.weights) / np.sum(problem.weights))
    point = sweep(problem, loss, _working_start(problem) if start is None else start)
    if not np.isfinite(point.value):
        point, inverse = sweep(problem, loss, _working_start(problem)), None
    if not np.isfinite(point.value):
        raise NumericalError(
            who,
            "the likelihood is zero where the search begins",
            "The link can give means that the family does not have",
            "Try the family's own link, or standardized columns",
        )
    enough = float(close_enough(np.sum(problem.weights), columns)) if close is None else close
    end = descend(
        partial(sweep, problem, loss),
        lambda there: information_at(problem, there.curvature),
        point,
        inverse,
        close=lambda there: _close(problem, there, enough),
        weight=float(np.sum(problem.weights)),
        quick=_QUICK,
        keep=many,
    )
    return _after_the_last_step(problem, end)


def _after_the_last_step(problem: GLMProblem, end: Descended) -> Newton:
    """With the predictor moved by it too."""
    last, exact = cast(Sweep, end.point), end.exact
    eta = last.eta - (problem.design.predictor(end.step) - problem.design.offset)
    ended = end.decrement, end.iterations, exact.rank, end.converged
    return Newton(end.beta, eta, last.curvature, exact.information, exact.inverse, end.value, *ended)


def close_enough(weight: Any, columns: int) -> Any:
    """The Newton decrement, in nats, from which one more step leads to the maximum, for rows of a total weight."""
    return _CLOSE * np.clip(weight / (_FEW * columns), 1.0, 100.0) ** 2


def _close(problem: GLMProblem, point: Sweep, enough: float) -> float:
    """The decrement that is small enough: in units of the dispersion, as the deviance has it, where it is not one.

    An exact fit has no dispersion; there it is what rounding of the predictors leaves.
    """
    if problem.family.known_dispersion:
        return enough
    rounding = _ROUNDING * (1.0 + np.abs(point.eta))
    nats = 2.0 * point.value / float(np.sum(problem.weights))
    return max(enough * nats, float((problem.weights * point.curvature) @ rounding**2))


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
    inverse = Exact.of(information_at(problem, curvature)).inverse
    return inverse @ design.against(w * curvature * target)

r"""Generalized linear models whose slopes pay for their absolute size, so that many are zero: proximal Newton.

Minimizes $\tfrac12\sum_i w_i d(y_i, \mu_i) + \lambda_1\lVert\beta\rVert_1 + \tfrac12\lambda_2\lVert\beta\rVert^2$, the
intercept unpenalized. Each step solves the same penalty on the weighted least squares that Fisher scoring would take,
exactly and by an active set, and goes towards that solution as far as the objective falls (Lee, Sun & Saunders 2014,
eq. 2.17). A step sees the slopes that are not zero and those at zero that pull most: no matrix of all columns is made,
and there may be more of them than rows.
"""

from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from credo.errors import NumericalError
from credo.infer.glm.design import LinearDesign
from credo.infer.glm.families import BernoulliFamily, BinomialFamily
from credo.infer.glm.fit import GLMFit, described, quasi_note
from credo.infer.glm.gap import duality_gap
from credo.infer.glm.loss import Loss, loss_of
from credo.infer.glm.newton import newton
from credo.infer.glm.problem import GLMProblem
from credo.infer.glm.separation import Separation, binary_signs, count_signs
from credo.infer.proximal.active_set import solve_active_set
from credo.infer.proximal.quadratic import centered_quadratic
from credo.numerics.certificate import Certificate, Solution, warned

__all__ = ["LASSO", "ProximalNewton", "fit_sparse_glm", "proximal_newton"]

#: Why a budget is not split after one.
LASSO = "the coefficients of a lasso are taken as they are, so what is unknown about them is not covered"

_CLOSE = 1e-9  # of the lasso: by how much a condition of optimality may be missed
_ROUGH = 0.1  # the same for a larger one on the way to it
_ROUNDING = 1e-14  # of the terms that a gradient is the sum of
_ITERATIONS = 200
_HALVINGS = 30
_FIRST = 64  # slopes at zero that a step looks at, at least
_NEAR = 0.5  # of the lasso: a slope that pulls less stays where it is for a step
_FLAT = 1e-12  # of the largest curvature: the least that a row is taken to have
_BENT = 0.1  # of the expected curvature of a row: the least of its own that a step takes
_NUDGE = 1e-5  # of a predictor, for the curvature
_STAGE = 0.3  # of the lasso before: the next one on the way down
_LARGEST = 1e12  # lassos that the way down begins with, at most


class ProximalNewton(NamedTuple):
    """Where it ended: coefficients, the predictor of each row, and the largest miss of a condition, in lassos."""

    coefficients: np.ndarray
    predictor: np.ndarray
    violation: float
    iterations: int
    converged: bool


class _Task(NamedTuple):
    problem: GLMProblem
    loss: Loss
    lasso: np.ndarray  # one per slope
    ridge: np.ndarray

    def value(self, beta: np.ndarray, eta: np.ndarray) -> float:
        slopes = beta[int(self.problem.design.intercept) :]
        penalty = float(self.lasso @ np.abs(slopes)) + 0.5 * float(self.ridge @ slopes**2)
        return float(self.problem.weights @ self.loss(self.problem.y, eta).value) + penalty


class _Point(NamedTuple):
    beta: np.ndarray
    eta: np.ndarray
    value: float


class _Slopes(NamedTuple):
    """The derivatives at a point: of each row in its predictor, and of the objective without its lasso."""

    score: np.ndarray
    curvature: np.ndarray
    gradient: np.ndarray


def fit_sparse_glm(
    problem: GLMProblem,
    lasso: float | np.ndarray,
    frequencies: np.ndarray | None = None,
    *,
    start: np.ndarray | None = None,
    who: str = "fit_sparse_glm",
) -> Solution[GLMFit]:
    r"""Minimize with a positive `lasso`, one or one per slope, in standard units; then say what is known.

    Both penalties are on the coefficients of the columns as they came, so a column in a smaller unit pays more.

    The certificate is "bounded" by the duality gap, in units of the log likelihood times the dispersion, for the pairs
    of family and link whose dual is known; for the others its residual is the largest violation of the conditions of
    optimality, relative to the lasso, and it is "heuristic". Rank and degrees of freedom count slopes that are not
    zero (Zou, Hastie & Tibshirani 2007). There is no covariance of the coefficients.

    >>> from credo.infer.glm import FAMILIES, LINKS
    >>> X = np.array([[0.0, 1.0], [1.0, 0.0], [2.0, 1.0], [3.0, 0.0]])
    >>> design = LinearDesign(X, True, np.zeros(4))
    >>> problem = GLMProblem(design, np.array([1.0, 2.0, 4.0, 9.0]), np.ones(4), FAMILIES["poisson"], LINKS["log"])
    >>> fit_sparse_glm(problem, 1.0).value.coefficients.round(3).tolist()
    [0.108, 0.674, 0.0]
    """
    problem, units = problem.standardized(who)
    penalties = units.lasso(lasso)
    found = proximal_newton(problem, penalties, None if start is None else units.standard(start), who=who)
    rank = int(np.count_nonzero(found.coefficients[int(problem.design.intercept) :])) + problem.design.intercept
    separated = _one_sided(problem)
    empty = np.zeros((0, 0))
    value = described(problem, found.coefficients, empty, units, found.predictor, rank, separated, frequencies)
    gap = duality_gap(problem, penalties, found.coefficients, found.predictor)
    certificate = _certificate(found, gap, separated, quasi_note(problem, who))
    certificate = warned(certificate, who, "Try a larger lasso or standardized columns")
    return Solution(value, certificate, {"violation": found.violation})


def proximal_newton(
    problem: GLMProblem, lasso: float | np.ndarray, start: np.ndarray | None = None, *, who: str = "proximal_newton"
) -> ProximalNewton:
    """Minimize from `start`, or from slopes of zero. O(n d + n a²) an iteration, with a slopes that are not zero.

    The lasso is one number or one per slope, positive.
    """
    penalties = (
        np.broadcast_to(np.asarray(part, float), problem.design.X.shape[1:]) for part in (lasso, problem.ridge)
    )
    task = _Task(problem, loss_of(problem.family, problem.link), *penalties)
    beta, eta, taken = *_begin(task, start, who), 0
    if start is None:
        # From zero, and where many slopes are to come, one lasso after the other: each finds the next one's slopes.
        pull = np.abs(_slopes(task, beta, eta).gradient[int(problem.design.intercept) :])
        times = min(float(np.max(pull / task.lasso, initial=0.0)), _LARGEST)
        while times * _STAGE > 1.0:
            times *= _STAGE
            stage = _descend(task._replace(lasso=times * task.lasso), beta, eta, _ROUGH)
            beta, eta, taken = stage.coefficients, stage.predictor, taken + stage.iterations
    found = _descend(task, beta, eta, _CLOSE)
    return found._replace(iterations=taken + found.iterations)


def _descend(task: _Task, beta: np.ndarray, eta: np.ndarray, close: float) -> ProximalNewton:
    design = task.problem.design
    point, slopes = _Point(beta, eta, task.value(beta, eta)), _slopes(task, beta, eta)
    reach = float(np.max(np.abs(design.X.data if sparse.issparse(design.X) else design.X), initial=1.0))
    for iteration in range(_ITERATIONS + 1):
        rounding = _ROUNDING * float(task.problem.weights @ np.abs(slopes.score)) * reach
        violation = _violation(task, point.beta, slopes.gradient, rounding / close)
        converged = violation <= close
        moved = None if converged or iteration == _ITERATIONS else _moved(task, point, slopes)
        if moved is None:
            break
        point = moved
        slopes = _slopes(task, point.beta, point.eta)
    return ProximalNewton(point.beta, point.eta, violation, iteration, bool(converged))


def _begin(task: _Task, start: np.ndarray | None, who: str) -> tuple[np.ndarray, np.ndarray]:
    """Coefficients and predictor."""
    problem, design = task.problem, task.problem.design
    if start is None:
        start = np.zeros(design.columns)
        if design.intercept:
            alone = LinearDesign(np.zeros((len(problem.y), 0)), True, design.offset)
            start[0] = newton(problem._replace(design=alone, ridge=0.0), who=who).coefficients[0]
    eta = design.predictor(start)
    if not np.isfinite(task.value(start, eta)):
        raise NumericalError(
            who,
            "the likelihood is zero where all slopes are",
            "Without an intercept the link gives means that the family does not have",
            "Try fit_intercept=True, or the family's own link",
        )
    return start, eta


def _slopes(task: _Task, beta: np.ndarray, eta: np.ndarray) -> _Slopes:
    problem = task.problem
    _, score, expected = task.loss(problem.y, eta)
    # Where the link is not the canonical one, steps with a row's own curvature converge faster.
    with np.errstate(all="ignore"):
        up, down = (task.loss(problem.y, eta + h).score for h in (_NUDGE, -_NUDGE))
        own = (down - up) / (2.0 * _NUDGE)
    curvature = np.where(np.isfinite(own), np.maximum(own, _BENT * expected), expected)
    gradient = problem.design.penalties(task.ridge) * beta - problem.design.against(problem.weights * score)
    return _Slopes(score, curvature, gradient)


def _violation(task: _Task, beta: np.ndarray, gradient: np.ndarray, slack: float) -> float:
    """By how much the gradient is not balanced by the lasso: ∓λ₁ where a slope is not zero, within ±λ₁ where it is.

    Relative to the lasso of that slope and a slack for rounding; for the intercept, to the lasso of a typical slope.
    """
    lasso = task.problem.design.penalties(task.lasso)
    miss = np.where(beta != 0.0, np.abs(gradient + lasso * np.sign(beta)), np.abs(gradient) - lasso)
    typical = float(np.median(task.lasso)) if len(task.lasso) else 1.0
    return max(float(np.max(miss / (np.where(lasso > 0.0, lasso, typical) + slack), initial=0.0)), 0.0)


def _moved(task: _Task, point: _Point, slopes: _Slopes) -> _Point | None:
    """The point a step down, halved until the objective is lower; None where it is not."""
    first = int(task.problem.design.intercept)
    columns = _columns(point.beta[first:], slopes.gradient[first:], task.lasso)
    X = task.problem.design.X[:, columns]
    aim = _aim(task, point, slopes, columns, X)
    step = aim - point.beta
    change = X @ step[first:][columns] + (step[0] if first else 0.0)
    sizes = np.abs(aim[first:]) - np.abs(point.beta[first:])
    fall = float(slopes.gradient @ step) + float(task.lasso @ sizes)
    # The value is a sum over rows, of terms of about one, and is no better than that.
    slack = 1e-12 * abs(point.value) + 1e-14 * float(np.sum(task.problem.weights))
    if fall >= 0.0:
        return None
    for halvings in range(_HALVINGS):
        size = 0.5**halvings
        beta = point.beta + size * step if halvings else aim  # where the aim is zero, so is the slope
        eta = point.eta + size * change
        value = task.value(beta, eta)
        if value <= point.value + 1e-4 * size * fall + slack:
            return _Point(beta, eta, value)
    return None


def _columns(beta: np.ndarray, gradient: np.ndarray, lasso: np.ndarray) -> np.ndarray:
    """Those of slopes that are not zero, and of as many again that pull most."""
    active, pull = beta != 0.0, np.abs(gradient) / lasso
    waiting = np.flatnonzero(~active & (pull > _NEAR))
    most = max(_FIRST, int(np.sum(active)))
    if len(waiting) > most:
        waiting = waiting[np.argpartition(pull[waiting], -most)[-most:]]
    return np.sort(np.concatenate([np.flatnonzero(active), waiting]))


def _aim(task: _Task, point: _Point, slopes: _Slopes, columns: np.ndarray, X: Any) -> np.ndarray:
    """The coefficients that minimize the penalty on the weighted squares of working targets, over these columns."""
    design, first = task.problem.design, int(task.problem.design.intercept)
    curvature = np.maximum(slopes.curvature, _FLAT * float(np.max(slopes.curvature)))
    targets = point.eta - design.offset + slopes.score / curvature
    quadratic = centered_quadratic(X, targets, task.problem.weights * curvature, intercept=bool(first))
    penalty, ridge = (part[columns] / quadratic.weight for part in (task.lasso, task.ridge))
    here = point.beta[first:][columns]
    there = solve_active_set(quadratic, penalty, here, ridge=ridge).beta
    aim = np.zeros_like(point.beta)
    aim[first:][columns] = there
    if first:
        aim[0] = quadratic.level - float(quadratic.center @ there)
    return aim


def _one_sided(problem: GLMProblem) -> Separation:
    """The intercept is not penalized: it alone may run off, where all targets are at the same end of their range."""
    if not problem.design.intercept or not problem.family.known_dispersion:
        return "none"
    binary = isinstance(problem.family, (BernoulliFamily, BinomialFamily))
    signs, held = (binary_signs if binary else count_signs)(problem.y)
    return "complete" if not np.any(held) and np.all(signs == signs[0]) else "none"


def _certificate(
    found: ProximalNewton, gap: float | None, separated: Separation, notes: tuple[str, ...]
) -> Certificate:
    if separated != "none":
        notes = (*notes, "all targets are at one end of their range: the intercept grows without end")
    status = "converged" if found.converged and separated == "none" else "stopped early"
    if gap is not None:
        note = (
            "the error is the duality gap, in units of the log likelihood; conditions of optimality hold to "
            f"{found.violation:.1g} of the lasso"
        )
        return Certificate("bounded", status, error=gap, iterations=found.iterations, notes=(note, *notes))
    note = "the residual is the largest miss of a condition of optimality, relative to the lasso"
    return Certificate("heuristic", status, iterations=found.iterations, residual=found.violation, notes=(note, *notes))

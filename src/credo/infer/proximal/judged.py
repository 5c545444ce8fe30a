"""A path along the penalty with what speaks for each of its points: held-out error, and information criteria."""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from jaxtyping import Float

from credo.errors import UndefinedError
from credo.infer.proximal.path import PenaltyPath
from credo.infer.proximal.quadratic import Quadratic, centered_quadratic
from credo.infer.resample import folds as folds_of
from credo.infer.testing import akaike, bayes_criterion, normal_log_likelihood
from credo.numerics.certificate import Solution
from credo.numerics.progress import tracker

__all__ = ["JudgedPath", "PathSolver", "judged_path"]

#: What solves a quadratic along penalties.
PathSolver = Callable[[Quadratic, np.ndarray], Solution[PenaltyPath]]


class JudgedPath(NamedTuple):
    """The path, and for each penalty AIC, BIC, the mean squared error on held-out rows and its standard error.

    AIC and BIC count the coefficients in effect, the intercept included, and not the noise variance, as
    `LinearRegression` does. The last two fields are empty where no rows were held out.
    """

    path: PenaltyPath
    aic: Float[np.ndarray, " k"]
    bic: Float[np.ndarray, " k"]
    cv_error: Float[np.ndarray, " k"]
    cv_deviation: Float[np.ndarray, " k"]

    @property
    def ways(self) -> tuple[str, ...]:
        """How a point can be chosen."""
        return ("cv", "1se", "aic", "bic") if len(self.cv_error) else ("aic", "bic")

    def best(self, by: str) -> int:
        """The index of the least "aic", "bic" or "cv" error, or by "1se" the largest penalty within its deviation."""
        if by in ("cv", "1se") and not len(self.cv_error):
            raise UndefinedError("JudgedPath", "no rows were held out", "folds is None", "Pass folds=5")
        if by != "1se":
            return int(np.argmin({"aic": self.aic, "bic": self.bic, "cv": self.cv_error}[by]))
        least = int(np.argmin(self.cv_error))
        near = self.cv_error <= self.cv_error[least] + self.cv_deviation[least]
        return int(np.argmax(np.where(near, self.path.penalties, -np.inf)))


def judged_path(
    quadratic: Quadratic,
    X: Any,
    y: Float[np.ndarray, " n"],
    weights: Float[np.ndarray, " n"],
    solve: PathSolver,
    penalties: Float[np.ndarray, " k"],
    *,
    intercept: bool,
    folds: int | None = 5,
    random_state: Any = 0,
) -> Solution[JudgedPath]:
    """Solve along `penalties` on all rows and, for each of `folds`, without the rows that it holds out.

    `quadratic` is that of all rows. Rows that are equal should have been merged into weights: otherwise a row may be
    held out from its own copy.
    """
    whole = solve(quadratic, penalties)
    path, total = whole.value, quadratic.weight
    # An exact fit would have an infinite likelihood.
    log_likelihood = normal_log_likelihood(np.maximum(2.0 * path.losses, np.finfo(float).tiny), total)
    parameters = path.degrees + intercept
    error, deviation = np.empty(0), np.empty(0)
    if folds is not None:
        error, deviation = _held_out(X, y, weights, solve, penalties, intercept, folds, random_state)
    judged = JudgedPath(
        path,
        akaike(log_likelihood, parameters),
        bayes_criterion(log_likelihood, parameters, total),
        error,
        deviation,
    )
    return Solution(judged, whole.certificate, {})


def _held_out(
    X: Any,
    y: np.ndarray,
    weights: np.ndarray,
    solve: PathSolver,
    penalties: np.ndarray,
    intercept: bool,
    folds: int,
    random_state: Any,
) -> tuple[np.ndarray, np.ndarray]:
    masks = folds_of(len(y), min(folds, len(y)), random_state)
    errors, shares = [], []
    with tracker("cross-validating", len(masks)) as track:
        for held in masks:
            quadratic = centered_quadratic(X[~held], y[~held], weights[~held], intercept=intercept)
            path = solve(quadratic, penalties).value
            misses = y[held][:, None] - X[held] @ path.coefficients.T - path.intercepts
            errors.append(weights[held] @ misses**2 / np.sum(weights[held]))
            shares.append(np.sum(weights[held]))
            track.advance()
    by_fold = np.stack(errors)
    mean = np.average(by_fold, axis=0, weights=shares)
    return mean, np.std(by_fold, axis=0, ddof=1) / np.sqrt(len(masks))

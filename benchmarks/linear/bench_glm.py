"""Logistic, Poisson and softmax regression with standard errors, against scikit-learn, statsmodels and glum.

Independent columns and weak signals are the best case of a first-order method, so there are adverse cases too.
"""

import warnings
from collections.abc import Callable
from dataclasses import dataclass
from importlib.util import find_spec
from typing import Any

import numpy as np
from scipy import special
from sklearn import linear_model

from benchmarks.linear.referee import Answer, distance, loosest, slope, with_ones
from benchmarks.race import Race, compared, interleaved
from credo.models import LogisticRegression, PoissonRegression, SoftmaxRegression

ROWS, SOFTMAX_ROWS, COLUMNS, CLASSES = 100_000, 50_000, 50, 10
SOFTMAX_COLUMNS = 20  # of the adverse case, which has as many rows as the others
WANTED = 1e-4  # standard errors from the maximum
SEED = 0

MODELS: dict[str, Callable[[], Any]] = {
    "logistic": LogisticRegression,
    "poisson": PoissonRegression,
    "softmax": SoftmaxRegression,
}


@dataclass(frozen=True)
class Case:
    """A model and its data: columns, the correlation of neighboring ones, and the size of the linear predictor.

    `far` is the mean of the first column, in standard deviations.
    """

    model: str
    data: str
    rows: int
    columns: int = COLUMNS
    correlation: float = 0.0
    level: float = 0.3
    signal: float = 1.0  # standard deviation of the predictor
    far: float = 0.0

    def drawn(self) -> tuple[np.ndarray, np.ndarray]:
        """Normal columns, each correlated with the next, and targets of the model."""
        rng = np.random.default_rng(SEED)
        X = rng.normal(size=(self.rows, self.columns))
        for j in range(1, self.columns):
            X[:, j] = self.correlation * X[:, j - 1] + np.sqrt(1.0 - self.correlation**2) * X[:, j]
        classes = CLASSES if self.model == "softmax" else 1
        eta = self.level + X @ rng.normal(size=(self.columns, classes)) * (self.signal / self.columns**0.5)
        X[:, 0] += self.far
        if self.model == "softmax":
            return X, np.argmax(eta + rng.gumbel(size=eta.shape), axis=1)
        if self.model == "logistic":
            return X, (rng.random(self.rows) < special.expit(eta[:, 0])).astype(int)
        return X, rng.poisson(np.exp(eta[:, 0])).astype(float)


def cases(rows: int, softmax_rows: int) -> list[Case]:
    """Easy and correlated columns, then predictors far out, mostly zeros, many classes, a column like a time stamp."""
    easy = [
        Case(model, data, softmax_rows if model == "softmax" else rows, correlation=correlation, **signal)
        for model, signal in (
            ("logistic", {}),
            ("poisson", {"level": 0.15, "signal": 0.5}),
            ("softmax", {"level": 0.0}),
        )
        for data, correlation in (("independent columns", 0.0), ("neighbors correlated by 0.9", 0.9))
    ]
    adverse = [
        Case("logistic", "strong signal", rows, signal=7.0),
        Case("poisson", "83 % zeros", rows, level=-3.15, signal=2.5),
        Case("softmax", "100 000 rows, 20 columns", rows, columns=SOFTMAX_COLUMNS, level=0.0),
        Case("logistic", "a column with a mean of 1e6 standard deviations", rows // 10, far=1e6),
        Case("poisson", "a column with a mean of 1e6 standard deviations", rows // 10, level=0.15, signal=0.5, far=1e6),
    ]
    return easy + adverse


def credo(model: str, X: np.ndarray, y: np.ndarray) -> Answer:
    fitted = MODELS[model]().fit(X, y)
    errors = np.stack([table.standard_errors for table in fitted.estimates().values()], axis=1)
    return Answer(fitted.coefficients_, errors)


def scikit_learn(model: str, solver: str, X: np.ndarray, y: np.ndarray, tolerance: float) -> Answer:
    if model == "poisson":
        fitted = linear_model.PoissonRegressor(alpha=0.0, solver=solver, tol=tolerance, max_iter=1000).fit(X, y)
        return Answer(np.concatenate([[fitted.intercept_], fitted.coef_]))
    fitted = linear_model.LogisticRegression(C=np.inf, solver=solver, tol=tolerance, max_iter=1000).fit(X, y)
    coefficients = np.concatenate([fitted.intercept_[None], fitted.coef_.T])
    return Answer(coefficients if model == "softmax" else coefficients[:, 0])


def glum(model: str, X: np.ndarray, y: np.ndarray, tolerance: float) -> Answer:
    from glum import GeneralizedLinearRegressor

    family = "binomial" if model == "logistic" else "poisson"
    fitted = GeneralizedLinearRegressor(family=family, alpha=0.0, gradient_tol=tolerance, max_iter=1000).fit(X, y)
    return Answer(np.concatenate([[fitted.intercept_], fitted.coef_]))


def statsmodels(model: str, X: np.ndarray, y: np.ndarray) -> Answer:
    from statsmodels.genmod import families
    from statsmodels.genmod.generalized_linear_model import GLM

    family = families.Binomial() if model == "logistic" else families.Poisson()
    fitted = GLM(y, with_ones(X), family=family).fit()
    return Answer(np.asarray(fitted.params), np.asarray(fitted.bse)[:, None])


def statsmodels_newton(model: str, X: np.ndarray, y: np.ndarray) -> Answer:
    from statsmodels.discrete.discrete_model import Logit, Poisson

    chosen = Logit if model == "logistic" else Poisson
    fitted = chosen(y, with_ones(X)).fit(method="newton", disp=False)
    return Answer(np.asarray(fitted.params), np.asarray(fitted.bse)[:, None])


def contestants(
    case: Case, X: np.ndarray, y: np.ndarray, off: Callable[[Answer], float]
) -> dict[str, Callable[[], Answer]]:
    """By name; a solver with a tolerance has the loosest with which it gets as near as wanted."""
    model = case.model
    solvers = ["lbfgs"] + ["newton-cholesky"] * (model != "softmax") + ["newton-cg"] * (model != "poisson")
    iterative: dict[str, Callable[[float], Answer]] = {
        f"scikit-learn, {solver}": lambda tolerance, solver=solver: scikit_learn(model, solver, X, y, tolerance)
        for solver in solvers
    }
    closed: dict[str, Callable[[], Answer]] = {"credo": lambda: credo(model, X, y)}
    if model != "softmax":
        if find_spec("glum") is not None:
            iterative["glum"] = lambda tolerance: glum(model, X, y, tolerance)
        closed["statsmodels, GLM"] = lambda: statsmodels(model, X, y)
        closed["statsmodels, Newton"] = lambda: statsmodels_newton(model, X, y)
    chosen = {name: loosest(solve, off, WANTED) for name, solve in iterative.items()}
    return closed | {
        f"{name}, tol={chosen[name]:g}": lambda solve=solve, name=name: solve(chosen[name])
        for name, solve in iterative.items()
    }


def lines(case: Case) -> list[dict[str, Any]]:
    """One row an implementation. The referee looks at centered columns, in which gradients keep their digits."""
    X, y = case.drawn()
    center = np.mean(X, axis=0)
    covariance = MODELS[case.model]().fit(X - center, y).inverse_information_

    def off(answer: Answer) -> float:
        level = answer.coefficients[:1] + center @ answer.coefficients[1:]
        return distance(slope(case.model, X - center, y, np.concatenate([level, answer.coefficients[1:]])), covariance)

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # a solver that does not converge is seen in its distance
        timings = interleaved(contestants(case, X, y, off), repeats=3)
    near = {name for name, timing in timings.items() if name != "credo" and off(timing.value) <= 10.0 * WANTED}
    speed = compared(timings, near)
    ours = timings["credo"].value.errors[1:]
    return [
        {
            "model": case.model,
            "data": case.data,
            **speed[name],
            "standard errors from the maximum": off(timing.value),
            "standard errors differ by": None
            if timing.value.errors is None or name == "credo"
            else float(np.max(np.abs(timing.value.errors[1:] / ours - 1.0))),
        }
        for name, timing in timings.items()
    ]


def race(rows: int = ROWS, softmax_rows: int = SOFTMAX_ROWS) -> Race:
    """One row a model, kind of data and implementation."""
    text = (
        f"Logistic and Poisson regression of {rows:,} rows of {COLUMNS} columns, softmax regression of "
        f"{softmax_rows:,} rows and {CLASSES} classes, no penalty. Independent columns are the best case of L-BFGS. "
        "Adverse are columns of which each is correlated with the next, log odds with a standard deviation of 7, "
        f"counts of which 83 % are zero, {rows:,} rows of ten classes, and {rows // 10:,} rows with a column whose "
        "mean is a million standard deviations, as that of a time stamp. credo and statsmodels compute standard errors "
        "too, the others do not. A solver with a tolerance has the loosest power of ten with which it comes within "
        f"{WANTED:g} standard errors of the maximum of the likelihood (the root of the Newton decrement, one referee "
        "for all), or the tightest where none does; the best peer is one that comes near. Best of three interleaved "
        "calls after a first."
    )
    found = [line for case in cases(rows, softmax_rows) for line in lines(case)]
    return Race("Generalized linear models with standard errors", text, found)


if __name__ == "__main__":
    from benchmarks.race import publish

    publish("glm", race())

"""Logistic, Poisson and softmax regression with standard errors, against scikit-learn, statsmodels and glum.

Independent columns are the best case of a first-order method, so there are correlated ones too.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
from scipy import special
from sklearn import linear_model

from benchmarks.linear.referee import Answer, distance, loosest, slope, with_ones
from benchmarks.race import Race, compared, interleaved
from credo.models import LogisticRegression, PoissonRegression, SoftmaxRegression

ROWS, SOFTMAX_ROWS, COLUMNS, CLASSES = 100_000, 50_000, 50, 10
CORRELATIONS = (0.0, 0.9)  # of neighboring columns
WANTED = 1e-4  # standard errors from the maximum
SEED = 0

MODELS: dict[str, Callable[[], Any]] = {
    "logistic": LogisticRegression,
    "poisson": PoissonRegression,
    "softmax": SoftmaxRegression,
}


def data(model: str, rows: int, correlation: float) -> tuple[np.ndarray, np.ndarray]:
    """Normal columns, each correlated with the next, and targets of the model."""
    rng = np.random.default_rng(SEED)
    X = rng.normal(size=(rows, COLUMNS))
    for j in range(1, COLUMNS):
        X[:, j] = correlation * X[:, j - 1] + np.sqrt(1.0 - correlation**2) * X[:, j]
    if model == "softmax":
        eta = X @ rng.normal(size=(COLUMNS, CLASSES)) / COLUMNS**0.5
        return X, np.argmax(eta + rng.gumbel(size=eta.shape), axis=1)
    eta = X @ rng.normal(size=COLUMNS) / COLUMNS**0.5 + 0.3
    if model == "logistic":
        return X, (rng.random(rows) < special.expit(eta)).astype(int)
    return X, rng.poisson(np.exp(0.5 * eta)).astype(float)


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
    model: str, X: np.ndarray, y: np.ndarray, off: Callable[[Answer], float]
) -> dict[str, Callable[[], Answer]]:
    """By name; a solver with a tolerance has the loosest with which it gets as near as wanted."""
    solvers = ["lbfgs", "newton-cholesky"] + ["newton-cg"] * (model != "poisson")
    iterative: dict[str, Callable[[float], Answer]] = {
        f"scikit-learn, {solver}": lambda tolerance, solver=solver: scikit_learn(model, solver, X, y, tolerance)
        for solver in solvers
    }
    closed: dict[str, Callable[[], Answer]] = {"credo": lambda: credo(model, X, y)}
    if model != "softmax":
        iterative["glum"] = lambda tolerance: glum(model, X, y, tolerance)
        closed["statsmodels, GLM"] = lambda: statsmodels(model, X, y)
        closed["statsmodels, Newton"] = lambda: statsmodels_newton(model, X, y)
    chosen = {name: loosest(solve, off, WANTED) for name, solve in iterative.items()}
    return closed | {
        f"{name}, tol={chosen[name]:g}": lambda solve=solve, name=name: solve(chosen[name])
        for name, solve in iterative.items()
    }


def case(model: str, rows: int, correlation: float) -> list[dict[str, Any]]:
    """One row an implementation."""
    X, y = data(model, rows, correlation)
    covariance = MODELS[model]().fit(X, y).inverse_information_

    def off(answer: Answer) -> float:
        return distance(slope(model, X, y, answer.coefficients), covariance)

    timings = interleaved(contestants(model, X, y, off), repeats=3)
    speed = compared(timings)
    ours = timings["credo"].value.errors
    return [
        {
            "model": model,
            "correlation": correlation,
            **speed[name],
            "standard errors from the maximum": off(timing.value),
            "standard errors differ by": None
            if timing.value.errors is None or name == "credo"
            else float(np.max(np.abs(timing.value.errors / ours - 1.0))),
        }
        for name, timing in timings.items()
    ]


def race(rows: int = ROWS, softmax_rows: int = SOFTMAX_ROWS) -> Race:
    """One row a model, correlation and implementation."""
    lines = [
        line
        for model in MODELS
        for correlation in CORRELATIONS
        for line in case(model, softmax_rows if model == "softmax" else rows, correlation)
    ]
    text = (
        f"Logistic and Poisson regression of {rows:,} rows of {COLUMNS} columns, softmax regression of "
        f"{softmax_rows:,} rows and {CLASSES} classes, no penalty; columns that are independent, the best case of "
        f"L-BFGS, and columns of which each is correlated with the next. credo and statsmodels compute standard errors "
        f"too, the others do not. A solver with a tolerance has the loosest power of ten with which it comes within "
        f"{WANTED:g} standard errors of the maximum of the likelihood (the root of the Newton decrement, one referee "
        "for all). Best of three interleaved calls after a first."
    )
    return Race("Generalized linear models with standard errors", text, lines)


if __name__ == "__main__":
    from benchmarks.race import publish

    publish("glm", race())

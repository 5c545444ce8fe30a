"""One referee for all contestants: how far an answer is from the optimum, whoever found it."""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from scipy import special

LOOSEST = (1.0, 1e-1, 1e-2, 1e-3, 1e-4, 1e-5, 1e-6, 1e-7, 1e-8, 1e-9, 1e-10, 1e-11, 1e-12)


class Answer(NamedTuple):
    """Coefficients, the intercept first, one column a class; standard errors where they were computed."""

    coefficients: np.ndarray
    errors: np.ndarray | None = None


def with_ones(X: np.ndarray) -> np.ndarray:
    """The columns behind one of ones."""
    return np.column_stack([np.ones(len(X)), X])


def slope(model: str, X: np.ndarray, y: np.ndarray, coefficients: np.ndarray) -> np.ndarray:
    """The gradient of the log likelihood, which is zero at its maximum."""
    eta = coefficients[0] + X @ coefficients[1:]
    if model == "softmax":
        residual = np.eye(eta.shape[1])[y] - special.softmax(eta, axis=1)
    else:
        residual = y - (special.expit(eta) if model == "logistic" else np.exp(eta))
    return with_ones(X).T @ residual


def distance(gradient: np.ndarray, inverse_information: np.ndarray) -> float:
    """How far the maximum is, in standard errors: the root of the Newton decrement."""
    flat = gradient.T.ravel()
    return float(np.sqrt(max(flat @ inverse_information @ flat, 0.0)))


def loosest(solve: Callable[[float], Any], error: Callable[[Any], float], wanted: float) -> float:
    """The loosest tolerance with which a solver gets as near as `wanted`; the tightest where none does."""
    return next((tolerance for tolerance in LOOSEST if error(solve(tolerance)) <= wanted), LOOSEST[-1])


def lasso_gaps(X: np.ndarray, y: np.ndarray, penalties: np.ndarray, coefficients: np.ndarray) -> np.ndarray:
    """The duality gap at each penalty, relative to the objective without slopes; X and y are centered.

    The dual point is the residual, made feasible by its largest product with a column.
    """
    n = len(y)
    residual = y[:, None] - X @ coefficients.T
    share = np.minimum(1.0, penalties / (np.max(np.abs(X.T @ residual), axis=0) / n))
    square = np.sum(residual**2, axis=0) / n
    primal = 0.5 * square + penalties * np.sum(np.abs(coefficients), axis=1)
    dual = share * (y @ residual) / n - 0.5 * share**2 * square
    return (primal - dual) / (0.5 * float(y @ y) / n)


def margin_gap(gram: np.ndarray, sign: np.ndarray, cost: float, theta: np.ndarray, intercept: float) -> float:
    """The relative duality gap of a support vector machine with these coefficients, y a, of all rows."""
    function = gram @ theta
    square = float(theta @ function)
    primal = 0.5 * square + cost * float(np.sum(np.maximum(0.0, 1.0 - sign * (function + intercept))))
    return (primal - (float(sign @ theta) - 0.5 * square)) / primal

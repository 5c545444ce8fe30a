"""A thousand refits of a linear model: `fit_many` against a loop of scikit-learn's fits.

The same bootstrap weights for all; scikit-learn has one BLAS thread, with which its small fits are quickest, and each
of its solvers that is quick at this size.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
from sklearn import linear_model
from threadpoolctl import threadpool_limits

from benchmarks.race import Race, compared, interleaved
from credo.models import LogisticRegression, Ridge

ROWS, COLUMNS, REPLICATES = 2000, 20, 1000
PENALTY = 1.0
SEED = 0


def data(rows: int, columns: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Rows, numbers and classes with linear means."""
    rng = np.random.default_rng(SEED)
    X = rng.normal(size=(rows, columns))
    signal = X @ (rng.normal(size=columns) / 3.0)
    return X, signal + rng.normal(size=rows), (signal + 0.3 + rng.logistic(size=rows) > 0.0).astype(int)


def loop(make: Callable[[], Any], X: np.ndarray, y: np.ndarray, W: np.ndarray) -> np.ndarray:
    """The coefficients of one fit after the other."""
    with threadpool_limits(1, user_api="blas"):
        return np.stack([np.ravel(make().fit(X, y, sample_weight=w).coef_) for w in W])


def runners(
    X: np.ndarray, y: np.ndarray, c: np.ndarray, W: np.ndarray
) -> dict[str, dict[str, Callable[[], np.ndarray]]]:
    """The contestants of each model, credo first; all return the slopes of every replicate."""
    peer = linear_model.LogisticRegression
    logistic: dict[str, Callable[[], Any]] = {
        "scikit-learn, lbfgs": lambda: peer(C=1.0 / PENALTY),
        "scikit-learn, newton-cholesky": lambda: peer(C=1.0 / PENALTY, solver="newton-cholesky"),
        "scikit-learn, newton-cholesky, tol=1e-8": lambda: peer(C=1.0 / PENALTY, solver="newton-cholesky", tol=1e-8),
    }
    ridge: dict[str, Callable[[], Any]] = {
        "scikit-learn, auto": lambda: linear_model.Ridge(alpha=PENALTY),
        "scikit-learn, cholesky": lambda: linear_model.Ridge(alpha=PENALTY, solver="cholesky"),
    }
    return {
        "Ridge": {"credo": lambda: np.asarray(Ridge(alpha=PENALTY).fit_many(X, y, W).coefficients)}
        | {name: lambda make=make: loop(make, X, y, W) for name, make in ridge.items()},
        "LogisticRegression": {
            "credo": lambda: np.asarray(LogisticRegression(ridge=PENALTY).fit_many(X, c, W).coefficients)[:, 1:]
        }
        | {name: lambda make=make: loop(make, X, c, W) for name, make in logistic.items()},
    }


def exact(name: str, X: np.ndarray, y: np.ndarray, c: np.ndarray, w: np.ndarray) -> np.ndarray:
    """The slopes of one replicate by credo's single fit, which is another computation."""
    if name == "Ridge":
        return Ridge(alpha=PENALTY).fit(X, y, sample_weight=w).coef_
    return LogisticRegression(ridge=PENALTY).fit(X, c, sample_weight=w).coef_


def race(rows: int = ROWS, columns: int = COLUMNS, replicates: int = REPLICATES) -> Race:
    """One row a model and implementation."""
    X, y, c = data(rows, columns)
    W = np.random.default_rng(SEED).multinomial(rows, np.full(rows, 1.0 / rows), size=replicates).astype(float)
    lines = []
    for model, contestants in runners(X, y, c, W).items():
        timings = interleaved(contestants, repeats=3)
        speed = compared(timings)
        truth = np.stack([exact(model, X, y, c, w) for w in W[:20]])
        for name, timing in timings.items():
            lines.append(
                {
                    "model": model,
                    **speed[name],
                    "largest error of a slope": float(np.max(np.abs(timing.value[:20] - truth))),
                }
            )
    text = (
        f"{replicates} bootstrap replicates of {rows} rows of {columns} columns, the penalty given. credo's `fit_many` "
        "also has what predictions need of uncertainty (for logistic regression the information at each solution); "
        "scikit-learn's loop of `fit(sample_weight=...)` has coefficients only, and one BLAS thread, which is quicker "
        "for it at this size than two. The error is against single fits of credo, for 20 of the replicates. Best of "
        "three interleaved calls after a first, all replicates each time."
    )
    return Race("A thousand refits of a linear model", text, lines)


if __name__ == "__main__":
    from benchmarks.race import publish

    publish("fit_many", race())

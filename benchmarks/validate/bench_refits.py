"""A thousand bootstrap refits with their scores: `evaluate` against a loop of scikit-learn; .632+ against mlxtend.

The same kind of work for all: fit a sample, predict the rows that it left out, score them. credo also predicts all
rows,
for the optimism, and has the standard errors; mlxtend's .632+ also predicts all rows.
"""

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from mlxtend.evaluate import bootstrap_point632_score
from sklearn import linear_model, metrics
from threadpoolctl import threadpool_limits

from benchmarks.linear.bench_fit_many import COLUMNS, PENALTY, ROWS, SEED, data
from benchmarks.race import Race, compared, interleaved
from credo.models import LogisticRegression, Ridge
from credo.validate import Bootstrap, evaluate

REFITS, PLUS, FEW = 1000, 200, 400  # mlxtend's .632+ takes a time that grows with the square of the rows
NUMBERS = ("squared", "absolute")
CLASSES = ("zero-one", "log", "brier", "precision", "recall", "F1")


def ours(model: Any, X: np.ndarray, y: np.ndarray, scores: tuple[str, ...], refits: int) -> np.ndarray:
    """The mean over refits of each score, out of bag."""
    result = evaluate({"one": model}, X, y, plan=Bootstrap(refits, SEED), scores=scores)["one"]
    return np.array([np.mean(result.by_refit(score)) for score in scores])


def _numbers(model: Any, X: np.ndarray, y: np.ndarray) -> list[float]:
    said = model.predict(X)
    return [metrics.mean_squared_error(y, said), metrics.mean_absolute_error(y, said)]


def _classes(model: Any, X: np.ndarray, y: np.ndarray) -> list[float]:
    chance, said = model.predict_proba(X), model.predict(X)
    precision, recall, f1, _ = metrics.precision_recall_fscore_support(y, said, average="binary")
    brier = 2.0 * metrics.brier_score_loss(y, chance[:, 1])
    return [metrics.zero_one_loss(y, said), metrics.log_loss(y, chance), brier, precision, recall, f1]


def loop(
    make: Callable[[], Any], X: np.ndarray, y: np.ndarray, score: Callable, *, everywhere: bool = False
) -> np.ndarray:
    """The same by a loop of scikit-learn, with one BLAS thread, which is quicker for it at this size.

    With `everywhere` it also scores all rows and the sample itself, from which the optimism comes.
    """
    with threadpool_limits(1, user_api="blas"):
        found = []
        for train, held in Bootstrap(REFITS, SEED).split(X):
            weights = np.bincount(train, minlength=len(X)).astype(float)
            model = make().fit(X, y, sample_weight=weights)
            found.append(score(model, X[held], y[held]))
            if everywhere:
                score(model, X, y)
                score(model, X[train], y[train])
    return np.mean(found, axis=0)


def contests(X: np.ndarray, y: np.ndarray, c: np.ndarray) -> dict[str, dict[str, Callable[[], np.ndarray]]]:
    """The contestants of each case, credo first; all return risks."""
    plain = linear_model.LogisticRegression
    ridge = partial(linear_model.Ridge, alpha=PENALTY)
    lbfgs, newton = partial(plain, C=1.0 / PENALTY), partial(plain, C=1.0 / PENALTY, solver="newton-cholesky")

    def plus() -> np.ndarray:
        claims = evaluate(
            {"one": LogisticRegression(ridge=PENALTY)}, X, c, plan=Bootstrap(PLUS, SEED), scores="zero-one"
        )
        return np.array([claims.claim("zero-one").value])

    def theirs() -> np.ndarray:
        model = plain(C=1.0 / PENALTY)
        with threadpool_limits(1, user_api="blas"):
            accuracy = bootstrap_point632_score(model, X[:FEW], c[:FEW], n_splits=PLUS, method=".632+", random_seed=1)
        return np.array([1.0 - np.mean(accuracy)])

    return {
        f"{REFITS} refits of ridge regression": {
            "credo": lambda: ours(Ridge(alpha=PENALTY), X, y, NUMBERS, REFITS),
            "scikit-learn": lambda: loop(ridge, X, y, _numbers),
            "scikit-learn, optimism too": lambda: loop(ridge, X, y, _numbers, everywhere=True),
        },
        f"{REFITS} refits of logistic regression": {
            "credo": lambda: ours(LogisticRegression(ridge=PENALTY), X, c, CLASSES, REFITS),
            "scikit-learn, lbfgs": lambda: loop(lbfgs, X, c, _classes),
            "scikit-learn, newton-cholesky": lambda: loop(newton, X, c, _classes),
            "scikit-learn, lbfgs, optimism too": lambda: loop(lbfgs, X, c, _classes, everywhere=True),
        },
        f".632+ of logistic regression, {PLUS} refits of {FEW} rows": {"credo": plus, "mlxtend": theirs},
    }


def race(rows: int = ROWS, columns: int = COLUMNS) -> Race:
    """One row a case and implementation."""
    X, y, c = data(rows, columns)
    lines = []
    for case, contestants in contests(X, y, c).items():
        timings = interleaved(contestants, repeats=2)
        speed, first = compared(timings), timings["credo"].value
        for name, timing in timings.items():
            away = float(np.max(np.abs(timing.value / first - 1.0)))
            lines.append({"case": case, **speed[name], "risks differ from credo's by": away})
    text = (
        f"{rows} rows of {columns} columns, the penalty given. Scores of the rows out of bag: squared and absolute "
        "error of ridge regression; 0–1, logarithmic and Brier score, precision, recall and F1 of logistic regression. "
        "credo's probabilities are averaged over what is unknown about the coefficients, so that its risks differ a "
        "little from scikit-learn's. mlxtend draws samples of its own and takes the apparent error of each sample. "
        "credo also has standard errors, calibration and the optimism, which scikit-learn has where it says so. Best "
        "of two interleaved calls after a first."
    )
    return Race("A thousand refits with their scores", text, lines)


if __name__ == "__main__":
    from benchmarks.race import publish

    publish("refits", race())

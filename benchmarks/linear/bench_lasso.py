"""A hundred points on the path of the lasso, each to a small duality gap, and a fit that chooses its penalty."""

from collections.abc import Callable
from typing import Any

import numpy as np

from benchmarks.linear.referee import lasso_gaps, loosest
from benchmarks.race import Race, Row, compared, interleaved

SHAPES = ((10_000, 100, 1e-3), (1000, 2000, 1e-3), (500, 10_000, 1e-2))  # rows, columns, smallest penalty
CHOSEN = (500, 10_000)  # rows and columns of the fit that chooses its penalty
NEW = 2000  # rows on which that fit is judged
POINTS = 100
TRUE_SLOPES, CORRELATION = 10, 0.5
WANTED = 1e-6  # gap, relative to the objective without slopes
SEED = 0

Path = Callable[[np.ndarray, np.ndarray, np.ndarray], np.ndarray]


def data(rows: int, columns: int) -> tuple[np.ndarray, np.ndarray]:
    """Columns of which each is correlated with the next, and few slopes that are not zero."""
    rng = np.random.default_rng(SEED)
    X = rng.normal(size=(rows, columns))
    for j in range(1, columns):
        X[:, j] = CORRELATION * X[:, j - 1] + np.sqrt(1.0 - CORRELATION**2) * X[:, j]
    slopes = np.zeros(columns)
    slopes[rng.choice(columns, TRUE_SLOPES, replace=False)] = rng.normal(size=TRUE_SLOPES)
    return X, 1.0 + X @ slopes + rng.normal(size=rows)


def centered(X: np.ndarray, y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """What takes the intercept's place for those that have none; by columns, as they want them."""
    return np.asfortranarray(X - np.mean(X, axis=0)), y - np.mean(y)


def credo(X: np.ndarray, y: np.ndarray, penalties: np.ndarray) -> np.ndarray:
    from credo.infer.proximal import centered_quadratic, elastic_net_path

    quadratic = centered_quadratic(X, y, np.ones(len(y)), intercept=True)
    return elastic_net_path(quadratic, penalties).value.coefficients


def scikit_learn(precompute: bool) -> Callable[[float], Path]:
    """From a tolerance to what solves a path."""
    from sklearn.linear_model import lasso_path

    def with_tolerance(tolerance: float) -> Path:
        def solve(X: np.ndarray, y: np.ndarray, penalties: np.ndarray) -> np.ndarray:
            options = {"tol": tolerance, "precompute": precompute, "max_iter": 1_000_000}
            return lasso_path(*centered(X, y), alphas=penalties, **options)[1].T

        return solve

    return with_tolerance


def skglm(tolerance: float) -> Path:
    """Its solver along the path, each point from the one before."""
    from skglm.datafits import Quadratic
    from skglm.penalties import L1
    from skglm.solvers import AndersonCD
    from skglm.utils.jit_compilation import compiled_clone

    solver = AndersonCD(tol=tolerance, max_iter=1000, fit_intercept=False, warm_start=True)
    datafit, penalty = compiled_clone(Quadratic()), compiled_clone(L1(1.0))

    def solve(X: np.ndarray, y: np.ndarray, penalties: np.ndarray) -> np.ndarray:
        return solver.path(*centered(X, y), datafit, penalty, penalties)[1].T

    return solve


def case(rows: int, columns: int, smallest: float) -> list[Row]:
    """One row per implementation."""
    X, y = data(rows, columns)
    inner = centered(X, y)
    largest = float(np.max(np.abs(inner[0].T @ inner[1]))) / rows
    penalties = np.geomspace(largest, smallest * largest, POINTS)

    def worst(coefficients: np.ndarray) -> float:
        return float(np.max(lasso_gaps(*inner, penalties, coefficients)))

    iterative: dict[str, Callable[[float], Path]] = {"scikit-learn": scikit_learn(False), "skglm": skglm}
    if columns <= rows:
        iterative["scikit-learn, Gram matrix"] = scikit_learn(True)
    runners: dict[str, Callable[[], np.ndarray]] = {"credo": lambda: credo(X, y, penalties)}
    for name, make in iterative.items():
        tolerance = loosest(lambda tolerance, make=make: make(tolerance)(X, y, penalties), worst, WANTED)
        runners[f"{name}, tol={tolerance:g}"] = lambda solve=make(tolerance): solve(X, y, penalties)
    timings = interleaved(runners, repeats=3)
    speed = compared(timings)
    return [
        {
            "case": "path",
            "rows": rows,
            "columns": columns,
            "smallest penalty": smallest,
            **speed[name],
            "largest gap": worst(timing.value),
        }
        for name, timing in timings.items()
    ]


def choice(rows: int, columns: int) -> list[Row]:
    """Default fits whose penalty comes from five-fold cross-validation, judged on new rows."""
    from sklearn.linear_model import LassoCV

    from credo.models import Lasso

    X, y = data(rows + NEW, columns)
    (X, new), (y, truth) = np.split(X, [rows]), np.split(y, [rows])
    runners: dict[str, Callable[[], Any]] = {
        "credo": lambda: Lasso().fit(X, y),
        "scikit-learn, LassoCV": lambda: LassoCV(cv=5).fit(X, y),
    }
    timings = interleaved(runners, repeats=2)
    speed = compared(timings)
    return [
        {
            "case": "penalty by cross-validation",
            "rows": rows,
            "columns": columns,
            **speed[name],
            "squared error of new rows": float(np.mean((timing.value.predict(new) - truth) ** 2)),
        }
        for name, timing in timings.items()
    ]


def race(shapes: tuple[tuple[int, int, float], ...] = SHAPES, chosen: tuple[int, int] = CHOSEN) -> Race:
    """One row per shape and implementation."""
    lines = [line for shape in shapes for line in case(*shape)] + choice(*chosen)
    text = (
        f"{POINTS} penalties from the largest that matters to a part of it, {TRUE_SLOPES} true slopes, columns "
        f"of which each has a correlation of {CORRELATION:g} with the next. Every point has a duality gap of at most "
        f"{WANTED:g}, relative to the objective without slopes, as one referee computes it; a solver with a tolerance "
        "has the loosest power of ten with which it gets there. Centering is in every time. Best of three interleaved "
        "calls after a first. The last case is a fit with default settings that chooses its penalty by five-fold "
        f"cross-validation, judged by the squared error of {NEW} new rows, whose noise has variance one."
    )
    return Race("The path of the lasso", text, lines)


if __name__ == "__main__":
    from benchmarks.race import publish

    publish("lasso", race())

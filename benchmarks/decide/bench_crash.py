"""Studies whose best values are at the edge of a region where every run crashes: crashes of ten asks, and regret.

The region is a fifth of the space and holds the optimum of the objective, so that what is best of what succeeds is on
its edge (or, of Branin's function, two other optima are left). A crash has no value; the study learns where it happens.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from benchmarks.race import Race, Row
from credo.decide import Study
from credo.represent.space import Real, Space

SEEDS, ASKS = 8, 40
FIRST = 1000  # of the seeds: those below were looked at while the defaults were chosen
SPACE = Space({"a": Real(0, 1), "b": Real(0, 1)})
PRICES = {"no price (crash_cost=0)": 0.0, "default": None, "crash_cost=3": 3.0}


class Problem(NamedTuple):
    """An objective of two columns, less is better, and where a run of it crashes."""

    objective: Callable[[np.ndarray], np.ndarray]
    crashes: Callable[[np.ndarray], np.ndarray]


def bowl(X: np.ndarray) -> np.ndarray:
    """With its bottom in the disc."""
    return np.sum((X - [0.7, 0.6]) ** 2, axis=1)


def disc(X: np.ndarray) -> np.ndarray:
    """A fifth of the square."""
    return np.sum((X - [0.65, 0.6]) ** 2, axis=1) < 0.2 / np.pi


def slope(X: np.ndarray) -> np.ndarray:
    """Least in the corner."""
    return -np.sin(3.0 * X[:, 0]) - X[:, 1] - 0.5 * X[:, 0] * X[:, 1]


def corner(X: np.ndarray) -> np.ndarray:
    """A fifth of the square."""
    return X[:, 0] + X[:, 1] > 1.37


def branin(X: np.ndarray) -> np.ndarray:
    """The usual function on the unit square."""
    x, y = 15.0 * X[:, 0] - 5.0, 15.0 * X[:, 1]
    valley = y - 5.1 / (4.0 * np.pi**2) * x**2 + 5.0 / np.pi * x - 6.0
    return valley**2 + 10.0 * (1.0 - 1.0 / (8.0 * np.pi)) * np.cos(x) + 10.0


def strip(X: np.ndarray) -> np.ndarray:
    """A fifth of the square, around one of its three optima."""
    return (X[:, 0] > 0.42) & (X[:, 0] < 0.62)


PROBLEMS = {
    "bowl, disc": Problem(bowl, disc),
    "slope, corner": Problem(slope, corner),
    "Branin, strip": Problem(branin, strip),
}


def run(problem: Problem, seed: int, asks: int, price: float | None) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Of each ask: whether it crashed, the stated probability of success, and the best value until then."""
    study = Study(SPACE, crash_cost=price, random_state=seed)
    crashed, stated, best = np.zeros(asks, dtype=bool), np.full(asks, np.nan), np.full(asks, np.inf)
    for i in range(asks):
        trial = study.ask()
        row = np.array([[trial.params["a"], trial.params["b"]]])
        crashed[i] = problem.crashes(row)[0]
        stated[i] = np.nan if trial.why.feasible is None else trial.why.feasible
        value = None if crashed[i] else float(problem.objective(row)[0])
        study.tell(trial, value, failed=bool(crashed[i]))
        best[i] = min(best[i - 1] if i else np.inf, np.inf if value is None else value)
    return crashed, stated, best


def row_of(case: str, name: str, seeds: int, asks: int) -> Row:
    """One price on one problem."""
    problem = PROBLEMS[case]
    side = np.linspace(0.0, 1.0, 1001)
    square = np.stack(np.meshgrid(side, side, indexing="ij"), axis=-1).reshape(-1, 2)
    least = np.min(problem.objective(square[~problem.crashes(square)]))
    results = [run(problem, FIRST + seed, asks, PRICES[name]) for seed in range(seeds)]
    crashed, stated, best = (np.array(part) for part in zip(*results, strict=True))
    tens = np.mean(crashed.reshape(seeds, -1, 10), axis=0).sum(axis=1)
    known = np.isfinite(stated)
    regret = best[:, -1] - least
    return {
        "problem": case,
        "study": name,
        "crashes of ten asks": ", ".join(f"{count:.1f}" for count in tens),
        "stated success": float(np.mean(stated[known])),
        "observed success": float(np.mean(~crashed[known])),
        "median regret": float(np.median(regret)),
        "upper quartile": float(np.quantile(regret, 0.75)),
    }


def race(seeds: int = SEEDS, asks: int = ASKS) -> Race:
    """One row for each problem and price."""
    rows = [row_of(case, name, seeds, asks) for case in PROBLEMS for name in PRICES]
    text = (
        f"Crashes in each ten of {asks} asks, of which the first four are an even design, where a fifth of the space "
        f"crashes and holds the optimum; mean over {seeds} seeds. Stated and observed success are of asks that were "
        "made with a belief about crashes. Regret is to the best value that does not crash, on a grid of 1001 × 1001 "
        "points."
    )
    return Race("Studies with crashes", text, rows)


if __name__ == "__main__":
    from benchmarks.race import publish

    publish("crash", race())

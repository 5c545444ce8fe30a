"""Studies of an optimum that will be missed: asks that stay in one place, and the regret of what is recommended.

The function has a narrow deep and a wide shallow optimum; parameters are missed by more than the width of the narrow
one, so that the wide one is best on average. Measured is the function itself, not the average.
"""

import time
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from benchmarks.race import Race, Row
from credo.decide import Study
from credo.numerics import gauss_normal, tensor_rule
from credo.represent.space import Real, Space

SEEDS, ASKS = 16, 30
FIRST = 1000  # of the seeds: those below were looked at while the rule was chosen
RULES = ("knowledge gradient of the average (default)", "without robust=")


class Problem(NamedTuple):
    """A function of d columns, less is better, the standard deviation of its settings, and that of its noise."""

    function: Callable[[np.ndarray], np.ndarray]
    columns: int
    spread: float
    noise: float


def dips(X: np.ndarray, narrow: float, wide: float) -> np.ndarray:
    """A narrow one at 0.2 of every column and a wide one at 0.7, which is less deep."""
    deep = np.exp(-0.5 * np.sum((X - 0.2) ** 2, axis=1) / narrow**2)
    return -deep - 0.8 * np.exp(-0.5 * np.sum((X - 0.7) ** 2, axis=1) / wide**2)


PROBLEMS = {
    "1 column": Problem(lambda X: dips(X, 0.03, 0.15), 1, 0.06, 0.0),
    "1 column, noise 0.05": Problem(lambda X: dips(X, 0.03, 0.15), 1, 0.06, 0.05),
    "2 columns": Problem(lambda X: dips(X, 0.05, 0.2), 2, 0.08, 0.0),
}


def average(problem: Problem) -> Callable[[np.ndarray], float]:
    """Of the function around a point, by quadrature with 60 nodes in each column; settings stay in their range."""
    rule = tensor_rule([gauss_normal(60)] * problem.columns)
    shifts, weights = np.asarray(rule.nodes).reshape(-1, problem.columns), np.asarray(rule.weights)
    weights = weights / np.sum(weights)
    return lambda x: float(weights @ problem.function(np.clip(x + problem.spread * shifts, 0.0, 1.0)))


def run(problem: Problem, rule: str, seed: int, asks: int) -> tuple[int, np.ndarray, float]:
    """How many of the second half of the asks are in one cell, the recommended point, and the median time of an ask."""
    names = [f"x{j}" for j in range(problem.columns)]
    robust = None if rule == RULES[1] else dict.fromkeys(names, problem.spread)
    study = Study(Space({name: Real(0, 1) for name in names}), robust=robust, random_state=seed)
    rng, rows, seconds = np.random.default_rng([seed, 1]), [], []
    for _ in range(asks):
        began = time.perf_counter()
        trial = study.ask()
        seconds.append(time.perf_counter() - began)
        rows.append([trial.params[name] for name in names])
        value = problem.function(np.array(rows[-1:]))[0] + problem.noise * rng.normal()
        study.tell(trial, float(value))
    cells = np.floor(np.array(rows[asks // 2 :]) / (0.5 * problem.spread))
    most = int(np.max(np.unique(cells, axis=0, return_counts=True)[1]))
    params = study.recommend().params
    return most, np.array([params[name] for name in names]), float(np.median(seconds))


def row_of(case: str, rule: str, seeds: int, asks: int) -> Row:
    """One rule on one problem."""
    problem = PROBLEMS[case]
    mean = average(problem)
    side = np.linspace(0.0, 1.0, 1001)
    line = min(mean(np.full(problem.columns, x)) for x in side)  # both optima are on the diagonal
    results = [run(problem, rule, FIRST + seed, asks) for seed in range(seeds)]
    most = np.array([result[0] for result in results])
    regret = np.maximum([mean(result[1]) - line for result in results], 0.0)
    return {
        "problem": case,
        "study": rule,
        f"most of {asks - asks // 2} asks in one cell": float(np.median(most)),
        "runs with 12 or more": f"{np.sum(most >= 12)} of {seeds}",
        "median regret": float(np.median(regret)),
        "upper quartile": float(np.quantile(regret, 0.75)),
        "median ask (ms)": 1e3 * float(np.median([result[2] for result in results])),
    }


def race(seeds: int = SEEDS, asks: int = ASKS) -> Race:
    """One row for each problem and rule."""
    rows = [row_of(case, rule, seeds, asks) for case in PROBLEMS for rule in RULES]
    text = (
        f"A function with a narrow deep and a wide shallow optimum whose settings will be missed, in {asks} asks and "
        f"{seeds} seeds. A cell is half a standard deviation of the missed settings wide. Regret is that of the "
        "recommended point, on average over how far settings are missed, to the least average of the space."
    )
    return Race("Robust optima", text, rows)


if __name__ == "__main__":
    from benchmarks.race import publish

    publish("robust", race())

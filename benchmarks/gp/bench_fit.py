"""Fit by maximal evidence with four restarts: credo, scikit-learn, GPyTorch.

The same data and model for all: Matérn-5/2 with a length-scale a column, a variance and noise, in float64. What each
found is judged by one referee, the log evidence at its parameters computed anew.
"""

from collections.abc import Callable, Mapping

import numpy as np

from benchmarks.gp import with_credo, with_gpytorch, with_scikit_learn
from benchmarks.gp.problem import RESTARTS, Fitted, data, log_density, log_evidence, starts
from benchmarks.race import Race, Row, Timing, compared, interleaved, once

SIZES = (250, 1000)
COLUMNS = 8
MANY = (3000, 20)  # rows and columns of the adverse case
PEER_ITERATIONS = 20  # of the peer's one search there: to the end, from all starts, it would take most of an hour
SEED = 0


def runners(x: np.ndarray, y: np.ndarray) -> dict[str, Callable[[], Fitted]]:
    """The contestants; the second credo finds compiled what the first has just compiled."""
    points = starts(x.shape[1], SEED)

    def credo() -> Fitted:
        return with_credo.fit(x, y, SEED, inference="ml", n_restarts=RESTARTS)

    def credo_compiling() -> Fitted:
        with_credo.forget_compiled()
        return credo()

    return {
        "credo, compiling": credo_compiling,
        "credo": credo,
        "scikit-learn": lambda: with_scikit_learn.fit_as_it_comes(x, y, RESTARTS, points[0], SEED),
        "scikit-learn, same starts": lambda: with_scikit_learn.fit(x, y, points),
        "GPyTorch": lambda: with_gpytorch.fit(x, y, points),
    }


def many_columns(x: np.ndarray, y: np.ndarray) -> dict[str, Callable[[], Fitted]]:
    """credo from all its starts, and the beginning of one search of the peer."""
    first = starts(x.shape[1], SEED, restarts=0)
    return {
        "credo": lambda: with_credo.fit(x, y, SEED, inference="ml", n_restarts=RESTARTS),
        f"scikit-learn, {PEER_ITERATIONS} iterations of one start": lambda: with_scikit_learn.fit(
            x, y, first, PEER_ITERATIONS
        ),
    }


def judged(n: int, d: int, timings: Mapping[str, Timing]) -> list[Row]:
    """One row an implementation: its speed, and what its parameters are worth."""
    x, y = data(n, d)
    new_x, new_y = data(1000, d, seed=1)
    evidence = {name: log_evidence(x, y, timing.value) for name, timing in timings.items()}
    speed = compared(timings, [name for name in timings if not name.startswith("credo")])
    return [
        {
            "n": n,
            "columns": d,
            **speed[name],
            "log evidence": evidence[name],
            "below credo's by": evidence["credo"] - evidence[name],
            "log density of new rows": float(np.mean(log_density(new_y, *timing.value.predict(new_x)))),
        }
        for name, timing in timings.items()
    ]


def race(sizes: tuple[int, ...] = SIZES, many: tuple[int, int] | None = MANY) -> Race:
    """One row a size and implementation; `many` are the rows and columns of the adverse case."""
    rows = []
    for n in sizes:
        # Below 500 rows the best of three calls counts, above the second one.
        timings = interleaved(runners(*data(n, COLUMNS)), repeats=3 if n < 500 else 1)
        rows += judged(n, COLUMNS, timings)
    if many is not None:
        rows += judged(*many, once(many_columns(*data(*many))))
    text = (
        f"Fit of a Gaussian process (Matérn-5/2, one length-scale for each of {COLUMNS} columns, variance, noise; "
        f"float64) by maximal evidence, with {RESTARTS} restarts beside one given start. scikit-learn restarts as it "
        "does on its own, uniformly between its bounds, and from the starts that credo and GPyTorch have; these stop "
        "by the same rule of L-BFGS-B. Best of three interleaved calls at 250 rows, one after a first at 1000. The "
        f"adverse case has {MANY[0]} rows and {MANY[1]} columns: one call of credo, compilation included, with all its "
        f"starts, against the first {PEER_ITERATIONS} iterations of one start of scikit-learn. The evidence is "
        "computed anew from what each found."
    )
    return Race("Fit of a Gaussian process", text, rows)


if __name__ == "__main__":
    from benchmarks.race import publish

    publish("fit", race())

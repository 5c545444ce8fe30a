"""Fit by maximal evidence with four restarts: credo, scikit-learn, GPyTorch.

The same data and model for all: Matérn-5/2 with a length-scale a column, a variance and noise, in float64. What each
found is judged by one referee, the log evidence at its parameters computed anew.
"""

from collections.abc import Callable

import numpy as np

from benchmarks.gp import with_credo, with_gpytorch, with_scikit_learn
from benchmarks.gp.problem import RESTARTS, Fitted, data, log_density, log_evidence, starts
from benchmarks.race import Race, compared, interleaved

SIZES = (250, 1000)
COLUMNS = 8
SEED = 0
PEERS = ("scikit-learn", "scikit-learn, same starts", "GPyTorch")


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


def race(sizes: tuple[int, ...] = SIZES) -> Race:
    """One row a size and implementation."""
    rows = []
    for n in sizes:
        x, y = data(n, COLUMNS)
        new_x, new_y = data(1000, COLUMNS, seed=1)
        timings = interleaved(runners(x, y), repeats=3 if n < 500 else 1)  # the second call of each is the one timed
        evidence = {name: log_evidence(x, y, timing.value) for name, timing in timings.items()}
        speed = compared(timings, PEERS)
        for name, timing in timings.items():
            rows.append(
                {
                    "n": n,
                    **speed[name],
                    "log evidence": evidence[name],
                    "below credo's by": evidence["credo"] - evidence[name],
                    "log density of new rows": float(np.mean(log_density(new_y, *timing.value.predict(new_x)))),
                }
            )
    text = (
        f"Fit of a Gaussian process (Matérn-5/2, one length-scale for each of {COLUMNS} columns, variance, noise; "
        f"float64) by maximal evidence, with {RESTARTS} restarts beside one given start. scikit-learn restarts as it "
        "does on its own, uniformly between its bounds, and from the starts that credo and GPyTorch have; these stop "
        "by the same rule of L-BFGS-B. Best of three interleaved calls at 250 rows, one after a first at 1000. The "
        "evidence is computed anew from what each found."
    )
    return Race("Fit of a Gaussian process", text, rows)


if __name__ == "__main__":
    from benchmarks.race import publish

    publish("fit", race())

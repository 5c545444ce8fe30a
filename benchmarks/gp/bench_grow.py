"""A loop that gains a row at a time and fits anew each time, compilation included: credo and GPyTorch.

Each round predicts the next row before it is told, which is the accuracy beside the time.
"""

import time
from collections.abc import Callable

import numpy as np

from benchmarks.gp import with_credo, with_gpytorch
from benchmarks.gp.problem import RESTARTS, Fitted, data, log_density, starts
from benchmarks.race import Race, Row

FIRST, LAST = 50, 200
COLUMNS = 8
ROUNDS = 1
_TOLD = 25  # rows after which a loop says how far it is

Fit = Callable[[np.ndarray, np.ndarray, int], Fitted]


def _credo(x: np.ndarray, y: np.ndarray, seed: int) -> Fitted:
    return with_credo.fit(x, y, seed)


def _credo_once(x: np.ndarray, y: np.ndarray, seed: int) -> Fitted:
    return with_credo.fit(x, y, seed, n_restarts=0)


def _gpytorch(x: np.ndarray, y: np.ndarray, seed: int) -> Fitted:
    return with_gpytorch.fit(x, y, starts(x.shape[1], seed))


def _gpytorch_once(x: np.ndarray, y: np.ndarray, seed: int) -> Fitted:
    return with_gpytorch.fit(x, y, starts(x.shape[1], seed, restarts=0))


#: By the number of starts: each is held against the one with as many.
CONTESTS: dict[int, dict[str, Fit]] = {
    RESTARTS + 1: {"credo": _credo, "GPyTorch": _gpytorch},
    1: {"credo": _credo_once, "GPyTorch": _gpytorch_once},
}


def loop(fit: Fit, first: int, last: int) -> tuple[float, np.ndarray, np.ndarray]:
    """Seconds for all fits and predictions, the log density of each next row, and its error."""
    x, y = data(last + 1, COLUMNS)
    densities, errors = [], []
    with_credo.forget_compiled()
    began = time.perf_counter()
    for n in range(first, last + 1):
        mean, std = fit(x[:n], y[:n], n).predict(x[n : n + 1])
        densities.append(log_density(y[n : n + 1], mean, std)[0])
        errors.append(y[n] - mean[0])
        if n % _TOLD == 0:
            print(f"{fit.__name__[1:]}: {n} rows after {time.perf_counter() - began:.1f} s", flush=True)
    return time.perf_counter() - began, np.array(densities), np.array(errors)


def race(first: int = FIRST, last: int = LAST, rounds: int = ROUNDS) -> Race:
    """One row a number of starts and implementation."""
    rows: list[Row] = []
    for count, contestants in CONTESTS.items():
        runs: dict[str, list[tuple[float, np.ndarray, np.ndarray]]] = {name: [] for name in contestants}
        for _ in range(rounds):
            for name, fit in contestants.items():
                runs[name].append(loop(fit, first, last))
        best = {name: min(run[0] for run in done) for name, done in runs.items()}
        for name, done in runs.items():
            _, densities, errors = done[0]
            rows.append(
                {
                    "starts": count,
                    "implementation": name,
                    "seconds": best[name],
                    "ratio to best peer": best[name] / best["GPyTorch"],
                    "times credo's": best[name] / best["credo"],
                    "log density of the next row": float(np.mean(densities)),
                    "RMSE of the next row": float(np.sqrt(np.mean(errors**2))),
                }
            )
    text = (
        f"From {first} to {last} rows of {COLUMNS} columns, one at a time: fit anew, predict the next row, take it in. "
        "credo as it comes (the mode under its priors), with its four restarts and with none; GPyTorch by maximal "
        "evidence with L-BFGS-B from the same starts. All that is compiled on the way is in the time. "
        f"Best of {rounds} interleaved loops."
    )
    return Race("A Gaussian process that grows", text, rows)


if __name__ == "__main__":
    from benchmarks.race import publish

    publish("grow", race())

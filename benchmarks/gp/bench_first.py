"""The first fit in a new process, imports included: scikit-learn, credo with a cold and a warm cache of compiled code.

A process is `python -m benchmarks.gp.bench_first NAME ROWS`, which prints when its fit was there and how good it is.
"""

import os
import subprocess
import sys
import tempfile
import time

from benchmarks.race import ROOT, Race

ROWS, COLUMNS = 200, 8
ROUNDS = 3
SEED = 0


def fit_and_report(name: str, rows: int) -> None:
    """Prints the time of day at which the fit was there, and the mean log density of new rows."""
    from benchmarks.gp.problem import RESTARTS, data, log_density, starts

    x, y = data(rows, COLUMNS)
    if name == "credo":
        from benchmarks.gp import with_credo

        fitted = with_credo.fit(x, y, SEED, n_restarts=RESTARTS)
    elif name == "GPyTorch":
        from benchmarks.gp import with_gpytorch

        fitted = with_gpytorch.fit(x, y, starts(COLUMNS, SEED))
    else:
        from benchmarks.gp import with_scikit_learn

        fitted = with_scikit_learn.fit_as_it_comes(x, y, RESTARTS, starts(COLUMNS, SEED)[0], SEED)
    done = time.time()
    new_x, new_y = data(1000, COLUMNS, seed=1)
    print(done, log_density(new_y, *fitted.predict(new_x)).mean())


def first_fit(name: str, rows: int, cache: str | None = None) -> tuple[float, float]:
    """Seconds from the start of a process to its fit, and the log density of new rows."""
    kept = {key: value for key, value in os.environ.items() if "COMPILATION_CACHE" not in key}
    kept |= {"JAX_PERSISTENT_CACHE_MIN_COMPILE_TIME_SECS": "0", "JAX_PERSISTENT_CACHE_MIN_ENTRY_SIZE_BYTES": "-1"}
    environment = kept | ({"JAX_COMPILATION_CACHE_DIR": cache} if cache else {})
    command = [sys.executable, "-m", "benchmarks.gp.bench_first", name, str(rows)]
    began = time.time()
    output = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=True).stdout
    done, density = map(float, output.split())
    return done - began, density


def race(rows: int = ROWS, rounds: int = ROUNDS) -> Race:
    """One row an implementation; the rounds are interleaved, each with a new cache."""
    runs: dict[str, list[tuple[float, float]]] = {}
    for _ in range(rounds):
        with tempfile.TemporaryDirectory() as cache:
            for label, name, folder in (
                ("scikit-learn", "scikit-learn", None),
                ("GPyTorch", "GPyTorch", None),
                ("credo, no cache", "credo", None),
                ("credo, cold cache", "credo", cache),
                ("credo, warm cache", "credo", cache),
            ):
                runs.setdefault(label, []).append(first_fit(name, rows, folder))
    best = {label: min(seconds for seconds, _ in done) for label, done in runs.items()}
    best_peer = min(best["scikit-learn"], best["GPyTorch"])
    lines = [
        {
            "implementation": label,
            "seconds": best[label],
            "ratio to best peer": best[label] / best_peer,
            "beyond scikit-learn, seconds": best[label] - best["scikit-learn"],
            "log density of new rows": runs[label][0][1],
        }
        for label in runs
    ]
    text = (
        f"From the start of a Python process to the end of its first fit, imports and compilation included: {rows} "
        f"rows of {COLUMNS} columns, Matérn-5/2 with a length-scale a column, four restarts. credo as it comes, with "
        "no, an empty and a filled cache of compiled code on disk (JAX's own, `JAX_COMPILATION_CACHE_DIR`); "
        "scikit-learn with its own restarts; GPyTorch with L-BFGS-B from the starts that credo has. "
        f"Best of {rounds} interleaved processes each."
    )
    return Race("First fit of a Gaussian process in a new process", text, lines)


if __name__ == "__main__":
    if len(sys.argv) > 1:
        fit_and_report(sys.argv[1], int(sys.argv[2]))
    else:
        from benchmarks.race import publish

        publish("first", race())

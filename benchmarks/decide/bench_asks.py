"""How long a suggestion takes: the median `ask` of a study of Hartmann-6, and all of a hundred trials in a new process.

A process is `python -m benchmarks.decide.bench_asks LIBRARY SEED`, which prints as JSON when its trials were done, the
seconds of each ask, the CPU seconds of the whole, and the regret. Threads are as each library has them. With a third
argument credo begins with so many past runs, and what is printed are the CPU seconds of its first two asks.
"""

import json
import os
import subprocess
import sys
import tempfile
import time
from typing import Any

import numpy as np

from benchmarks.decide.problems import PROBLEMS
from benchmarks.decide.runs import LIBRARIES
from benchmarks.race import ROOT, Race, Row

PROBLEM, TRIALS, FIRST = "Hartmann-6", 100, 20
PAST, MEASURED_NOISE = (500, 1000, 1100, 1500, 2000), 0.01
SEEDS = int(os.environ.get("CREDO_SEEDS", "20"))
CASES = (
    ("credo, cold cache", "credo"),
    ("credo, warm cache", "credo"),
    ("Optuna", "Optuna"),
    ("BoTorch", "BoTorch"),
)


def report(library: str, seed: int) -> None:
    """Run the trials, and print what came of it."""
    point, seconds = LIBRARIES[library].minimized(PROBLEMS[PROBLEM], seed, TRIALS)
    done = {"done": time.time(), "cpu": time.process_time(), "asks": seconds, "regret": PROBLEMS[PROBLEM].regret(point)}
    print(json.dumps(done))


def report_past(seed: int, runs: int) -> None:
    """Ask twice after so many random runs with a little noise, the first answer told, and print the CPU seconds."""
    from credo import Study
    from credo.represent import Real, Space

    problem, rng = PROBLEMS[PROBLEM], np.random.default_rng(seed)
    rows = [dict(zip(problem.parameters, row, strict=True)) for row in rng.random((runs, len(problem.parameters)))]
    values = [problem.function(row) + MEASURED_NOISE * rng.normal() for row in rows]
    space = Space({name: Real(0.0, 1.0) for name in problem.parameters})
    study, seconds = Study.from_data(rows, values, space=space, random_state=seed), []
    for _ in range(2):
        start = time.process_time()
        trial = study.ask()
        seconds.append(time.process_time() - start)
        study.tell(trial, problem.function(trial.params) + MEASURED_NOISE * rng.normal())
    print(json.dumps({"first": seconds[0], "next": seconds[1]}))


def printed_by(arguments: list[str], cache: str) -> Row:
    """What a new process with these arguments prints."""
    kept = {key: value for key, value in os.environ.items() if "COMPILATION_CACHE" not in key}
    kept |= {"JAX_PERSISTENT_CACHE_MIN_COMPILE_TIME_SECS": "0", "JAX_PERSISTENT_CACHE_MIN_ENTRY_SIZE_BYTES": "-1"}
    ended = subprocess.run(
        [sys.executable, "-W", "ignore", "-m", "benchmarks.decide.bench_asks", *arguments],
        cwd=ROOT,
        env=kept | {"JAX_COMPILATION_CACHE_DIR": cache},
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        check=True,
    )
    found: Row = json.loads(ended.stdout.splitlines()[-1])
    return found


def one_run(library: str, seed: int, cache: str) -> Row:
    """Seconds from the start of a process to its last answer, those of the median ask, CPU seconds, and the regret."""
    began = time.time()
    found = printed_by([library, str(seed)], cache)
    return {
        "ask": float(np.median(found["asks"][FIRST:])),
        "total": found["done"] - began,
        "cpu": found["cpu"],
        "regret": found["regret"],
    }


def race(seeds: int = SEEDS) -> Race:
    """One row an implementation; a round is a seed, with a new cache of compiled code."""
    runs: dict[str, list[Row]] = {label: [] for label, _ in CASES}
    for seed in range(seeds):
        with tempfile.TemporaryDirectory() as cache:
            for label, library in CASES:
                runs[label].append(one_run(library, seed, cache))
    middle = {label: {key: _median(done, key) for key in done[0]} for label, done in runs.items()}
    rows = [
        {
            "implementation": label,
            "median ask, ms": 1e3 * one["ask"],
            "times credo's": one["ask"] / middle["credo, warm cache"]["ask"],
            "100 trials, s": one["total"],
            "CPU, s": one["cpu"],
            "median regret": one["regret"],
        }
        for label, one in middle.items()
    ]
    rows += [after_past_runs(runs, seeds) for runs in PAST]
    text = (
        f"{PROBLEM}, {TRIALS} trials, each run in a process of its own: the median `ask` (with `tell`) from {FIRST} "
        f"observations on, and all {TRIALS} trials from the start of the process, imports and compilation included; "
        f"medians over {seeds} seeds, the contestants in turns. credo `Study` with its defaults, with an empty and a "
        "filled cache of compiled code; Optuna GPSampler with its defaults; BoTorch SingleTaskGP, LogEI, 10 restarts, "
        "512 raw samples. CPU seconds, of all threads, depend little on who else is at work on the machine. "
        "The last rows are studies that begin with past runs at random points, noise of standard deviation "
        f"{MEASURED_NOISE}: CPU seconds of the first `ask` in a new process and of the next."
    )
    return Race("Time of suggestions", text, rows)


def after_past_runs(runs: int, seeds: int) -> Row:
    """CPU seconds of an ask, medians over the seeds; the cache of compiled code is empty at the first only."""
    with tempfile.TemporaryDirectory() as cache:
        done = [printed_by(["credo", str(seed), str(runs)], cache) for seed in range(seeds)]
    name = f"credo after {runs} past runs"
    return {"implementation": name, "first ask, CPU s": _median(done, "first"), "next, CPU s": _median(done, "next")}


def _median(runs: list[Row], key: str) -> Any:
    return float(np.median([run[key] for run in runs]))


if __name__ == "__main__":
    if len(sys.argv) > 3:
        report_past(int(sys.argv[2]), int(sys.argv[3]))
    elif len(sys.argv) > 1:
        report(sys.argv[1], int(sys.argv[2]))
    else:
        from benchmarks.race import publish

        publish("asks", race())

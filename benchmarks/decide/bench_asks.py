"""How long a suggestion takes: the median `ask` of a study of Hartmann-6, and all of a hundred trials in a new process.

A process is `python -m benchmarks.decide.bench_asks LIBRARY SEED`, which prints as JSON when its trials were done, the
seconds of each ask, the CPU seconds of the whole, and the regret. Threads are as each library has them.
"""

import json
import os
import subprocess
import sys
import tempfile
import time
from typing import Any

import numpy as np

from benchmarks.decide.bench_regret import LIBRARIES
from benchmarks.decide.problems import PROBLEMS
from benchmarks.race import ROOT, Race, Row

PROBLEM, TRIALS, FIRST = "Hartmann-6", 100, 20
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


def one_run(library: str, seed: int, cache: str) -> Row:
    """Seconds from the start of a process to its last answer, those of the median ask, CPU seconds, and the regret."""
    kept = {key: value for key, value in os.environ.items() if "COMPILATION_CACHE" not in key}
    kept |= {"JAX_PERSISTENT_CACHE_MIN_COMPILE_TIME_SECS": "0", "JAX_PERSISTENT_CACHE_MIN_ENTRY_SIZE_BYTES": "-1"}
    command = [sys.executable, "-W", "ignore", "-m", "benchmarks.decide.bench_asks", library, str(seed)]
    began = time.time()
    ended = subprocess.run(
        command,
        cwd=ROOT,
        env=kept | {"JAX_COMPILATION_CACHE_DIR": cache},
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        check=True,
    )
    found = json.loads(ended.stdout.splitlines()[-1])
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
    text = (
        f"{PROBLEM}, {TRIALS} trials, each run in a process of its own: the median `ask` (with `tell`) from {FIRST} "
        f"observations on, and all {TRIALS} trials from the start of the process, imports and compilation included; "
        f"medians over {seeds} seeds, the contestants in turns. credo `Study` with its defaults, with an empty and a "
        "filled cache of compiled code; Optuna GPSampler with its defaults; BoTorch SingleTaskGP, LogEI, 10 restarts, "
        "512 raw samples. CPU seconds, of all threads, depend little on who else is at work on the machine."
    )
    return Race("Time of suggestions", text, rows)


def _median(runs: list[Row], key: str) -> Any:
    return float(np.median([run[key] for run in runs]))


if __name__ == "__main__":
    if len(sys.argv) > 1:
        report(sys.argv[1], int(sys.argv[2]))
    else:
        from benchmarks.race import publish

        publish("asks", race())

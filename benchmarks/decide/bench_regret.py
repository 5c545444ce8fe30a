"""How near the best after a given number of evaluations: simple regret of credo, Optuna's GPSampler and BoTorch.

Runs are kept as `runs.py` keeps them, in `benchmarks/results/regret_runs.jsonl` or in the file that CREDO_REGRET names.
The whole race takes hours, nearly all of them BoTorch's:

    python -m benchmarks regret   # what is missing of it, in two processes, and the table
    CREDO_SEEDS=5 python -m benchmarks regret   # with fewer seeds than the twenty
    python -m benchmarks.decide.bench_regret --libraries credo   # the runs of one library only, and no table
    python -m benchmarks.decide.bench_regret --problems Branin mixed --seeds 100 120 --workers 1

Results do not depend on the time, so that runs share the machine with others; each has one thread.
"""

import argparse
import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.decide.problems import PROBLEMS, Problem
from benchmarks.decide.runs import LIBRARIES, Key, keep_only, run_missing
from benchmarks.race import RESULTS, Race, Row

SEEDS = range(int(os.environ.get("CREDO_SEEDS", "20")))
BLOCK = 5  # seeds of all problems, before the next ones: a table of few seeds is there early


def cache_file() -> Path:
    """Where the results are."""
    return Path(os.environ.get("CREDO_REGRET", RESULTS / "regret_runs.jsonl"))


def keys(problems: Sequence[str], libraries: Sequence[str], seeds: Sequence[int]) -> Iterator[Key]:
    """All runs, a block of seeds after the other."""
    for start in range(0, len(seeds), BLOCK):
        for problem in problems:
            for library in libraries:
                for seed in seeds[start : start + BLOCK]:
                    yield problem, library, seed


def problem_of(name: str, seed: int) -> Problem:
    """The same for every seed."""
    return PROBLEMS[name]


def table_of(there: dict[Key, Row], problems: Sequence[str], seeds: Sequence[int]) -> list[Row]:
    """One row a problem and library; whether credo's median is at most that of the better peer."""
    rows: list[Row] = []
    for problem in problems:
        found = {
            library: np.array([there[problem, library, s]["regret"] for s in seeds if (problem, library, s) in there])
            for library in LIBRARIES
        }
        middle = {library: float(np.median(regrets)) for library, regrets in found.items() if len(regrets)}
        peers = [middle[library] for library in middle if library != "credo"]
        for library, median in middle.items():
            row: dict[str, Any] = {
                "problem": problem,
                "evaluations": PROBLEMS[problem].evaluations,
                "implementation": library,
                "seeds": len(found[library]),
                "median regret": median,
                "lower quartile": float(np.quantile(found[library], 0.25)),
                "upper quartile": float(np.quantile(found[library], 0.75)),
            }
            if library == "credo" and peers:
                row["not worse than the better peer"] = "yes" if median <= min(peers) else "no"
            rows.append(row)
    return rows


def race(workers: int = 2) -> Race:
    """One row a problem and library."""
    problems = list(PROBLEMS)
    wanted = keys(problems, list(LIBRARIES), SEEDS)
    there = run_missing(wanted, problem_of, workers=workers, file=cache_file())
    keep_only(there, cache_file())
    text = (
        f"Simple regret after a given number of evaluations, {len(SEEDS)} seeds: how much worse than the least value, "
        "without noise, the point is that a library recommends: the best it saw, and of noisy values (standard "
        "deviation 1) the one with the best posterior mean (Optuna has none: its best trial). The "
        "contestants: credo `Study` (noisy: kg, the knowledge gradient); Optuna GPSampler; BoTorch SingleTaskGP, LogEI "
        "(noisy: qLogNoisyEI; mixed: MixedSingleTaskGP, "
        "alternating), 10 restarts, 512 raw samples, after a Sobol design of twice the parameters. The mixed space has "
        "two real parameters, an integer of ten and a choice of four."
    )
    return Race("Regret of suggestions", text, table_of(there, problems, SEEDS))


def main() -> None:
    parser = argparse.ArgumentParser(description="Run what is missing of the race, without the table in the docs.")
    parser.add_argument("--problems", nargs="+", default=list(PROBLEMS), choices=list(PROBLEMS))
    parser.add_argument("--libraries", nargs="+", default=list(LIBRARIES), choices=list(LIBRARIES))
    parser.add_argument("--seeds", nargs=2, type=int, default=(SEEDS.start, SEEDS.stop), metavar=("FROM", "TO"))
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--cache", type=Path, default=cache_file())
    chosen = parser.parse_args()
    seeds = range(*chosen.seeds)
    wanted = keys(chosen.problems, chosen.libraries, seeds)
    run_missing(wanted, problem_of, workers=chosen.workers, file=chosen.cache)


if __name__ == "__main__":
    main()

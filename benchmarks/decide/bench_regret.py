"""How near the best after a given number of evaluations: simple regret of credo, Optuna's GPSampler and BoTorch.

A run is a problem, a library and a seed. Each is written to a file of results as soon as it is there, one line of JSON,
so that an interrupted race goes on where it was, and what does not change is not run again: a peer's results hold for
its version, credo's for its sources. The file is `benchmarks/results/regret_runs.jsonl`, or what CREDO_REGRET names.
The whole race takes hours, nearly all of them BoTorch's:

    python -m benchmarks regret   # what is missing of it, in two processes, and the table
    CREDO_SEEDS=5 python -m benchmarks regret   # with fewer seeds than the twenty
    python -m benchmarks.decide.bench_regret --libraries credo   # the runs of one library only, and no table
    python -m benchmarks.decide.bench_regret --problems Branin mixed --seeds 100 120 --workers 1

Results do not depend on the time, so that runs share the machine with others; each has one thread.
"""

import argparse
import json
import os
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.decide import with_botorch, with_credo, with_optuna
from benchmarks.decide.problems import PROBLEMS
from benchmarks.race import RESULTS, Race, Row

LIBRARIES = {"credo": with_credo, "Optuna": with_optuna, "BoTorch": with_botorch}
SEEDS = range(int(os.environ.get("CREDO_SEEDS", "20")))
BLOCK = 5  # seeds of all problems, before the next ones: a table of few seeds is there early
Key = tuple[str, str, int]


def cache_file() -> Path:
    """Where the results are."""
    return Path(os.environ.get("CREDO_REGRET", RESULTS / "regret_runs.jsonl"))


def identities(libraries: Sequence[str]) -> dict[str, str]:
    """What the results of each library hold for."""
    return {library: LIBRARIES[library].identity() for library in libraries}


def read(file: Path, made_by: dict[str, str]) -> dict[Key, Row]:
    """The results that still hold, by problem, library and seed."""
    if not file.exists():
        return {}
    rows = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines() if line.strip()]
    return {(r["problem"], r["library"], r["seed"]): r for r in rows if made_by.get(r["library"]) == r["by"]}


def keys(problems: Sequence[str], libraries: Sequence[str], seeds: Sequence[int]) -> Iterator[Key]:
    """All runs, a block of seeds after the other."""
    for start in range(0, len(seeds), BLOCK):
        for problem in problems:
            for library in libraries:
                for seed in seeds[start : start + BLOCK]:
                    yield problem, library, seed


def one_thread() -> None:
    """Of torch; of all others before they are imported."""
    import torch

    torch.set_num_threads(1)


def run(key: Key, by: str) -> Row:
    """One run: the regret of what the library recommends, and how long it took."""
    problem, library, seed = key
    start = time.perf_counter()
    point, _ = LIBRARIES[library].minimized(PROBLEMS[problem], seed)
    seconds = time.perf_counter() - start
    regret = PROBLEMS[problem].regret(point)
    return {"problem": problem, "library": library, "seed": seed, "by": by, "regret": regret, "seconds": seconds}


def run_missing(
    problems: Sequence[str], libraries: Sequence[str], seeds: Sequence[int], *, workers: int, file: Path
) -> dict[Key, Row]:
    """All results, after those that were missing have been run and written to the file."""
    made_by = identities(libraries)
    there = read(file, made_by)
    missing = [key for key in keys(problems, libraries, seeds) if key not in there]
    file.parent.mkdir(parents=True, exist_ok=True)
    os.environ.update(dict.fromkeys(("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS"), "1"))
    context = get_context("spawn")
    with (
        ProcessPoolExecutor(workers, mp_context=context, initializer=one_thread) as pool,
        file.open("a", encoding="utf-8") as lines,
    ):
        for future in as_completed([pool.submit(run, key, made_by[key[1]]) for key in missing]):
            row = future.result()
            print(f"{row['problem']} {row['library']} {row['seed']}: {row['regret']:.3g} in {row['seconds']:.0f} s")
            lines.write(json.dumps(row) + "\n")
            lines.flush()
            there[row["problem"], row["library"], row["seed"]] = row
    return there


def keep_only(there: dict[Key, Row], file: Path) -> None:
    """Forget what no longer holds."""
    lines = [json.dumps(there[key]) + "\n" for key in sorted(there)]
    fresh = file.with_suffix(".new")
    fresh.write_text("".join(lines), encoding="utf-8")
    fresh.replace(file)  # at once: hours of work are in it


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
    there = run_missing(problems, list(LIBRARIES), SEEDS, workers=workers, file=cache_file())
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
    run_missing(chosen.problems, chosen.libraries, seeds, workers=chosen.workers, file=chosen.cache)


if __name__ == "__main__":
    main()

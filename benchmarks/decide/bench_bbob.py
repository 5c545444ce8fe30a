"""The 24 functions of BBOB with few evaluations: regret of credo, Optuna's GPSampler and BoTorch, as ratios.

Separable, ill-conditioned, multimodal and weakly structured functions (Hansen et al. 2009, package `ioh`), in 2, 4 and
8 parameters from -5 to 5, instances 1 to 5 (shifts and rotations), 60 evaluations each. The instance is the seed, too.
Runs are kept as `runs.py` keeps them, in `benchmarks/results/bbob_runs.jsonl` or in the file that CREDO_BBOB names:

    CREDO_SECONDS=3600 python -m benchmarks bbob   # what is missing of it, for an hour, and the table
    python -m benchmarks.decide.bench_bbob --dimensions 4 --libraries credo Optuna --instances 1 4   # 1, 2 and 3
"""

import argparse
import os
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import numpy as np

from benchmarks.decide.problems import Point, Problem, Real
from benchmarks.decide.runs import LIBRARIES, Key, identities, keep_only, read, run_missing
from benchmarks.race import RESULTS, Race, Row

FUNCTIONS, DIMENSIONS, INSTANCES = range(1, 25), (4, 2, 8), range(1, 6)
EVALUATIONS = 60
LEAST = 1e-8  # of a regret: what is nearer counts as solved, as in BBOB
NOT_WORSE, WORST = 1.1, 1.5  # times the regret of the better peer: what counts as not worse, and what none should be


def cache_file() -> Path:
    """Where the results are."""
    return Path(os.environ.get("CREDO_BBOB", RESULTS / "bbob_runs.jsonl"))


def name_of(function: int, dimension: int) -> str:
    """Of the problem in the file of results."""
    return f"f{function} in {dimension}"


def problem_of(name: str, seed: int) -> Problem:
    """A function in so many parameters, and its instance of the seed."""
    import ioh

    function, dimension = (int(part) for part in name.removeprefix("f").split(" in "))
    one = ioh.get_problem(function, seed, dimension, ioh.ProblemClass.BBOB)
    names = [f"x{j}" for j in range(1, dimension + 1)]

    def value(point: Point) -> float:
        return float(one([point[each] for each in names]))

    return Problem(name, {each: Real(-5.0, 5.0) for each in names}, value, float(one.optimum.y), EVALUATIONS)


def keys(
    functions: Sequence[int], dimensions: Sequence[int], libraries: Sequence[str], instances: Sequence[int]
) -> Iterator[Key]:
    """All runs, an instance of every function after the other."""
    for dimension in dimensions:
        for instance in instances:
            for library in libraries:
                for function in functions:
                    yield name_of(function, dimension), library, instance


def geometric_mean(numbers: Sequence[float]) -> float:
    """Of positive numbers."""
    return float(np.exp(np.mean(np.log(numbers))))


def table_of(there: Mapping[Key, Row], dimensions: Sequence[int] = DIMENSIONS) -> list[Row]:
    """One row a function: geometric means of the regrets over the instances that every library has run."""
    rows: list[Row] = []
    for dimension in sorted(dimensions):
        for function in FUNCTIONS:
            name = name_of(function, dimension)
            ran = {library: {s for p, l, s in there if (p, l) == (name, library)} for library in LIBRARIES}
            libraries = [library for library, seeds in ran.items() if seeds]
            shared = sorted(set.intersection(*(ran[library] for library in libraries))) if libraries else []
            if "credo" not in libraries or len(libraries) < 2 or not shared:
                continue
            regrets = {
                library: geometric_mean([max(there[name, library, s]["regret"], LEAST) for s in shared])
                for library in libraries
            }
            best = min(regret for library, regret in regrets.items() if library != "credo")
            row: Row = {"parameters": dimension, "function": f"f{function}", "instances": len(shared)}
            rows.append(row | regrets | {"ratio to the better peer": regrets["credo"] / best})
    return rows


def notes_of(there: Mapping[Key, Row], rows: Sequence[Row]) -> tuple[str, ...]:
    """For each number of parameters, and all together: how often credo is not worse, mean and worst ratio, times."""
    notes = []
    for dimension in sorted({row["parameters"] for row in rows}):
        mine = [row for row in rows if row["parameters"] == dimension]
        cpu = {
            library: [row["cpu"] for (p, l, _), row in there.items() if l == library and p.endswith(f" in {dimension}")]
            for library in LIBRARIES
        }
        times = ", ".join(f"{library} {np.median(each):.3g} s" for library, each in cpu.items() if each)
        peers = " and ".join(each for each in cpu if cpu[each] and each != "credo")
        notes.append(
            f"{dimension} parameters, peers {peers}: {summary_of({row['function']: [row] for row in mine})} "
            f"Median CPU time of a run: {times}."
        )
    if len({row["parameters"] for row in rows}) > 1:
        by_function: dict[str, list[Row]] = {}
        for row in rows:
            by_function.setdefault(row["function"], []).append(row)
        notes.append(f"All numbers of parameters together: {summary_of(by_function)}")
    return tuple(notes)


def summary_of(by_function: Mapping[str, Sequence[Row]]) -> str:
    """On how many functions credo is not worse, by the geometric mean of the ratios in the rows of each."""
    ratios = {
        name: geometric_mean([row["ratio to the better peer"] for row in rows]) for name, rows in by_function.items()
    }
    worst = max(ratios, key=ratios.__getitem__)
    above = sum(ratio > WORST for ratio in ratios.values())
    return (
        f"not worse than the better peer (ratio at most {NOT_WORSE}) on "
        f"{sum(ratio <= NOT_WORSE for ratio in ratios.values())} of {len(ratios)} functions, geometric mean ratio "
        f"{geometric_mean(list(ratios.values())):.2f}, {above} above {WORST}, worst {ratios[worst]:.2f} ({worst})."
    )


def race(workers: int = 2) -> Race:
    """One row a function and number of parameters."""
    wanted = keys(FUNCTIONS, DIMENSIONS, list(LIBRARIES), INSTANCES)
    there = run_missing(wanted, problem_of, workers=workers, file=cache_file())
    keep_only(there, cache_file())
    rows = table_of(there)
    text = (
        f"The 24 noiseless functions of BBOB in 2, 4 and 8 parameters, {EVALUATIONS} evaluations: geometric means "
        f"over instances of the simple regret of the best point (at least {LEAST:g}), and credo's in shares of the "
        "better peer's. The contestants, with their defaults: credo `Study`; Optuna GPSampler; BoTorch SingleTaskGP, "
        "LogEI, 10 restarts, 512 raw samples, after a Sobol design of twice the parameters. Each run has one thread. "
        "A row is about the instances that every library in it has run so far. The target, not worse on 20 of 24 "
        f"functions, geometric mean at most 0.6 and none above {WORST}, is read over all numbers of parameters "
        "together. "
        "f7 is a step function, whose least step some runs hit exactly: their regret counts as the least one."
    )
    return Race("Regret on BBOB", text, rows, notes_of(there, rows))


def main() -> None:
    parser = argparse.ArgumentParser(description="Run what is missing of the race, and print how it stands.")
    parser.add_argument("--functions", nargs="+", type=int, default=list(FUNCTIONS))
    parser.add_argument("--dimensions", nargs="+", type=int, default=list(DIMENSIONS))
    parser.add_argument("--libraries", nargs="+", default=list(LIBRARIES), choices=list(LIBRARIES))
    parser.add_argument("--instances", nargs=2, type=int, default=(1, 6), metavar=("FROM", "TO"))
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--cache", type=Path, default=cache_file())
    chosen = parser.parse_args()
    wanted = keys(chosen.functions, chosen.dimensions, chosen.libraries, range(*chosen.instances))
    there = run_missing(wanted, problem_of, workers=chosen.workers, file=chosen.cache)
    there |= read(chosen.cache, identities(list(LIBRARIES)))
    print("\n".join(notes_of(there, table_of(there, chosen.dimensions))))


if __name__ == "__main__":
    main()

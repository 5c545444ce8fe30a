"""Runs that take hours in all, each written to a file as soon as it is there: a race goes on where it was interrupted.

A run is a problem, a library and a seed, and a line of JSON. What is there is not run again: a peer's results hold for
its version, credo's for its sources. CREDO_SECONDS limits a call: runs that begin before it is over are finished, and
the next call has the rest.
"""

import json
import os
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, ProcessPoolExecutor, wait
from multiprocessing import get_context
from pathlib import Path
from typing import Any

from benchmarks.decide import with_botorch, with_credo, with_optuna
from benchmarks.decide.problems import Problem
from benchmarks.race import Row

LIBRARIES = {"credo": with_credo, "Optuna": with_optuna, "BoTorch": with_botorch}
Key = tuple[str, str, int]
ProblemOf = Callable[[str, int], Problem]  # by name and seed; of a module, so that a process finds it


def identities(libraries: Sequence[str]) -> dict[str, str]:
    """What the results of each library hold for."""
    return {library: LIBRARIES[library].identity() for library in libraries}


def read(file: Path, made_by: Mapping[str, str]) -> dict[Key, Row]:
    """The results that still hold, by problem, library and seed."""
    if not file.exists():
        return {}
    rows = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines() if line.strip()]
    return {(r["problem"], r["library"], r["seed"]): r for r in rows if made_by.get(r["library"]) == r["by"]}


def one_thread() -> None:
    """Of torch; of all others before they are imported."""
    import torch

    torch.set_num_threads(1)


def run(key: Key, problem_of: ProblemOf, by: str) -> Row:
    """One run: the regret of what the library recommends, and how long it took."""
    name, library, seed = key
    problem = problem_of(name, seed)
    start, cpu = time.perf_counter(), time.process_time()
    point, _ = LIBRARIES[library].minimized(problem, seed)
    seconds, cpu = time.perf_counter() - start, time.process_time() - cpu
    regret = problem.regret(point)
    return {
        "problem": name,
        "library": library,
        "seed": seed,
        "by": by,
        "regret": regret,
        "seconds": seconds,
        "cpu": cpu,
    }


def run_missing(keys: Iterable[Key], problem_of: ProblemOf, *, workers: int, file: Path) -> dict[Key, Row]:
    """All results, after those that were missing have been run and written to the file, while there is time."""
    wanted = list(keys)
    made_by = identities(sorted({library for _, library, _ in wanted}))
    there = read(file, made_by)
    calls = [(run, key, problem_of, made_by[key[1]]) for key in wanted if key not in there]
    for row in completed(calls, workers=workers, file=file, initializer=one_thread):
        print(f"{row['problem']} {row['library']} {row['seed']}: {row['regret']:.3g} in {row['seconds']:.0f} s")
        there[row["problem"], row["library"], row["seed"]] = row
    return there


def completed(
    calls: Sequence[tuple[Any, ...]], *, workers: int, file: Path, initializer: Callable[[], None] | None = None
) -> Iterator[Row]:
    """The result of each call (a function and its arguments), written to the file as soon as it is there.

    Each worker is a process with one thread.
    """
    missing = iter(calls)
    until = time.monotonic() + float(os.environ.get("CREDO_SECONDS", "inf"))
    file.parent.mkdir(parents=True, exist_ok=True)
    os.environ.update(dict.fromkeys(("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS"), "1"))
    context = get_context("spawn")
    with (
        ProcessPoolExecutor(workers, mp_context=context, initializer=initializer) as pool,
        file.open("a", encoding="utf-8") as lines,
    ):
        running = set()
        while True:
            while len(running) < workers and time.monotonic() < until and (call := next(missing, None)):
                running.add(pool.submit(*call))
            if not running:
                return
            ended, running = wait(running, return_when=FIRST_COMPLETED)
            for future in ended:
                row = future.result()
                lines.write(json.dumps(row) + "\n")
                lines.flush()
                yield row


def keep_only(there: Mapping[Key, Row], file: Path) -> None:
    """Forget what no longer holds."""
    lines = [json.dumps(there[key]) + "\n" for key in sorted(there)]
    fresh = file.with_suffix(".new")
    fresh.write_text("".join(lines), encoding="utf-8")
    fresh.replace(file)  # at once: hours of work are in it

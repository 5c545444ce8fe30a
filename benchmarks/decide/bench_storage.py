"""Asks and tells a second of four processes that share a study, at full durability: credo's storage against Optuna's.

The sampler is random, so that only the storage counts. SQLite is on the disk of the temporary directory (TMPDIR chooses
another); PostgreSQL is a server that the race starts itself, with its default settings, where one is installed.
"""

import importlib.util
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

from benchmarks.decide.storage_workers import Crew
from benchmarks.race import ROOT, Race, Row, interleaved
from credo.decide.storage import storage_from

WORKERS, PAIRS, LONG = 4, 80, 100_000
NAMES = {"credo": "credo", "optuna": "Optuna (RDBStorage)", "bare": "SQLite alone, two commits a pair"}


def server_of_the_tests() -> Any:
    """tests/throwaway_postgres.py, which starts and stops a server; `tests` itself is no package."""
    spec = importlib.util.spec_from_file_location("throwaway_postgres", ROOT / "tests" / "throwaway_postgres.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def prefill(address: str, trials: int) -> None:
    """Finished trials that were there before."""
    storage = storage_from(address)
    study = storage.create_study("race", {}, exist_ok=True)
    for start in range(0, trials, 10_000):
        storage.add_finished(study, [({"x": 0.5, "y": 0.5}, 1.0)] * min(10_000, trials - start))
    storage.close()


def stored(address: str) -> int:
    """How many finished trials credo's study has."""
    storage = storage_from(address)
    try:
        return storage.counts(storage.load_study("race")).done
    finally:
        storage.close()


@contextmanager
def contestants(kind: str, long: int) -> Iterator[dict[tuple[str, int], str]]:
    """The address of each contestant, by its name and the number of trials that its study has before."""
    keys = [("credo", 0), ("credo", long), ("optuna", 0)]
    if kind == "SQLite":
        with tempfile.TemporaryDirectory() as folder:
            files = [*keys, ("bare", 0)]
            yield {key: str(Path(folder) / f"{key[0]}-{key[1]}.db") for key in files}
    else:
        # A server each: a checkpoint that one of them causes must not slow the others.
        with ExitStack() as stack:
            server = server_of_the_tests().postgres_server
            yield {key: stack.enter_context(server(durable=True)) for key in keys}


def rows_of(kind: str, pairs: int, repeats: int, long: int) -> list[Row]:
    """One row a contestant, all in turns on one machine."""
    with contestants(kind, long) as addresses:
        for (maker, before), address in addresses.items():
            if maker == "credo":
                prefill(address, before)
        crews = {key: Crew(key[0], address, WORKERS) for key, address in addresses.items()}
        runners = {key: (lambda crew=crew: crew.run(pairs)) for key, crew in crews.items()}  # type: ignore[misc]
        timings = interleaved(runners, repeats=repeats, seconds=120.0)  # type: ignore[type-var]
        for crew in crews.values():
            crew.stop()
        lost = {key: key[1] + crews[key].done - stored(addresses[key]) for key in crews if key[0] == "credo"}
    peer = pairs / timings["optuna", 0].best  # type: ignore[index]
    return [
        {
            "database": kind,
            "implementation": NAMES[maker],
            "trials before": before,
            "asks and tells a second": pairs / timing.best,
            "times Optuna's": pairs / timing.best / peer,
            "lost": lost.get((maker, before)),
        }
        for (maker, before), timing in timings.items()  # type: ignore[misc]
    ]


def race(pairs: int = PAIRS, repeats: int = 9, long: int = LONG) -> Race:
    """One row a database, implementation and length of the study."""
    kinds = ["SQLite", *(["PostgreSQL"] if server_of_the_tests().postgres_programs() else [])]
    rows = [row for kind in kinds for row in rows_of(kind, pairs, repeats, long)]
    text = (
        f"{WORKERS} processes share a study; each asks for a trial with two random parameters and answers it "
        f"at once. {pairs} pairs a round, the contestants in turns, the best of {repeats} rounds. credo on SQLite: "
        "rollback journal, synchronous=EXTRA, so five syncs a commit and two commits a pair; Optuna with its defaults, "
        "which sync once less a commit. PostgreSQL with its defaults. The disk sets the limit: its speed varies "
        "between machines, and on rented ones with how much was written before, so compare within the table."
    )
    return Race("Storage of studies", text, rows)


if __name__ == "__main__":
    from benchmarks.race import publish

    publish("storage", race())

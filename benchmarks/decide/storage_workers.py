"""Worker processes that ask for trials with random parameters and answer them, in credo and in Optuna.

They live through all rounds of a race, so that neither imports nor the opening of a study are timed.
"""

import multiprocessing
import random
import sqlite3
import warnings
from collections.abc import Callable
from typing import Any

__all__ = ["Crew"]

Pair = Callable[[random.Random], None]


def credo_pairs(address: str) -> Pair:
    """As `Study.ask` and `tell` do with a random sampler: look at the queue, add a running trial, answer it."""
    from credo.decide.storage import storage_from

    storage = storage_from(address)
    study = storage.create_study("race", {}, exist_ok=True)

    def pair(rng: random.Random) -> None:
        trial = storage.claim_waiting(study, lease=600.0)
        if trial is None:
            params = {"x": rng.random(), "y": rng.random()}
            trial = storage.add_running(study, params, lease=600.0, seed=rng.getrandbits(32), why={"kind": "random"})
        storage.tell(study, trial.number, trial.token, rng.random())

    return pair


def optuna_pairs(address: str) -> Pair:
    """Optuna's own `ask`, two suggested floats, and `tell`, with its random sampler and database storage."""
    import optuna

    optuna.logging.set_verbosity(optuna.logging.ERROR)
    warnings.simplefilter("ignore")
    url = address.replace("postgresql:", "postgresql+psycopg:") if "://" in address else f"sqlite:///{address}"
    sampler = optuna.samplers.RandomSampler()
    study = optuna.create_study(storage=url, study_name="race", load_if_exists=True, sampler=sampler)

    def pair(rng: random.Random) -> None:
        trial = study.ask()
        trial.suggest_float("x", 0.0, 1.0)
        trial.suggest_float("y", 0.0, 1.0)
        study.tell(trial, rng.random())

    return pair


def bare_pairs(address: str) -> Pair:
    """Two commits of one small row each by SQLite itself, as durable as credo's: what the disk allows."""
    connection = sqlite3.connect(address, isolation_level=None, timeout=60.0)
    connection.execute("PRAGMA synchronous=EXTRA")
    connection.execute("CREATE TABLE IF NOT EXISTS t (x REAL)")

    def pair(rng: random.Random) -> None:
        for _ in range(2):
            connection.execute("BEGIN IMMEDIATE")
            connection.execute("INSERT INTO t VALUES (?)", (rng.random(),))
            connection.execute("COMMIT")

    return pair


MAKERS = {"credo": credo_pairs, "optuna": optuna_pairs, "bare": bare_pairs}


def _serve(maker: str, address: str, seed: int, pipe: Any) -> None:
    pair, rng = MAKERS[maker](address), random.Random(seed)
    pipe.send("ready")
    while (count := pipe.recv()) is not None:
        for _ in range(count):
            pair(rng)
        pipe.send(count)


class Crew:
    """So many processes that share a study, and do their part of the pairs when they are called."""

    def __init__(self, maker: str, address: str, workers: int) -> None:
        context = multiprocessing.get_context("spawn")
        self.pipes, self.processes, self.done = [], [], 0
        for seed in range(workers):
            here, there = context.Pipe()
            process = context.Process(target=_serve, args=(maker, address, seed, there), daemon=True)
            process.start()
            assert here.recv() == "ready"  # one after the other: the first one makes the tables
            self.pipes.append(here)
            self.processes.append(process)

    def run(self, pairs: int) -> int:
        """Let them do `pairs` together; how many they have done since they started."""
        share = pairs // len(self.pipes)
        for pipe in self.pipes:
            pipe.send(share)
        self.done += sum(pipe.recv() for pipe in self.pipes)
        return self.done

    def stop(self) -> None:
        """Send them home."""
        for pipe, process in zip(self.pipes, self.processes, strict=True):
            pipe.send(None)
            process.join()

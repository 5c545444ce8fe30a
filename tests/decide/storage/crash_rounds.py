"""Rounds of eight workers that are killed with SIGKILL at random points, and what must hold after each.

Half of the workers on SQLite are killed from outside, which mostly meets them waiting for the disk or for their turn.
The others kill themselves after a random number of steps of SQLite's machine, so in the middle of statements, and keep
so few pages in memory that by then some of a transaction are in the file.

Run as a program, `python crash_rounds.py ADDRESS ROUNDS SEED`: it imports the storage once and forks the workers, so
that a round takes a fraction of a second. It prints one JSON object: what was done, and every law that was broken.

A worker writes a line to its pipe after each call that returned: what is in the pipe was acknowledged, and the pipe
outlives the worker. What it was doing when it was killed is nowhere, and may have happened or not.
"""

import json
import os
import random
import signal
import sqlite3
import sys
import time
from collections import Counter

from sqlalchemy import event

from credo.decide.storage import storage_from

WORKERS = 8
# A worker that is not killed, because this program was, ends by itself.
LIFETIME = 30.0


def die_in_a_statement(storage, rng):
    """Kill this process after a random number of steps, with pages of the transaction already written."""
    left = [rng.randrange(4000)]

    def step():
        left[0] -= 1
        if left[0] < 0:
            os.kill(os.getpid(), signal.SIGKILL)
        return 0

    @event.listens_for(storage._database.engine, "connect")
    def configure(connection, record):
        connection.execute("PRAGMA cache_size=1")
        connection.set_progress_handler(step, 1)

    storage.close()


def work(address, name, lease, seed, pipe):
    """Ask, measure and tell as fast as it goes, a trial in ten from the queue; say what was acknowledged."""
    rng = random.Random(seed)
    storage = storage_from(address)
    if "://" not in address and seed % 2:
        die_in_a_statement(storage, rng)
    study = storage.load_study(name)
    said = lambda *words: os.write(pipe, (" ".join(map(str, words)) + "\n").encode())  # noqa: E731
    end = time.monotonic() + LIFETIME
    while time.monotonic() < end:
        if rng.random() < 0.1:
            said("enqueued", storage.enqueue(study, {"x": rng.random()}))
        trial = storage.claim_waiting(study, lease=lease)
        if trial is None:
            trial = storage.add_running(study, {"x": rng.random()}, lease=lease, seed=rng.getrandbits(63))
        said("handed", trial.number, trial.token)
        value = rng.random()
        if rng.random() < 0.9:  # one in ten is forgotten, as by a worker that dies at work
            taken = storage.tell(study, trial.number, trial.token, value)
            said("told" if taken else "late", trial.number, trial.token, repr(value))


def one_round(address, name, lease, rng):
    """Fork the workers, kill them, and return the lines that they left. The first words are what they say."""
    pipes, children = [], []
    for _ in range(WORKERS):
        seed = rng.getrandbits(32)
        reader, writer = os.pipe()
        child = os.fork()
        if child == 0:
            try:
                for other in [reader, *pipes]:
                    os.close(other)
                work(address, name, lease, seed, writer)
            except BaseException as error:
                os.write(writer, f"error {type(error).__name__} {error}\n".replace("\n", " ").encode() + b"\n")
            os._exit(0)
        os.close(writer)
        pipes.append(reader)
        children.append(child)
    time.sleep(rng.uniform(0.05, 0.35))
    at_once = rng.random() < 0.5
    for child in rng.sample(children, WORKERS):
        os.kill(child, signal.SIGKILL)
        time.sleep(0.0 if at_once else rng.expovariate(200.0))
    for child in children:
        os.waitpid(child, 0)
    return [line.split() for reader in pipes for line in _drained(reader)]


def _drained(reader):
    with os.fdopen(reader, "rb") as stream:
        return [line.decode() for line in stream.read().split(b"\n") if line]


def broken_laws(storage, study, lines, leases_end):
    """Every law that the state breaks, given all that was ever acknowledged in this study."""
    trials = {trial.number: trial for trial in storage.trials(study).trials}
    late = {(kept.number, kept.token): kept.values for kept in storage.evidence(study)}
    found = [f"worker: {' '.join(line)}" for line in lines if line[0] == "error"]
    if sorted(trials) != list(range(len(trials))):
        found.append(f"numbers are missing or twice: {sorted(trials)[-5:]} of {len(trials)}")
    for word, number, *rest in (line for line in lines if line[0] != "error"):
        trial = trials.get(int(number))
        if trial is None:
            found.append(f"trial {number} was {word} and is gone")
        elif word == "told" and (trial.values, trial.token) != ((float(rest[1]),), int(rest[0])):
            found.append(f"trial {number} was told {rest} and has {trial.values}, token {trial.token}")
        elif word == "late" and late.get((int(number), int(rest[0]))) != (float(rest[1]),):
            found.append(f"the late answer {rest} to trial {number} is gone")
        elif word == "handed" and trial.token < int(rest[0]):
            found.append(f"trial {number} was handed out with token {rest[0]}, and has {trial.token}")
    handed = Counter((line[1], line[2]) for line in lines if line[0] == "handed")
    found += [
        f"trial {number} went to {n} workers with token {token}" for (number, token), n in handed.items() if n > 1
    ]
    again = {line[1] for line in lines if line[0] == "handed" and line[2] != "1"}
    if not leases_end and again:
        found.append(f"trials {sorted(again)} were handed out again before their lease ran out")
    created = Counter(line[1] for line in lines if line[0] == "enqueued")
    found += [f"number {number} was given {n} times" for number, n in created.items() if n > 1]
    counts = storage.counts(study)
    states = Counter(trial.state for trial in trials.values())
    if counts._asdict() != {state: states.get(state, 0) for state in counts._fields}:
        found.append(f"counts are {counts} and the trials {dict(states)}")
    return found


def damage(address):
    """What SQLite itself finds wrong with the file."""
    if "://" in address:
        return []
    connection = sqlite3.connect(address)
    try:
        return [row[0] for row in connection.execute("PRAGMA integrity_check") if row[0] != "ok"]
    finally:
        connection.close()


def main(address, rounds, seed):
    rng = random.Random(seed)
    done, broken, torn, lines = Counter(), [], 0, []
    for i in range(rounds):
        if i % 20 == 0:  # a study long enough to have a past, short enough to be read each round
            leases_end = i % 40 == 0
            storage = storage_from(address)
            study, lines = storage.create_study(f"study-{i}", {}), []
            storage.close()
        lines += one_round(address, study.name, 0.05 if leases_end else 3600.0, rng)
        torn += os.path.exists(f"{address}-journal")
        storage = storage_from(address)
        broken += [f"round {i}: {law}" for law in broken_laws(storage, study, lines, leases_end) + damage(address)]
        storage.close()
        if i % 20 == 19 or i == rounds - 1:
            done += Counter(line[0] for line in lines)
            done["again"] += sum(line[0] == "handed" and line[2] != "1" for line in lines)
    print(json.dumps({"done": done, "torn": torn, "broken": broken[:20]}))


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]))

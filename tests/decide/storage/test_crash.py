"""Eight workers, killed at random points, round after round: nothing that was acknowledged is lost."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

PROGRAM = Path(__file__).with_name("crash_rounds.py")
#: Rounds on SQLite; `CREDO_CRASH_ROUNDS=2000` for a long night.
ROUNDS = int(os.environ.get("CREDO_CRASH_ROUNDS", "200"))


def crash(address, rounds, seed=0):
    command = [sys.executable, str(PROGRAM), str(address), str(rounds), str(seed)]
    finished = subprocess.run(command, capture_output=True, text=True, check=False, timeout=290 + 3 * rounds)
    assert finished.returncode == 0, finished.stderr[-3000:]
    report = json.loads(finished.stdout)
    assert report["broken"] == []
    return report


def test_a_few_rounds_on_sqlite(tmp_path):
    report = crash(tmp_path / "study.db", 3)
    assert report["done"]["told"] > 0


@pytest.mark.slow
@pytest.mark.timeout(1200)
def test_many_rounds_on_sqlite(tmp_path):
    report = crash(tmp_path / "study.db", ROUNDS)
    # That the suite could have found something: answers in plenty, commits that were torn, trials that went on.
    assert report["done"]["told"] > 5 * ROUNDS
    assert report["done"]["again"] > 0
    assert report["done"]["enqueued"] > ROUNDS / 2
    assert report["torn"] > ROUNDS / 10


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_rounds_on_postgresql(new_database):
    report = crash(new_database(), max(ROUNDS // 5, 2), seed=1)
    assert report["done"]["told"] > ROUNDS
    assert report["done"]["again"] > 0

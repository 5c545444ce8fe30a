"""What only databases do: studies outlive the process, are shared by processes, and stay quick when they are long."""

import os
import pickle
import subprocess
import sys
import time

import pytest

from credo.decide.storage import storage_from
from credo.decide.storage.sql import SqlStorage
from credo.decide.storage.sqlite import sqlite_database

_WORKER = """
import sys
from credo.decide.storage import storage_from
storage = storage_from(sys.argv[1])
study = storage.load_study("a")
while (trial := storage.claim_waiting(study, lease=600.0, worker=sys.argv[2])) is not None:
    new = storage.add_running(study, {}, lease=600.0)
    storage.tell(study, trial.number, trial.token, trial.params["x"] ** 2)
    print(trial.number, new.number)
"""


@pytest.mark.parametrize("kind", ["sqlite", pytest.param("postgres", marks=pytest.mark.slow)])
def test_processes_share_a_study(kind, tmp_path, request):
    address = str(tmp_path / "study.db") if kind == "sqlite" else request.getfixturevalue("new_database")()
    storage = storage_from(address)
    study = storage.create_study("a", {})
    for x in range(10):
        storage.enqueue(study, {"x": x})
    workers = [
        subprocess.Popen([sys.executable, "-c", _WORKER, address, f"w{i}"], stdout=subprocess.PIPE, text=True)
        for i in range(2)
    ]
    printed = "".join(worker.communicate(timeout=60)[0] for worker in workers)
    assert sorted(map(int, printed.split())) == list(range(20))
    assert [trial.values for trial in storage.trials(study).trials[:10]] == [(float(x**2),) for x in range(10)]
    assert storage.counts(study) == (0, 10, 10, 0)
    storage.close()


def test_a_study_outlives_the_storage_and_goes_to_other_processes(tmp_path):
    storage = storage_from(tmp_path / "study.db")
    study = storage.create_study("a", {"x": 1})
    trial = storage.add_running(study, {"x": 1}, lease=60.0)
    storage.close()
    again = pickle.loads(pickle.dumps(storage))
    assert again.load_study("a") == study
    assert again.tell(study, trial.number, trial.token, 1.0)
    assert storage.trials(study) == again.trials(study)  # a closed one opens again when it is used


def test_leases_on_sqlite_go_by_this_machines_clock(tmp_path):
    storage = storage_from(tmp_path / "study.db")
    study = storage.create_study("a", {})
    before = time.time()
    trial = storage.add_running(study, {}, lease=0.05)
    assert before <= trial.created <= time.time()
    time.sleep(0.06)
    assert storage.claim_waiting(study, lease=1.0).token == 2


def test_ten_thousand_trials_cost_an_ask_no_more_than_a_hundred(tmp_path):
    # Counted in steps of SQLite's machine and not in seconds, so that a busy computer does not matter.
    storage = SqlStorage(sqlite_database(str(tmp_path / "study.db")))
    study = storage.create_study("a", {})

    def steps() -> int:
        counted = [0]

        def count() -> int:
            counted[0] += 1
            return 0

        raw = storage._database.engine.raw_connection()
        raw.dbapi_connection.set_progress_handler(count, 1)
        raw.close()  # back to the pool, from which the next takes it
        version = storage.trials(study, since=10**9).version
        assert version == 10**9
        storage.claim_waiting(study, lease=60.0)
        trial = storage.add_running(study, {"x": 1}, lease=60.0)
        storage.tell(study, trial.number, trial.token, 1.0)
        storage.trials(study, since=trial.version)
        storage.counts(study)
        storage.close()
        return counted[0]

    storage.add_finished(study, [({"x": i}, float(i)) for i in range(100)])
    few = steps()
    storage.add_finished(study, [({"x": i}, float(i)) for i in range(9_900)])
    assert 0 < steps() < 1.2 * few


def test_the_pieces_that_a_killed_writer_left_are_undone(tmp_path):
    path = str(tmp_path / "study.db")
    storage = storage_from(path)
    study = storage.create_study("a", {})
    storage.add_finished(study, [({"x": i}, float(i)) for i in range(300)])
    before = storage.trials(study)
    storage.close()
    code = (
        "import os, sqlite3, sys\n"
        "c = sqlite3.connect(sys.argv[1], isolation_level=None); c.execute('PRAGMA cache_size=1')\n"
        "c.execute('BEGIN IMMEDIATE'); c.execute(\"UPDATE credo_trial SET answer = '[7.0]', note = 'torn'\")\n"
        "os.kill(os.getpid(), 9)\n"  # with changed pages in the file, and the journal that can undo them beside it
    )
    subprocess.run([sys.executable, "-c", code, path], check=False)
    assert os.path.exists(path + "-journal")
    assert storage_from(path).trials(study) == before

"""SQLite: how it is set up, who waits for whom, and what its failures are called. Nothing that was stored is lost."""

import os
import shutil
import sqlite3
import tempfile
import threading
import time
from pathlib import Path

import pytest
from sqlalchemy import event, text

from credo.decide.storage import storage_from
from credo.decide.storage.sql import SqlStorage
from credo.decide.storage.sqlite import explain, sqlite_database
from credo.errors import DependencyError, FileError, StorageError


def test_the_journal_is_a_rollback_journal_and_everything_is_synced(tmp_path):
    database = sqlite_database(str(tmp_path / "study.db"))
    for transaction in (database.reading, database.writing):
        with transaction() as connection:
            pragmas = [connection.execute(text(f"PRAGMA {name}")).scalar() for name in ("journal_mode", "synchronous")]
        assert pragmas == ["delete", 3]  # 3 is EXTRA


def test_a_file_in_wal_mode_is_brought_back(tmp_path):
    path = tmp_path / "study.db"
    SqlStorage(sqlite_database(str(path))).close()
    other = sqlite3.connect(path)
    other.execute("PRAGMA journal_mode=WAL")
    other.execute("SELECT * FROM credo_study").fetchall()
    with pytest.raises(StorageError, match="Another program held it"):
        SqlStorage(sqlite_database(str(path), patience=0.05))
    other.close()
    SqlStorage(sqlite_database(str(path))).close()
    assert sqlite3.connect(path).execute("PRAGMA journal_mode").fetchone() == ("delete",)


def test_a_writer_is_alone_from_the_start_of_its_transaction(tmp_path):
    database = sqlite_database(str(tmp_path / "study.db"), patience=0.05)
    other = sqlite3.connect(tmp_path / "study.db", isolation_level=None, timeout=0.0)
    other.execute("BEGIN IMMEDIATE")
    start = time.monotonic()
    with pytest.raises(StorageError, match=r"SQLITE_BUSY.*Another program held it"), database.writing():
        pass
    assert 0.05 <= time.monotonic() - start < 5.0
    other.execute("COMMIT")
    with database.writing(), pytest.raises(sqlite3.OperationalError, match="locked"):
        other.execute("BEGIN IMMEDIATE")
    other.execute("BEGIN IMMEDIATE")  # the end of the block let go


def test_a_writer_waits_for_its_turn(tmp_path):
    storage = SqlStorage(sqlite_database(str(tmp_path / "study.db")))
    study = storage.create_study("a", {})
    other = sqlite3.connect(tmp_path / "study.db", isolation_level=None, check_same_thread=False)
    other.execute("BEGIN IMMEDIATE")
    timer = threading.Timer(0.2, lambda: other.execute("COMMIT"))
    timer.start()
    assert storage.enqueue(study, {}) == 0
    timer.join()


def test_a_commit_waits_for_readers(tmp_path):
    storage = SqlStorage(sqlite_database(str(tmp_path / "study.db")))
    study = storage.create_study("a", {})
    reader = sqlite3.connect(tmp_path / "study.db", isolation_level=None, check_same_thread=False)
    reader.execute("BEGIN")
    reader.execute("SELECT * FROM credo_study").fetchall()
    timer = threading.Timer(0.2, lambda: reader.execute("COMMIT"))
    timer.start()
    assert storage.enqueue(study, {}) == 0
    timer.join()


def test_a_full_disk_loses_nothing(tmp_path):
    storage = SqlStorage(sqlite_database(str(tmp_path / "study.db")))
    study = storage.create_study("a", {})
    trial = storage.add_running(study, {}, lease=60.0)
    pages = storage._database.engine.raw_connection().execute("PRAGMA page_count").fetchone()[0]

    @event.listens_for(storage._database.engine, "begin")
    def fill(connection):  # the very error of a disk without room, at the next page
        connection.connection.dbapi_connection.execute(f"PRAGMA max_page_count={pages}")

    many = [({"x": "long " * 1000}, 1.0)] * 20
    with pytest.raises(StorageError, match=r"disk is full.*Nothing of this change was stored"):
        storage.add_finished(study, many)
    before = storage.trials(study)
    event.remove(storage._database.engine, "begin", fill)
    storage.close()
    again = storage_from(tmp_path / "study.db")
    assert again.trials(study) == before
    assert again.tell(study, trial.number, trial.token, 1.0)
    assert again.add_finished(study, many) == range(1, 21)


@pytest.fixture
def folder_of_others():
    """A folder in which this process may read and not write, once the function is called."""
    folder = Path(tempfile.mkdtemp(prefix="credo-readonly-"))
    is_root = os.geteuid() == 0

    def lock() -> None:
        for path in folder.iterdir():
            path.chmod(0o444)
        folder.chmod(0o555)
        if is_root:  # whom permissions do not hold back
            os.seteuid(65534)

    yield folder, lock
    if is_root:
        os.seteuid(0)
    folder.chmod(0o755)
    shutil.rmtree(folder)


def test_a_read_only_file_can_be_read_and_says_why_it_cannot_be_written(folder_of_others):
    folder, lock = folder_of_others
    storage = storage_from(folder / "study.db")
    study = storage.create_study("a", {})
    storage.add_finished(study, [({"x": 1}, 0.5)])
    storage.close()
    lock()
    locked = storage_from(folder / "study.db")
    assert locked.counts(study).done == 1
    with pytest.raises(StorageError, match="read-only"):
        locked.enqueue(study, {})
    assert locked.counts(study).total == 1
    with pytest.raises(StorageError, match=r"CANTOPEN.*may not be opened or created"):
        storage_from(folder / "new.db")


def test_a_folder_is_refused(tmp_path):
    with pytest.raises(FileError, match="is a folder"):
        storage_from(tmp_path)
    with pytest.raises(StorageError, match="no folder"):
        storage_from(tmp_path / "nowhere" / "study.db")


def test_a_file_that_is_no_database_is_refused_and_not_touched(tmp_path):
    path = tmp_path / "notes.txt"
    path.write_text("not a database, but somebody's notes " * 100)
    before = path.read_bytes()
    with pytest.raises(FileError, match="is not a database"):
        storage_from(path)
    assert path.read_bytes() == before


def test_an_empty_file_becomes_a_database(tmp_path):
    path = tmp_path / "study.db"
    path.touch()
    assert storage_from(path).list_studies() == ()


def test_a_damaged_file_is_called_damaged(tmp_path):
    path = tmp_path / "study.db"
    storage = storage_from(path)
    study = storage.create_study("a", {})
    storage.add_finished(study, [({"x": i}, 0.5) for i in range(500)])
    storage.close()
    content = bytearray(path.read_bytes())
    content[20 * 4096 : 30 * 4096] = b"\x5a" * (10 * 4096)
    path.write_bytes(content)
    with pytest.raises(FileError, match="is damaged"):
        storage_from(path).trials(study)


def test_an_unknown_failure_says_what_sqlite_said():
    error = explain(sqlite3.OperationalError("the moon is full"), "study.db")
    assert isinstance(error, StorageError)
    assert "the moon is full" in str(error)


def test_an_old_sqlite_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(sqlite3, "sqlite_version_info", (3, 34, 1))
    with pytest.raises(DependencyError, match=r"3\.35 is the oldest"):
        storage_from(tmp_path / "study.db")


@pytest.mark.parametrize(
    ("column", "stored", "part"),
    [
        ("params", '{"x": 0.', "the point"),
        ("params", "[1]", "the point"),
        ("why", "", "the reason"),
        ("answer", "[1.0", "the answer"),
        ("answer", '["1.5"]', "the answer"),
        ("answer", "[NaN]", "the answer"),
        ("answer", "[]", "the answer"),
    ],
)
def test_a_damaged_trial_is_named_and_the_others_are_still_read(tmp_path, column, stored, part):
    storage = SqlStorage(sqlite_database(str(tmp_path / "study.db")))
    study = storage.create_study("reactor", {})
    storage.add_finished(study, [({"x": 0.5}, (1.0,)), ({"x": 0.25}, (2.0,))])
    other = sqlite3.connect(tmp_path / "study.db")
    other.execute(f"UPDATE credo_trial SET {column} = ? WHERE number = 1", (stored,))
    other.commit()
    with pytest.raises(FileError) as error:
        storage.trials(study)
    said = str(error.value)
    assert said.startswith(f"Storage: {part} of trial 1 of study 'reactor' is damaged: ")
    assert said.endswith("add the other trials, which storage.trial(study, number) still reads, to a new study.")
    assert storage.trial(study, 0).values == (1.0,)


def test_a_damaged_definition_is_named(tmp_path):
    storage = storage_from(str(tmp_path / "study.db"))
    storage.create_study("reactor", {"seed": 1})
    other = sqlite3.connect(tmp_path / "study.db")
    other.execute("UPDATE credo_study SET definition = 'x'")
    other.commit()
    with pytest.raises(FileError, match=r"the definition of study 'reactor' is damaged: 'x' is stored.*from a copy"):
        storage.load_study("reactor")

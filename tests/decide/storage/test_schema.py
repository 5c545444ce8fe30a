"""Tables are made once, migrated under a lock after a backup, and left alone when they are of a newer credo."""

import sqlite3
import threading

import pytest
from sqlalchemy import text

from credo.decide.storage.database import Database
from credo.decide.storage.postgres import postgres_database
from credo.decide.storage.schema import VERSION, prepare
from credo.decide.storage.sql import SqlStorage
from credo.decide.storage.sqlite import sqlite_database
from credo.errors import FileError


@pytest.fixture(params=["sqlite", "postgres"])
def opened(request, tmp_path):
    """A function that opens the same empty database anew."""
    if request.param == "sqlite":
        return lambda: sqlite_database(str(tmp_path / "study.db"))
    address = request.getfixturevalue("new_database")()
    return lambda: postgres_database(address)


def version_of(database: Database) -> int:
    with database.reading() as connection:
        return connection.execute(text("SELECT version FROM credo_schema")).scalar_one()


def add_color(connection):
    connection.execute(text("ALTER TABLE credo_study ADD COLUMN color TEXT DEFAULT 'red'"))


def lose_power(connection):
    connection.execute(text("DELETE FROM credo_trial"))
    raise OSError("the lights went out")


def test_many_who_open_at_once_make_one_set_of_tables(opened):
    errors = []

    def work():
        try:
            database = opened()
            prepare(database)
            database.close()
        except Exception as error:
            errors.append(error)

    threads = [threading.Thread(target=work) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert errors == []
    assert version_of(opened()) == VERSION


def test_a_migration_happens_once_after_a_backup(opened):
    storage = SqlStorage(opened())
    storage.add_finished(storage.create_study("a", {}), [({"x": 1}, 0.5)])
    storage.close()
    database = opened()
    backup = prepare(database, version=VERSION + 1, migrations={VERSION + 1: add_color})
    assert backup is not None
    assert prepare(database, version=VERSION + 1, migrations={}) is None
    assert version_of(database) == VERSION + 1
    with database.reading() as connection:
        assert connection.execute(text("SELECT color FROM credo_study")).scalar_one() == "red"
    if database.is_ours_alone:
        copy = sqlite3.connect(backup)
        assert backup.endswith(f"study.db.bak-v{VERSION}")
        assert copy.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        assert copy.execute("SELECT version FROM credo_schema").fetchone() == (VERSION,)
        assert copy.execute("SELECT params, answer FROM credo_trial").fetchall() == [('{"x":1}', "[0.5]")]
    else:
        with database.reading() as connection:
            rows = connection.execute(text(f"SELECT params, answer FROM {backup}.credo_trial")).all()
            assert rows == [('{"x":1}', "[0.5]")]
            assert connection.execute(text(f"SELECT version FROM {backup}.credo_schema")).scalar_one() == VERSION


def test_a_migration_that_fails_leaves_everything_as_it_was(opened):
    storage = SqlStorage(opened())
    study = storage.create_study("a", {})
    storage.add_finished(study, [({"x": 1}, 0.5)])
    before = storage.trials(study)
    storage.close()
    with pytest.raises(OSError, match="lights"):
        prepare(opened(), version=VERSION + 2, migrations={VERSION + 1: add_color, VERSION + 2: lose_power})
    again = SqlStorage(opened())
    assert again.trials(study) == before
    assert version_of(opened()) == VERSION


def test_no_backup_replaces_another(opened, tmp_path):
    prepare(opened())
    names = []
    for _ in range(2):
        names.append(prepare(opened(), version=VERSION + 1, migrations={VERSION + 1: lambda connection: None}))
        with opened().writing() as connection:
            connection.execute(text(f"UPDATE credo_schema SET version = {VERSION}"))
    assert names[1] == names[0] + ("-2" if opened().is_ours_alone else "_2")
    assert not list(tmp_path.glob("*.part"))


def test_one_of_many_migrates_and_the_others_wait(opened):
    prepare(opened())
    ran = []

    def slow(connection):
        ran.append(threading.get_ident())
        add_color(connection)

    def work():
        prepare(opened(), version=VERSION + 1, migrations={VERSION + 1: slow})

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(ran) == 1


def test_tables_of_a_newer_credo_are_refused_and_not_touched(opened):
    prepare(opened())
    with opened().writing() as connection:
        connection.execute(text("UPDATE credo_schema SET version = 99"))
    with pytest.raises(FileError, match=r"version 99 .* knows 1.*[Uu]pgrade credo"):
        SqlStorage(opened())
    assert version_of(opened()) == 99


def test_a_file_of_another_program_is_refused_and_not_touched(tmp_path):
    path = tmp_path / "other.db"
    other = sqlite3.connect(path)
    other.execute("CREATE TABLE trials (id INTEGER)")
    other.close()
    before = path.read_bytes()
    with pytest.raises(FileError, match=r"table 'trials', and not credo's"):
        prepare(sqlite_database(str(path)))
    assert path.read_bytes() == before


def test_a_server_may_have_other_tables(new_database):
    database = postgres_database(new_database())
    with database.writing() as connection:
        connection.execute(text("CREATE TABLE trials (id INTEGER)"))
    assert prepare(database) is None

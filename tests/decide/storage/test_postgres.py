"""PostgreSQL: the server's clock, row locks, and what its failures are called."""

import threading
import time

import pytest
from sqlalchemy import text

from credo.decide.storage import storage_from
from credo.decide.storage.postgres import postgres_database
from credo.decide.storage.sql import SqlStorage
from credo.errors import InputError, StorageError


def test_leases_go_by_the_servers_clock(new_database, monkeypatch):
    monkeypatch.setattr(time, "time", lambda: 5.0)  # this machine believes that it is 1970
    storage = storage_from(new_database())
    study = storage.create_study("a", {})
    trial = storage.add_running(study, {}, lease=0.1)
    with storage._database.reading() as connection:
        now = connection.execute(text("SELECT extract(epoch FROM clock_timestamp())::float8")).scalar_one()
    assert 0.0 <= now - trial.created < 30.0
    assert trial.lease_until - trial.created == pytest.approx(0.1, abs=1e-3)
    assert abs(study.created - now) < 30.0
    time.sleep(0.15)
    again = storage.claim_waiting(study, lease=60.0)
    assert (again.number, again.token) == (0, 2)
    storage.close()


def test_a_lease_starts_when_the_turn_comes_not_when_the_waiting_began(new_database):
    storage = storage_from(new_database())
    study = storage.create_study("a", {})
    other = postgres_database(storage._database.address)
    got = []
    with other.writing() as connection:
        connection.execute(text("SELECT * FROM credo_study FOR UPDATE"))
        thread = threading.Thread(target=lambda: got.append(storage.add_running(study, {}, lease=60.0)))
        thread.start()
        time.sleep(0.3)
        assert not got
        released = connection.execute(text("SELECT extract(epoch FROM clock_timestamp())::float8")).scalar_one()
    thread.join()
    assert got[0].created >= released
    storage.close()
    other.close()


def test_two_schemes_and_a_driver_are_understood(new_database):
    address = new_database()
    for scheme in ("postgres:", "postgresql:", "postgresql+psycopg:"):
        storage = storage_from(address.replace("postgresql:", scheme))
        storage.create_study("a", {}, exist_ok=True)
        storage.close()


def test_a_server_that_was_restarted_is_found_again(new_database, monkeypatch):
    monkeypatch.setattr("credo.decide.storage.postgres.IDLE", 0.0)
    storage = storage_from(new_database())
    study = storage.create_study("a", {})
    end_all = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> "
    other = postgres_database(storage._database.address)
    with other.reading() as connection:
        connection.execute(text(end_all + "pg_backend_pid()"))
    assert storage.enqueue(study, {}) == 0
    # One that was used just now is not checked: the error says so, and the next call has a new connection.
    monkeypatch.setattr("credo.decide.storage.postgres.IDLE", 60.0)
    with other.reading() as connection:
        connection.execute(text(end_all + "pg_backend_pid()"))
    with pytest.raises(StorageError, match="could not be used"):
        storage.enqueue(study, {})
    assert storage.enqueue(study, {}) == 1
    storage.close()
    other.close()


def test_a_server_out_of_reach_is_named_without_its_password():
    with pytest.raises(StorageError, match="out of reach") as caught:
        storage_from("postgresql://me:secret@127.0.0.1:1/studies?connect_timeout=2")
    assert "127.0.0.1:1" in str(caught.value)
    assert "secret" not in str(caught.value)


def test_a_missing_database_is_named(new_database):
    address = new_database().replace("/credo_", "/nowhere_")
    with pytest.raises(StorageError, match="could not be used"):
        storage_from(address)


def test_a_standby_says_that_it_takes_no_changes(new_database):
    storage = storage_from(new_database())
    study = storage.create_study("a", {})
    storage.close()
    address = storage._database.address + "&options=-cdefault_transaction_read_only%3Don"
    read_only = SqlStorage(postgres_database(address))
    assert read_only.counts(study).total == 0
    with pytest.raises(StorageError, match=r"25006.*takes no changes"):
        read_only.enqueue(study, {})
    read_only.close()


@pytest.mark.parametrize("address", ["postgresql//host:port", "postgresql://u@h:abc/db"])
def test_an_address_that_is_none_is_refused(address):
    with pytest.raises(InputError, match="cannot be read"):
        postgres_database(address)


def test_writers_take_turns_whatever_isolation_the_server_prefers(new_database):
    storage = storage_from(address := new_database())
    study = storage.create_study("a", {})
    with storage._database.writing() as connection:
        name = connection.execute(text("SELECT current_database()")).scalar_one()
        connection.execute(text(f"ALTER DATABASE {name} SET default_transaction_isolation = 'repeatable read'"))
    storage.close()
    storage = storage_from(address)
    with storage._database.reading() as connection:
        assert connection.execute(text("SHOW default_transaction_isolation")).scalar_one() == "repeatable read"
    with storage._database.writing() as connection:
        assert connection.execute(text("SHOW transaction_isolation")).scalar_one() == "read committed"
    other, told = postgres_database(address), []
    trial = storage.add_running(study, {}, lease=60.0)
    with other.writing() as connection:  # somebody changes the study while the answer waits for its turn
        connection.execute(text("UPDATE credo_study SET version = version + 1"))
        thread = threading.Thread(target=lambda: told.append(storage.tell(study, 0, trial.token, 1.0)))
        thread.start()
        time.sleep(0.2)
    thread.join()
    assert told == [True]
    storage.close()
    other.close()

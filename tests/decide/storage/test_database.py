"""Transactions that are stored whole or not at all; connections that stay in their process."""

import os
import threading

import pytest
from sqlalchemy import text

from credo.decide.storage.sqlite import sqlite_database
from credo.errors import StorageError


@pytest.fixture
def database(tmp_path):
    made = sqlite_database(str(tmp_path / "study.db"))
    with made.writing() as connection:
        connection.execute(text("CREATE TABLE t (x INTEGER)"))
    yield made
    made.close()


def insert(database, *statements):
    with database.writing() as connection:
        for statement in statements:
            connection.execute(text(statement))


def rows(database):
    with database.reading() as connection:
        return connection.execute(text("SELECT x FROM t ORDER BY x")).scalars().all()


def test_a_block_that_ends_is_stored_and_one_that_raises_is_not(database):
    insert(database, "INSERT INTO t VALUES (1)")
    with pytest.raises(StorageError, match="no such table"):
        insert(database, "INSERT INTO t VALUES (2)", "INSERT INTO nowhere VALUES (2)")
    with database.writing() as connection:
        connection.execute(text("INSERT INTO t VALUES (3)"))
        connection.rollback()
    assert rows(database) == [1]


def test_errors_of_the_database_are_credos(database):
    with pytest.raises(StorageError, match="no such table"), database.reading() as connection:
        connection.execute(text("SELECT * FROM nowhere"))


def test_threads_queue_for_the_writer(database):
    def work(x):
        for _ in range(5):
            with database.writing() as connection:
                connection.execute(text("INSERT INTO t VALUES (:x)"), {"x": x})

    threads = [threading.Thread(target=work, args=(x,)) for x in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert rows(database) == sorted([*range(4)] * 5)


@pytest.mark.filterwarnings("ignore:.*fork.*")
def test_a_child_opens_connections_of_its_own(database):
    handle = database.engine.raw_connection().dbapi_connection
    child = os.fork()
    if child == 0:  # it must not raise: that would run the rest of the tests twice
        status = 1
        try:
            with database.writing() as connection:
                connection.execute(text("INSERT INTO t VALUES (7)"))
                fresh = connection.connection.dbapi_connection is not handle
            status = 0 if fresh and rows(database) == [7] else 2
        finally:
            os._exit(status)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    assert rows(database) == [7]

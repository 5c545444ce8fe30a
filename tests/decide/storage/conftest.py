"""Every storage under one fixture; a clock that tests turn; a PostgreSQL server of their own."""

import itertools
import os

import pytest
from sqlalchemy import create_engine, text

from credo.decide.storage import MemoryStorage
from credo.decide.storage.postgres import postgres_database
from credo.decide.storage.sql import SqlStorage
from credo.decide.storage.sqlite import sqlite_database
from throwaway_postgres import postgres_programs, postgres_server

_databases = itertools.count()


class Clock:
    """Seconds since 1970 that pass when a test says so."""

    def __init__(self) -> None:
        self.time = 1_000_000.0

    def __call__(self) -> float:
        return self.time


@pytest.fixture
def clock():
    return Clock()


@pytest.fixture(scope="session")
def postgres():
    """The address of a server for this session."""
    if postgres_programs() is None:
        if os.environ.get("CREDO_NEEDS_POSTGRES"):
            pytest.fail("there is no PostgreSQL, and CREDO_NEEDS_POSTGRES asks for it")
        pytest.skip("there is no PostgreSQL on this machine (Debian: apt install postgresql)")
    with postgres_server() as address:
        yield address


@pytest.fixture(scope="session")
def new_database(postgres):
    """A function: the address of another empty database on the server."""

    def create() -> str:
        name = f"credo_{next(_databases)}"
        engine = create_engine(postgres.replace("postgresql:", "postgresql+psycopg:"), isolation_level="AUTOCOMMIT")
        with engine.connect() as connection:
            connection.execute(text(f"CREATE DATABASE {name}"))
        engine.dispose()
        return postgres.replace("/postgres?", f"/{name}?")

    return create


@pytest.fixture(params=["memory", "sqlite", "postgres"])
def storage(request, clock, tmp_path):
    """An empty storage of each kind, with the clock of the test."""
    if request.param == "memory":
        made = MemoryStorage(clock=clock)
    elif request.param == "sqlite":
        made = SqlStorage(sqlite_database(str(tmp_path / "study.db")), clock=clock)
    else:
        made = SqlStorage(postgres_database(request.getfixturevalue("new_database")()), clock=clock)
    yield made
    made.close()


@pytest.fixture
def study(storage):
    return storage.create_study("reactor", {"direction": "minimize"})

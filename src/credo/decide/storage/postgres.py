"""PostgreSQL as credo uses it: one row lock a study, the server's clock; and what its errors mean."""

import math
import time
from importlib.util import find_spec
from typing import Any

from sqlalchemy import Connection, Double, Engine, cast, create_engine, event, extract, func, inspect, make_url, text
from sqlalchemy.exc import ArgumentError, DisconnectionError

from credo.decide.storage.database import Database
from credo.errors import CredoError, DependencyError, InputError, StorageError

__all__ = ["postgres_database"]

# Any number will do that no other program takes for its own lock: "credo" in ASCII.
_LOCK = 0x637265646F
#: Seconds after which a connection that lay idle is checked before it is used.
IDLE = 1.0


def postgres_database(address: str) -> Database:
    """The database at an address such as ``postgresql://user:password@host:5432/name``.

    Tables go to the first schema of the connection's search path. Commits wait for the disk as the server is set to;
    ``synchronous_commit = off`` there would give up the promise that an acknowledged answer is never lost.
    """
    if find_spec("psycopg") is None:
        raise DependencyError(
            "Storage", "PostgreSQL needs the package psycopg", "It is not installed", "pip install 'credo[postgres]'"
        )
    try:
        url = make_url(address).set(drivername="postgresql+psycopg")
    except (ArgumentError, ValueError) as error:  # the latter for a port that is no number
        raise InputError(
            "Storage", "the address of PostgreSQL cannot be read", "", "Write postgresql://user:password@host:5432/name"
        ) from error
    engine = create_engine(
        url,
        max_overflow=-1,
        connect_args={"application_name": "credo"},
        # Whatever the server's default: who waited for the lock of a study has to see what was written meanwhile.
        isolation_level="READ COMMITTED",
    )
    _check_the_idle(engine)
    name = url.set(drivername="postgresql").render_as_string(hide_password=True)
    return Database(
        engine,
        address=address,
        name=name,
        lock_schema=lambda connection: _lock(connection),
        back_up=_copy,
        explain=lambda error: explain(error, name),
        # Of the moment, not of the start of the transaction: that may have waited for its turn.
        now=cast(extract("epoch", func.clock_timestamp()), Double),
        reads_alone=True,
    )


def _check_the_idle(engine: Engine) -> None:
    """Ask a connection that lay idle whether it is still one, as after a restart of the server; if not, take another.

    Always to ask would be a message more for every ask and every tell.
    """

    @event.listens_for(engine, "checkin")
    def note(connection: Any, record: Any) -> None:
        record.info["idle since"] = time.monotonic()

    @event.listens_for(engine, "checkout")
    def check(connection: Any, record: Any, proxy: Any) -> None:
        if time.monotonic() - record.info.get("idle since", math.inf) < IDLE:
            return
        try:
            engine.dialect.do_ping(connection)
        except Exception as error:
            raise DisconnectionError from error  # the pool then opens a new one


def _lock(connection: Connection) -> None:
    connection.execute(text("SELECT pg_advisory_xact_lock(:key)"), {"key": _LOCK})


def _copy(connection: Connection, version: int) -> str:
    """The tables copied to a schema of their own, in the transaction that migrates: both happen, or neither.

    Locks the tables first, so that nothing is written between the copy and the migration.
    """
    found = inspect(connection)
    names = [name for name in found.get_table_names() if name.startswith("credo_")]
    taken, schema, count = set(found.get_schema_names()), f"credo_backup_v{version}", 2
    while schema in taken:
        schema, count = f"credo_backup_v{version}_{count}", count + 1
    connection.execute(text(f"LOCK TABLE {', '.join(names)} IN ACCESS EXCLUSIVE MODE"))
    connection.execute(text(f"CREATE SCHEMA {schema}"))
    for name in names:
        connection.execute(text(f"CREATE TABLE {schema}.{name} AS TABLE {name}"))
    return schema


def explain(error: BaseException, name: str) -> CredoError:
    """An error of PostgreSQL in credo's words, its state code with it."""
    state = getattr(error, "sqlstate", None) or ""
    said = " ".join(str(error).split())[:300]
    cause, remedy = next(
        (words for start, words in _CAUSES.items() if state.startswith(start)),
        ("The server refused or was interrupted", "Try again: an answer may be told twice"),
    )
    if not state:
        cause, remedy = "The server is out of reach, or went away", "Check that it runs and try again"
    return StorageError("Storage", f"{name} could not be used ({state or 'no connection'}: {said})", cause, remedy)


_CAUSES = {
    "28": ("The user or password is wrong", "Check the address"),
    "3D": ("There is no database of that name on the server", "Create it first, for example by createdb"),
    "42501": ("The user may not do this", "Grant CREATE on the schema, and on the database for backups"),
    "53100": ("The disk of the server is full", "Make room and try again: studies go on where they were"),
    "25006": ("The server takes no changes now, as a standby does", "Connect to the primary server"),
    "53300": ("The server has no connection left", "Raise max_connections, or use fewer workers"),
}

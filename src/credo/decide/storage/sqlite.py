"""SQLite as credo uses it: rollback journal, everything synced, writers that take turns; and what its errors mean.

The journal is deleted at each commit and the directory synced after it (`synchronous=EXTRA`), so that a commit outlives
a crash of the process and a loss of power. Write-ahead logging is never used: before version 3.51.3 of SQLite a rare
race of checkpoints can damage a file in that mode (https://www.sqlite.org/wal.html, "the WAL-reset bug").
"""

import os
import random
import sqlite3
import time
from pathlib import Path
from typing import Any

from sqlalchemy import URL, Connection, Engine, create_engine, event

from credo.decide.storage.database import Database
from credo.errors import CredoError, DependencyError, FileError, MissingFileError, StorageError

__all__ = ["sqlite_database"]

#: How long a writer waits for its turn, in seconds, before it gives up with an error.
PATIENCE = 60.0
# SQLite's own waiting doubles its naps up to 100 ms, in which many commits fit.
_LONGEST_NAP = 2e-3
_LEAST_VERSION = (3, 35, 0)  # RETURNING


def sqlite_database(path: str, *, patience: float = PATIENCE, make: bool = True) -> Database:
    """The database in the file at `path`, made when it is first used unless `make` is False.

    Writers wait up to `patience` seconds.
    """
    if sqlite3.sqlite_version_info < _LEAST_VERSION:
        raise DependencyError(
            "Storage", f"SQLite is {sqlite3.sqlite_version}", "3.35 is the oldest that will do", "Use a newer Python"
        )
    if os.path.isdir(path):
        example = os.path.join(path, "study.db")
        raise FileError("Storage", f"{path!r} is a folder", "A study is kept in a file", f"Try {example!r}")
    path = os.path.abspath(path)
    if not os.path.isdir(os.path.dirname(path)):
        folder = os.path.dirname(path)
        raise StorageError("Storage", f"there is no folder {folder!r}", "", "Create it first, or check the path")
    if not make and not os.path.exists(path):
        cause = "The path is misspelt, is of another folder, or no study was begun there yet"
        raise MissingFileError("Storage", f"there is no file {path!r}", cause, "Check the path, or begin a study first")
    engine = create_engine(
        URL.create("sqlite", database=path),
        connect_args={"timeout": patience},
        max_overflow=-1,  # a connection for every thread that asks
    )
    _hook(engine, path, patience)
    return Database(
        engine,
        address=path,
        name=path,
        lock_schema=lambda connection: None,  # a writer of SQLite is alone already
        back_up=lambda connection, version: _copy(path, f".bak-v{version}"),
        explain=lambda error: explain(error, path),
        one_writer=True,
        is_ours_alone=True,
    )


def _hook(engine: Engine, path: str, patience: float) -> None:
    """Set every new connection up, and begin each transaction as a reader or as a writer."""

    @event.listens_for(engine, "connect")
    def configure(connection: Any, record: Any) -> None:
        connection.isolation_level = None  # credo says BEGIN itself
        connection.execute("PRAGMA synchronous=EXTRA")
        connection.execute("PRAGMA journal_mode=DELETE")  # an error where another program holds the file in WAL mode

    @event.listens_for(engine, "begin")
    def begin(connection: Connection) -> None:
        raw = connection.connection.dbapi_connection
        if raw is None:
            raise StorageError("Storage", f"the connection to {path!r} was closed")
        if connection.get_execution_options().get("writes"):
            _take_turn(raw, patience)
        else:
            raw.execute("BEGIN")


def _take_turn(raw: Any, patience: float) -> None:
    """BEGIN IMMEDIATE, tried again after short random naps until nobody else writes."""
    deadline = time.monotonic() + patience
    raw.execute("PRAGMA busy_timeout=0")
    try:
        while True:
            try:
                raw.execute("BEGIN IMMEDIATE")
                return
            except sqlite3.OperationalError as error:
                if not _name(error).startswith("SQLITE_BUSY") or time.monotonic() > deadline:
                    raise
            time.sleep(random.uniform(0.1, 1.0) * _LONGEST_NAP)
    finally:
        # Readers may still hold up the commit, for moments; SQLite's own waiting is right for that.
        raw.execute(f"PRAGMA busy_timeout={int(1000 * patience)}")


def _copy(path: str, suffix: str) -> str:
    """A copy of the database at `path` + `suffix`, whole and synced before its name appears. It replaces none."""
    target, count = f"{path}{suffix}", 2
    while os.path.exists(target):
        target, count = f"{path}{suffix}-{count}", count + 1
    unfinished = f"{target}.{os.getpid()}.part"
    try:
        source, copy = sqlite3.connect(path), sqlite3.connect(unfinished)
        try:
            source.backup(copy)
        finally:
            source.close()
            copy.close()
        _sync(unfinished)
        os.replace(unfinished, target)
        _sync(os.path.dirname(os.path.abspath(target)))
    finally:
        Path(unfinished).unlink(missing_ok=True)
    return target


def _sync(path: str) -> None:
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def explain(error: BaseException, path: str) -> CredoError:
    """An error of SQLite in credo's words. In every case the change that met it was undone as a whole."""
    name = _name(error)
    undone = "Nothing of this change was stored, and nothing before it was lost"
    if name.startswith("SQLITE_NOTADB"):
        return FileError(
            "Storage", f"{path!r} is not a database", "It is a file of another kind", "Choose another name"
        )
    if name.startswith("SQLITE_CORRUPT"):
        return FileError("Storage", f"{path!r} is damaged ({error})", "", "Restore a copy; `sqlite3 .recover` may help")
    cause, remedy = _CAUSES.get(name.split("_")[1] if "_" in name else "", (f"SQLite says: {error}", "Try again"))
    return StorageError("Storage", f"{path!r} could not be used ({name})", f"{cause}. {undone}", remedy)


_CAUSES = {
    "BUSY": ("Another program held it all the time", "Look for one that hangs, and try again"),
    "FULL": ("The disk is full", "Make room and try again: studies go on where they were"),
    "READONLY": ("The file, or its folder, is read-only", "Allow writing, or copy it elsewhere"),
    "CANTOPEN": ("The file or its folder may not be opened or created", "Check the path and who may write there"),
    "IOERR": ("The disk failed to read or write, or is full", "Check the disk and try again"),
    "PERM": ("The file may not be opened", "Check who may read and write it"),
}


def _name(error: BaseException) -> str:
    return getattr(error, "sqlite_errorname", None) or ""

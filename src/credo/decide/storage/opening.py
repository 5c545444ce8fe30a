"""`storage_from`: the storage that a word of the user means."""

import os
from typing import TYPE_CHECKING

from credo.decide.storage.base import Storage
from credo.decide.storage.memory import MemoryStorage
from credo.errors import InputError

if TYPE_CHECKING:
    from credo.decide.storage.database import Database

__all__ = ["storage_from"]


def storage_from(where: str | os.PathLike[str] | Storage | None = None, *, make: bool = True) -> Storage:
    """Memory for None, SQLite for a path such as ``"study.db"``, PostgreSQL for ``"postgresql://…"``.

    A file is made where there is none, and with ``make=False``, for who wants to read, refused; the tables are made, or
    brought up to date after a backup, when it is opened. A storage is returned as it is.

    >>> storage_from().list_studies()
    ()
    """
    if where is None:
        return MemoryStorage()
    if isinstance(where, Storage):
        return where
    # SQLAlchemy takes a moment to import, and memory needs none of it.
    from credo.decide.storage.sql import SqlStorage

    return SqlStorage(_database(os.fspath(where), make))


def _database(where: str, make: bool) -> "Database":
    scheme, separator, rest = where.partition("://")
    if not separator:
        scheme, rest = "sqlite", "/" + where
    if scheme == "sqlite" and rest and not rest.startswith("/"):
        raise InputError(
            "storage_from",
            f"storage is {where!r}",
            "What follows two slashes is a host, and SQLite is a file; its path follows three",
            f"Pass {'sqlite:///' + rest!r}, or {rest!r} alone, as for 'study.db'",
        )
    if scheme == "sqlite" and rest[1:] not in ("", ":memory:"):
        from credo.decide.storage.sqlite import sqlite_database

        return sqlite_database(rest[1:], make=make)
    if scheme in ("postgresql", "postgres", "postgresql+psycopg"):
        from credo.decide.storage.postgres import postgres_database

        return postgres_database(where)
    raise InputError(
        "storage_from",
        f"storage is {scheme + '://…' if separator else where!r}",
        "Studies are kept in memory, in SQLite or on PostgreSQL",
        "Pass None, a path such as 'study.db', or 'postgresql://user@host/name'",
    )

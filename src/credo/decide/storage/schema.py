"""Tables of the version that this credo knows: made where there are none, brought up to date where they are older."""

from collections.abc import Callable, Mapping

from sqlalchemy import Connection, insert, inspect, select, update

from credo.decide.storage.database import Database
from credo.decide.storage.tables import METADATA, schema_version
from credo.errors import FileError

__all__ = ["MIGRATIONS", "VERSION", "Migration", "prepare"]

#: The version of the tables in `tables.py`.
VERSION = 1
Migration = Callable[[Connection], None]
#: What turns version n - 1 into version n, by n.
MIGRATIONS: Mapping[int, Migration] = {}


def prepare(
    database: Database, *, version: int = VERSION, migrations: Mapping[int, Migration] = MIGRATIONS
) -> str | None:
    """Bring the tables to `version`; where the backup went if there were older ones, else None.

    One transaction under a lock that all who open the database take: of many workers that start at once, one creates
    or migrates and the others find it done. The backup is complete before the first migration runs; when one fails,
    everything is as it was. Workers of an older credo have to stop before: they do not know the new tables. A database
    of a newer credo is refused and not touched.
    """
    with database.reading() as connection:
        if _found(connection, database, version) == version:
            return None
    with database.writing() as connection:
        database.lock_schema(connection)
        found = _found(connection, database, version)
        if found == version:
            return None
        if found == 0:
            METADATA.create_all(connection)
            connection.execute(insert(schema_version).values(id=1, version=version))
            return None
        backup = database.back_up(connection, found)
        for step in range(found + 1, version + 1):
            migrations[step](connection)
        connection.execute(update(schema_version).values(version=version))
        return backup


def _found(connection: Connection, database: Database, known: int) -> int:
    """The version of the tables that are there, 0 for none; refuses those of a newer credo and of other programs."""
    inspected = inspect(connection)
    if not inspected.has_table(schema_version.name):
        others = inspected.get_table_names()
        if others and database.is_ours_alone:
            raise FileError(
                "Storage",
                f"{database.name!r} is a database with the table {others[0]!r}, and not credo's",
                "It belongs to another program",
                "Choose another name",
            )
        return 0
    found = connection.execute(select(schema_version.c.version)).scalar_one_or_none()
    if found is None or not 0 < found <= known:
        raise FileError(
            "Storage",
            f"{database.name!r} has version {found} of the tables, and this credo knows {known}",
            "It was written by a newer credo",
            "Upgrade credo; nothing was changed",
        )
    return int(found)

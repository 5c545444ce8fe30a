"""The tables of a study, one schema for SQLite and PostgreSQL.

What is JSON is stored as text: a database that reorders keys or rounds numbers cannot change it. The index of open
trials holds only those that wait or run, so handing out looks at a few rows however many are finished; the index of
versions makes reading what is new cost what is new.
"""

import json
import math
from typing import Any

from sqlalchemy import BigInteger, Column, Double, Index, Integer, MetaData, Table, Text

from credo.decide.storage.records import Evidence, StudyRecord, TrialRecord
from credo.errors import FileError

__all__ = [
    "METADATA",
    "evidence",
    "schema_version",
    "studies",
    "to_evidence",
    "to_study",
    "to_trial",
    "trials",
    "values_text",
]

_REMEDY = (
    "Restore the storage from a copy, or add the other trials, which storage.trial(study, number) still reads, "
    "to a new study"
)

METADATA = MetaData()
# SQLite counts up only a column of exactly this type.
_Id = BigInteger().with_variant(Integer, "sqlite")

schema_version = Table(
    "credo_schema",
    METADATA,
    Column("id", Integer, primary_key=True, autoincrement=False),
    Column("version", Integer, nullable=False),
)

studies = Table(
    "credo_study",
    METADATA,
    Column("id", _Id, primary_key=True),
    Column("name", Text, nullable=False, unique=True),
    Column("definition", Text, nullable=False),
    Column("created", Double, nullable=False),
    Column("next_number", BigInteger, nullable=False),
    Column("version", BigInteger, nullable=False),
    Column("failed", BigInteger, nullable=False),
    sqlite_autoincrement=True,  # an id is never used again
)

trials = Table(
    "credo_trial",
    METADATA,
    Column("study_id", BigInteger, primary_key=True, autoincrement=False),
    Column("number", BigInteger, primary_key=True, autoincrement=False),
    Column("state", Text, nullable=False),
    Column("params", Text, nullable=False),
    Column("why", Text, nullable=False),
    Column("seed", BigInteger),
    Column("token", BigInteger, nullable=False),
    Column("lease_until", Double),
    Column("worker", Text, nullable=False),
    Column("answer", Text),
    Column("created", Double, nullable=False),
    Column("finished", Double),
    Column("note", Text, nullable=False),
    Column("born", BigInteger, nullable=False),
    Column("version", BigInteger, nullable=False),
    # The study's id while the trial waits or runs, then null. No other index can answer a question about it, so that a
    # database needs no statistics to choose the right one.
    Column("open_in", BigInteger),
    sqlite_with_rowid=False,  # the rows are the primary key's index: a page less to write for each change
)
Index("credo_trial_version", trials.c.study_id, trials.c.version)
_is_open = trials.c.open_in.is_not(None)
Index("credo_trial_open", trials.c.open_in, trials.c.number, sqlite_where=_is_open, postgresql_where=_is_open)

evidence = Table(
    "credo_evidence",
    METADATA,
    Column("study_id", BigInteger, primary_key=True, autoincrement=False),
    Column("number", BigInteger, primary_key=True, autoincrement=False),
    Column("token", BigInteger, primary_key=True, autoincrement=False),
    Column("answer", Text),
    Column("received", Double, nullable=False),
    Column("reason", Text, nullable=False),
    Column("note", Text, nullable=False),
)


def values_text(values: tuple[float, ...] | None) -> str | None:
    """Values as JSON, which gives every float back to the last bit."""
    return None if values is None else json.dumps(values, allow_nan=False)


def to_study(row: Any) -> StudyRecord:
    """A row of `credo_study` as a record; what is no JSON object is damaged."""
    definition = _object(row.definition, f"the definition of study {row.name!r}", "Restore the storage from a copy")
    return StudyRecord(row.id, row.name, definition, row.created)


def to_trial(row: Any, study: str) -> TrialRecord:
    """A row of `credo_trial` as a record, of the study of that name; what is no JSON of the right kind is damaged."""
    _, number, state, params, why, seed, token, until, worker, answer, *rest, _ = row
    trial = f"of trial {number} of study {study!r}"
    point, reason = _object(params, f"the point {trial}", _REMEDY), _object(why, f"the reason {trial}", _REMEDY)
    values = _values(answer, f"the answer {trial}")
    return TrialRecord(number, point, state, values, reason, seed, token, until, worker, *rest)


def to_evidence(row: Any, study: str) -> Evidence:
    """A row of `credo_evidence` as a record, of the study of that name."""
    values = _values(row.answer, f"a late answer of trial {row.number} of study {study!r}")
    return Evidence(row.number, row.token, values, row.received, row.reason, row.note)


def _object(text: str, what: str, remedy: str) -> dict[str, Any]:
    found = _json(text, what, remedy)
    if not isinstance(found, dict):
        raise _damaged(text, what, remedy)
    return found


def _values(text: str | None, what: str) -> tuple[float, ...] | None:
    if text is None:
        return None
    found = _json(text, what, _REMEDY)
    numbers = isinstance(found, list) and bool(found) and all(type(value) in (int, float) for value in found)
    if not numbers or not all(map(math.isfinite, found)):
        raise _damaged(text, what, _REMEDY)
    return tuple(map(float, found))


def _json(text: str, what: str, remedy: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, TypeError, RecursionError) as error:
        raise _damaged(text, what, remedy) from error


def _damaged(text: Any, what: str, remedy: str) -> FileError:
    shown = repr(text) if len(repr(text)) <= 60 else repr(text)[:57] + "..."
    cause = "Another program or a failing disk has probably changed it"
    return FileError("Storage", f"{what} is damaged: {shown} is stored", cause, remedy)

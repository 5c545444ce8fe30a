"""The tables of a study, one schema for SQLite and PostgreSQL.

What is JSON is stored as text: a database that reorders keys or rounds numbers cannot change it. The index of open
trials holds only those that wait or run, so handing out looks at a few rows however many are finished; the index of
versions makes reading what is new cost what is new.
"""

import json
from typing import Any

from sqlalchemy import BigInteger, Column, Double, Index, Integer, MetaData, Table, Text

from credo.decide.storage.records import Evidence, StudyRecord, TrialRecord

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


def _values(text: str | None) -> tuple[float, ...] | None:
    return None if text is None else tuple(map(float, json.loads(text)))


def to_study(row: Any) -> StudyRecord:
    """A row of `credo_study` as a record."""
    return StudyRecord(row.id, row.name, json.loads(row.definition), row.created)


def to_trial(row: Any) -> TrialRecord:
    """A row of `credo_trial` as a record."""
    _, number, state, params, why, seed, token, until, worker, answer, *rest, _ = row
    values = _values(answer)
    return TrialRecord(number, json.loads(params), state, values, json.loads(why), seed, token, until, worker, *rest)


def to_evidence(row: Any) -> Evidence:
    """A row of `credo_evidence` as a record."""
    return Evidence(row.number, row.token, _values(row.answer), row.received, row.reason, row.note)

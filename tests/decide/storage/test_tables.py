"""The tables: records come back from rows to the last bit, and the statements that must be quick use their index."""

import sqlite3

import numpy as np
from sqlalchemy import Double, bindparam, create_engine, insert, select
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.schema import CreateIndex, CreateTable

from credo.decide.storage import tables
from credo.decide.storage.statements import Statements


def test_floats_come_back_to_the_last_bit():
    engine = create_engine("sqlite://")
    tables.METADATA.create_all(engine)
    bits = np.random.default_rng(0).integers(0, 2**63, 200)
    values = tuple(float(value) for value in bits.view(np.float64) if np.isfinite(value))
    key = {"study_id": 1, "number": 0, "born": 1, "version": 2}
    given = {"params": '{"x": 0.1}', "why": "{}", "seed": 2**62, "token": 1, "worker": "w", "note": ""}
    told = {"state": "done", "answer": tables.values_text(values), "created": 0.1, "finished": 1 / 3}
    with engine.begin() as connection:
        connection.execute(insert(tables.trials), key | given | told)
        trial = tables.to_trial(connection.execute(select(tables.trials)).one(), "s")
    assert trial.values == values
    assert (trial.params, trial.seed, trial.finished) == ({"x": 0.1}, 2**62, 1 / 3)
    assert (trial.born, trial.version, trial.worker, trial.lease_until) == (1, 2, "w", None)


def test_the_queue_and_the_news_are_read_from_their_index():
    connection = sqlite3.connect(":memory:")
    dialect = sqlite.dialect(paramstyle="named")
    for table in tables.METADATA.sorted_tables:
        connection.execute(str(CreateTable(table).compile(dialect=dialect)))
        for index in table.indexes:
            connection.execute(str(CreateIndex(index).compile(dialect=dialect)))
    statements = Statements(bindparam("now", type_=Double))

    def plan(name):
        compiled = getattr(statements, name).compile(dialect=dialect)
        given = compiled.construct_params({"study_id_": 1, "since_": 5, "now": 0.0}, _check=False)
        return " ".join(row[-1] for row in connection.execute(f"EXPLAIN QUERY PLAN {compiled}", given))

    assert "INDEX credo_trial_open (open_in=?)" in plan("first_free")
    assert "B-TREE" not in plan("first_free")  # the index is in the order of the numbers, so nothing is sorted
    assert plan("counts").count("INDEX credo_trial_open (open_in=?)") == 2
    assert "INDEX credo_trial_version (study_id=? AND version>?)" in plan("changed")
    assert "PRIMARY KEY (study_id=? AND number=?)" in plan("trial")


def test_an_id_is_never_used_again_and_the_open_index_is_partial_on_both():
    assert "AUTOINCREMENT" in str(CreateTable(tables.studies).compile(dialect=sqlite.dialect()))
    assert "BIGSERIAL" in str(CreateTable(tables.studies).compile(dialect=postgresql.dialect()))
    (index,) = (index for index in tables.trials.indexes if index.name == "credo_trial_open")
    for dialect in (sqlite.dialect(), postgresql.dialect()):
        assert "WHERE open_in IS NOT NULL" in str(CreateIndex(index).compile(dialect=dialect))

"""Statements take their clock from where they were told, and lock a study's row where that means something."""

from sqlalchemy import Double, bindparam, literal_column
from sqlalchemy.dialects import postgresql, sqlite

from credo.decide.storage.statements import Statements

NAMES = ["claim", "run", "renew", "answer", "first_free", "keep", "wait", "new_study"]


def test_every_time_comes_from_the_given_clock():
    statements = Statements(literal_column("CLOCK", Double))
    for name in NAMES:
        for dialect in (sqlite.dialect(), postgresql.dialect()):
            text = str(getattr(statements, name).compile(dialect=dialect))
            assert "CLOCK" in text, name
            assert "CURRENT_TIMESTAMP" not in text


def test_the_lock_is_a_row_lock_on_postgresql_and_nothing_on_sqlite():
    statements = Statements(bindparam("now", type_=Double))
    assert str(statements.lock.compile(dialect=postgresql.dialect())).endswith("FOR UPDATE")
    assert "FOR UPDATE" not in str(statements.lock.compile(dialect=sqlite.dialect()))


def test_an_answer_needs_the_trial_the_token_and_that_it_runs():
    statements = Statements(bindparam("now", type_=Double))
    for name in ("answer", "renew"):
        where = str(getattr(statements, name)).partition("WHERE")[2]
        for column in ("study_id", "number", "token", "state"):
            assert f"credo_trial.{column} =" in where

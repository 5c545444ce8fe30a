"""A database that holds studies: how to reach it, write to it, back it up, and say what went wrong."""

import os
import sqlite3
import threading
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import Any, final

from sqlalchemy import ColumnElement, Connection, Engine
from sqlalchemy.exc import DBAPIError

from credo.errors import CredoError

__all__ = ["Database"]


@final
class Database:
    """An engine and what differs between SQLite and PostgreSQL.

    `address` is what opens it again in another process, `name` what messages call it. `lock_schema` keeps all others
    from creating or changing the tables until the transaction ends; `back_up` copies what version n of the schema holds
    and returns where to. `now` is the database's own clock, None where it is this machine's. Where there is
    `one_writer` at a time, the threads of this process queue for it here rather than each by itself. Where a statement
    that only reads needs no transaction around it, `reads_alone` saves the messages of one. A database that is
    `is_ours_alone` has no tables but credo's.
    """

    def __init__(
        self,
        engine: Engine,
        *,
        address: str,
        name: str,
        lock_schema: Callable[[Connection], None],
        back_up: Callable[[Connection, int], str],
        explain: Callable[[BaseException], CredoError],
        now: ColumnElement[float] | None = None,
        one_writer: bool = False,
        reads_alone: bool = False,
        is_ours_alone: bool = False,
    ) -> None:
        self.engine, self.address, self.name, self.now = engine, address, name, now
        self.lock_schema, self.back_up, self.explain = lock_schema, back_up, explain
        self.one_writer, self.is_ours_alone = one_writer, is_ours_alone
        self._reads: dict[str, Any] = {"isolation_level": "AUTOCOMMIT"} if reads_alone else {}
        self._process = os.getpid()
        self._turn = threading.Lock()

    @contextmanager
    def reading(self) -> Iterator[Connection]:
        """For reading. Each statement sees one moment, and several in a block need not see the same."""
        self._after_fork()
        with self._explained(), self.engine.connect() as connection:
            connection.execution_options(**self._reads)
            yield connection

    @contextmanager
    def writing(self) -> Iterator[Connection]:
        """A transaction that is stored when the block ends, and undone when it raises or rolls back itself."""
        self._after_fork()
        turn: AbstractContextManager[object] = self._turn if self.one_writer else nullcontext()
        with self._explained(), turn, self.engine.connect() as connection:
            connection.execution_options(writes=True)
            with connection.begin():
                yield connection

    def close(self) -> None:
        """Close every connection; the next use opens new ones."""
        self.engine.dispose()

    def _after_fork(self) -> None:
        """A connection belongs to the process that opened it; a child leaves those alone and opens its own."""
        if os.getpid() != self._process:
            self.engine.dispose(close=False)
            self._process, self._turn = os.getpid(), threading.Lock()

    @contextmanager
    def _explained(self) -> Iterator[None]:
        try:
            yield
        except DBAPIError as error:
            raise self.explain(error.orig or error) from error
        except sqlite3.Error as error:  # of a hook, where SQLAlchemy does not wrap it
            raise self.explain(error) from error

"""`Table`: rows of a file or a frame whose columns say what they mean."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, final

import numpy as np
from jaxtyping import Float

from credo.errors import InputError
from credo.represent.table.column import Column, values_of
from credo.represent.table.dialect import Dialect
from credo.represent.table.flags import Flag, flagged
from credo.represent.table.guess import guessed_column
from credo.represent.table.native import polars_frame
from credo.represent.table.read import Limits, Reading, frame_of, read_frame
from credo.represent.table.said import said_column
from credo.represent.table.scales import Operation, Scale, require_operation
from credo.represent.text import aligned

__all__ = ["Table"]


@final
class Table:
    """A table whose columns have scales: nominal, ordinal, interval, ratio, absolute or time (Stevens 1946).

    Scales are guessed from types, values and names, with the reason shown (`print(table)`); what is wrong is said by
    ``scales={"zip": "nominal", "size": ["S", "M", "L"]}``, a list being the levels of an order from the lowest. The
    scale decides what is done with a column, and what is refused. It does not change: `with_scales`, `without`, `rows`
    and `complete` return another one.

    >>> import polars as pl
    >>> table = Table.from_frame(pl.DataFrame({"t": [20.5, 80.0, -3.0], "lot": ["a", "b", "a"], "n": [3, 9, 4]}))
    >>> print(table)
    name  scale     values    missing  why
    t     interval  -3 to 80  0        numbers from -3 to 80, some negative
    lot   nominal   a, b      0        2 different texts
    n     absolute  3 to 9    0        whole numbers from 3 to 9
    """

    #: How its file was written, where that was text; `write_csv` writes other rows so.
    dialect: Dialect | None = None

    def __init__(self, columns: Sequence[Column], notes: Sequence[str] = (), dialect: Dialect | None = None) -> None:
        self._columns = {column.name: column for column in columns}
        self.notes = tuple(notes)
        self.dialect = dialect

    @classmethod
    def read(
        cls,
        path: str | Path,
        *,
        scales: Mapping[str, Scale | Sequence[Any]] | None = None,
        limits: Limits | None = None,
    ) -> "Table":
        """From a file: CSV or TSV (the separator is found), Parquet, JSON lines, Excel; also with .gz behind."""
        return cls.from_reading(read_frame(path, limits or Limits()), scales=scales)

    @classmethod
    def from_reading(cls, reading: Reading, *, scales: Mapping[str, Scale | Sequence[Any]] | None = None) -> "Table":
        """From what was in a file, text as text."""
        return cls._of(reading.frame, scales, reading.notes, reading.dialect)

    @classmethod
    def from_frame(cls, frame: Any, *, scales: Mapping[str, Scale | Sequence[Any]] | None = None) -> "Table":
        """From a frame of pandas, polars or pyarrow."""
        who = "Table.from_frame"
        return cls._of(frame_of(polars_frame(frame, who), Limits(), who), scales)

    @classmethod
    def _of(
        cls,
        frame: Any,
        scales: Mapping[str, Scale | Sequence[Any]] | None,
        notes: Sequence[str] = (),
        dialect: Dialect | None = None,
    ) -> "Table":
        said = dict(scales or {})
        unknown = [name for name in said if name not in frame.columns]
        if unknown:
            known = ", ".join(map(repr, frame.columns[:20]))
            raise InputError("Table", f"a scale is said of {unknown[0]!r}", f"The columns are {known}", "Correct it")
        columns = [
            said_column(name, frame[name], said[name]) if name in said else guessed_column(name, frame[name])
            for name in frame.columns
        ]
        return cls(columns, notes, dialect)

    @property
    def columns(self) -> dict[str, Column]:
        """By name, in their order."""
        return dict(self._columns)

    @property
    def frame(self) -> Any:
        """A frame of Polars, each column in the type of its scale."""
        import polars as pl

        return pl.DataFrame([column.series.alias(name) for name, column in self._columns.items()])

    def __len__(self) -> int:
        return len(next(iter(self._columns.values())).series) if self._columns else 0

    def __iter__(self) -> Iterator[str]:
        return iter(self._columns)

    def __getitem__(self, name: str) -> Column:
        if name not in self._columns:
            known = ", ".join(map(repr, list(self._columns)[:20]))
            raise InputError("Table", f"there is no column {name!r}", f"There are {known}", "Correct the name")
        return self._columns[name]

    def numbers(self, name: str, operation: Operation = "difference") -> Float[np.ndarray, " n"]:
        """A column as numbers, NaN where one is missing, for something that its scale must allow."""
        column = self[name]
        require_operation("Table", name, column.scale, operation)
        return values_of(column)

    def with_scales(self, scales: Mapping[str, Scale | Sequence[Any]]) -> "Table":
        """With other scales of some columns."""
        said = {name: said_column(name, self[name].series, scale) for name, scale in scales.items()}
        changed = {name: replace(column, form=self[name].form or column.form) for name, column in said.items()}
        return self._with([changed.get(name, column) for name, column in self._columns.items()])

    def without(self, *names: str) -> "Table":
        """Without some columns."""
        for name in names:
            self[name]
        return self._with([column for name, column in self._columns.items() if name not in names])

    def rows(self, chosen: Any) -> "Table":
        """Some rows, by index."""
        index = np.asarray(chosen)
        index = np.flatnonzero(index) if index.dtype == bool else index
        return self._with([replace(column, series=column.series.gather(index)) for column in self._columns.values()])

    def _with(self, columns: Sequence[Column]) -> "Table":
        return Table(columns, self.notes, self.dialect)

    def complete(self) -> "Table":
        """The rows in which nothing is missing."""
        there = np.ones(len(self), dtype=bool)
        for column in self._columns.values():
            there &= ~column.series.is_null().to_numpy()
        return self.rows(there)

    def flags(self, target: str | None = None) -> tuple[Flag, ...]:
        """What should not be learnt from, with the reason: copies of the target, identifiers, constants."""
        if target is not None:
            self[target]
        return flagged(self._columns, target)

    def __str__(self) -> str:
        rows = [(c.name, c.scale, c.values_in_words, str(c.missing), c.reason) for c in self._columns.values()]
        return "\n".join([*aligned([("name", "scale", "values", "missing", "why"), *rows]), *self.notes])

    def __repr__(self) -> str:
        return f"<Table of {len(self)} rows: {', '.join(self._columns)}>"

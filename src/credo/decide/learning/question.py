"""What is asked of a table: the target and its kind, the columns to learn from, and what is left out and why."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal, final

import numpy as np
from jaxtyping import Int

from credo.decide.learning.copies import copies_of
from credo.errors import InputError
from credo.models.positive.logarithm import have_logarithms
from credo.represent import Table
from credo.represent.table.column import values_of

__all__ = ["Kind", "Question", "asked_of", "targets_of"]

#: What the target is: a number, a count (whole, none below zero), or one of some classes.
Kind = Literal["number", "count", "class"]

_CLASSES = 20  # different whole numbers that a nominal target may have before it is surely not meant as classes
_FEWEST = 10  # rows
_SMALLEST = 1e-150  # where it is the largest number of a column: squares of differences are still more than zero
_RANGE = 5.0  # of positive amounts, the largest over the smallest, from which errors may be factors


@final
@dataclass(frozen=True)
class Question:
    """A target, the columns it is learnt from, and the rows that have it. `left_out` are columns, with the reason;
    `copies` is how many rows were left out, for they are copies of others; `by_factors` is whether targets are amounts
    over so wide a range that their errors may be factors."""

    target: str
    kind: Kind
    columns: tuple[str, ...]
    left_out: dict[str, str]
    rows: Int[np.ndarray, " n"]
    without_target: int
    copies: int = 0
    by_factors: bool = False

    @property
    def counted(self) -> str:
        """How many rows and columns, in words."""
        columns = "1 column" if len(self.columns) == 1 else f"{len(self.columns)} columns"
        return f"{len(self.rows)} rows, {columns}"


def asked_of(table: Table, target: str, *, keep: Sequence[str] = (), drop: Sequence[str] = ()) -> Question:
    """The question that a target of a table is.

    Columns that leak or say nothing (see [](#credo.represent.Table) `flags`) are left out, unless they are in `keep`;
    those in `drop` are, too. Rows without a target tell nothing, nor do copies of rows.

    >>> import polars as pl
    >>> t, y = [20.5 + i**2 for i in range(12)], [1.5 * i for i in range(12)]
    >>> frame = pl.DataFrame({"run": range(12), "t": t, "y": y})
    >>> asked = asked_of(Table.from_frame(frame), "y")
    >>> asked.columns, asked.left_out
    (('t',), {'run': "it says exactly what 'y' is"})
    """
    for name in (target, *keep, *drop):
        table[name]
    flags = {flag.name: flag.reason for flag in table.flags(target) if flag.name not in keep and flag.kind != "empty"}
    left_out = {**flags, **dict.fromkeys(drop, "it was to be left out")}
    columns = tuple(name for name in table if name != target and name not in left_out)
    if target in drop or not columns:
        reasons = "; ".join(f"{name!r}: {reason}" for name, reason in list(left_out.items())[:5])
        raise InputError(
            "learn",
            f"no column is left to learn {target!r} from",
            reasons or "The table has the target alone",
            "Pass keep=[…] with columns that are known before the target is, or a table with more",
        )
    _refuse_vanishing(table, (target, *columns))
    there = np.flatnonzero(table[target].series.is_not_null().to_numpy())
    kind = _kind(table, target, there)
    copied = copies_of(table.frame[list(columns)][there], _values(table, target, kind)[there])
    rows = there[~copied]
    values = _values(table, target, kind)[rows]
    _require_rows(target, kind, values)
    wide = table[target].scale == "ratio" and bool(_RANGE * np.min(values) <= np.max(values))
    by_factors = wide and have_logarithms(values)
    return Question(target, kind, columns, left_out, rows, len(table) - len(there), int(np.sum(copied)), by_factors)


def _refuse_vanishing(table: Table, names: Sequence[str]) -> None:
    """Refuse columns of numbers that all have squares of zero: no model sees a difference in them."""
    for name in names:
        if not table[name].series.dtype.is_numeric():
            continue
        largest = float(np.nanmax(np.abs(values_of(table[name])), initial=0.0))
        if 0.0 < largest < _SMALLEST:
            raise InputError(
                "learn",
                f"column {name!r} has no number above {largest:.3g}",
                "Squares of such numbers are zero, so that nothing can be learned from them",
                "Take another unit, for example multiply the column by 1e200",
            )


def _kind(table: Table, target: str, there: np.ndarray) -> Kind:
    column = table[target]
    if column.scale in ("nominal", "ordinal"):
        return "class"
    if column.scale == "time":
        raise InputError(
            "learn",
            f"{target!r} is a time",
            "What is learnt is a number or a class",
            "Add a column with the time that passed, as a number, and learn that",
        )
    return "count" if column.scale == "absolute" and np.all(values_of(column)[there] >= 0.0) else "number"


def _values(table: Table, target: str, kind: Kind) -> np.ndarray:
    column = table[target]
    return np.asarray(column.series.to_list(), dtype=object) if kind == "class" else values_of(column)


def targets_of(table: Table, question: Question) -> Any:
    """The values of the target in the rows that have one: numbers, or the names of classes."""
    values = _values(table, question.target, question.kind)[question.rows]
    return values.astype(str) if question.kind == "class" else values.astype(np.float64)


def _require_rows(target: str, kind: Kind, values: np.ndarray) -> None:
    if len(values) < _FEWEST:
        raise InputError(
            "learn",
            f"{len(values)} different rows have a value of {target!r}",
            "From so few nothing can be learnt and checked",
            f"Pass {_FEWEST} rows at least; to plan the first ones try `credo study new`",
        )
    different, counts = np.unique(values.astype(str) if kind == "class" else values, return_counts=True)
    if len(different) < 2:
        raise InputError(
            "learn", f"{target!r} is {different[0]} in every row", "There is nothing to learn", "Name another target"
        )
    if kind == "class" and len(different) > max(_CLASSES, len(values) // 10):
        raise InputError(
            "learn",
            f"{target!r} has {len(different)} classes in {len(values)} rows",
            "It is a name of the rows, or a number that was read as text",
            "Name another target, or correct the values that are no numbers",
        )
    if kind == "class" and np.min(counts) < 2:
        rare = different[np.argmin(counts)]
        raise InputError(
            "learn",
            f"class {rare!r} of {target!r} has one row only",
            "It cannot be learnt from and checked",
            "Merge rare classes, or leave those rows out",
        )

"""Columns that should not be learnt from: copies of the target, identifiers, constants, and mostly empty ones."""

from collections.abc import Mapping
from typing import Any, Literal, NamedTuple

import numpy as np

from credo.represent.table.column import Column, values_of
from credo.represent.table.guess import names_rows

__all__ = ["Flag", "flagged"]

_SAME = 1e-9  # of one, by which a correlation with the target may fall short
_ENOUGH = 10  # rows, below which nothing is said of copies and identifiers
_EMPTY = 0.5
# A number, perhaps with a decimal part, a sign of comparison, a currency or a unit.
_AMOUNT = r"^[<>≤≥~≈±=]*\s*\p{Sc}?\s*[-+−]?[\d.,']*\d\s*(?:[%‰]|\p{Sc}|\s[\p{L}°µ/²³]+)?$"
_NUMBERS = ("interval", "ratio", "absolute")


class Flag(NamedTuple):
    """A column, what it is, and why that is said."""

    name: str
    kind: Literal["copy", "identifier", "constant", "empty"]
    reason: str

    @property
    def leaks(self) -> bool:
        """Whether learning from it would tell what is asked for, or nothing that lasts."""
        return self.kind in ("copy", "identifier")


def flagged(columns: Mapping[str, Column], target: str | None) -> tuple[Flag, ...]:
    """The columns beside the target about which there is something to say."""
    asked = None if target is None else columns[target]
    found = [_flag(column, asked) for name, column in columns.items() if name != target]
    return tuple(flag for flag in found if flag is not None)


def _flag(column: Column, target: Column | None) -> Flag | None:
    n, there = len(column.series), len(column.series) - column.missing
    if not there or (there == n and column.different == 1):  # with gaps it says which rows have it, as a tick does
        return Flag(column.name, "constant", "it has one value in every row" if there else "it is empty")
    if target is not None and n >= _ENOUGH and _is_copy(column, target):
        return Flag(column.name, "copy", f"it says exactly what {target.name!r} is")
    if n >= _ENOUGH and there == n and column.different == n and _names_rows(column):
        return Flag(column.name, "identifier", f"all {n} values are different, and only number or name the rows")
    if there < _EMPTY * n:
        return Flag(column.name, "empty", f"{n - there} of {n} values are missing")
    return None


def _names_rows(column: Column) -> bool:
    if column.scale == "nominal":
        return names_rows(column.name) or not _is_measured(column)
    if column.scale != "absolute":
        return False
    steps = np.diff(np.sort(values_of(column)))
    return bool(np.all(steps == 1))


def _is_measured(column: Column) -> bool:
    """Whether most texts are amounts that could not be read, because of another sign or unit or a word among them.

    Where all are whole numbers somebody has said that they are names, or they begin with zeros.
    """
    texts = column.series
    if bool(texts.str.contains(r"^\d+$").all()) or bool(texts.str.contains(r"^0\d").any()):
        return False
    return 2 * int(texts.str.contains(_AMOUNT).sum()) > len(texts)


def _is_copy(column: Column, target: Column) -> bool:
    both = (column.series.is_not_null() & target.series.is_not_null()).to_numpy()
    if np.sum(both) < _ENOUGH:
        return False
    if column.scale in _NUMBERS and target.scale in _NUMBERS:
        x, y = (values_of(each)[both] for each in (column, target))
        if np.std(x) == 0.0 or np.std(y) == 0.0:
            return False
        return bool(abs(np.corrcoef(x, y)[0, 1]) > 1.0 - _SAME)
    if not {column.scale, target.scale} & {"nominal", "ordinal"}:
        return False
    return _are_renamed(column.series.filter(both), target.series.filter(both))


def _are_renamed(values: Any, answers: Any) -> bool:
    """Whether each value stands beside one answer and each answer beside one value. Where most come once they do so
    by themselves, and that says nothing.
    """
    different = values.n_unique()
    if not 1 < different <= len(values) / 2 or different != answers.n_unique():
        return False
    return len(set(zip(values.to_list(), answers.to_list(), strict=True))) == different

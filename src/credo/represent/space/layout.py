"""Parameters side by side: from points to rows of numbers and back, with what is not active in a neutral place."""

import math
from collections.abc import Mapping, Sequence
from typing import Any, final

import numpy as np
from jaxtyping import Bool, Float

from credo.errors import InputError
from credo.represent.frame import as_frame
from credo.represent.space.conditions import conditions_between, count_points, parents_first
from credo.represent.space.parameter import ColumnKind, Discrete, Parameter

__all__ = ["Layout", "as_table", "columns_of"]

_ABSENT = object()


@final
class Layout:
    """The parameters of a space in their order, one column each, and the values that are held.

    A parameter that is not active (`when`) has no entry in a point; its column holds the middle of its range, and what
    tells it from one that is active is the column of its parent.
    """

    def __init__(self, parameters: Mapping[str, Parameter], fixed: Mapping[str, Any]) -> None:
        self.names = tuple(parameters)
        self.parameters = tuple(parameters.values())
        self.order = parents_first(parameters)
        self.conditions = conditions_between(parameters)
        self.fixed: dict[int, float] = {}
        self.held: dict[int, Any] = {}
        for name, value in fixed.items():
            self._hold(self.names.index(name), value)

    def _hold(self, j: int, value: Any) -> None:
        parameter, name = self.parameters[j], self.names[j]
        reason = parameter.why_not_held(value)
        if reason is not None:
            raise InputError(
                "Space", f"the fixed {name!r} {reason}", "It must be a value of the parameter", "Correct it"
            )
        column = parameter.encode([value])
        self.fixed[j] = float(column[0])
        # A real number would come back from its column with another last digit.
        self.held[j] = parameter.plain([value])[0]

    @property
    def kinds(self) -> tuple[ColumnKind, ...]:
        """What an optimizer has to know of each column."""
        return tuple(p.column(n, self.fixed.get(j)) for j, (n, p) in enumerate(self._named()))

    @property
    def count(self) -> int | None:
        """The number of points, None if it is not finite."""
        return count_points(self.parameters, self.order, self.conditions, self.fixed)

    def _named(self) -> list[tuple[str, Parameter]]:
        return list(zip(self.names, self.parameters, strict=True))

    def settled(self, rows: Float[np.ndarray, "n d"]) -> Float[np.ndarray, "n d"]:
        """The nearest rows that encode points: on their levels, held where fixed, neutral where not active."""
        rows = rows.copy()
        for j, parameter in enumerate(self.parameters):
            rows[:, j] = self.fixed[j] if j in self.fixed else parameter.snap(rows[:, j])
        return self.neutral(rows)

    def neutral(self, rows: Float[np.ndarray, "n d"]) -> Float[np.ndarray, "n d"]:
        """Rows whose discrete columns are on their levels, with what is not active in the middle."""
        if not any(self.conditions):
            return rows
        return np.where(self.active(rows), rows, np.array([p.middle for p in self.parameters]))

    def active(self, rows: Float[np.ndarray, "n d"]) -> Bool[np.ndarray, "n d"]:
        """Which parameters are there, at each row."""
        active = np.ones(rows.shape, dtype=bool)
        for j in self.order:
            for condition in self.conditions[j]:
                active[:, j] &= active[:, condition.parent] & self._meets(condition, rows[:, condition.parent])
        return active

    def _meets(self, condition: Any, column: Float[np.ndarray, " n"]) -> Bool[np.ndarray, " n"]:
        parent = self.parameters[condition.parent]
        assert isinstance(parent, Discrete)
        return np.isin(parent.index_of(column), condition.allowed)

    def decode(self, rows: Float[np.ndarray, "n d"]) -> list[dict[str, Any]]:
        """The points that settled rows encode."""
        columns = [
            [self.held[j]] * len(rows) if j in self.held else parameter.decode(rows[:, j])
            for j, parameter in enumerate(self.parameters)
        ]
        if not any(self.conditions):
            return [dict(zip(self.names, values, strict=True)) for values in zip(*columns, strict=True)]
        active = self.active(rows).tolist()
        return [
            {name: value for name, value, there in zip(self.names, values, row, strict=True) if there}
            for values, row in zip(zip(*columns, strict=True), active, strict=True)
        ]

    def plain(self, columns: Mapping[str, Sequence[Any]], rows: Float[np.ndarray, "n d"]) -> list[dict[str, Any]]:
        """The points that `encode` made rows of, as they are, in Python's types."""
        active = self.active(rows)
        points: list[dict[str, Any]] = [{} for _ in rows]
        for j, (name, parameter) in enumerate(self._named()):
            there = np.flatnonzero(active[:, j]).tolist()
            for i, value in zip(there, parameter.plain([columns[name][i] for i in there]), strict=True):
                points[i][name] = value
        return points

    def encode(
        self, columns: Mapping[str, Sequence[Any]], n: int, *, outside: bool = False
    ) -> tuple[Float[np.ndarray, "n d"], str | None]:
        """Rows from the values of each name, and what is wrong with the first point that has something wrong."""
        rows = np.tile(np.array([parameter.middle for parameter in self.parameters]), (n, 1))
        active = np.ones(rows.shape, dtype=bool)
        for j in self.order:
            name, parameter, values = self.names[j], self.parameters[j], columns[self.names[j]]
            for condition in self.conditions[j]:
                active[:, j] &= active[:, condition.parent] & self._meets(condition, rows[:, condition.parent])
            there = np.flatnonzero(active[:, j]).tolist()
            wrong = self._wrong(name, parameter, values, active[:, j], outside, held=j in self.fixed)
            if wrong is not None:
                return rows, wrong[1] if n == 1 else f"row {wrong[0]}: {wrong[1]}"
            rows[there, j] = parameter.encode([values[i] for i in there])
        return rows, None

    def _wrong(
        self,
        name: str,
        parameter: Parameter,
        values: Sequence[Any],
        active: Bool[np.ndarray, " n"],
        outside: bool,
        held: bool,
    ) -> tuple[int, str] | None:
        """The first row whose value of one parameter cannot be used, and why."""
        there = np.flatnonzero(active).tolist()
        missing = next((i for i in there if values[i] is _ABSENT), None)
        if missing is not None:
            return missing, f"{name!r} is missing"
        extra = next((i for i in np.flatnonzero(~active).tolist() if not _is_empty(values[i])), None)
        if extra is not None:
            needs = " and ".join(f"{p!r} is {' or '.join(map(repr, v))}" for p, v in parameter.when.items())
            return extra, f"{name!r} is {values[extra]!r}, but it is there only when {needs}"
        refused = parameter.first_refused([values[i] for i in there], outside)
        if held and refused is not None and parameter.why_not_held(values[there[refused[0]]], outside) is None:
            refused = None  # whether it is the value that is held is for the space to ask
        return None if refused is None else (there[refused[0]], f"{name!r} {refused[1]}")


def _is_empty(value: Any) -> bool:
    """What a table holds where there is nothing."""
    return value is _ABSENT or value is None or (isinstance(value, float) and math.isnan(value))


def as_table(who: str, points: Any) -> Any:
    """A frame of any library in the words of narwhals."""
    return as_frame(
        points,
        who,
        wrong="neither a list of points nor a frame in memory",
        cause="One point alone goes in a list, too",
        remedy="Pass a pandas or polars frame, a pyarrow table, or (to encode) a list of dicts",
    )


def columns_of(who: str, points: Any, names: Sequence[str]) -> tuple[dict[str, list[Any]], int]:
    """The values of each name, and the number of points, of a list of mappings or a frame of any library."""
    if isinstance(points, (list, tuple)):
        return _of_mappings(who, points, names)
    table = as_table(who, points)
    absent = [name for name in names if name not in table.columns]
    if absent:
        known = ", ".join(map(repr, table.columns[:20]))
        what = f"the frame has no column {', '.join(map(repr, absent))}"
        raise InputError(who, what, f"There are {known}", "Add it, or rename one")
    return {name: table[name].to_list() for name in names}, len(table)


def _of_mappings(who: str, points: Sequence[Any], names: Sequence[str]) -> tuple[dict[str, list[Any]], int]:
    known = set(names)
    for i, point in enumerate(points):
        if not isinstance(point, Mapping):
            what = f"point {i} is {point!r}, a {type(point).__name__}"
            raise InputError(who, what, "A point maps names to values", "Pass a list of dicts")
        unknown = [name for name in point if name not in known]
        if unknown:
            what = f"point {i} has {unknown[0]!r}, which is no parameter"
            raise InputError(who, what, f"There are {', '.join(map(repr, list(names)[:20]))}", "Correct the name")
    return {name: [point.get(name, _ABSENT) for point in points] for name in names}, len(points)

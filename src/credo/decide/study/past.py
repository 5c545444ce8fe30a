"""A table of past runs as the beginning of a study: which columns are chosen, which came out."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from credo.decide.study.goal import Goal
from credo.errors import InputError
from credo.represent.frame import as_frame
from credo.represent.space import Space

__all__ = ["Past", "past_runs"]


class Past(NamedTuple):
    """The space, the runs, what came out of them (by name, or in order), and the direction with its names."""

    space: Space
    runs: list[dict[str, Any]]
    outcomes: Any
    direction: Any


def past_runs(X: Any, y: Any, space: Space | None, settings: Mapping[str, Any]) -> Past:
    """From a frame or a list of dicts, and results: names of columns, an array, or a mapping by name.

    Of the settings of the study the direction names the objectives; what is bounded and a cost that is told are found
    in the table, too.
    """
    frame = _framed(X)
    direction = settings.get("direction", "minimize")
    named = _named(y)
    outcomes: Any = y
    if named is not None:
        direction = direction if isinstance(direction, Mapping) else {named[0]: direction}
        cost = settings.get("cost")
        goal = Goal.of(direction, settings.get("outcome_constraints", ()), cost if isinstance(cost, str) else None)
        _refuse_others(named, goal)
        given = y if isinstance(y, Mapping) else {}
        outcomes = {name: given[name] if name in given else _column(frame, name) for name in goal.outcomes}
    names = [name for name in outcomes if name in frame.columns] if isinstance(outcomes, Mapping) else []
    found = Space.from_frame(frame.to_native(), names) if space is None else space
    return Past(found, found.runs(frame.to_native()), outcomes, direction)


def _named(y: Any) -> list[str] | None:
    """The outcomes that are named, in their order; None where results come without names."""
    if isinstance(y, str):
        return [y]
    if isinstance(y, Mapping) or (isinstance(y, Sequence) and len(y) and all(isinstance(name, str) for name in y)):
        return list(y)
    return None


def _refuse_others(named: list[str], goal: Goal) -> None:
    """What is named has to be for something."""
    other = [name for name in named if name not in goal.outcomes]
    if other:
        what = f"{other[0]!r} is no objective, not bounded and no cost"
        remedy = f'Try direction={{"{other[0]}": "minimize", …}}'
        raise InputError("from_data", what, "One direction is that of the first name", remedy)


def _column(frame: Any, name: str) -> list[Any]:
    if name not in frame.columns:
        known = ", ".join(map(repr, frame.columns[:20]))
        raise InputError("from_data", f"there is no column {name!r}", f"There are {known}", "Correct the name")
    return [_number(value) for value in frame[name].to_list()]


def _number(value: Any) -> Any:
    """The number that a label is: a table with few different values holds them as names. Other text stays, refused."""
    try:
        return float(value) if isinstance(value, str) else value
    except ValueError:
        return value


def _framed(X: Any) -> Any:
    if isinstance(X, (list, tuple)) and X and all(isinstance(row, Mapping) for row in X):
        import polars as pl

        X = pl.DataFrame([dict(row) for row in X])
    return as_frame(
        X,
        "from_data",
        wrong="no table of past runs",
        cause="It has a row for each run and a named column for each parameter",
        remedy="Pass a pandas or polars frame, a pyarrow table, or a list of dicts",
    )

"""A table of past runs as the beginning of a study: which columns are chosen, which came out."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from credo.errors import InputError
from credo.represent.frame import as_frame
from credo.represent.space import Space

__all__ = ["Past", "past_runs"]


class Past(NamedTuple):
    """The runs, what came out of them (by name, or in order), the space, and the direction with its names."""

    space: Space
    runs: Any
    outcomes: Any
    direction: Any


def past_runs(X: Any, y: Any, space: Space | None, direction: Any) -> Past:
    """From a frame or a list of dicts, and results: names of columns, an array, or a mapping by name."""
    frame = _framed(X)
    if isinstance(y, str) or (isinstance(y, Sequence) and len(y) and all(isinstance(name, str) for name in y)):
        names = [y] if isinstance(y, str) else list(y)
        absent = [name for name in names if name not in frame.columns]
        if absent:
            known = ", ".join(map(repr, frame.columns[:20]))
            raise InputError("from_data", f"there is no column {absent[0]!r}", f"There are {known}", "Correct the name")
        outcomes: Any = {name: frame[name].to_list() for name in names}
        direction = direction if isinstance(direction, Mapping) else {names[0]: direction}
    else:
        names, outcomes = [], y
    found = Space.from_frame(frame.to_native(), names) if space is None else space
    return Past(found, frame.to_native(), outcomes, direction)


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

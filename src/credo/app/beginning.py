"""The beginning of a study that is kept: the same for the command line and the web page."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from credo.app.console import Direction
from credo.decide import Study, storage_from, study_from_table
from credo.decide.study.base import LEASE
from credo.errors import InputError
from credo.represent import Space, Table

__all__ = ["begin_study"]


def begin_study(
    storage: str | Path,
    name: str,
    directions: Mapping[str, Direction],
    *,
    space: Space | None = None,
    bounds: Sequence[str] = (),
    runs: Path | Table | None = None,
    seed: int = 0,
    lease: float = LEASE,
) -> Study:
    """A study under a name that is free, of a space or of the columns of a table of past runs, in which those without
    a result are under way."""
    if space is None and runs is None:
        remedy = "Add one with its range or its options, or begin with a table of past runs"
        raise InputError("Study", "no parameter", "A study needs what can be chosen", remedy)
    if any(record.name == name for record in storage_from(storage).list_studies()):
        what = f"there is a study {name!r} already"
        raise InputError("Study", what, "It would be continued", "Choose another name")
    settings: dict[str, Any] = {"outcome_constraints": bounds, "storage": storage, "name": name, "lease": lease}
    if runs is None:
        assert space is not None
        return Study(space, direction=directions, random_state=seed, **settings)
    if len(directions) != 1:
        what = f"{len(directions)} objectives of a table of past runs"
        remedy = "Choose one, or begin it in Python: Study.from_data"
        raise InputError("Study", what, "One column is the result", remedy)
    ((target, direction),) = directions.items()
    return study_from_table(runs, target, direction=direction, space=space, random_state=seed, **settings)

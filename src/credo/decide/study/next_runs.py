"""The next runs to make, from a table of past ones: rows without a result are under way, and the answer is a table."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, final

import numpy as np

from credo.decide.study.goal import Goal
from credo.decide.study.study import Study
from credo.decide.study.trial import Trial, point_in_words
from credo.errors import InputError
from credo.represent import Table
from credo.represent.frame import as_frame
from credo.represent.space import Parameter, Space

__all__ = ["NextRuns", "next_runs", "study_from_table"]


@final
@dataclass(frozen=True)
class NextRuns:
    """What to measure next, each with its reason, and the study that says so; `notes` are of rows that it could not
    learn from."""

    trials: tuple[Trial, ...]
    study: Study
    target: str
    columns: tuple[str, ...]
    notes: tuple[str, ...] = ()

    @property
    def frame(self) -> Any:
        """A row a run, in the columns of the table that was given, the result empty: to be filled in and appended."""
        import polars as pl

        rows = [{name: trial.params.get(name) for name in self.columns} for trial in self.trials]
        return pl.DataFrame(rows, schema=self.columns, orient="row", infer_schema_length=None)

    def __str__(self) -> str:
        return "\n".join(f"{point_in_words(trial.params)}\n  {trial.why}" for trial in self.trials)


def next_runs(
    table: Any,
    target: str,
    *,
    direction: Literal["minimize", "maximize"] = "minimize",
    n: int = 3,
    space: Space | None = None,
    parameters: Mapping[str, Parameter] | None = None,
    drop: Sequence[str] = (),
    random_state: Any = 0,
    **settings: Any,
) -> NextRuns:
    """The next `n` runs to make, from a table of past ones, for a target that shall be small or large.

    `table` is a frame, a Table or a path. Rows whose target is empty are under way: they are not suggested again, and
    count as if they will come out as believed. So a table can be asked, filled in and asked again. The space is guessed
    from the columns unless it is given (``print(runs.study.space)`` shows it); `parameters` replace what is guessed of
    some columns, and those in `drop` are not chosen, such as what is measured along the way. Rows with a gap in what is
    chosen say nothing about it, and are left out with a note. `settings` are those of [](#credo.decide.Study).

    >>> import polars as pl
    >>> past = pl.DataFrame({"t": [20.0, 40.0, 60.0, 80.0, 50.0], "yield": [1.0, 3.0, 4.0, 2.0, None]})
    >>> runs = next_runs(past, "yield", direction="maximize", n=2)
    >>> runs.frame.columns, runs.frame["yield"].to_list()
    (['t', 'yield'], [None, None])
    """
    frame = _framed(table)
    chosen: dict[str, Any] = {"space": space, "parameters": parameters, "drop": drop}
    study = study_from_table(frame, target, direction=direction, random_state=random_state, **chosen, **settings)
    notes = _gaps_in_words(frame, study.space)
    return NextRuns(tuple(study.ask_batch(n)), study, target, tuple(frame.columns), notes)


def study_from_table(
    table: Any,
    target: str,
    *,
    direction: Literal["minimize", "maximize"] = "minimize",
    space: Space | None = None,
    parameters: Mapping[str, Parameter] | None = None,
    drop: Sequence[str] = (),
    random_state: Any = 0,
    **settings: Any,
) -> Study:
    """A study that begins with a table of runs, of which those without a result are under way.

    As [](#credo.decide.next_runs) reads it; with ``storage=`` and ``name=`` it is kept, to be asked and told.

    >>> import polars as pl
    >>> past = pl.DataFrame({"t": [20.0, 40.0, 60.0, 80.0, 50.0], "yield": [1.0, 3.0, 4.0, 2.0, None]})
    >>> [trial.state for trial in study_from_table(past, "yield", direction="maximize").trials]
    ['done', 'done', 'done', 'done', 'running']
    """
    frame = _framed(table)
    _require_columns(frame, [target])
    cost = settings.get("cost")
    goal = Goal.of(
        {target: direction}, settings.get("outcome_constraints", ()), cost if isinstance(cost, str) else None
    )
    outcomes = [name for name in goal.outcomes if name in frame.columns]
    if space is None:
        space = _guessed(frame, outcomes, parameters or {}, drop)
    gaps = _gaps(frame, space)
    frame = frame.filter(~np.any(list(gaps.values()), axis=0)) if gaps else frame
    there = frame[target].is_not_null().to_numpy()
    if not np.any(there):
        raise InputError(
            "next_runs",
            f"no row has a value of {target!r} and of all that is chosen",
            "There is nothing to learn from",
            "Fill in some results, leave out columns with gaps, or begin with a Study of a Space",
        )
    given = {**settings, "direction": direction, "random_state": random_state}
    study = Study.from_data(frame.filter(there), target, space=space, **given)
    inputs = [name for name in frame.columns if name not in outcomes]  # to drop or select, "*" would be every column
    for run in space.runs(frame.filter(~there)[inputs]) if not np.all(there) else []:
        study.enqueue(run)
        study.ask()
    return study


def _require_columns(frame: Any, names: Sequence[str]) -> None:
    absent = [name for name in names if name not in frame.columns]
    if absent:
        known = ", ".join(map(repr, frame.columns[:20]))
        raise InputError("next_runs", f"there is no column {absent[0]!r}", f"There are {known}", "Correct the name")


def _guessed(frame: Any, outcomes: list[str], parameters: Mapping[str, Parameter], drop: Sequence[str]) -> Space:
    """What can be chosen, by the columns, but for what was said."""
    _require_columns(frame, [*parameters, *drop])
    space = Space.from_frame(frame[[name for name in frame.columns if name not in drop]], outcomes)
    return space.with_(parameters) if parameters else space


def _gaps(frame: Any, space: Space) -> dict[str, np.ndarray]:
    """By the name of what is chosen in every run: which rows have no value of it."""
    needed = [name for name, parameter in space.parameters.items() if not parameter.when and name in frame.columns]
    return {name: _is_gap(frame[name]) for name in needed}


def _is_gap(series: Any) -> np.ndarray:
    gone = series.is_null() | series.is_nan() if series.dtype.is_float() else series.is_null()
    return gone.fill_null(True).to_numpy()


def _gaps_in_words(frame: Any, space: Space) -> tuple[str, ...]:
    found = {name: rows for name, rows in _gaps(frame, space).items() if np.any(rows)}
    if not found:
        return ()
    rows = int(np.sum(np.any(list(found.values()), axis=0)))
    said = "1 row has" if rows == 1 else f"{rows} rows have"
    return (f"{said} no value of {' or '.join(map(repr, found))}, and {'was' if rows == 1 else 'were'} left out",)


def _framed(table: Any) -> Any:
    if isinstance(table, str | Path):
        table = Table.read(table)
    if isinstance(table, Table):
        return table.frame
    return as_frame(table, "next_runs", cause="A table of runs has named columns").to_polars()

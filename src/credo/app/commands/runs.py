"""`credo next`: the next runs to make, as a table to fill in."""

from pathlib import Path
from typing import Annotated

import typer

import credo
from credo.app.console import tell
from credo.app.options import DIRECTION, JSON, SCALE, SEED, refuse_to_replace, said_direction, table_and_target
from credo.errors import InputError

__all__ = ["register"]


def register(app: typer.Typer) -> None:
    """Add the command of this file."""
    app.command(name="next")(next_command)


def next_command(
    file: Annotated[Path | None, typer.Argument(help="A table of past runs; an example if left out.")] = None,
    target: Annotated[str | None, typer.Option("--target", "-t", help="The column with the results.")] = None,
    maximize: DIRECTION = None,
    n: Annotated[int, typer.Option("-n", help="How many runs.", min=1, max=1000)] = 3,
    out: Annotated[Path | None, typer.Option("--out", "-o", help="A CSV file for them, to be filled in.")] = None,
    param: Annotated[
        list[str], typer.Option("--param", "-p", help="What a column may be: t=20..80 step 0.5, solvent=water|ethanol.")
    ] = [],  # noqa: B006
    drop: Annotated[list[str], typer.Option("--drop", help="A column that is not chosen.")] = [],  # noqa: B006
    scale: SCALE = [],  # noqa: B006
    seed: SEED = 0,
    as_json: JSON = False,
) -> None:
    """The next runs to make, each with its reason.

    What can be chosen is guessed from the columns and shown; --param says it better, --drop leaves a column out. With
    --out the runs are a CSV file, too, with an empty result column: fill it in, append it to the table of past runs,
    ask again. Rows whose result is empty are under way.
    """
    from credo.decide.study.trial import point_in_words
    from credo.represent import write_csv
    from credo.represent.space.text import space_from_text

    direction = said_direction(maximize, file)
    if direction is None:
        cause = "Whether more of the target is better is not in the table"
        raise InputError("credo next", "no direction was named", cause, "Add --maximize or --minimize")
    refuse_to_replace("credo next", out, file)
    table, goal = table_and_target("credo next", file, target, scale)
    given = space_from_text(param).parameters if param else None
    runs = credo.next_runs(table, goal, direction=direction, n=n, parameters=given, drop=drop, random_state=seed)
    lines = [str(runs.study.space), *(f"{note}." for note in (*table.notes, *runs.notes)), ""]
    for i, trial in enumerate(runs.trials, 1):
        lines += [f"Run {i}: {point_in_words(trial.params)}", f"  {trial.why}"]
    if out is not None:
        write_csv(runs.frame, out, like=table)
        lines.append(f"Wrote {out}: fill in {goal!r}, append it to the runs, ask again.")
    data = {
        "target": goal,
        "notes": runs.notes,
        "runs": [{"params": trial.params, "why": trial.why.to_dict()} for trial in runs.trials],
    }
    tell(lines, data, as_json=as_json)

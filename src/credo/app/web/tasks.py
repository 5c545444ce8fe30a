"""What the child processes of the web page do: plain values in, plain values and files in a folder out."""

import json
from collections.abc import Callable
from functools import lru_cache
from pathlib import Path
from typing import Any

from credo.app.console import Direction, jsonable
from credo.app.web.generations import fresh
from credo.errors import InputError

__all__ = ["describe", "learn", "next_runs", "predict"]

Say = Callable[[str], None]
_PREVIEW = 10  # rows that are shown of a table


def describe(say: Say, path: Path, scales: dict[str, Any]) -> dict[str, Any]:
    """What a table holds: its columns with their scales and why, its first rows, what was noted when it was read."""
    from credo.represent import Table

    say("reading")
    table = Table.read(path, scales=scales or None)
    columns = [
        {"name": c.name, "scale": c.scale, "values": c.values_in_words, "missing": c.missing, "why": c.reason}
        for c in table.columns.values()
    ]
    first = [[_cell(value) for value in row] for row in table.frame.head(_PREVIEW).rows()]
    return {"rows": len(table), "columns": columns, "first": first, "notes": list(table.notes)}


def learn(
    say: Say,
    path: Path,
    folder: Path,
    target: str,
    scales: dict[str, Any],
    drop: list[str],
    direction: Direction | None,
) -> dict[str, Any]:
    """Learn a column; model, report and the ends of all columns go into the folder, together."""
    import credo
    from credo.app.report import write_report
    from credo.represent import Table

    say("reading")
    table = Table.read(path, scales=scales or None)
    say("trying models")
    learned = credo.learn(table, target, drop=drop)
    found = {
        "target": target,
        "kind": learned.question.kind,
        "chosen": learned.chosen,
        "words": list(learned.model.summary),
        "range": None if learned.question.kind == "class" else [float(learned.y.min()), float(learned.y.max())],
        "inputs": [_input(table, name) for name in learned.question.columns],
        "scales": scales,
    }
    with fresh(folder) as there:
        write_report(learned, there, say, direction=direction)
        (there / "learned.json").write_text(json.dumps(jsonable(found)), encoding="utf-8")
    return found


def predict(say: Say, model: Path, rows: list[dict[str, Any]], level: float) -> dict[str, Any]:
    """What a model says of some rows, and which of its columns were left out of some of them."""
    import polars as pl

    learned = _loaded(model)
    columns = list(learned.columns)
    unknown = [name for row in rows for name in row if name not in columns]
    if unknown:
        known = ", ".join(map(repr, columns[:20]))
        what = f"the model goes by no column {unknown[0][:200]!r}"
        raise InputError("credo", what, f"It goes by {known}", "Correct the name, or leave it out")
    frame = pl.DataFrame(rows, schema=columns, infer_schema_length=None)
    missing = [name for name in columns if not all(name in row for row in rows)]
    return jsonable({"rows": learned.table(frame, level).to_dicts(), "missing": missing})


@lru_cache(maxsize=4)
def _loaded(model: Path) -> Any:
    """A model, read once: a slider asks many times a second, and another model has another path."""
    import credo

    return credo.load(model)


def next_runs(
    say: Say, path: Path, target: str, direction: Direction, n: int, scales: dict[str, Any]
) -> dict[str, Any]:
    """The next runs to make, each with its reason, and as CSV to fill in."""
    import credo
    from credo.represent import Table, write_csv

    say("what to measure next")
    table = Table.read(path, scales=scales or None)
    found = credo.next_runs(table, target, direction=direction, n=n)
    runs = [{"params": trial.params, "why": str(trial.why)} for trial in found.trials]
    return jsonable({"target": target, "runs": runs, "notes": found.notes, "csv": write_csv(found.frame, like=table)})


def _input(table: Any, name: str) -> dict[str, Any]:
    """What a form needs to ask for a column: a slider between its ends, or a choice of its levels."""
    column = table[name]
    if column.scale in ("nominal", "ordinal"):
        return {"name": name, "choices": list(column.levels) or sorted(set(column.series.drop_nulls().to_list()))[:200]}
    if column.scale == "time":
        return {"name": name, "text": str(column.series.drop_nulls().max())}
    values = column.series.drop_nulls()
    return {
        "name": name,
        "low": float(values.min()),
        "high": float(values.max()),
        "middle": float(values.median()),
        "whole": column.scale == "absolute",
    }


def _cell(value: Any) -> str:
    if value is None:
        return ""
    return f"{value:.6g}" if isinstance(value, float) else str(value)

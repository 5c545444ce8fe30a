"""`credo learn`, `predict`, `explain`, `compare` and `audit`: from a table to a model, and what to think of it."""

from pathlib import Path
from typing import Annotated, Any

import typer

import credo
from credo.app.console import Code, tell
from credo.app.example import EXAMPLE_TARGET, example_table
from credo.app.options import DROP, JSON, KEEP, LEVEL, MODEL, SCALE, SEED, read_table
from credo.decide import Learned, TableModel, explain
from credo.errors import InputError
from credo.numerics.progress import tracker
from credo.represent import Limits, Table, write_csv
from credo.represent.table.read import read_frame
from credo.represent.text import aligned

__all__ = ["register"]

_FILE = Annotated[Path | None, typer.Argument(help="CSV, TSV, Parquet, JSON lines or Excel; an example if left out.")]
_ROWS = Annotated[Path, typer.Argument(help="A table with the columns of the model.", show_default=False)]
_LABELLED = Annotated[Path, typer.Argument(help="A table with these columns and the target.", show_default=False)]
_OUT = Annotated[Path, typer.Option("--out", "-o", help="The folder for the model and the report.")]
_CSV = Annotated[Path | None, typer.Option("--out", "-o", help="The CSV file to write; standard output if left out.")]
_DIRECTION = Annotated[
    bool | None, typer.Option("--maximize/--minimize", help="Whether more of the target is better.", show_default=False)
]
_MAYBE_TARGET = Annotated[str | None, typer.Option("--target", "-t", help="The column to learn.")]


def register(app: typer.Typer) -> None:
    """Add the commands of this file."""
    for command in (learn, predict, compare, audit):
        app.command()(command)
    app.command(name="explain")(explain_command)


def learn(
    file: _FILE = None,
    target: _MAYBE_TARGET = None,
    scale: SCALE = [],  # noqa: B006
    drop: DROP = [],  # noqa: B006
    keep: KEEP = [],  # noqa: B006
    maximize: _DIRECTION = None,
    out: _OUT = Path("run"),
    seed: SEED = 0,
    as_json: JSON = False,
) -> None:
    """Learn a column of a table: which model, how good, can its intervals be trusted.

    Writes model.credo, for `credo predict`, and report.html, which any browser shows. With --maximize or --minimize the
    report has the next runs to make, too.
    """
    table, asked = _table_and_target(file, target, scale)
    if not as_json:
        tell([f"Read {len(table)} rows.", str(table), ""], {}, as_json=False)
    learned = credo.learn(table, asked, keep=keep, drop=drop, random_state=seed, progress=not as_json)
    maximize = True if file is None and maximize is None else maximize
    written = _written(learned, out, maximize, seed, file, progress=not as_json)
    tell(
        [*learned.model.summary, f"Wrote {' and '.join(map(str, written))}."],
        _as_data(learned, written),
        as_json=as_json,
    )


def predict(model: MODEL, rows: _ROWS, out: _CSV = None, level: LEVEL = 0.9, as_json: JSON = False) -> None:
    """What a model says of new rows: mean, interval, where its width comes from, and which are far from the data."""
    import polars as pl

    learned, frame = _model(model), _as_written(rows)
    said = learned.table(frame, level)
    clashing = [name for name in said.columns if name in frame.columns]
    beside = pl.concat([frame, said.rename({name: f"predicted {name}" for name in clashing})], how="horizontal")
    if out is not None:
        write_csv(beside, out)
    if as_json:
        tell([], {"target": learned.target, "level": level, "rows": said.to_dicts()}, as_json=True)
    elif out is None:
        tell([write_csv(beside).rstrip("\n")], {}, as_json=False)
    else:
        far = int(said["far from the data"].sum())
        warning = f" {far} of them are far from the data: what is said there is a guess." if far else ""
        tell([f"Wrote {out} with {len(beside)} rows.{warning}"], {}, as_json=False)


def explain_command(
    file: _FILE = None,
    target: _MAYBE_TARGET = None,
    scale: SCALE = [],  # noqa: B006
    drop: DROP = [],  # noqa: B006
    seed: SEED = 0,
    as_json: JSON = False,
) -> None:
    """What the model of a column goes by: how much each other column matters, and what it does."""
    table, asked = _table_and_target(file, target, scale)
    found = explain(credo.learn(table, asked, drop=drop, random_state=seed, progress=not as_json), random_state=seed)
    tell([str(found)], {"importance": found.importance, "effects": found.effects}, as_json=as_json)


def compare(
    file: _FILE = None,
    target: _MAYBE_TARGET = None,
    scale: SCALE = [],  # noqa: B006
    drop: DROP = [],  # noqa: B006
    seed: SEED = 0,
    as_json: JSON = False,
) -> None:
    """All models that were tried on a column, each score with its error, and whether one really beats another."""
    table, asked = _table_and_target(file, target, scale)
    learned = credo.learn(table, asked, drop=drop, random_state=seed, progress=not as_json)
    rows = _scores(learned)
    names = list(rows[0])
    lines = aligned([tuple(names), *[tuple(_shown(row[name]) for name in names) for row in rows]])
    tell([*lines, "", str(learned.comparison)], {"scores": rows, "chosen": learned.chosen}, as_json=as_json)


def audit(model: MODEL, labelled: _LABELLED, as_json: JSON = False) -> None:
    """Hold what a model promises against rows it has not seen. Ends with code 1 where the promise is not kept."""
    learned, table = _model(model), Table.read(labelled)
    if learned.target not in table:
        what = f"{labelled} has no column {learned.target!r}"
        raise InputError("credo audit", what, "An audit needs what came out", "Add the column with the results")
    there = table[learned.target].series.is_not_null().to_numpy()
    known = table.rows(there)
    words = [str(word) for word in known[learned.target].series.to_list()]
    y = words if learned.kind == "class" else known.numbers(learned.target)
    found = credo.audit(learned, _as_written(labelled).filter(there), y, fitted=True)
    data = {"verdict": found.verdict, "levels": found.levels, "coverage": found.coverage, "rows": found.rows}
    tell([str(found)], {**data, "failures": found.failures}, as_json=as_json)
    if found.verdict == "overconfident" or any(region.verdict == "overconfident" for region in found.failures):
        raise typer.Exit(Code.BROKEN_PROMISE)


def _table_and_target(file: Path | None, target: str | None, scale: list[str]) -> tuple[Table, str]:
    if file is None:
        return example_table(), target or EXAMPLE_TARGET
    table = read_table(file, scale)
    if target is None:
        names = ", ".join(map(repr, list(table)[:20]))
        raise InputError("credo", "no target was named", f"The columns are {names}", "Try --target COLUMN")
    return table, target


def _as_written(path: Path) -> Any:
    """The rows of a file with text as text, so that a model reads a column as it has learnt it: 08001 stays 08001."""
    return read_frame(path, Limits())[0]


def _model(path: Path) -> TableModel:
    found = credo.load(path)
    if not isinstance(found, TableModel):
        what = f"{path} holds a {type(found).__name__}"
        raise InputError("credo", what, "The commands read what `credo learn` wrote", "Load it in Python: credo.load")
    return found


def _written(
    learned: Learned, out: Path, maximize: bool | None, seed: int, file: Path | None, *, progress: bool
) -> tuple[Path, Path]:
    """The model and the report, in a folder."""
    from credo.app.report import report_html

    out.mkdir(parents=True, exist_ok=True)
    model, report = out / "model.credo", out / "report.html"
    with tracker("report", show=progress) as track:
        track.phase("what it goes by")
        explanation = explain(learned, random_state=seed)
        runs = None
        if maximize is not None and learned.question.kind != "class":
            track.phase("what to measure next")
            known = learned.table.frame.select(*learned.question.columns, learned.question.target)
            direction = "maximize" if maximize else "minimize"
            runs = credo.next_runs(known, learned.question.target, direction=direction, random_state=seed)
        track.phase("writing")
        command = f"credo learn {file or ''} --target {learned.question.target} --seed {seed}"
        report.write_text(report_html(learned, explanation, runs, command=command), encoding="utf-8")
        credo.save(learned.model, model)
    return model, report


def _as_data(learned: Learned, written: tuple[Path, Path]) -> dict[str, Any]:
    return {
        "target": learned.question.target,
        "kind": learned.question.kind,
        "model": learned.chosen,
        "score": learned.score,
        "skill": learned.skill,
        "verdict": learned.audit.verdict,
        "coverage": dict(zip(map(str, learned.audit.levels.tolist()), learned.audit.coverage.tolist(), strict=True)),
        "left out": learned.question.left_out,
        "scores": _scores(learned),
        "words": learned.model.summary,
        "files": written,
    }


def _scores(learned: Learned) -> list[dict[str, Any]]:
    """A row a model: each score, and its error behind it."""
    rows = []
    for name, result in learned.evaluation.results.items():
        row: dict[str, Any] = {"model": name}
        for score, claims in result.claims.items():
            row[score], row[f"± {score}"] = claims[0].value, claims[0].standard_error
        rows.append(row)
    return rows


def _shown(value: Any) -> str:
    return f"{value:.4g}" if isinstance(value, float) else str(value)

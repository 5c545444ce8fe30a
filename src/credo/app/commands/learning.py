"""`credo learn`, `predict`, `explain`, `compare` and `audit`: from a table to a model, and what to think of it."""

import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

import credo
from credo.app.console import Code, put, tell
from credo.app.options import (
    DIRECTION,
    DROP,
    JSON,
    KEEP,
    LEVEL,
    MODEL,
    SCALE,
    SEED,
    refuse_to_replace,
    said_direction,
    table_and_target,
    typed_again,
)
from credo.errors import CredoError, FileError, InputError
from credo.numerics.progress import tracker

if TYPE_CHECKING:
    from credo.decide import Learned, TableModel
    from credo.represent import Table
    from credo.represent.table.read import Reading

__all__ = ["register"]

_FILE = Annotated[Path | None, typer.Argument(help="CSV, TSV, Parquet, JSON lines or Excel; an example if left out.")]
_ROWS = Annotated[Path, typer.Argument(help="A table with the columns of the model.", show_default=False)]
_LABELLED = Annotated[Path, typer.Argument(help="A table with these columns and the target.", show_default=False)]
_OUT = Annotated[Path, typer.Option("--out", "-o", help="The folder for the model and the report.")]
_CSV = Annotated[Path | None, typer.Option("--out", "-o", help="The CSV file to write; standard output if left out.")]
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
    maximize: DIRECTION = None,
    out: _OUT = Path("run"),
    seed: SEED = 0,
    as_json: JSON = False,
) -> None:
    """Learn a column of a table: which model, how good, can its intervals be trusted.

    Writes model.credo, for `credo predict`, and report.html, which any browser shows. With --maximize or --minimize the
    report has the next runs to make, too.
    """
    from credo.app.report import write_report

    table, asked = table_and_target("credo", file, target, scale)
    if not as_json:
        tell([f"Read {len(table)} rows.", str(table), ""], {}, as_json=False)
    _make(out)  # before what takes long
    earlier = {path.name for path in out.iterdir()}
    learned = credo.learn(table, asked, keep=keep, drop=drop, random_state=seed, progress=not as_json)
    direction = said_direction(maximize, file)
    options = {"--target": asked, "--scale": scale, "--drop": drop, "--keep": keep, "--maximize/--minimize": maximize}
    again = typed_again("learn", file, {**options, "--out": out, "--seed": seed})
    with tracker("report", show=not as_json) as track:
        written = write_report(learned, out, track.phase, direction=direction, seed=seed, command=again)
    replaced = [path for path in written if path.name in earlier]
    lines = [*learned.model.summary, f"Wrote {_listed(written)}."]
    lines += [f"Replaced what an earlier command had written: {_listed(replaced)}."] if replaced else []
    tell(lines, {**_as_data(learned), "files": written, "replaced": replaced}, as_json=as_json)


def predict(model: MODEL, rows: _ROWS, out: _CSV = None, level: LEVEL = 0.9, as_json: JSON = False) -> None:
    """What a model says of new rows: mean, interval, where its width comes from, and which are far from the data."""
    import polars as pl

    from credo.represent import write_csv

    refuse_to_replace("credo predict", out, model, rows)
    learned, reading = _model(model), _as_written(rows)
    frame, text = reading.frame, ""
    with _whole(model):
        said = learned.table(frame, level)
    if out is not None or not as_json:
        beside = pl.concat([frame, said.rename(_beside(said.columns, frame.columns))], how="horizontal")
        text = write_csv(beside, out, like=_as_table(reading))
    if as_json:
        tell([], {"target": learned.target, "level": level, "rows": said.to_dicts()}, as_json=True)
    elif out is None:
        put(text)
    else:
        far = int(said["far from the data"].sum())
        warning = f" {far} of them are far from the data: what is said there is a guess." if far else ""
        tell([f"Wrote {out} with {len(said)} rows.{warning}"], {}, as_json=False)


def explain_command(
    file: _FILE = None,
    target: _MAYBE_TARGET = None,
    scale: SCALE = [],  # noqa: B006
    drop: DROP = [],  # noqa: B006
    seed: SEED = 0,
    as_json: JSON = False,
) -> None:
    """What the model of a column goes by: how much each other column matters, and what it does."""
    from credo.decide import explain

    found = explain(_learnt(file, target, scale, drop, seed, progress=not as_json), random_state=seed)
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
    from credo.represent.text import aligned

    learned = _learnt(file, target, scale, drop, seed, progress=not as_json)
    rows = _scores(learned)
    names = list(rows[0])
    lines = aligned([tuple(names), *[tuple(_shown(row[name]) for name in names) for row in rows]])
    tell([*lines, "", str(learned.comparison)], {"scores": rows, "chosen": learned.chosen}, as_json=as_json)


def audit(model: MODEL, labelled: _LABELLED, as_json: JSON = False) -> None:
    """Hold what a model promises against rows it has not seen. Ends with code 1 where the promise is not kept."""
    learned = _model(model)
    known, y = learned.outcomes(_as_written(labelled).frame)
    with _whole(model):
        found, seen = credo.audit(learned, known, y, fitted=True), int(learned.seen(known).sum())
    data = {
        "verdict": found.verdict,
        "tails": found.tails,
        "levels": found.levels,
        "coverage": found.coverage,
        "rows": found.rows,
    }
    lines = [str(found)]
    if seen:
        lines.append(f"But {seen} of these rows look like rows that it was learnt from: there a model flatters itself.")
    tell(lines, {**data, "failures": found.failures, "seen": seen}, as_json=as_json)
    broken = ("overconfident", "light-tailed")
    if found.verdict in broken or any(region.verdict in broken for region in found.failures):
        raise typer.Exit(Code.BROKEN_PROMISE)


def _learnt(
    file: Path | None, target: str | None, scale: list[str], drop: list[str], seed: int, *, progress: bool
) -> "Learned":
    table, asked = table_and_target("credo", file, target, scale)
    return credo.learn(table, asked, drop=drop, random_state=seed, progress=progress)


def _beside(said: list[str], given: list[str]) -> dict[str, str]:
    """Names of what is said that no column of the rows has."""
    names, taken = {}, {*said, *given}
    for name in said:
        other = name
        while other in given or (other != name and other in taken):
            other = f"predicted {other}"
        names[name] = other
        taken.add(other)
    return names


def _make(folder: Path) -> None:
    """The folder, into which a file can be written."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            pass
    except (OSError, ValueError) as error:
        what = f"--out {str(folder)!r} cannot be written to: {getattr(error, 'strerror', None) or error}"
        raise FileError("credo learn", what, "It is a file, or lies where you may not write", "Try another") from error


def _listed(paths: Sequence[Path]) -> str:
    return " and ".join(map(str, paths))


@contextmanager
def _whole(model: Path) -> Iterator[None]:
    """A file can hold numbers that fit their types and not each other: then it is the file that is wrong."""
    try:
        yield
    except CredoError:
        raise
    except (ArithmeticError, AssertionError, AttributeError, LookupError, TypeError, ValueError) as error:
        what = f"{model} cannot predict ({str(error)[:200] or type(error).__name__})"
        raise FileError("credo", what, "The file was altered, or is no model of such rows", "Learn it again") from error


def _as_written(path: Path) -> "Reading":
    """What is in a file with text as text, so that a model reads a column as it has learnt it: 08001 stays 08001."""
    from credo.represent import Limits
    from credo.represent.table.read import read_frame

    return read_frame(path, Limits())


def _as_table(reading: "Reading") -> "Table | None":
    """The rows as a table, of which the answer takes the signs; none where a column that nobody asks for is no good."""
    from credo.represent import Table

    try:
        return Table.from_reading(reading)
    except CredoError:
        return None


def _model(path: Path) -> "TableModel":
    from credo.decide import TableModel

    found = credo.load(path)
    if not isinstance(found, TableModel):
        what = f"{path} holds a {type(found).__name__}"
        raise InputError("credo", what, "The commands read what `credo learn` wrote", "Load it in Python: credo.load")
    return found


def _as_data(learned: "Learned") -> dict[str, Any]:
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
    }


def _scores(learned: "Learned") -> list[dict[str, Any]]:
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

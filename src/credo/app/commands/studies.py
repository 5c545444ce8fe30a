"""`credo study …` and `credo work`: studies that are kept in a file or on a server, from any number of terminals."""

import json
import os
import re
import shlex
from collections import deque
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from credo.app.console import Code, Direction, printable, tell, warn
from credo.app.options import JSON, SEED
from credo.errors import ConflictError, InputError, message

if TYPE_CHECKING:
    from credo.decide import Study, Trial

__all__ = ["register"]

_VARIABLE, _DEFAULT = "CREDO_STORAGE", "studies.db"
_STORAGE = Annotated[str, typer.Option("--storage", "-s", envvar=_VARIABLE, help="A SQLite file, or postgresql://…")]
_NAME = Annotated[str, typer.Argument(help="Of the study.", show_default=False)]
_PROGRAM = Annotated[
    list[str],
    typer.Argument(
        help="A program, behind --, that measures: {name} in its arguments is a parameter, all of them are JSON on its "
        "input, and its last line is the result.",
        show_default=False,
    ),
]
_TIMEOUT = Annotated[float | None, typer.Option("--timeout", help="Seconds after which a measurement has failed.")]
_FAILURES = Annotated[int, typer.Option("--failures", help="Stop where so many in a row have failed.", min=1)]
_PATIENCE = 5  # failed trials in a row, which a program that works hardly has

study = typer.Typer(no_args_is_help=True, help="Studies: ask what to measure next, tell what came out.")


def register(app: typer.Typer) -> None:
    """Add the commands of this file."""
    app.add_typer(study, name="study")
    app.command()(work)


@study.command()
def new(
    name: _NAME,
    param: Annotated[
        list[str],
        typer.Option(
            "--param", "-p", help="t=20..80 step 0.5, lr=1e-5..1 log, n=1..9 int, s=water|ethanol. Repeat it."
        ),
    ] = [],  # noqa: B006
    objective: Annotated[str, typer.Option("--objective", help="What is measured.")] = "value",
    maximize: Annotated[bool, typer.Option("--maximize/--minimize", help="Whether more is better.")] = False,
    bound: Annotated[list[str], typer.Option("--bound", help="On an outcome: 'impurity <= 0.5'. Repeat it.")] = [],  # noqa: B006
    runs: Annotated[Path | None, typer.Option("--from", help="A table of past runs to begin with.")] = None,
    storage: _STORAGE = _DEFAULT,
    seed: SEED = 0,
    as_json: JSON = False,
) -> None:
    """Begin a study, of the parameters that are named or of the columns of a table of past runs."""
    from credo.app.beginning import begin_study
    from credo.represent.space.text import space_from_text

    if not param and runs is None:
        cause = "A study needs what can be chosen"
        raise InputError("credo study new", "no parameter", cause, "Try -p 't=20..80', or --from runs.csv")
    space = space_from_text(param) if param else None
    directions: dict[str, Direction] = {objective: "maximize" if maximize else "minimize"}
    made = begin_study(storage, name, directions, space=space, bounds=bound, runs=runs, seed=seed)
    data = {"name": made.name, "parameters": {key: str(p) for key, p in made.space.parameters.items()}}
    lines = [str(made), f"Kept in {_shown(storage)}. Next: {_typed(storage, 'study', 'ask', name)}"]
    tell(lines, data, as_json=as_json)


@study.command()
def ask(
    name: _NAME,
    n: Annotated[int, typer.Option("-n", help="How many at once.", min=1, max=1000)] = 1,
    storage: _STORAGE = _DEFAULT,
    as_json: JSON = False,
) -> None:
    """What to measure next, with the reason."""
    opened = _opened(name, storage)
    trials = opened.ask_batch(n)
    lines = [line for trial in trials for line in (_in_words(trial), f"  {trial.why}")]
    outcomes = opened.goal.outcomes
    answers = [f"{outcome}=VALUE" for outcome in outcomes] if len(outcomes) > 1 else ["VALUE"]
    lines.append(f"Answer with: {_typed(storage, 'study', 'tell', name, str(trials[0].number), *answers)}")
    tell(lines, {"trials": [_as_data(trial) for trial in trials]}, as_json=as_json)


@study.command(name="tell", context_settings={"ignore_unknown_options": True})  # such as -5.2, which is a result
def tell_command(
    name: _NAME,
    number: Annotated[int, typer.Argument(help="Of the trial.", show_default=False)],
    values: Annotated[list[str], typer.Argument(help="A number, or NAME=NUMBER for each outcome.")] = [],  # noqa: B006
    failed: Annotated[bool, typer.Option("--failed", help="It could not be measured.")] = False,
    note: Annotated[str, typer.Option("--note", help="To be kept with the result.")] = "",
    token: Annotated[int | None, typer.Option("--token", help="That the trial was handed out with.")] = None,
    storage: _STORAGE = _DEFAULT,
    as_json: JSON = False,
) -> None:
    """The result of a trial. The same again is no harm; another is refused, but the point can be measured again."""
    opened = _opened(name, storage)
    trial = _trial(opened, number)
    trial = trial if token is None else replace(trial, token=token)
    value = None if failed else _values(values)
    try:
        accepted = opened.tell(trial, value, failed=failed, note=note)
    except ConflictError as error:
        raise _another_answer(opened, number, storage) or error from error
    words = "Kept." if accepted else "The trial went to somebody else meanwhile; the result is kept as evidence."
    tell([words], {"number": number, "accepted": accepted}, as_json=as_json)


@study.command()
def enqueue(
    name: _NAME,
    values: Annotated[list[str], typer.Argument(help="NAME=VALUE for each parameter: t=40 solvent=water.")],
    storage: _STORAGE = _DEFAULT,
    as_json: JSON = False,
) -> None:
    """Have a point of your own measured next, also one that was measured before."""
    from credo.decide.study.typed import point_from

    opened = _opened(name, storage)
    number = opened.enqueue(point_from("credo study enqueue", opened.space, values))
    trial = opened.trial(number)
    lines = [f"{_in_words(trial)} waits. Next: {_typed(storage, 'study', 'ask', name)}"]
    tell(lines, {"number": number, "params": trial.params}, as_json=as_json)


@study.command()
def run(
    name: _NAME,
    program: _PROGRAM,
    n: Annotated[int, typer.Option("-n", help="How many trials.", min=1)] = 10,
    timeout: _TIMEOUT = None,
    failures: _FAILURES = _PATIENCE,
    storage: _STORAGE = _DEFAULT,
    as_json: JSON = False,
) -> None:
    """Measure with a program, so many trials: credo study run NAME -n 20 -- ./measure {t}.

    Ends with code 1 where all trials have failed, or too many in a row.
    """
    from credo.decide import Program
    from credo.decide.study.work import measured
    from credo.numerics.progress import tracker

    opened = _opened(name, storage)
    latest: deque[Trial] = deque(maxlen=failures)
    with tracker("Study", n) as track:
        for trial in measured(opened, Program(tuple(program), timeout), n, failures=failures):
            latest.append(trial)
            track.advance()
    _say_report(opened, as_json=as_json)
    _require_a_result("credo study run", latest)


@study.command()
def status(
    name: Annotated[str | None, typer.Argument(help="Of one study; without it all of them.")] = None,
    storage: _STORAGE = _DEFAULT,
    as_json: JSON = False,
) -> None:
    """The studies that are kept, or one of them, and how many trials of each stand where."""
    from credo.decide import storage_from
    from credo.represent.text import aligned

    where = storage_from(storage, make=False)
    kept = where.list_studies()
    if name is not None:
        _require_a_study(name, [record.name for record in kept], storage)
    shown = [record for record in kept if name in (None, record.name)]
    rows = [{"name": record.name, **where.counts(record)._asdict()} for record in shown]
    heads = ("name", "done", "failed", "running", "waiting")
    lines = aligned([heads, *[tuple(str(row[head]) for head in heads) for row in rows]]) if rows else ["No studies."]
    lines += (
        [] if name is None else [f"Its best measured and its latest trials: {_typed(storage, 'study', 'show', name)}"]
    )
    tell(lines, {"studies": rows}, as_json=as_json)


@study.command()
def show(
    name: _NAME,
    out: Annotated[Path | None, typer.Option("--out", "-o", help="A picture: .html, .svg or .png.")] = None,
    storage: _STORAGE = _DEFAULT,
    as_json: JSON = False,
) -> None:
    """Where a study stands: the best measured, the recommended, what is left to gain, the latest trials."""
    opened = _opened(name, storage)
    if out is not None:
        from credo.plots import plot, save_chart

        save_chart(plot(opened), out)
    _say_report(opened, as_json=as_json)


def work(
    name: _NAME,
    program: _PROGRAM,
    n: Annotated[int | None, typer.Option("-n", help="Stop after so many trials; by default never.", min=1)] = None,
    timeout: _TIMEOUT = None,
    failures: _FAILURES = _PATIENCE,
    lease: Annotated[float, typer.Option("--lease", help="Seconds until another worker takes over.", min=1.0)] = 60.0,
    storage: _STORAGE = _DEFAULT,
) -> None:
    """A worker: asks, measures with a program, tells, again and again. Start as many as there are machines.

    Ends with code 1 where too many trials in a row have failed.
    """
    from credo.decide import Program
    from credo.decide.study.work import measured

    opened = _opened(name, storage, lease=lease)
    latest: deque[Trial] = deque(maxlen=failures)
    for trial in measured(opened, Program(tuple(program), timeout), n, failures=failures):
        latest.append(trial)
        print(printable(f"{name}: trial {trial.number} {trial.state} {json.dumps(trial.values)}"), flush=True)
    _require_a_result("credo work", latest)


def _opened(name: str, storage: str, **settings: Any) -> "Study":
    """The study of that name. Nothing is made where there is none, and what there is is named."""
    from credo.decide import open_study, storage_from

    where = storage_from(storage, make=False)
    _require_a_study(name, [record.name for record in where.list_studies()], storage)
    return open_study(name, where, **settings)


def _require_a_study(name: str, names: list[str], storage: str) -> None:
    if name not in names:
        what = f"there is no study {name!r} in {_shown(storage)}"
        cause = f"There are {', '.join(map(repr, names[:20]))}" if names else "There is none yet"
        raise InputError("credo study", what, cause, f"See {_typed(storage, 'study', 'status')}")


def _trial(opened: "Study", number: int) -> "Trial":
    count = opened.storage.counts(opened.record).total
    if not 0 <= number < count:
        cause = f"Its trials are 0 to {count - 1}" if count else "Nothing was asked of it yet"
        what = f"study {opened.name!r} has no trial {number}"
        raise InputError("credo study tell", what, cause, "See credo study show, or ask first")
    return opened.trial(number)


def _typed(storage: str, *words: str) -> str:
    """A command as it can be typed in this place, where the storage is named unless it goes without saying."""
    known = storage == os.environ.get(_VARIABLE, _DEFAULT)
    return shlex.join(["credo", *words, *([] if known else ["-s", _shown(storage)])])


def _shown(storage: str) -> str:
    """Where studies are kept, without the password."""
    return re.sub(r"(://[^:@/]*):.*@", r"\1:***@", storage)


def _require_a_result(who: str, latest: "Iterable[Trial]") -> None:
    """End with code 1 where all of the latest trials have failed, and say with what."""
    trials = list(latest)
    if trials and all(trial.state == "failed" for trial in trials):
        cause = f"The last, trial {trials[-1].number}, with: {trials[-1].note}"
        remedy = "Try the program by hand; --failures says how many may fail in a row"
        what = f"{len(trials)} trials in a row have failed" if len(trials) > 1 else "the trial has failed"
        warn(message(who, what, cause, remedy))
        raise typer.Exit(Code.BROKEN_PROMISE)


def _values(texts: list[str]) -> Any:
    """A number, or a mapping of outcomes by name."""
    if not texts:
        raise InputError("credo study tell", "no value", "", "Pass the result, or --failed")
    if len(texts) == 1 and "=" not in texts[0]:
        return _number("", texts[0])
    unnamed = [text for text in texts if "=" not in text]
    if unnamed:
        what = f"{unnamed[0]!r} has no name"
        raise InputError("credo study tell", what, "Of several outcomes each is named", "Try yield=63.2 impurity=0.1")
    return {key: _number(key, value) for key, _, value in (text.rpartition("=") for text in texts)}


def _number(outcome: str, text: str) -> float:
    from credo.decide.study.typed import number_from

    number = number_from(text)
    if number is None:
        cause = f"It was told of {outcome!r}" if outcome else ""
        raise InputError("credo study tell", f"{text!r} is no number", cause, "Try 63.2, or yield=63.2 impurity=0.1")
    return number


def _another_answer(opened: "Study", number: int, storage: str) -> ConflictError | None:
    """That a trial has its answer, and how to measure its point again; None where it has none."""
    from credo.decide.study.trial import point_in_words, value_in_words

    trial = opened.trial(number)
    if trial.state not in ("done", "failed"):
        return None
    told = "was told to have failed" if trial.values is None else f"was told {point_in_words(trial.values)}"
    point = [f"{name}={value_in_words(value)}" for name, value in trial.params.items()]
    again = _typed(storage, "study", "enqueue", opened.name, *point)
    what = f"trial {number} of study {opened.name!r} {told}, which is another answer"
    return ConflictError("credo study tell", what, "An answer is final", f"Try {again} to measure the point again")


def _in_words(trial: "Trial") -> str:
    from credo.decide.study.trial import point_in_words

    return f"trial {trial.number}: {point_in_words(trial.params)}"


def _as_data(trial: "Trial") -> dict[str, Any]:
    return {"number": trial.number, "token": trial.token, "params": trial.params, "why": trial.why.to_dict()}


def _say_report(opened: "Study", *, as_json: bool) -> None:
    report = opened.report()
    data = {
        "name": report.name,
        "bounds": [str(bound) for bound in report.goal.bounds],
        "counts": report.counts,
        "best": [{"number": t.number, "params": t.params, "values": t.values} for t in report.best],
        "recommended": None if report.recommended is None else str(report.recommended),
        "left to gain": None if report.remaining is None else report.remaining.bound(report.level),
    }
    tell([str(report)], data, as_json=as_json)

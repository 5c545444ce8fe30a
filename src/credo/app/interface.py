"""The commands of `credo` and their options, as Typer reads them: needs the extra `app`."""

from pathlib import Path
from typing import Annotated, Any

import typer

import credo
from credo.app.commands import doctor, learning, runs, studies, web
from credo.app.demo import run_demo
from credo.errors import InputError

__all__ = ["app", "run"]

# What Typer raises where an option is unknown, an argument missing or a value wrong; it gives no public name to it.
_UsageError: type[Any] = typer.BadParameter.__mro__[1]

app = typer.Typer(
    add_completion=False,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    help="From data to belief to decision, and every answer comes with its uncertainty budget.",
)


def _version(show: bool | None) -> None:
    if show:
        typer.echo(f"credo {credo.__version__}")
        raise typer.Exit()


@app.callback()
def _options(
    version: Annotated[
        bool | None, typer.Option("--version", callback=_version, is_eager=True, help="Print the version.")
    ] = None,
) -> None:
    """Options that come before the command."""


@app.command()
def demo(
    output: Annotated[Path, typer.Option(help="The folder that the picture and the model are written to.")] = Path(
        "run"
    ),
) -> None:
    """Thirty past runs → an honest interval → where it comes from → a picture and a saved model."""
    for line in run_demo(output):
        typer.echo(line)


for family in (learning, runs, studies, doctor, web):
    family.register(app)


def run(*, as_json: bool) -> None:
    """Run what was typed. For machines, words that cannot be read are an error of credo as all others are."""
    if not as_json:
        app()
        return
    try:
        code = app(standalone_mode=False)
    except _UsageError as error:
        who = error.ctx.command_path if error.ctx is not None else "credo"
        raise InputError(who, " ".join(error.format_message().split()), "", f"Try {who} --help") from error
    raise SystemExit(code or 0)

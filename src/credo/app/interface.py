"""The commands of `credo` and their options, as Typer reads them: needs the extra `app`."""

from pathlib import Path
from typing import Annotated

import typer

import credo
from credo.app.commands import doctor, learning, runs, studies, web
from credo.app.demo import run_demo

__all__ = ["app"]

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

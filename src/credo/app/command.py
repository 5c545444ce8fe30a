"""The `credo` command."""

from pathlib import Path
from typing import Annotated

import typer

import credo
from credo.app.demo import run_demo
from credo.errors import CredoError

__all__ = ["app", "main"]

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


def main() -> None:
    """Run the command line; an error of credo is one sentence and exit code 2."""
    try:
        app()
    except CredoError as error:
        typer.secho(str(error), err=True, fg=typer.colors.RED)
        raise SystemExit(2) from error

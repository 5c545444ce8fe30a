"""`credo ui`: the web page."""

from pathlib import Path
from typing import Annotated

import typer

__all__ = ["register"]


def register(app: typer.Typer) -> None:
    """Add the command of this file."""
    app.command()(ui)


def ui(
    folder: Annotated[Path, typer.Option("--folder", help="Where tables, models and studies are kept.")] = Path(
        "credo-ui"
    ),
    host: Annotated[str, typer.Option("--host", help="The address to serve at.")] = "127.0.0.1",
    port: Annotated[int, typer.Option("--port", help="And its port.", min=1, max=65535)] = 8765,
    storage: Annotated[
        str | None,
        typer.Option("--storage", "-s", help="Of studies: a SQLite file, or postgresql://…; by default in the folder."),
    ] = None,
    to_the_world: Annotated[bool, typer.Option("--to-the-world", help="Allow other machines to ask.")] = False,
    browser: Annotated[bool, typer.Option("--browser/--no-browser", help="Open a browser.")] = True,
) -> None:
    """The web page: upload a table, learn it, try other values; begin studies and see what to measure next.

    On this machine only, unless told otherwise; the address that is printed holds the key to it.
    """
    from credo.app.web.server import serve

    serve(folder, host=host, port=port, storage=storage, to_the_world=to_the_world, show=browser)

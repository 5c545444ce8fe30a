"""The entry point of the `credo` command: it starts without the packages of the extra `app`, to say what is missing."""

import sys
from collections.abc import Callable
from io import TextIOWrapper

from credo.app.compiled import keep_compiled
from credo.app.console import complain
from credo.errors import CredoError, DependencyError, NumericalError

__all__ = ["main"]

_EXTRA = ("typer", "rich", "fastapi", "starlette", "uvicorn", "jinja2")


def main() -> None:
    """Run the command line; an error of credo is one sentence, and the code says whose fault it is."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):  # letters that it has no bytes for are told by their numbers
            stream.reconfigure(errors="backslashreplace")
    keep_compiled()
    try:
        _interface()()
    except CredoError as error:
        raise SystemExit(complain(error, as_json="--json" in sys.argv)) from error
    except MemoryError as error:
        short = NumericalError("credo", "there is not enough memory", "The table is large", "Try fewer rows or columns")
        raise SystemExit(complain(short, as_json="--json" in sys.argv)) from error


def _interface() -> Callable[[], None]:
    try:
        from credo.app.interface import app
    except ModuleNotFoundError as error:
        package = (error.name or "").partition(".")[0]
        if package not in _EXTRA:
            raise
        raise DependencyError(
            "credo",
            f"the package {package!r} is not installed",
            "The command line is an extra of credo, and the rest works without it",
            "Try pip install 'credo[app]'",
        ) from error
    return app

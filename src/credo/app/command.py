"""The entry point of the `credo` command: it starts without the packages of the extra `app`, to say what is missing."""

import itertools
import sys
import traceback
from io import TextIOWrapper

from credo.app.compiled import keep_compiled
from credo.app.console import complain
from credo.errors import CredoError, DependencyError, FileError, NumericalError

__all__ = ["main"]

# What only the extra brings, and credo does not do without: of the command line, and of the web page.
_EXTRA = ("typer", "fastapi", "starlette", "pydantic", "uvicorn", "jinja2")


def main() -> None:
    """Run the command line; an error is one sentence, and the code says whose fault it is."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):  # letters that it has no bytes for are told by their numbers
            stream.reconfigure(errors="backslashreplace")
    keep_compiled()
    # What is behind two dashes is of a program that measures.
    as_json = "--json" in itertools.takewhile(lambda word: word != "--", sys.argv)
    try:
        _run(as_json=as_json)
    except Exception as error:
        raise SystemExit(complain(_in_words(error), as_json=as_json)) from error


def _run(*, as_json: bool) -> None:
    from credo.app.interface import run

    run(as_json=as_json)


def _in_words(error: Exception) -> CredoError:
    """An error as credo says it. One that nobody has thought of is shown with where it happened."""
    if isinstance(error, CredoError):
        return error
    if isinstance(error, MemoryError):
        return NumericalError("credo", "there is not enough memory", "The table is large", "Try fewer rows or columns")
    if isinstance(error, OSError):
        return _of_the_system(error)
    package = (getattr(error, "name", None) or "").partition(".")[0]
    if isinstance(error, ModuleNotFoundError) and package in _EXTRA:
        return DependencyError(
            "credo",
            f"the package {package!r} is not installed",
            "The command line and the web page are an extra of credo, and the rest works without it",
            "Try pip install 'credo[app]'",
        )
    traceback.print_exception(error)
    what = f"{type(error).__name__} was not foreseen: {error}"
    return NumericalError("credo", what, "It is a mistake in credo", "Please report it with the lines above")


def _of_the_system(error: OSError) -> FileError:
    said = error.strerror or str(error) or type(error).__name__
    if error.filename is None:
        return FileError("credo", said, "The machine has refused to read or write", "Make room, or try again")
    cause = "It is not there, is a file in place of a folder or a folder in place of a file, or you may not write there"
    return FileError("credo", f"{str(error.filename)!r} cannot be used: {said}", cause, "Choose another path")

"""Options that several commands have, and what the texts of some of them mean."""

import os
import shlex
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from credo.app.console import Direction
from credo.errors import InputError

if TYPE_CHECKING:
    from credo.represent import Table

__all__ = [
    "DIRECTION",
    "DROP",
    "JSON",
    "KEEP",
    "LEVEL",
    "MODEL",
    "SCALE",
    "SEED",
    "read_table",
    "refuse_to_replace",
    "said_direction",
    "scales_of",
    "table_and_target",
    "typed_again",
]

MODEL = Annotated[Path, typer.Argument(help="A file that `credo learn` wrote.", show_default=False)]
SCALE = Annotated[
    list[str],
    typer.Option("--scale", metavar="COLUMN=SCALE", help="What a column means: zip=nominal, or size=S<M<L. Repeat it."),
]
DROP = Annotated[list[str], typer.Option("--drop", metavar="COLUMN", help="A column to leave out. Repeat it.")]
KEEP = Annotated[
    list[str], typer.Option("--keep", metavar="COLUMN", help="A column to learn from although it looks like a leak.")
]
DIRECTION = Annotated[
    bool | None, typer.Option("--maximize/--minimize", help="Whether more of the target is better.", show_default=False)
]
SEED = Annotated[int, typer.Option("--seed", help="Of everything that is random.")]
LEVEL = Annotated[float, typer.Option("--level", help="The probability of the intervals.", min=0.01, max=0.999)]
JSON = Annotated[bool, typer.Option("--json", help="One JSON object instead of lines.")]


def scales_of(texts: Sequence[str]) -> dict[str, Any]:
    """What was said of columns: ``zip=nominal``, or levels from the lowest, ``size=S<M<L``.

    >>> scales_of(["zip=nominal", "size=S<M<L"])
    {'zip': 'nominal', 'size': ['S', 'M', 'L']}
    """
    said: dict[str, Any] = {}
    for text in texts:
        name, mark, scale = text.rpartition("=")
        if not mark or not name or not scale:
            what = f"--scale {text!r} has no column and scale"
            raise InputError("credo", what, "It is written COLUMN=SCALE", "Try --scale zip=nominal, or size='S<M<L'")
        levels = [level.strip() for level in scale.split("<")]
        said[name] = levels if len(levels) > 1 else scale.strip()
    return said


def table_and_target(who: str, file: Path | None, target: str | None, scales: Sequence[str]) -> "tuple[Table, str]":
    """A table and the column that is asked about: those of the example where no file is named."""
    if file is None:
        from credo.app.example import EXAMPLE_TARGET, example_table

        return example_table(), target or EXAMPLE_TARGET
    table = read_table(file, scales)
    if target is None:
        names = ", ".join(map(repr, list(table)[:20]))
        raise InputError(who, "no target was named", f"The columns are {names}", "Try --target COLUMN")
    return table, target


def read_table(file: Path, scales: Sequence[str] = ()) -> "Table":
    """A table of a file, with what was said of its columns."""
    from credo.represent import Table

    return Table.read(file, scales=scales_of(scales) or None)


def typed_again(command: str, file: Path | None, options: Mapping[str, Any]) -> str:
    """The line that asks for the same. An option has a value, several, one of its two words by a truth, or none.

    >>> typed_again("learn", Path("my runs.csv"), {"--drop": ["a", "b"], "--maximize/--minimize": False, "--seed": 0})
    "credo learn 'my runs.csv' --drop a --drop b --minimize --seed 0"
    """
    given = [] if file is None else [str(file)]
    if given and given[0].startswith("-"):  # which would be read as an option
        given = [os.path.join(os.curdir, given[0])]
    words = []
    for name, value in options.items():
        if isinstance(value, bool):
            words.append(name.split("/")[0 if value else 1])
        elif value is not None:
            words += [word for each in (value if isinstance(value, list) else [value]) for word in (name, str(each))]
    return shlex.join(["credo", command, *given, *words])


def said_direction(maximize: bool | None, file: Path | None) -> Direction | None:
    """As it was said; None where nobody knows, as of a stranger's table. Of the example more is better."""
    if maximize is None and file is not None:
        return None
    return "minimize" if maximize is False else "maximize"


def refuse_to_replace(who: str, out: Path | None, *given: Path | None) -> None:
    """Refuse to write over what is read, by whatever name: a table of past runs may be the only one."""
    for file in given:
        if out is not None and file is not None and _same(out, file):
            what = f"--out {str(out)!r} is the file {str(file)!r} that is read"
            raise InputError(who, what, "It would be replaced, and what it holds lost", "Choose another name")


def _same(one: Path, other: Path) -> bool:
    try:
        return os.path.samefile(one, other)
    except (OSError, ValueError):  # one of them is not there
        return False

"""Options that several commands have, and what the texts of some of them mean."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from credo.errors import InputError

if TYPE_CHECKING:
    from credo.represent import Table

__all__ = ["DROP", "JSON", "KEEP", "LEVEL", "MODEL", "SCALE", "SEED", "read_table", "scales_of", "table_and_target"]

MODEL = Annotated[Path, typer.Argument(help="A file that `credo learn` wrote.", show_default=False)]
SCALE = Annotated[
    list[str],
    typer.Option("--scale", metavar="COLUMN=SCALE", help="What a column means: zip=nominal, or size=S<M<L. Repeat it."),
]
DROP = Annotated[list[str], typer.Option("--drop", metavar="COLUMN", help="A column to leave out. Repeat it.")]
KEEP = Annotated[
    list[str], typer.Option("--keep", metavar="COLUMN", help="A column to learn from although it looks like a leak.")
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

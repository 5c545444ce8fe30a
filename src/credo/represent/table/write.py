"""Tables as CSV that a spreadsheet opens without running anything."""

import re
from pathlib import Path
from typing import Any

from credo.errors import FileError
from credo.represent.table.names import distinct_names

__all__ = ["safe_cell", "write_csv"]

# What a formula begins with in one spreadsheet or another, some of them written wide as in Japan.
_STARTS = ("=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠")
# Where a spreadsheet of another country, or one that sees lines in a cell, would begin a cell of its own.
_INSIDE = re.compile(r"([;|\t\r\n])(?=[=+\-@＝＋－＠])")


def safe_cell(text: str) -> str:
    """Text that a spreadsheet takes for text: with an apostrophe before what would be a formula.

    Numbers written as text stay as they are.

    >>> safe_cell("=HYPERLINK(1)"), safe_cell("-1.5"), safe_cell("solvent"), safe_cell("a;=1+1")
    ("'=HYPERLINK(1)", '-1.5', 'solvent', "a;'=1+1")
    """
    inside = _INSIDE.sub(r"\1'", text)
    if not text.startswith(_STARTS):
        return inside
    try:
        float(text)
    except ValueError:
        return f"'{inside}"
    return text


def write_csv(frame: Any, path: str | Path | None = None) -> str:
    """Write a frame of Polars, names and cells made safe; the text, also where there is no path."""
    import polars as pl

    texts = [name for name, kind in frame.schema.items() if kind in (pl.String, pl.Categorical, pl.Enum)]
    safe = frame.with_columns(
        frame[name].cast(pl.String).map_elements(safe_cell, return_dtype=pl.String) for name in texts
    )
    names, _ = distinct_names([safe_cell(name) for name in frame.columns])  # '=a and =a are the same then
    text = safe.rename(dict(zip(frame.columns, names, strict=True))).write_csv()
    if path is not None:
        _written(Path(path), text)
    return text


def _written(path: Path, text: str) -> None:
    try:
        path.write_text(text, encoding="utf-8", newline="")
    except (OSError, ValueError) as error:
        what = f"{str(path)!r} cannot be written: {getattr(error, 'strerror', None) or error}"
        cause = "The folder is missing, full or not writable"
        raise FileError("write_csv", what, cause, "Try another path") from error

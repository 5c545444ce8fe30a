"""Tables as CSV that a spreadsheet opens without running anything."""

from pathlib import Path
from typing import Any

__all__ = ["safe_cell", "write_csv"]

_STARTS = ("=", "+", "-", "@", "\t", "\r", "\n")  # of a formula, in one spreadsheet or another


def safe_cell(text: str) -> str:
    """Text that a spreadsheet takes for text: with an apostrophe before what would be a formula.

    Numbers written as text stay as they are.

    >>> safe_cell("=HYPERLINK(1)"), safe_cell("-1.5"), safe_cell("solvent")
    ("'=HYPERLINK(1)", '-1.5', 'solvent')
    """
    if not text.startswith(_STARTS):
        return text
    try:
        float(text)
    except ValueError:
        return f"'{text}"
    return text


def write_csv(frame: Any, path: str | Path | None = None) -> str:
    """Write a frame of Polars, names and cells made safe; the text, also where there is no path."""
    import polars as pl

    texts = [name for name, kind in frame.schema.items() if kind in (pl.String, pl.Categorical, pl.Enum)]
    safe = frame.with_columns(
        pl.col(name).cast(pl.String).map_elements(safe_cell, return_dtype=pl.String) for name in texts
    ).rename({name: safe_cell(name) for name in frame.columns})
    text = safe.write_csv()
    if path is not None:
        Path(path).write_text(text, encoding="utf-8", newline="")
    return text

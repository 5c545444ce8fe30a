"""Tables as CSV that a spreadsheet opens without running anything."""

import re
from pathlib import Path
from typing import Any

from credo.errors import FileError
from credo.represent.table.dialect import Dialect
from credo.represent.table.like import written_like
from credo.represent.table.names import distinct_names
from credo.represent.table.table import Table

__all__ = ["safe_cell", "write_csv"]

# What a formula begins with in one spreadsheet or another, some of them written wide as in Japan.
_STARTS = ("=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠")
# Where a spreadsheet of another country, or one that sees lines in a cell, would begin a cell of its own.
_INSIDE = re.compile(r"([;|\t\r\n])(?=[=+\-@＝＋－＠])")

# A number below zero as people write it, perhaps with a currency or a unit. Nothing in it calls, refers or reckons on:
# letters before it have a blank behind them, since US$5 is a cell to a spreadsheet, and a unit begins with a letter.
_CURRENCY = r"[$€£¥₹₽₺₩]"
_LETTER = r"[^\W\d_]"
_BEFORE = rf"(?:{_CURRENCY} ?|{_LETTER}{{1,3}}(?:{_CURRENCY}|\.)? )"
_BEHIND = rf" ?(?:[%‰°]|{_CURRENCY}|°?{_LETTER}(?:{_LETTER}|[²³./ ]){{0,15}}[23]?)"
_NUMBER = re.compile(rf"[-+]{_BEFORE}?[.,]?\d(?:[\d.,'_ \xa0\u202f]*\d)?[.,]?(?:[eE][-+]?\d+)?(?:{_BEHIND})?")


def safe_cell(text: str) -> str:
    """Text that a spreadsheet takes for text: with an apostrophe before what would be a formula.

    Numbers written as text stay as they are.

    >>> safe_cell("=HYPERLINK(1)"), safe_cell("-1,5 €"), safe_cell("solvent"), safe_cell("a;=1+1")
    ("'=HYPERLINK(1)", '-1,5 €', 'solvent', "a;'=1+1")
    """
    inside = _INSIDE.sub(r"\1'", text)
    if not text.startswith(_STARTS) or _NUMBER.fullmatch(text):
        return inside
    try:
        float(text)  # also without digits: -inf
    except ValueError:
        return f"'{inside}"
    return text


def write_csv(frame: Any, path: str | Path | None = None, *, like: Table | None = None) -> str:
    """Write a frame of Polars, names and cells made safe; the text, also where there is no path.

    `like` is a table that was read from a text: its separator, its encoding and the way it wrote numbers and moments
    are taken, so that the rows can be appended to its file.
    """
    import polars as pl

    dialect = None if like is None else like.dialect
    if like is not None and dialect is not None:
        frame = written_like(frame, like)
    separator, encoding = dialect or Dialect()
    texts = [name for name, kind in frame.schema.items() if kind in (pl.String, pl.Categorical, pl.Enum)]
    safe = frame.with_columns(
        frame[name].cast(pl.String).map_elements(safe_cell, return_dtype=pl.String) for name in texts
    )
    names, _ = distinct_names([safe_cell(name) for name in frame.columns])  # '=a and =a are the same then
    text = safe.rename(dict(zip(frame.columns, names, strict=True))).write_csv(separator=separator)
    if path is not None:
        _written(Path(path), text, encoding)
    return text


def _written(path: Path, text: str, encoding: str) -> None:
    try:
        path.write_bytes(_encoded(text, encoding))
    except (OSError, ValueError) as error:
        what = f"{str(path)!r} cannot be written: {getattr(error, 'strerror', None) or error}"
        cause = "The folder is missing, full or not writable"
        raise FileError("write_csv", what, cause, "Try another path") from error


def _encoded(text: str, encoding: str) -> bytes:
    """In UTF-8 where the encoding lacks a letter."""
    try:
        return text.encode(encoding)
    except UnicodeEncodeError:
        return text.encode("utf-8")

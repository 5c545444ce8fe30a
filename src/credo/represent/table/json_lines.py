"""JSON lines as a frame, an object a row. Lines are looked at before all are read: few may ask for very much."""

import io
import json
import re
from typing import Any

from credo.represent.table.limits import Limits, require_cells, too_large

__all__ = ["json_frame"]

_LONGEST = 2**24  # bytes of a row
_WHOLE = 2**63  # whole numbers below it are those of 64 bits
_HALF = re.compile("[\ud800-\udfff]")


def json_frame(content: bytes, limits: Limits) -> Any:
    """The rows; a ValueError where a line is none."""
    import polars as pl

    plain = _looked_at(content, limits)
    return pl.read_ndjson(io.BytesIO(content if plain else _plainer(content)), infer_schema_length=None)


def _looked_at(content: bytes, limits: Limits) -> bool:
    """Refuse what is no table or too large for one; whether Polars reads all its numbers as they are.

    A name that one row has is a column of all of them, and Polars' parser goes as deep as a file is nested.
    """
    names: set[str] = set()
    rows, plain = 0, True
    for number, line in enumerate(io.BytesIO(content), 1):
        if not line.strip():
            continue
        if len(line) > _LONGEST:
            raise too_large(f"line {number} has {len(line):,} bytes", f"{_LONGEST:,} bytes a row")
        rows += 1
        row = _row(line, number)
        names.update(row)
        require_cells(rows, len(names), limits)
        plain = plain and not any(_is_long(value) for value in row.values())
    return plain


def _row(line: bytes, number: int) -> dict[str, Any]:
    try:
        row = json.loads(line)
    except RecursionError:
        raise ValueError(f"line {number} is nested very deep") from None
    except ValueError as error:
        raise ValueError(f"line {number}: {error}") from error
    if type(row) is not dict:
        raise ValueError(f"line {number} is no object but a {type(row).__name__}")
    return row


def _is_long(value: Any) -> bool:
    """Whether it is a whole number that 64 bits do not hold, or a text with half of a letter of UTF-16."""
    if type(value) is int:
        return not -_WHOLE <= value < _WHOLE
    return type(value) is str and _HALF.search(value) is not None


def _plainer(content: bytes) -> bytes:
    """With long whole numbers as numbers with a point, and halves of letters as the sign for what is none."""
    rows = (json.loads(line) for line in io.BytesIO(content) if line.strip())
    return b"\n".join(json.dumps({name: _plain(value) for name, value in row.items()}).encode() for row in rows)


def _plain(value: Any) -> Any:
    if not _is_long(value):
        return value
    return float(value) if type(value) is int else value.encode("utf-16", "surrogatepass").decode("utf-16", "replace")

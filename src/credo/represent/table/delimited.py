"""Tables that are text: the letters, the separator and the names are found, and every cell stays text."""

import codecs
import csv
import io
import re
from typing import Any

from credo.errors import FileError
from credo.represent.table.dialect import Dialect
from credo.represent.table.limits import WHO, Limits, require_cells, too_large
from credo.represent.table.lines import SEPARATORS, in_words, notes_on_lines, unclosed_quote
from credo.represent.table.names import distinct_names

__all__ = ["delimited_frame"]

_PART = 2**20
_SEEN = 2**16  # bytes by which the separator is found
_HEADER = 2**22
# The line that Excel reads and writes above the header to state what separates the cells.
_STATED = re.compile(rb'"?sep=([\t -!#-/:-@\[-`{-~])"?[ \t]*(?:\r\n|\n|\r|$)', re.IGNORECASE)


def delimited_frame(content: bytes, name: str, limits: Limits) -> tuple[Any, tuple[str, ...], Dialect]:
    """The cells of a text as text under their names, notes on how it was read, and how it was written."""
    content, encoding, notes = _in_utf8(content)
    above = _lines_above(content)
    content = content.lstrip(b"\r\n")
    stated = _STATED.match(content)
    if stated is not None:
        content, above = content[stated.end() :], above + 1
        notes += (f"line {above} states that {in_words(stated[1].decode())} separate the cells",)
    if not content[:_SEEN].decode("utf-8", "ignore").strip() and not content.decode().strip():
        raise FileError(WHO, f"{name!r} is empty", "", "Export it again")
    if b"\n" not in content:  # as the first Macintosh ended its lines
        content = content.replace(b"\r", b"\n")
    separator = stated[1].decode() if stated is not None else _separator(content[:_SEEN].decode("utf-8", "ignore"))
    _require_size(content, separator, limits)
    header = _parsed(content, name, separator, 1, above)
    if not header.height:  # it does not come to its end
        raise unclosed_quote(content, name, above)
    names, renamed = distinct_names([cell or "" for cell in header.row(0)])
    # Of two parsers one might find another header: so the names are a row like the others, and are left out here.
    frame = _parsed(content, name, separator, limits.rows + 2, above).slice(1)
    short = notes_on_lines(content, name, separator, frame, above)
    frame = frame.rename(dict(zip(frame.columns, names, strict=True)))
    return frame, (*notes, *renamed, *short), Dialect(separator, encoding)


def _lines_above(content: bytes) -> int:
    """How many empty lines the file begins with."""
    ends = content[: len(content) - len(content.lstrip(b"\r\n"))]
    return ends.count(b"\n") or ends.count(b"\r")


def _parsed(content: bytes, name: str, separator: str, rows: int, above: int) -> Any:
    import polars as pl

    try:
        return pl.read_csv(
            io.BytesIO(content),
            separator=separator,
            has_header=False,
            infer_schema=False,
            n_rows=rows,
        )
    except pl.exceptions.PolarsError as error:
        if content.count(b'"') % 2:
            raise unclosed_quote(content, name, above) from error
        first = str(error).strip().splitlines()[0][:200]
        cause = "A row has more cells than the header, or text stands behind a closed quote"
        raise FileError(WHO, f"{name!r} is no table: {first}", cause, "Correct that row") from error


def _require_size(content: bytes, separator: str, limits: Limits) -> None:
    """Short lines under a long header are filled up by whoever parses them: they are counted before."""
    outside = b"".join(content[:_HEADER].split(b'"')[::2])  # of quotes
    header, end, _ = outside.partition(b"\n")
    columns = header.count(separator.encode()) + 1
    require_cells(1, columns, limits)
    if not end and len(content) > _HEADER:
        raise too_large("the names of the columns are longer", f"{_HEADER:,} bytes of names")
    lines = content.count(b"\n") - content.endswith(b"\n")  # or less, where cells hold some
    require_cells(min(lines, limits.rows), columns, limits)


def _in_utf8(content: bytes) -> tuple[bytes, str, tuple[str, ...]]:
    """Text in UTF-8, what it was in and notes on that: UTF-8, with a mark or without, UTF-16 with one, or as Windows
    writes it.
    """
    if content[:2] in (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE):
        try:
            content, notes = _recoded(content, "utf-16"), ("read as UTF-16",)
        except UnicodeDecodeError as error:
            raise FileError(WHO, "the file is no whole UTF-16", str(error), "Save it as UTF-8") from error
        _require_text(content)
        return content, "utf-16", notes
    _require_text(content)
    content = content.removeprefix(codecs.BOM_UTF8)
    wrong = _not_utf8(content)
    if wrong is None:
        return content, "utf-8", ()
    return _recoded(content, "cp1252"), "cp1252", (f"not UTF-8 (byte {wrong}): read as Windows-1252",)


def _require_text(content: bytes) -> None:
    if b"\x00" in content:
        raise FileError(WHO, "the file holds zero bytes", "It is no text", "Export it as CSV in UTF-8")


def _not_utf8(content: bytes) -> int | None:
    """Where it is no UTF-8; part by part, since letters take up to four times the memory of their bytes."""
    decoder = codecs.getincrementaldecoder("utf-8")()
    for at in range(0, len(content), _PART):
        begun = len(decoder.getstate()[0])  # bytes of a letter that the last part has left over
        try:
            decoder.decode(content[at : at + _PART], final=at + _PART >= len(content))
        except UnicodeDecodeError as error:
            return at - begun + error.start
    return None


def _recoded(content: bytes, encoding: str) -> bytes:
    decoder = codecs.getincrementaldecoder(encoding)("strict" if encoding == "utf-16" else "replace")
    parts = (content[at : at + _PART] for at in range(0, len(content), _PART))
    return b"".join([*(decoder.decode(part).encode() for part in parts), decoder.decode(b"", final=True).encode()])


def _separator(text: str) -> str:
    """The one that cuts the first lines into equally many cells, most of them."""
    lines = [line for line in text.splitlines()[:20] if line.strip()]
    counts = {mark: [len(next(csv.reader([line], delimiter=mark), [])) for line in lines] for mark in SEPARATORS}
    return max(
        SEPARATORS,
        key=lambda mark: (counts[mark].count(counts[mark][0]) if counts[mark][0] > 1 else 0, counts[mark][0]),
    )

"""Lines of a text that are no rows like the others: written with another separator, or shorter than the header."""

import io
from collections.abc import Iterator
from typing import Any

from credo.errors import FileError
from credo.represent.table.limits import WHO

__all__ = ["SEPARATORS", "in_words", "notes_on_lines", "unclosed_quote"]

#: What may stand between cells, and what it is called.
SEPARATORS = {",": "commas", ";": "semicolons", "\t": "tabs", "|": "bars"}

_SUSPECTS = 1000  # rows that are looked at one by one


def notes_on_lines(content: bytes, name: str, separator: str, frame: Any, above: int) -> tuple[str, ...]:
    """A note on rows with fewer cells than the header, if there are any; lines of another dialect are refused.

    A parser fills them up with gaps, and says nothing. `frame` is what it made of the rows, `above` how many lines of
    the file stand before the header.
    """
    marks = frame.width - 1
    if not marks or not frame[frame.columns[-1]].null_count():
        return ()
    suspects = _suspects(frame, separator) if marks > 1 else {}
    foreign: tuple[int, str] | None = None
    row = short = first = 0
    for row, (line, found) in enumerate(_records(content, separator.encode())):
        if found is not None and found < marks:
            short, first = short + 1, first or line
        other, times = suspects.get(row - 1, ("", 0))
        if foreign is None and other and times >= marks - (found == 0):  # "1,5;;" is a row that is to be filled in
            foreign = line, other
    if row != frame.height:  # the parser takes quotes otherwise: which line is which is not known
        return ()
    if foreign is not None:
        line, other = foreign
        what = f"line {line + above} of {name!r} has {in_words(other)} between its cells, the header has "
        remedy = f"Write that line and those like it with {in_words(separator)}, or take them out"
        raise FileError(WHO, what + in_words(separator), "Lines of another file were probably appended", remedy)
    return (_short_in_words(short, first + above),) if short else ()


def in_words(separator: str) -> str:
    """What a separator is called.

    >>> in_words(";"), in_words("^")
    ('semicolons', "'^'")
    """
    return SEPARATORS.get(separator, repr(separator))


def unclosed_quote(content: bytes, name: str, above: int) -> FileError:
    """The refusal of a text with a quote too many. It is in one of the lines that have an odd number of quotes."""
    odd = [number for number, line in enumerate(io.BytesIO(content), 1 + above) if line.count(b'"') % 2]
    where = f"line {odd[0]}" if len(odd) == 1 else f"line {odd[0]}, or one of {len(odd) - 1} lines below it,"
    what = f"a quote in {where} of {name!r} is not closed"
    return FileError(WHO, what, "Everything behind it would be one cell", 'Close the quote, or write " in a cell as ""')


def _short_in_words(short: int, line: int) -> str:
    if short == 1:
        return f"line {line} has fewer cells than the header: its last ones are missing"
    return f"{short} lines have fewer cells than the header, line {line} the first: their last ones are missing"


def _suspects(frame: Any, separator: str) -> dict[int, tuple[str, int]]:
    """Rows with nothing but a first cell that another separator would cut, by which one and how often it is there."""
    import polars as pl

    alone = pl.all_horizontal(frame[name].is_null() for name in frame.columns[1:])
    rows = frame.select(alone.alias("alone")).to_series().arg_true()
    cells = frame[frame.columns[0]].gather(rows)
    others = [mark for mark in SEPARATORS if mark != separator]
    counts = pl.DataFrame([cells.str.count_matches(mark, literal=True).fill_null(0).alias(mark) for mark in others])
    many = (counts.max_horizontal() >= frame.width - 2).arg_true().head(_SUSPECTS)
    found = zip(rows.gather(many).to_list(), counts[many].rows(), strict=True)
    return {row: max(zip(others, times, strict=True), key=lambda pair: pair[1]) for row, times in found}


def _records(content: bytes, separator: bytes) -> Iterator[tuple[int, int | None]]:
    """The first line of each row, from 1, and how many separators it has outside of quotes; None of an empty one."""
    begun, found, inside = 1, 0, False
    for number, line in enumerate(io.BytesIO(content), 1):
        parts = line.split(b'"') if b'"' in line else [line]
        found += sum(part.count(separator) for part in parts[inside::2])
        blank = not inside and not line.strip()
        inside ^= len(parts) % 2 == 0
        if not inside:
            yield begun, None if blank else found
            begun, found = number + 1, 0
    if inside:
        yield begun, found

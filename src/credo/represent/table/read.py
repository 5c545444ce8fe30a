"""Files as frames: CSV, TSV, Parquet, JSON lines and Excel, also packed by gzip, from strangers and within limits."""

import gzip
import io
import os
import stat
import zlib
from pathlib import Path
from typing import Any, NamedTuple

from credo.errors import CredoError, DependencyError, FileError, InputError, MissingFileError
from credo.represent.table.delimited import delimited_frame
from credo.represent.table.dialect import Dialect
from credo.represent.table.excel import excel_frame
from credo.represent.table.json_lines import json_frame
from credo.represent.table.limits import WHO, Limits, require_cells, require_unpacked, too_large, within
from credo.represent.table.names import distinct_names
from credo.represent.table.parquet import weight_of

__all__ = ["FORMATS", "Limits", "Reading", "frame_of", "read_bytes", "read_frame"]

_KINDS = {
    ".csv": "text",
    ".txt": "text",
    ".tsv": "text",
    ".parquet": "parquet",
    ".jsonl": "json",
    ".ndjson": "json",
    ".xlsx": "excel",
}
#: The endings of files that can be read, without the dot; .gz may stand behind.
FORMATS = tuple(ending.removeprefix(".") for ending in _KINDS)


class Reading(NamedTuple):
    """The frame in a file, text as text, notes on how it was read, and how text was written (None of other files)."""

    frame: Any
    notes: tuple[str, ...]
    dialect: Dialect | None


def read_frame(path: str | Path, limits: Limits) -> Reading:
    """What is in a file, with every cell of a text as text."""
    path = Path(path)
    return read_bytes(_content(path, limits), path.name, limits)


def _content(path: Path, limits: Limits) -> bytes:
    try:
        if not stat.S_ISREG(os.stat(path).st_mode):  # before it is opened: opening a pipe waits for its other end
            raise FileError(WHO, f"{str(path)!r} is no file", "A folder or a device was given", "Correct the path")
        with path.open("rb") as file:
            content = file.read(limits.bytes + 1)
    except FileNotFoundError as error:
        raise MissingFileError(WHO, f"there is no file {str(path)!r}", "", "Correct the path") from error
    except OSError as error:
        raise FileError(WHO, f"{str(path)!r} cannot be read: {error.strerror}", "", "Look at its rights") from error
    except ValueError as error:
        if isinstance(error, CredoError):
            raise
        raise FileError(WHO, f"{str(path)!r} names no file: {error}", "", "Correct the path") from error
    if len(content) > limits.bytes:
        raise too_large(f"the file has more than {limits.bytes:,} bytes", f"{limits.bytes:,}")
    return content


def read_bytes(content: bytes, name: str, limits: Limits) -> Reading:
    """The same from bytes; `name` says by its ending what they are, and is no path."""
    suffixes = [suffix.lower() for suffix in Path(name).suffixes]
    if suffixes and suffixes[-1] == ".gz":
        content, suffixes = _unpacked(content, limits), suffixes[:-1]
    kind = _KINDS.get(suffixes[-1] if suffixes else "")
    if kind is None:
        known = ", ".join(_KINDS)
        raise FileError(WHO, f"{name!r} ends in none of {known}", "Its ending says what it is", "Rename or export it")
    if not content[:100].strip() and not content.strip():
        raise FileError(WHO, f"{name!r} is empty", "", "Export it again")
    if kind == "text":
        frame, notes, dialect = delimited_frame(content, name, limits)
        return Reading(frame_of(frame, limits), notes, dialect)
    frame = _parsed(kind, content, name, limits)
    names, notes = distinct_names(frame.columns)
    return Reading(frame_of(frame.rename(dict(zip(frame.columns, names, strict=True))), limits), notes, None)


def frame_of(frame: Any, limits: Limits, who: str = WHO) -> Any:
    """A frame that is within the limits and has rows and columns."""
    require_cells(frame.height, frame.width, limits, who)
    if not frame.height or not frame.width:
        if who == WHO:
            raise FileError(who, "the table has no rows", "There is a header and nothing below it", "Add rows")
        what = f"the frame has {frame.height} rows and {frame.width} columns"
        raise InputError(who, what, "What it was made of may have been empty", "Pass one with rows and columns")
    size = _letters(frame)
    if size > limits.unpacked:
        raise too_large(f"the table has more text, {size:,} bytes", f"{limits.unpacked:,} bytes", who)
    return frame


def _letters(frame: Any) -> int:
    """Bytes of all texts. A text that a file holds once may stand in every row, and would be copied to each."""
    import polars as pl

    texts = [frame[name].str.len_bytes() for name, kind in frame.schema.items() if kind == pl.String]
    texts += [frame[name].cat.len_bytes() for name, kind in frame.schema.items() if kind in (pl.Categorical, pl.Enum)]
    return sum(int(sizes.cast(pl.UInt64).sum() or 0) for sizes in texts)


def _unpacked(content: bytes, limits: Limits) -> bytes:
    """What gzip packed."""
    try:
        with gzip.GzipFile(fileobj=io.BytesIO(content)) as packed:
            return b"".join(within(packed, limits))
    except (OSError, EOFError, zlib.error) as error:
        raise FileError(WHO, "the file is no whole gzip", str(error), "Pack it again") from error


def _parsed(kind: str, content: bytes, name: str, limits: Limits) -> Any:
    try:
        if kind == "parquet":
            return _of_parquet(content, limits)
        return json_frame(content, limits) if kind == "json" else excel_frame(content, limits)
    except ModuleNotFoundError as error:
        what = "the package 'fastexcel' is not installed"
        raise DependencyError(WHO, what, "Excel files are read by it", "Try pip install 'credo[app]'") from error
    except CredoError:
        raise
    except BaseException as error:  # readers have many kinds of errors, and what breaks in Rust is no Exception
        if not isinstance(error, Exception) and type(error).__name__ != "PanicException":
            raise
        first = str(error).strip().splitlines()[0][:200] if str(error).strip() else type(error).__name__
        raise FileError(WHO, f"{name!r} is no {kind} file that can be read", first, "Export it again") from error


def _of_parquet(content: bytes, limits: Limits) -> Any:
    import polars as pl

    weight = weight_of(content)
    require_cells(weight.rows, weight.columns, limits)
    require_unpacked(weight.unpacked, limits)
    return pl.read_parquet(io.BytesIO(content))

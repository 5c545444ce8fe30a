"""Files as frames: CSV, TSV, Parquet, JSON lines and Excel, also packed by gzip, from strangers and within limits."""

import csv
import gzip
import io
import zipfile
import zlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, final

from credo.errors import DependencyError, FileError, MissingFileError, TooLargeError

__all__ = ["FORMATS", "Limits", "frame_of", "read_bytes", "read_frame"]

_WHO = "Table.read"
_SEPARATORS = (",", ";", "\t", "|")
_MISSING = ["", "NA", "N/A", "n/a", "NaN", "nan", "null", "NULL", "None", "?"]
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
_CHUNK = 2**20


@final
@dataclass(frozen=True)
class Limits:
    """How large a table may be: bytes of the file, bytes unpacked, rows, and columns."""

    bytes: int = 2**28
    unpacked: int = 2**29
    rows: int = 2_000_000
    columns: int = 4096


def read_frame(path: str | Path, limits: Limits) -> tuple[Any, tuple[str, ...]]:
    """The frame in a file, text as text, and notes on how it was read."""
    path = Path(path)
    try:
        if path.stat().st_size > limits.bytes:
            raise _too_large(f"the file has {path.stat().st_size:,} bytes", f"{limits.bytes:,}")
        content = path.read_bytes()
    except FileNotFoundError as error:
        raise MissingFileError(_WHO, f"there is no file {str(path)!r}", "", "Correct the path") from error
    except OSError as error:
        raise FileError(_WHO, f"{str(path)!r} cannot be read: {error.strerror}", "", "Look at its rights") from error
    return read_bytes(content, path.name, limits)


def read_bytes(content: bytes, name: str, limits: Limits) -> tuple[Any, tuple[str, ...]]:
    """The same from bytes; `name` says by its ending what they are, and is no path."""
    suffixes = [suffix.lower() for suffix in Path(name).suffixes]
    if suffixes and suffixes[-1] == ".gz":
        content, suffixes = _unpacked(content, limits), suffixes[:-1]
    kind = _KINDS.get(suffixes[-1] if suffixes else "")
    if kind is None:
        known = ", ".join(_KINDS)
        raise FileError(_WHO, f"{name!r} ends in none of {known}", "Its ending says what it is", "Rename or export it")
    if not content.strip():
        raise FileError(_WHO, f"{name!r} is empty", "", "Export it again")
    if kind == "text":
        return _of_text(content, name, limits)
    if kind == "excel":
        _refuse_bomb(content, name, limits)
    return frame_of(_parsed(kind, content, name, limits), limits), ()


def frame_of(frame: Any, limits: Limits) -> Any:
    """A frame that is within the limits and has rows and columns."""
    if frame.width > limits.columns:
        raise _too_large(f"the table has {frame.width:,} columns", f"{limits.columns:,}")
    if frame.height > limits.rows:
        raise _too_large(f"the table has {frame.height:,} rows", f"{limits.rows:,}")
    if not frame.height or not frame.width:
        raise FileError(_WHO, "the table has no rows", "There is a header and nothing below it", "Add rows")
    return frame


def _too_large(what: str, most: str) -> TooLargeError:
    return TooLargeError(_WHO, what, f"At most {most} are read", "Take a part of it, or pass limits=Limits(...)")


def _within(streams: Iterable[Any], limits: Limits) -> Iterator[bytes]:
    """What streams unpack to, part by part, as far as the limit of them all: a small file may hold very much."""
    size = 0
    for stream in streams:
        while part := stream.read(_CHUNK):
            size += len(part)
            if size > limits.unpacked:
                raise _too_large("the file unpacks to more", f"{limits.unpacked:,} bytes")
            yield part


def _unpacked(content: bytes, limits: Limits) -> bytes:
    """What gzip packed."""
    try:
        with gzip.GzipFile(fileobj=io.BytesIO(content)) as packed:
            return b"".join(_within([packed], limits))
    except (OSError, EOFError, zlib.error) as error:
        raise FileError(_WHO, "the file is no whole gzip", str(error), "Pack it again") from error


def _refuse_bomb(content: bytes, name: str, limits: Limits) -> None:
    """An Excel file is a zip: what it unpacks to is counted before anybody reads it."""
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as packed:
            for _ in _within(map(packed.open, packed.infolist()), limits):
                pass
    except (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError) as error:
        raise FileError(_WHO, f"{name!r} is no excel file that can be read", str(error), "Export it again") from error


def _parsed(kind: str, content: bytes, name: str, limits: Limits) -> Any:
    import polars as pl

    try:
        if kind == "parquet":
            lazy = pl.scan_parquet(io.BytesIO(content))  # its end says how much it holds
            most = limits.rows + 1
            return lazy.select(lazy.collect_schema().names()[: limits.columns + 1]).head(most).collect()
        if kind == "json":
            return pl.read_ndjson(io.BytesIO(content), infer_schema_length=None)
        return pl.read_excel(io.BytesIO(content), engine="calamine")
    except ModuleNotFoundError as error:
        what = "the package 'fastexcel' is not installed"
        raise DependencyError(_WHO, what, "Excel files are read by it", "Try pip install 'credo[app]'") from error
    except Exception as error:  # Polars and its readers have many kinds of errors
        first = str(error).strip().splitlines()[0] if str(error).strip() else type(error).__name__
        raise FileError(_WHO, f"{name!r} is no {kind} file that can be read", first, "Export it again") from error


def _of_text(content: bytes, name: str, limits: Limits) -> tuple[Any, tuple[str, ...]]:
    import polars as pl

    text, notes = _decoded(content)
    separator = _separator(text)
    header = next(csv.reader(io.StringIO(text), delimiter=separator), [])
    if len(header) > limits.columns:
        raise _too_large(f"the table has {len(header):,} columns", f"{limits.columns:,}")
    names, renamed = _names(header)
    try:
        frame = pl.read_csv(
            io.BytesIO(text.encode()),
            separator=separator,
            has_header=True,
            infer_schema=False,
            null_values=_MISSING,
            n_rows=limits.rows + 1,
        )
    except pl.exceptions.PolarsError as error:
        first = str(error).strip().splitlines()[0]
        cause = "A row has more cells than the header, or a quote is not closed"
        raise FileError(_WHO, f"{name!r} is no table: {first}", cause, "Correct that row") from error
    return frame_of(frame.rename(dict(zip(frame.columns, names, strict=True))), limits), (*notes, *renamed)


def _decoded(content: bytes) -> tuple[str, tuple[str, ...]]:
    """Text in UTF-8, with a mark or without, in UTF-16 with one, or as Windows writes it, which is noted."""
    if content[:2] in (b"\xff\xfe", b"\xfe\xff"):
        try:
            return content.decode("utf-16"), ("read as UTF-16",)
        except UnicodeDecodeError as error:
            raise FileError(_WHO, "the file is no whole UTF-16", str(error), "Save it as UTF-8") from error
    if b"\x00" in content:
        raise FileError(_WHO, "the file holds zero bytes", "It is no text", "Export it as CSV in UTF-8")
    try:
        return content.decode("utf-8-sig"), ()
    except UnicodeDecodeError as error:
        note = f"not UTF-8 (byte {error.start}): read as Windows-1252"
        return content.decode("cp1252", errors="replace"), (note,)


def _separator(text: str) -> str:
    """The one that cuts the first lines into equally many cells, most of them."""
    lines = [line for line in text[:65536].splitlines()[:20] if line.strip()]
    counts = {mark: [len(next(csv.reader([line], delimiter=mark), [])) for line in lines] for mark in _SEPARATORS}
    return max(
        _SEPARATORS,
        key=lambda mark: (counts[mark].count(counts[mark][0]) if counts[mark][0] > 1 else 0, counts[mark][0]),
    )


def _names(header: list[str]) -> tuple[list[str], tuple[str, ...]]:
    """A name for every column, each once; notes on those that were made."""
    names: list[str] = []
    notes: list[str] = []
    for j, given in enumerate(header):
        name = given.strip() or f"column {j + 1}"
        while name in names:
            name = f"{name} (again)"
        if name != given.strip():
            notes.append(
                f"column {j + 1} is called {name!r}: its name was {'missing' if not given.strip() else 'taken'}"
            )
        names.append(name)
    return names, tuple(notes)

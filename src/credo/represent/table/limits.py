"""How large a table of a stranger may be, and what is said of one that is larger."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, final

from credo.errors import TooLargeError

__all__ = ["WHO", "Limits", "require_cells", "require_unpacked", "too_large", "within"]

#: Who speaks when a file is refused.
WHO = "Table.read"

_CHUNK = 2**20


@final
@dataclass(frozen=True)
class Limits:
    """How large a table may be: bytes of the file, bytes unpacked, rows, columns, and cells (rows times columns).

    Short lines under a long header, and values that are packed, make many cells of few bytes.
    """

    bytes: int = 2**28
    unpacked: int = 2**29
    rows: int = 2_000_000
    columns: int = 4096
    cells: int = 100_000_000


def too_large(what: str, most: str, who: str = WHO) -> TooLargeError:
    """The refusal, with the figures. Files alone have limits that can be passed."""
    remedy = "Take a part of it, or pass limits=Limits(...)" if who == WHO else "Take a part of it"
    return TooLargeError(who, what, f"At most {most} are read", remedy)


def require_cells(rows: int, columns: int, limits: Limits, who: str = WHO) -> None:
    """Refuse a table of that size, where it is above the limits."""
    if columns > limits.columns:
        raise too_large(f"the table has {columns:,} columns", f"{limits.columns:,}", who)
    if rows > limits.rows:
        raise too_large(f"the table has {rows:,} rows", f"{limits.rows:,}", who)
    if rows * columns > limits.cells:
        raise too_large(f"the table has {rows:,} rows of {columns:,} cells", f"{limits.cells:,} cells", who)


def require_unpacked(size: int, limits: Limits) -> None:
    """Refuse what unpacks to so many bytes, where that is above the limit."""
    if size > limits.unpacked:
        raise too_large("the file unpacks to more", f"{limits.unpacked:,} bytes")


def within(stream: Any, limits: Limits) -> Iterator[bytes]:
    """What a stream unpacks to, part by part, as far as the limit: a small file may hold very much."""
    size = 0
    while part := stream.read(_CHUNK):
        size += len(part)
        require_unpacked(size, limits)
        yield part

"""How much a Parquet file holds, by what it says of its pages, before anybody unpacks one.

Its end lists the columns in compact Thrift (Apache Thrift's `TCompactProtocol`), and each page says before its bytes to
how many it unpacks. A reader takes as much memory as these numbers say, so they are what is limited.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

__all__ = ["Weight", "weight_of"]

_DEEP = 40  # structures inside each other; a Parquet file has six
_LONGEST = 2**24  # bytes of its end
_MOST_PAGES = 200_000  # a page has some 100 kB
_MARK = b"PAR1"
# Places in the structures of the format (parquet.thrift).
_ROWS, _GROUPS = 3, 4  # of the file
_CHUNKS, _GROUP_ROWS = 1, 3  # of a group of rows
_ABOUT = 3  # of a column in a group
_PACKED, _DATA_PAGE, _DICTIONARY_PAGE = 7, 9, 11  # of what is said about it
_PAGE_UNPACKED, _PAGE_PACKED = 2, 3  # of a page


class Weight(NamedTuple):
    """Rows, columns, and bytes of all pages unpacked."""

    rows: int
    columns: int
    unpacked: int


def weight_of(content: bytes) -> Weight:
    """What the file says it holds; a ValueError where it is none.

    >>> weight_of(b"PAR1 and no more")
    Traceback (most recent call last):
    ...
    ValueError: its end is none of a Parquet file
    """
    if len(content) < 12 or content[:4] != _MARK or content[-4:] != _MARK:
        raise ValueError("its end is none of a Parquet file")
    length = int.from_bytes(content[-8:-4], "little")
    if length > min(len(content) - 12, _LONGEST):
        raise ValueError("its end is longer than the file, or than any")
    footer = _Reader(content[-8 - length : -8], 0).structure(0)
    groups = [_structure(group) for group in _list(footer.get(_GROUPS))]
    chunks = [[_structure(chunk) for chunk in _list(group.get(_CHUNKS))] for group in groups]
    said = sum(_number(group.get(_GROUP_ROWS)) for group in groups)
    pages = (page for part in chunks for chunk in part for page in _pages(content, _structure(chunk.get(_ABOUT))))
    unpacked = 0
    for seen, size in enumerate(pages):
        if seen > _MOST_PAGES:
            raise ValueError("it has very many pages")
        unpacked += size
    return Weight(max(said, _number(footer.get(_ROWS))), max(map(len, chunks), default=0), unpacked)


def _pages(content: bytes, about: dict[int, Any]) -> Iterator[int]:
    """Bytes of each page of one column in one group, unpacked, as its own head says."""
    starts = [about[place] for place in (_DICTIONARY_PAGE, _DATA_PAGE) if place in about]
    at = min((_number(start) for start in starts), default=0)
    end = at + _number(about.get(_PACKED))
    if end > len(content):
        raise ValueError("a column ends behind the file")
    while at < end:
        reader = _Reader(content, at)
        page = reader.structure(0)
        yield _number(page.get(_PAGE_UNPACKED))
        at = reader.at + _number(page.get(_PAGE_PACKED))


@dataclass
class _Reader:
    """Values of compact Thrift from a place on. A file has hundreds of thousands, so that few calls make each."""

    content: bytes
    at: int

    def structure(self, depth: int) -> dict[int, Any]:
        """Fields by their number."""
        found: dict[int, Any] = {}
        number, content = 0, self.content
        try:
            while head := content[self.at]:
                self.at += 1
                step, kind = head >> 4, head & 15
                number = number + step if step else self._whole()
                found[number] = kind == 1 if kind in (1, 2) else self._value(kind, depth)
        except IndexError:
            raise ValueError("a value ends behind the file") from None
        self.at += 1
        return found

    def _value(self, kind: int, depth: int) -> Any:
        if 4 <= kind <= 6:
            return self._whole()
        if kind == 8:
            size = self._natural()
            self.at += size
            return self.content[self.at - size : self.at]
        if kind == 12 and depth < _DEEP:
            return self.structure(depth + 1)
        if kind in (9, 10) and depth < _DEEP:
            head = self.content[self.at]
            self.at += 1
            size = head >> 4 if head >> 4 != 15 else self._natural()
            if size > len(self.content):  # each entry has a byte at least
                raise ValueError("a list is longer than the file")
            return [self._value(head & 15, depth + 1) for _ in range(size)]
        if kind in (1, 2, 3, 7):  # a truth value has a byte in a list
            self.at += 8 if kind == 7 else 1
            return self.content[self.at - 1]
        raise ValueError(f"a value is of the kind {kind}, {depth} deep")  # a Parquet file has no maps

    def _natural(self) -> int:
        content, number = self.content, 0
        for place in range(0, 70, 7):
            part = content[self.at]
            self.at += 1
            number |= (part & 127) << place
            if part < 128:
                return number
        raise ValueError("a number has no end")

    def _whole(self) -> int:
        number = self._natural()
        return (number >> 1) ^ -(number & 1)


def _structure(value: Any) -> dict[int, Any]:
    return _as(dict, value)


def _list(value: Any) -> list[Any]:
    return _as(list, [] if value is None else value)


def _number(value: Any) -> int:
    number: int = _as(int, 0 if value is None else value)
    if number < 0:
        raise ValueError(f"a size is {number}")
    return number


def _as(kind: type, value: Any) -> Any:
    if type(value) is not kind:
        raise ValueError(f"a {kind.__name__} is something else")
    return value

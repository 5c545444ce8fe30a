"""Excel files as frames. One is a zip of XML: what it unpacks to is counted and looked at before anybody reads it."""

import io
import re
import zipfile
import zlib
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any
from xml.parsers import expat

from credo.represent.table.limits import Limits, require_cells, require_unpacked

__all__ = ["excel_frame"]

_PLACE = re.compile(r"([A-Za-z]{1,3})([0-9]{1,7})")
_PART = 2**20
_ROWS, _COLUMNS = 2**20, 2**14  # of a sheet of Excel
_DAMAGED = (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError, OSError, expat.ExpatError)


def excel_frame(content: bytes, limits: Limits) -> Any:
    """The first sheet; a ValueError where the file is none, or made to be more than it seems."""
    import polars as pl

    return pl.read_excel(io.BytesIO(_looked_at(content, limits)), engine="calamine")


def _looked_at(content: bytes, limits: Limits) -> bytes:
    """The same file with the parts that were looked at alone: XML, without pictures, programs and whatever else.

    A reader fills a sheet up from its first cell to its last, and copies a text to every cell that refers to it.
    """
    seen, parts = _Seen(limits), io.BytesIO()
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as packed, zipfile.ZipFile(parts, "w") as kept:
            for name, text in _unpacked(packed, limits):
                seen.part(text)
                kept.writestr(name, text)
    except _DAMAGED as error:
        raise ValueError(str(error) or type(error).__name__) from error
    seen.require()
    return parts.getvalue()


def _unpacked(packed: zipfile.ZipFile, limits: Limits) -> Iterator[tuple[str, bytes]]:
    """Every part of XML by its name, once. What the others unpack to is counted as well."""
    size = 0
    for name in dict.fromkeys(info.filename for info in packed.infolist()):
        kept = []
        with packed.open(name) as stream:
            while part := stream.read(_PART):
                size += len(part)
                require_unpacked(size, limits)
                kept.append(part if _is_xml(name) else b"")
        if _is_xml(name):
            yield name, b"".join(kept)


def _is_xml(name: str) -> bool:
    return name.lower().endswith((".xml", ".rels"))


@dataclass
class _Seen:
    """What the parts of a file hold: the length of each shared text, how often each is used, the cells of sheets."""

    limits: Limits
    texts: list[int] = field(default_factory=list)
    used: dict[int, int] = field(default_factory=dict)
    cells: int = 0
    _row: int = 0
    _column: int = 0
    _shared: bool = False
    _inside: str = ""
    _word: str = ""
    _ends: list[int] = field(default_factory=list)

    def part(self, text: bytes) -> None:
        """Look at one."""
        self._row, self._ends = 0, []
        parser = expat.ParserCreate()
        parser.StartDoctypeDeclHandler = _refuse_names_of_texts
        parser.StartElementHandler, parser.EndElementHandler = self._begin, self._end
        parser.CharacterDataHandler = self._letters
        parser.Parse(text, True)
        if self._ends:
            top, bottom, left, right = self._ends
            require_cells(max(bottom - top, 1), right - left + 1, self.limits)

    def require(self) -> None:
        """Refuse where the texts in all cells together are more than a file may unpack to."""
        size = sum(times * self.texts[i] for i, times in self.used.items() if i < len(self.texts))
        require_unpacked(size, self.limits)

    def _begin(self, name: str, about: dict[str, str]) -> None:
        kind = name.rpartition(":")[2]
        if kind == "row":
            self._row = int(about["r"]) if about.get("r", "").isdecimal() else self._row + 1
            self._column = 0
        elif kind == "c":
            self._place(about.get("r"))
            self._shared = about.get("t") == "s"
        elif kind == "si":
            self.texts.append(0)
        elif kind in ("v", "is", "f"):
            self._count()
        if kind in ("v", "t"):
            self._inside, self._word = kind, ""

    def _place(self, said: str | None) -> None:
        if said is None:
            self._column += 1
            return
        found = _PLACE.fullmatch(said)
        if found is None:
            raise ValueError(f"a cell is at {said[:20]!r}")
        column = 0
        for letter in found[1].upper():
            column = 26 * column + ord(letter) - 64
        self._row, self._column = int(found[2]), column

    def _count(self) -> None:
        """A cell that holds something, at the place that is next."""
        if not 1 <= self._row <= _ROWS or not 1 <= self._column <= _COLUMNS:
            raise ValueError(f"a cell is in row {self._row} and column {self._column}")
        top, bottom, left, right = self._ends or (self._row, self._row, self._column, self._column)
        self._ends = [min(top, self._row), max(bottom, self._row), min(left, self._column), max(right, self._column)]

    def _letters(self, text: str) -> None:
        if self._inside == "t" and self.texts:
            self.texts[-1] += len(text.encode("utf-8", "replace"))
        elif self._inside == "v" and self._shared and len(self._word) < 20:
            self._word += text

    def _end(self, name: str) -> None:
        if self._inside == "v" and self._shared and self._word.strip().isdecimal():
            number = int(self._word)
            self.used[number] = self.used.get(number, 0) + 1
        self._inside = ""


def _refuse_names_of_texts(*about: Any) -> None:
    raise ValueError("it declares names of texts, as no program that writes tables does")

"""What the web page keeps between two clicks: tables that were uploaded, and what was learnt from them.

Each has a folder with a random name. Names that a person gives are data in a file, and never a path.
"""

import asyncio
import json
import re
import secrets
import shutil
import time
from collections.abc import AsyncIterable
from dataclasses import asdict, dataclass
from io import RawIOBase
from pathlib import Path
from typing import final

from credo.errors import InputError
from credo.represent.table.read import FORMATS

__all__ = ["Entry", "Workspace"]

_ID = re.compile(r"[0-9a-f]{16}")
_LONGEST = 200  # characters of a name


@final
@dataclass(frozen=True)
class Entry:
    """A table: its number here, the name it came with, its format, when it came."""

    id: str
    name: str
    format: str
    created: float


@final
class Workspace:
    """A folder of tables, for nobody else on this machine."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        folder.mkdir(parents=True, exist_ok=True)
        folder.chmod(0o700)  # also where it was there before

    async def add(self, name: str, parts: AsyncIterable[bytes]) -> Entry:
        """Keep a file, written part by part as it comes: no more than one part of it is in memory.

        Of its name only the ending counts, and only as one of the known ones. A file that does not come to its end
        leaves nothing behind. Other requests are answered while the disk writes.
        """
        entry = Entry(secrets.token_hex(8), _shown(name), _format(name), time.time())
        folder = self.folder(entry)
        folder.mkdir()
        try:
            with self.table(entry).open("wb", buffering=0) as file:
                async for part in parts:
                    await asyncio.to_thread(_written, file, part)
            (folder / "entry.json").write_text(json.dumps(asdict(entry)), encoding="utf-8")
        except BaseException:  # also where whoever sends it has gone
            shutil.rmtree(folder, ignore_errors=True)
            raise
        return entry

    def entries(self) -> list[Entry]:
        """The newest first."""
        found = [self._read(folder.name) for folder in self._folder.iterdir() if _ID.fullmatch(folder.name)]
        return sorted((entry for entry in found if entry is not None), key=lambda entry: -entry.created)

    def entry(self, id: str) -> Entry:
        """The table of that number."""
        found = self._read(id) if _ID.fullmatch(id) else None
        if found is None:
            raise InputError(
                "credo ui", "there is no such table", "It was removed, or the address is wrong", "Upload it"
            )
        return found

    def remove(self, entry: Entry) -> None:
        """A table and all that lies with it; it is no table any more as soon as this begins."""
        folder = self.folder(entry)
        (folder / "entry.json").unlink(missing_ok=True)
        shutil.rmtree(folder, ignore_errors=True)

    def folder(self, entry: Entry) -> Path:
        """Where what was learnt from a table lies."""
        return self._folder / entry.id

    def table(self, entry: Entry) -> Path:
        """The file itself."""
        return self._folder / entry.id / f"table.{entry.format}"

    def _read(self, id: str) -> Entry | None:
        try:
            return Entry(**json.loads((self._folder / id / "entry.json").read_text(encoding="utf-8")))
        except (OSError, ValueError, TypeError):
            return None


def _written(file: RawIOBase, part: bytes) -> None:
    """All of a part: a raw file may take less at once."""
    rest = memoryview(part)
    while rest:
        rest = rest[file.write(rest) or 0 :]


def _last(name: str) -> str:
    """What can be printed of the last part of a name."""
    last = re.split(r"[\\/]", name)[-1]
    return "".join(letter for letter in last if letter.isprintable()).strip()


def _shown(name: str) -> str:
    """A name as it is shown, not too long."""
    return _last(name)[:_LONGEST].strip() or "table"


def _format(name: str) -> str:
    """The ending, of those that can be read; CSV where there is none."""
    parts = _last(name).lower().split(".")
    packed = len(parts) > 1 and parts[-1] == "gz"
    ending = parts[-2] if packed and len(parts) > 2 else parts[-1] if len(parts) > 1 and not packed else "csv"
    if ending not in FORMATS:
        what = f"files that end in .{ending[:20]} are not read"
        raise InputError("credo ui", what, "", f"Save it as one of {', '.join(FORMATS)}")
    return f"{ending}.gz" if packed else ending

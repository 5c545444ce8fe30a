"""What was learnt from a table, all of it or nothing: the files of one model are never beside those of another.

They are written into a folder that gets its name when they are complete; the newest of those counts.
"""

import secrets
import shutil
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

__all__ = ["FILES", "fresh", "latest"]

#: What a folder holds: the model, the report, and what a page says of both.
FILES = ("model.credo", "report.html", "learned.json")
_BEGUN, _COMPLETE = "learning-", "learned-"


@contextmanager
def fresh(folder: Path) -> Iterator[Path]:
    """A new folder inside to write all files into; at the end it takes the place of earlier ones, if nothing raised."""
    begun = folder / f"{_BEGUN}{secrets.token_hex(8)}"
    begun.mkdir()
    try:
        yield begun
        complete = begun.rename(folder / f"{_COMPLETE}{time.time_ns():020d}")
    finally:
        shutil.rmtree(begun, ignore_errors=True)
    for path in (*folder.glob(f"{_COMPLETE}*"), *folder.glob(f"{_BEGUN}*")):  # the latter of a child that was killed
        if path != complete:
            shutil.rmtree(path, ignore_errors=True)


def latest(folder: Path) -> Path | None:
    """The newest folder in which nothing is missing."""
    found = sorted(folder.glob(f"{_COMPLETE}*"), reverse=True)
    return next((path for path in found if all((path / name).is_file() for name in FILES)), None)

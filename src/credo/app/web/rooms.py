"""What the routes of the web page share: where tables and studies lie, the children that stay, the jobs under way."""

import asyncio
import json
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any, final

from fastapi import HTTPException
from pydantic import BaseModel, Field

from credo.app.web.child import Bounds, Job
from credo.app.web.desk import Desk
from credo.app.web.generations import latest
from credo.app.web.workspace import Entry, Workspace
from credo.errors import CredoError

__all__ = ["NAME", "WRONG", "Rooms", "Scales", "answered", "kept", "learned_of"]

#: A name that somebody gave: of a column, a level, a study.
NAME = Annotated[str, Field(min_length=1, max_length=500)]

_QUICK = Bounds(seconds=60.0, late=("The table is large, or this machine is busy", "Try fewer rows, or again later"))
_SLOW = Bounds(
    seconds=180.0,
    late=("Many runs at once, or many past ones, take long to think about", "Ask for fewer at once"),
)
_PATIENCE = 5.0  # seconds until children that were ended are gone


class Scales(BaseModel):
    """What was said of columns: a scale, or the levels of an order from the lowest."""

    scales: dict[NAME, NAME | list[NAME]] = {}


class Wrong(BaseModel):
    """What is wrong, in words."""

    error: str


#: What a route may answer instead, for its description.
WRONG: dict[int | str, dict[str, Any]] = {
    400: {"model": Wrong, "description": "What was sent is no text"},
    401: {"model": Wrong, "description": "Without the token"},
    403: {"model": Wrong, "description": "From another host or page"},
    404: {"model": Wrong, "description": "There is no such table or study, or nothing was learnt from it"},
    409: {"model": Wrong, "description": "It is being learnt already"},
    413: {"model": Wrong, "description": "More was sent than is taken"},
    422: {"model": Wrong, "description": "What was sent cannot be read or done"},
    429: {"model": Wrong, "description": "As much as may be is being learnt already"},
}


@final
class Rooms:
    """Tables in a folder; studies in its file, unless `storage` is another address.

    Two children stay: `desk` for what is answered at once, `slow_desk` for what takes thought, so that a page can be
    opened and a slider moved meanwhile.
    """

    def __init__(self, folder: Path, bounds: Bounds | None = None, storage: str | None = None) -> None:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        self.workspace = Workspace(folder / "tables")
        self.storage = str(folder / "studies.db") if storage is None else storage
        self.desk, self.slow_desk = Desk(_QUICK), Desk(_SLOW)
        self.bounds = bounds or Bounds()
        self.jobs: dict[str, Job] = {}

    def open(self) -> None:
        """Begin the children that stay."""
        self.desk.open()
        self.slow_desk.open()

    def close(self) -> None:
        """End all children, also at work."""
        jobs = [self.jobs[id] for id in self.running()]
        for job in jobs:
            job.stop()
        self.desk.close()
        self.slow_desk.close()
        for job in jobs:
            job.wait(_PATIENCE)

    def running(self) -> list[str]:
        """The tables that are being learnt."""
        return [id for id, job in list(self.jobs.items()) if job.state == "running"]

    def forget(self, entry: Entry) -> None:
        """Delete a table with all that was learnt from it; what is being learnt from it ends first."""
        job = self.jobs.pop(entry.id, None)
        if job is not None and job.state == "running":
            job.stop()
            job.wait(_PATIENCE)
        self.workspace.remove(entry)


def learned_of(rooms: Rooms, entry: Entry) -> tuple[Path, dict[str, Any]]:
    """Where what was learnt from a table lies, and what was written about it."""
    folder = latest(rooms.workspace.folder(entry))
    try:
        found = None if folder is None else json.loads((folder / "learned.json").read_text(encoding="utf-8"))
    except (OSError, ValueError):  # cut off, or deleted meanwhile
        found = None
    if folder is None or not isinstance(found, dict):
        raise HTTPException(404, "Nothing was learnt from this table yet.")
    return folder, found


async def answered(desk: Desk, work: Callable[..., Any], *arguments: Any) -> Any:
    """By a child that stays; an error is the fault of what was asked."""
    try:
        return await asyncio.wrap_future(desk.later(work, *arguments))
    except CredoError as error:
        raise HTTPException(422, str(error)) from error


def kept(work: Callable[..., Any], *arguments: Any) -> Any:
    """What the workspace has; what is not there is missing."""
    try:
        return work(*arguments)
    except CredoError as error:
        raise HTTPException(404, str(error)) from error

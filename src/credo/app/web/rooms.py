"""What the routes of the web page share: where tables and studies lie, the child that stays, the jobs under way."""

import asyncio
import json
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any, final

from fastapi import HTTPException
from pydantic import BaseModel, Field

from credo.app.web.child import Bounds, Job
from credo.app.web.desk import Desk
from credo.app.web.workspace import Entry, Workspace
from credo.errors import CredoError

__all__ = ["NAME", "WRONG", "Rooms", "answered", "kept", "learned_of"]

#: A name that somebody gave: of a column, a level, a study.
NAME = Annotated[str, Field(min_length=1, max_length=500)]


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
}


@final
class Rooms:
    """Tables in a folder; studies in its file, unless `storage` is another address."""

    def __init__(self, folder: Path, bounds: Bounds | None = None, storage: str | None = None) -> None:
        self.workspace = Workspace(folder / "tables")
        self.storage = str(folder / "studies.db") if storage is None else storage
        self.desk = Desk()
        self.bounds = bounds or Bounds()
        self.jobs: dict[str, Job] = {}


def learned_of(rooms: Rooms, entry: Entry) -> dict[str, Any]:
    """What was written when a table was learnt."""
    try:
        found: dict[str, Any] = json.loads((rooms.workspace.folder(entry) / "learned.json").read_text(encoding="utf-8"))
    except OSError as error:
        raise HTTPException(404, "Nothing was learnt from this table yet.") from error
    return found


async def answered(rooms: Rooms, work: Callable[..., Any], *arguments: Any) -> Any:
    """By the child that stays; an error is the fault of what was asked."""
    try:
        return await asyncio.to_thread(rooms.desk.call, work, *arguments)
    except CredoError as error:
        raise HTTPException(422, str(error)) from error


def kept(work: Callable[..., Any], *arguments: Any) -> Any:
    """What the workspace has; what it cannot keep is the fault of the upload, what is not there is missing."""
    try:
        return work(*arguments)
    except CredoError as error:
        raise HTTPException(422 if work.__name__ == "add" else 404, str(error)) from error

"""What the pages and programs ask for, as JSON: tables, learning, predictions, the next runs."""

import asyncio
from dataclasses import asdict
from typing import Annotated, Any

from fastapi import APIRouter, HTTPException, Query, Request
from pydantic import BaseModel, Field, FiniteFloat

from credo.app.console import Direction
from credo.app.web import tasks
from credo.app.web.child import start
from credo.app.web.rooms import NAME, WRONG, Rooms, Scales, answered, kept, learned_of
from credo.errors import CredoError

__all__ = ["api_router"]

_MOST = 10_000  # rows of one prediction
_RUNS = 20  # that are suggested at once
_LEARNING = 2  # tables at once: each child takes up to half of the machine's memory
_BODY = {"requestBody": {"required": True, "content": {"application/octet-stream": {"schema": {"format": "binary"}}}}}


class Learning(Scales):
    """Which column to learn, without which others, and whether more of it is better."""

    target: NAME
    drop: list[NAME] = Field([])
    direction: Direction | None = None


class Rows(BaseModel):
    """Rows by the names of columns."""

    rows: list[dict[str, FiniteFloat | int | bool | str | None]] = Field(min_length=1, max_length=_MOST)
    level: float = Field(0.9, gt=0.0, lt=1.0)


class Predicted(BaseModel):
    """What is said of each row, and the columns of the model that are not in every row."""

    rows: list[dict[str, Any]]
    missing: list[str]


class Asking(Scales):
    """For which runs to make next."""

    target: NAME
    direction: Direction
    n: int = Field(3, ge=1, le=_RUNS)


def api_router(rooms: Rooms) -> APIRouter:
    """The routes under /api."""
    router = APIRouter(prefix="/api", tags=["credo"], responses=WRONG)

    @router.get("/tables")
    async def tables() -> list[dict[str, Any]]:
        """The tables that were uploaded, the newest first."""
        return [asdict(entry) for entry in rooms.workspace.entries()]

    @router.post("/tables", status_code=201, openapi_extra=_BODY)
    async def upload(request: Request, name: Annotated[str, Query(min_length=1, max_length=500)]) -> dict[str, Any]:
        """Keep the body as a table; its name says by its ending what it is."""
        try:
            return asdict(await rooms.workspace.add(name, request.stream()))
        except CredoError as error:
            raise HTTPException(422, str(error)) from error

    @router.delete("/tables/{id}")
    async def delete(id: str) -> dict[str, str]:
        """Delete a table and what was learnt from it. Studies that began from it stay."""
        entry = kept(rooms.workspace.entry, id)
        await asyncio.to_thread(rooms.forget, entry)
        return {"deleted": id}

    @router.post("/tables/{id}/columns")
    async def columns(id: str, said: Scales) -> dict[str, Any]:
        """What the columns of a table mean, with the reasons."""
        entry = kept(rooms.workspace.entry, id)
        path = rooms.workspace.table(entry)
        return await answered(rooms.desk, tasks.describe, path, dict(said.scales))

    @router.post("/tables/{id}/learn", status_code=202)
    async def learn(id: str, asked: Learning) -> dict[str, str]:
        """Begin to learn a column, of at most two tables at once; `/api/tables/{id}/job` tells how far it is."""
        entry = kept(rooms.workspace.entry, id)
        if id in rooms.running():
            raise HTTPException(409, "This table is being learnt already.")
        if len(rooms.running()) >= _LEARNING:
            raise HTTPException(429, f"{_LEARNING} tables are being learnt already. Wait until one is done.")
        path, folder = rooms.workspace.table(entry), rooms.workspace.folder(entry)
        given = (path, folder, asked.target, dict(asked.scales), asked.drop, asked.direction)
        rooms.jobs[id] = start(tasks.learn, *given, bounds=rooms.bounds)
        return {"job": id}

    @router.get("/tables/{id}/job")
    async def job(id: str) -> dict[str, Any]:
        """How far learning is: its phase, and what came out once it is done."""
        kept(rooms.workspace.entry, id)
        if id not in rooms.jobs:
            raise HTTPException(404, "Nothing is being learnt from this table.")
        found = rooms.jobs[id]
        return {"state": found.state, "phase": found.phase, "error": found.error, "result": found.result}

    @router.get("/tables/{id}/learned")
    async def learned(id: str) -> dict[str, Any]:
        """What was learnt from a table."""
        return learned_of(rooms, kept(rooms.workspace.entry, id))[1]

    @router.post("/tables/{id}/predict")
    async def predict(id: str, asked: Rows) -> Predicted:
        """What the model of a table says of rows: mean, interval, where its width comes from, or classes.

        A name that is no column of the model is refused; a column may be left out, which `missing` then tells.
        """
        folder, _ = learned_of(rooms, kept(rooms.workspace.entry, id))
        rows = [dict(row) for row in asked.rows]
        said = await answered(rooms.desk, tasks.predict, folder / "model.credo", rows, asked.level)
        return Predicted(**said)

    @router.post("/tables/{id}/next")
    async def next_runs(id: str, asked: Asking) -> dict[str, Any]:
        """The next runs to make, each with its reason."""
        entry = kept(rooms.workspace.entry, id)
        path = rooms.workspace.table(entry)
        given = (asked.target, asked.direction, asked.n, dict(asked.scales))
        return await answered(rooms.slow_desk, tasks.next_runs, path, *given)

    return router

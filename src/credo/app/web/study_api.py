"""Studies by JSON: begin one, ask what to measure next, tell what came out, see where it stands."""

from typing import Annotated, Any

from fastapi import APIRouter, HTTPException, Path
from fastapi.responses import Response
from pydantic import BaseModel, Field, FiniteFloat

from credo.app.console import Direction
from credo.app.web import study_tasks
from credo.app.web.desk import Desk
from credo.app.web.rooms import NAME, WRONG, Rooms, Scales, answered, kept

__all__ = ["study_router"]

_ID = Annotated[int, Path(ge=1, le=2**31 - 1)]
_NUMBER = Annotated[int, Path(ge=0, le=2**31 - 1)]


class Range(BaseModel):
    """Numbers between two, on a log scale or not, whole or not, in steps or not."""

    low: FiniteFloat
    high: FiniteFloat
    log: bool = False
    whole: bool = False
    step: FiniteFloat | None = None


class Options(BaseModel):
    """One of several, which may be in an order from the lowest."""

    options: list[NAME] = Field(min_length=2, max_length=200)
    ordered: bool = False


class Beginning(Scales):
    """A study of parameters that are named, or of the columns of a table of past runs, and what was said of them."""

    name: NAME
    directions: dict[NAME, Direction] = Field(min_length=1, max_length=5)
    parameters: dict[NAME, Range | Options] = Field({}, max_length=100)
    bounds: list[NAME] = Field([], max_length=10)
    table: NAME | None = None


class Suggesting(BaseModel):
    """For so many trials at once."""

    n: int = Field(1, ge=1, le=20)


class Result(BaseModel):
    """What came out of a trial, or that it failed."""

    values: dict[NAME, FiniteFloat] = Field({}, max_length=20)
    failed: bool = False
    note: str = Field("", max_length=1000)


class Picture(BaseModel):
    """Which picture, along which parameters."""

    kind: NAME
    columns: list[NAME] = Field([], max_length=2)


def study_router(rooms: Rooms) -> APIRouter:
    """The routes under /api/studies."""
    router = APIRouter(prefix="/api/studies", tags=["studies"], responses=WRONG)

    async def told(desk: Desk, id: int, work: Any, *arguments: Any) -> Any:
        """What is said of a study that is there."""
        found = await answered(desk, study_tasks.of_study, rooms.storage, id, work, *arguments)
        if found is None:
            raise HTTPException(404, "There is no such study.")
        return found

    @router.get("")
    async def studies() -> list[dict[str, Any]]:
        """The studies that are kept, the newest first, with how many trials of each stand where."""
        return await answered(rooms.desk, study_tasks.listed, rooms.storage)

    @router.post("", status_code=201)
    async def begin(asked: Beginning) -> dict[str, int]:
        """Begin a study."""
        entry = None if asked.table is None else kept(rooms.workspace.entry, asked.table)
        runs = None if entry is None else rooms.workspace.table(entry)
        parameters = {name: given.model_dump() for name, given in asked.parameters.items()}
        given = (asked.name, dict(asked.directions), parameters, list(asked.bounds), runs, dict(asked.scales))
        return {"id": await answered(rooms.slow_desk, study_tasks.begin, rooms.storage, *given)}

    @router.get("/{id}")
    async def shown(id: _ID) -> dict[str, Any]:
        """What a study is, and its latest trials."""
        return await told(rooms.desk, id, study_tasks.shown)

    @router.post("/{id}/ask", status_code=201)
    async def ask(id: _ID, asked: Suggesting) -> list[dict[str, Any]]:
        """What to measure next, each with its reason."""
        return await told(rooms.slow_desk, id, study_tasks.ask, asked.n)

    @router.post("/{id}/trials/{number}")
    async def tell(id: _ID, number: _NUMBER, result: Result) -> dict[str, bool]:
        """The result of a trial. The same again is no harm, another is refused.

        `accepted` is false where the trial went to somebody else meanwhile: the result is kept, and does not count.
        """
        given = (dict(result.values), result.failed, result.note)
        return {"accepted": await told(rooms.desk, id, study_tasks.tell, number, *given)}

    @router.get("/{id}/standing")
    async def standing(id: _ID) -> list[str]:
        """The best measured, what is recommended, and what is left to gain."""
        return await told(rooms.slow_desk, id, study_tasks.standing)

    @router.post("/{id}/chart")
    async def chart(id: _ID, asked: Picture) -> dict[str, Any]:
        """A picture as Vega-Lite, with what it shows in words and in numbers."""
        return await told(rooms.slow_desk, id, study_tasks.chart, asked.kind, list(asked.columns))

    @router.get("/{id}/trials.csv", responses={200: {"content": {"text/csv": {"schema": {"type": "string"}}}}})
    async def exported(id: _ID) -> Response:
        """All trials as a table."""
        text = await told(rooms.desk, id, study_tasks.exported)
        return Response(
            text, media_type="text/csv", headers={"content-disposition": 'attachment; filename="trials.csv"'}
        )

    return router

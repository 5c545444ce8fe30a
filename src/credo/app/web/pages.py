"""The pages that a person sees, and the files they need: our scripts and styles, and Vega, all from this machine."""

import asyncio
import json
from functools import lru_cache
from importlib import resources
from typing import Annotated, Any

from fastapi import APIRouter, HTTPException, Path
from fastapi.responses import HTMLResponse, Response
from jinja2 import Environment, PackageLoader

import credo
from credo.app.web.rooms import Rooms, kept, learned_of

__all__ = ["REPORT_POLICY", "error_page", "page_router"]

#: What a report may do: show what is in it.
REPORT_POLICY = (
    "default-src 'none'; img-src data:; style-src 'unsafe-inline'; base-uri 'none'; frame-ancestors 'none'; sandbox"
)
_KINDS = {".js": "text/javascript", ".css": "text/css", ".svg": "image/svg+xml"}
_VEGA = "vega.js"
_TITLES = {404: "There is nothing here", 413: "That is too much", 422: "That cannot be read"}


def page_router(rooms: Rooms) -> APIRouter:
    """The routes outside /api."""
    router = APIRouter(include_in_schema=False)

    @router.get("/")
    async def home() -> HTMLResponse:
        return _page("home.html", tables=rooms.workspace.entries())

    @router.get("/tables/{id}")
    async def table(id: str) -> HTMLResponse:
        entry = kept(rooms.workspace.entry, id)
        learned = _learned(rooms, entry)
        scales = json.dumps((learned or {}).get("scales", {}))
        return _page("table.html", entry=entry, learned=learned, scales=scales, running=id in rooms.running())

    @router.get("/tables/{id}/try")
    async def sliders(id: str) -> HTMLResponse:
        entry = kept(rooms.workspace.entry, id)
        return _page("try.html", entry=entry, learned=learned_of(rooms, entry)[1])

    @router.get("/tables/{id}/report")
    async def report(id: str) -> Response:
        entry = kept(rooms.workspace.entry, id)
        folder, _ = learned_of(rooms, entry)
        text = (folder / "report.html").read_text(encoding="utf-8")
        return HTMLResponse(text, headers={"content-security-policy": REPORT_POLICY})

    @router.get("/studies/new")
    async def new_study() -> HTMLResponse:
        return _page("new_study.html")

    @router.get("/studies/{id}")
    async def study(id: Annotated[int, Path(ge=1, le=2**31 - 1)]) -> HTMLResponse:
        return _page("study.html", id=id)

    @router.get("/static/{name}")
    async def static(name: str) -> Response:
        if name == _VEGA:
            return Response(await asyncio.to_thread(_vega), media_type="text/javascript")
        if name not in _files():
            raise HTTPException(404, "There is no such file.")
        return Response(*_files()[name])

    return router


def error_page(status: int, text: str) -> HTMLResponse:
    """An error in words, for a person."""
    return _page("error.html", status, title=_TITLES.get(status, "This did not work"), text=text)


def _page(name: str, status: int = 200, **values: Any) -> HTMLResponse:
    return HTMLResponse(_templates().get_template(name).render(version=credo.__version__, **values), status)


def _learned(rooms: Rooms, entry: Any) -> dict[str, Any] | None:
    try:
        return learned_of(rooms, entry)[1]
    except HTTPException:
        return None


@lru_cache(maxsize=1)
def _templates() -> Environment:
    return Environment(loader=PackageLoader("credo.app.web"), autoescape=True, trim_blocks=True, lstrip_blocks=True)


@lru_cache(maxsize=1)
def _files() -> dict[str, tuple[bytes, int, None, str]]:
    """Our own files by name, as the arguments of an answer: nothing else can be asked for."""
    found = {}
    for file in (resources.files("credo.app.web") / "static").iterdir():
        kind = next((kind for ending, kind in _KINDS.items() if file.name.endswith(ending)), None)
        if kind is not None:
            found[file.name] = (file.read_bytes(), 200, None, kind)
    return found


@lru_cache(maxsize=1)
def _vega() -> str:
    """Vega, Vega-Lite and Vega-Embed with its interpreter of expressions, from the package that draws our pictures."""
    import vl_convert

    return vl_convert.javascript_bundle("window.vegaEmbed = vegaEmbed;")

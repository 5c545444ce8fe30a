"""The web page as a whole: routes behind the door, pages, and the server on this machine."""

import secrets
import webbrowser
from importlib import resources
from pathlib import Path
from typing import Any

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import HTMLResponse, JSONResponse, Response
from starlette.exceptions import HTTPException as PlainHTTPException

import credo
from credo.app.web.api import Rooms, api_router, learned_of
from credo.app.web.guard import REPORT_POLICY, Guard
from credo.errors import CredoError, InputError

__all__ = ["make_app", "serve"]

_LIMIT = 2**26  # bytes of an upload
_STATIC = {"app.js": "text/javascript", "app.css": "text/css"}
_LOCAL = ("127.0.0.1", "localhost", "::1")


def make_app(rooms: Rooms, *, token: str, hosts: frozenset[str], limit: int = _LIMIT) -> Any:
    """The application: nothing of it answers without the token."""
    app = FastAPI(
        title="credo", version=credo.__version__, docs_url=None, redoc_url=None, openapi_url="/api/openapi.json"
    )
    app.include_router(api_router(rooms))
    app.include_router(_pages(rooms))
    app.add_exception_handler(PlainHTTPException, _told)
    app.add_exception_handler(RequestValidationError, _misread)
    app.add_exception_handler(CredoError, _refused)
    return Guard(app, token=token, hosts=hosts, limit=limit)


def serve(
    folder: Path, *, host: str = "127.0.0.1", port: int = 8765, to_the_world: bool = False, show: bool = True
) -> None:
    """Serve until it is interrupted; the address that is printed has the token."""
    import uvicorn

    if host not in _LOCAL and not to_the_world:
        raise InputError(
            "credo ui",
            f"--host {host} would serve other machines",
            "What is uploaded and learnt would be open to them, behind nothing but the token",
            "Add --to-the-world if that is meant",
        )
    token = secrets.token_urlsafe(24)
    rooms = Rooms(folder)
    hosts = frozenset({f"{host}:{port}", f"localhost:{port}", f"127.0.0.1:{port}"})
    address = f"http://{'127.0.0.1' if host in _LOCAL else host}:{port}/?token={token}"
    print(f"credo: {address}", flush=True)
    rooms.desk.open()
    if show:
        webbrowser.open(address)
    try:
        uvicorn.run(make_app(rooms, token=token, hosts=hosts), host=host, port=port, log_level="warning")
    finally:
        rooms.desk.close()


def _pages(rooms: Rooms) -> Any:
    from fastapi import APIRouter
    from jinja2 import Environment, PackageLoader

    router = APIRouter(include_in_schema=False)
    templates = Environment(
        loader=PackageLoader("credo.app.web"), autoescape=True, trim_blocks=True, lstrip_blocks=True
    )

    def page(name: str, **values: Any) -> HTMLResponse:
        return HTMLResponse(templates.get_template(name).render(version=credo.__version__, **values))

    @router.get("/")
    async def home() -> HTMLResponse:
        return page("home.html", tables=rooms.workspace.entries())

    @router.get("/tables/{id}")
    async def table(id: str) -> HTMLResponse:
        return page("table.html", entry=rooms.workspace.entry(id))

    @router.get("/tables/{id}/try")
    async def sliders(id: str) -> HTMLResponse:
        entry = rooms.workspace.entry(id)
        return page("try.html", entry=entry, learned=learned_of(rooms, entry))

    @router.get("/tables/{id}/report")
    async def report(id: str) -> Response:
        entry = rooms.workspace.entry(id)
        learned_of(rooms, entry)
        text = (rooms.workspace.folder(entry) / "report.html").read_text(encoding="utf-8")
        return HTMLResponse(text, headers={"content-security-policy": REPORT_POLICY})

    @router.get("/static/{name}")
    async def static(name: str) -> Response:
        if name not in _STATIC:
            raise PlainHTTPException(404, "There is no such file.")
        text = (resources.files("credo.app.web") / "static" / name).read_text(encoding="utf-8")
        return Response(text, media_type=_STATIC[name])

    return router


async def _told(request: Request, error: Exception) -> Response:
    """An error in words: a page for a page, JSON for a program."""
    status, text = getattr(error, "status_code", 500), str(getattr(error, "detail", ""))
    return JSONResponse({"error": text}, status_code=status)


async def _refused(request: Request, error: Exception) -> Response:
    return JSONResponse({"error": str(error)}, status_code=404)


async def _misread(request: Request, error: Exception) -> Response:
    first = error.errors()[0] if isinstance(error, RequestValidationError) else {}
    where = " → ".join(str(part) for part in first.get("loc", ()))
    return JSONResponse({"error": f"{where}: {first.get('msg', 'it cannot be read')}."}, status_code=422)

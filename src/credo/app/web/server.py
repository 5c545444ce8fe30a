"""The web page as a whole: routes behind the door, pages, and the server on this machine."""

import secrets
import socket
import webbrowser
from pathlib import Path
from typing import Any

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse, Response
from starlette.exceptions import HTTPException as PlainHTTPException

import credo
from credo.app.web.api import api_router
from credo.app.web.guard import Guard
from credo.app.web.pages import error_page, page_router
from credo.app.web.rooms import Rooms
from credo.app.web.study_api import study_router
from credo.errors import InputError

__all__ = ["make_app", "serve"]

_LIMIT = 2**26  # bytes of an upload
_LOCAL = ("127.0.0.1", "localhost", "::1")


def make_app(rooms: Rooms, *, token: str, hosts: frozenset[str], limit: int = _LIMIT) -> Any:
    """The application: nothing of it answers without the token."""
    app = FastAPI(
        title="credo", version=credo.__version__, docs_url=None, redoc_url=None, openapi_url="/api/openapi.json"
    )
    app.include_router(api_router(rooms))
    app.include_router(study_router(rooms))
    app.include_router(page_router(rooms))
    app.add_exception_handler(PlainHTTPException, _told)
    app.add_exception_handler(RequestValidationError, _misread)
    return Guard(app, token=token, hosts=hosts, limit=limit)


def serve(
    folder: Path,
    *,
    host: str = "127.0.0.1",
    port: int = 8765,
    storage: str | None = None,
    to_the_world: bool = False,
    show: bool = True,
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
    listening = _listening(host, port)  # before a browser is sent there
    token = secrets.token_urlsafe(24)
    rooms = Rooms(folder, storage=storage)
    hosts = frozenset({f"{host}:{port}", f"localhost:{port}", f"127.0.0.1:{port}"})
    address = f"http://{'127.0.0.1' if host in _LOCAL else host}:{port}/?token={token}"
    print(f"credo: {address}", flush=True)
    rooms.desk.open()
    if show:
        webbrowser.open(address)
    try:
        app = make_app(rooms, token=token, hosts=hosts)
        uvicorn.Server(uvicorn.Config(app, log_level="warning")).run(sockets=[listening])
    finally:
        rooms.desk.close()
        listening.close()


def _listening(host: str, port: int) -> socket.socket:
    """Nobody else's."""
    try:
        return socket.create_server((host, port), family=socket.AF_INET6 if ":" in host else socket.AF_INET)
    except OSError as error:
        what = f"{host}:{port} cannot be served ({error.strerror or error})"
        cause = "Another program, perhaps another `credo ui`, is there"
        raise InputError("credo ui", what, cause, f"Try --port {port % 65535 + 1}") from error


async def _told(request: Request, error: Exception) -> Response:
    return _said(request, getattr(error, "status_code", 500), str(getattr(error, "detail", "")))


async def _misread(request: Request, error: Exception) -> Response:
    first = error.errors()[0] if isinstance(error, RequestValidationError) else {}
    where = " → ".join(str(part) for part in first.get("loc", ()))
    return _said(request, 422, f"{where}: {first.get('msg', 'it cannot be read')}.")


def _said(request: Request, status: int, text: str) -> Response:
    """An error in words: a page for a person, JSON for a program."""
    if request.url.path.startswith("/api/"):
        return JSONResponse({"error": text}, status_code=status)
    return error_page(status, text)

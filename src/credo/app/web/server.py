"""The web page as a whole: routes behind the door, pages, and the server on this machine."""

import secrets
import socket
from collections.abc import AsyncIterator
from contextlib import ExitStack, asynccontextmanager
from pathlib import Path
from typing import Any

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse, Response
from starlette.exceptions import HTTPException as PlainHTTPException

import credo
from credo.app.web.api import api_router
from credo.app.web.guard import Guard
from credo.app.web.hosts import address_of, hosts_of, is_local
from credo.app.web.pages import error_page, page_router
from credo.app.web.rooms import Rooms
from credo.app.web.study_api import study_router
from credo.errors import InputError

__all__ = ["make_app", "serve"]

_LIMIT = 2**26  # bytes of an upload
_PORT = 8765


def make_app(rooms: Rooms, *, token: str, hosts: frozenset[str], port: int = _PORT, limit: int = _LIMIT) -> Any:
    """The application: nothing of it answers without the token. Its children end with it."""

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        yield
        rooms.close()

    app = FastAPI(
        title="credo",
        version=credo.__version__,
        docs_url=None,
        redoc_url=None,
        openapi_url="/api/openapi.json",
        lifespan=lifespan,
    )
    app.include_router(api_router(rooms))
    app.include_router(study_router(rooms))
    app.include_router(page_router(rooms))
    app.add_exception_handler(PlainHTTPException, _told)
    app.add_exception_handler(RequestValidationError, _misread)
    return Guard(app, token=token, hosts=hosts, port=port, limit=limit)


def serve(
    folder: Path,
    *,
    host: str = "127.0.0.1",
    port: int = _PORT,
    storage: str | None = None,
    to_the_world: bool = False,
    show: bool = True,
) -> None:
    """Serve until it is interrupted; the address that is printed has the token."""
    from credo.app.web.running import run

    if not is_local(host) and not to_the_world:
        raise InputError(
            "credo ui",
            f"--host {host} would serve other machines",
            "What is uploaded and learnt would be open to them, behind nothing but the token",
            "Add --to-the-world if that is meant",
        )
    with _listening(host, port) as listening, ExitStack() as ending:  # the former before a browser is sent there
        token = secrets.token_urlsafe(24)
        rooms = Rooms(folder, storage=storage)
        ending.callback(rooms.close)
        rooms.open()
        app = make_app(rooms, token=token, hosts=hosts_of(host, port), port=port)
        address = f"{address_of(host, port)}/?token={token}"
        print(f"credo: {address}", flush=True)
        run(app, listening, ending, show=(address, folder) if show else None)


def _listening(host: str, port: int) -> socket.socket:
    """Nobody else's."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        return socket.create_server((host.strip("[]"), port), family=family)
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

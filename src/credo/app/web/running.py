"""The server while it runs: a browser is shown the page once it is there, and nothing is left when it ends."""

import html
import os
import shutil
import socket
import tempfile
import threading
import webbrowser
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import Any, final

import uvicorn

__all__ = ["run", "way_in"]

_PATIENCE = 3  # seconds for connections to end by themselves
_PAGE = """<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>credo</title><meta name="referrer" content="no-referrer">
<meta http-equiv="refresh" content="0; url={address}"></head>
<body><p><a href="{address}">Go on to credo</a></p></body></html>
"""


def run(app: Any, listening: socket.socket, ending: ExitStack, *, show: tuple[str, Path] | None = None) -> None:
    """Serve until a signal says to end; then `ending` is closed first.

    `show` is an address to show in a browser, and a folder to put the way to it.
    """
    settings = uvicorn.Config(app, log_level="warning", timeout_graceful_shutdown=_PATIENCE)
    with suppress(KeyboardInterrupt):  # Ctrl-C, which is told again once all has ended
        _Server(settings, ending, show).run(sockets=[listening])


@final
class _Server(uvicorn.Server):
    def __init__(self, config: uvicorn.Config, ending: ExitStack, show: tuple[str, Path] | None) -> None:
        super().__init__(config)
        self._ending, self._show = ending, show

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Some browsers return only when they are closed, so that another thread waits for them."""
        await super().startup(sockets)
        if self._show is not None:
            path = way_in(*self._show, self._ending)
            threading.Thread(target=webbrowser.open, args=(path.as_uri(),), daemon=True).start()

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Children first: connections are waited for, and they for an answer. A signal ends the process after this."""
        self._ending.close()
        await super().shutdown(sockets)


def way_in(address: str, folder: Path, ending: ExitStack) -> Path:
    """A page that leads to the address, as others on this machine see what a browser is called with.

    It is in the folder of the tables and not among temporary files, which browsers in a box of their own cannot read.
    """
    there = Path(tempfile.mkdtemp(prefix="way-in-", dir=folder.resolve()))  # only its owner can enter it
    ending.callback(shutil.rmtree, there, ignore_errors=True)
    path = there / "credo.html"
    with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="utf-8") as file:
        file.write(_PAGE.format(address=html.escape(address)))
    return path

"""`credo ui` as a process of its own, and Debian's Chromium that looks at it.

The server listens on 127.0.0.1 only. Everything that is started here is stopped here.
"""

import os
import shutil
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

__all__ = ["browser", "chromium", "served", "signed_in", "started", "upload", "uploaded", "violations"]

_PROGRAMS = ("chromium", "chromium-browser", "google-chrome")
_PATIENCE = 90_000  # milliseconds: the first answer compiles, on machines that do other things, too


def chromium() -> str:
    """The program; without one the test is skipped, or fails where CREDO_NEEDS_BROWSER asks for it."""
    found = next((path for path in map(shutil.which, _PROGRAMS) if path), None)
    if found is not None:
        return found
    reason = "there is no Chromium: apt-get install chromium"
    if os.environ.get("CREDO_NEEDS_BROWSER"):
        pytest.fail(f"{reason}, and CREDO_NEEDS_BROWSER asks for it")
    pytest.skip(reason)


@contextmanager
def served(folder: Path) -> Iterator[str]:
    """The address with the token, as it is printed."""
    with started(folder) as (_, address):
        yield address


@contextmanager
def started(folder: Path, *options: str, **environment: str) -> Iterator[tuple["subprocess.Popen[str]", str]]:
    """The process of `credo ui`, which the test may end, and the address with the token."""
    with socket.create_server(("127.0.0.1", 0)) as probe:
        port = probe.getsockname()[1]
    program = [sys.executable, "-m", "credo.app"]
    command = [*program, "ui", "--folder", str(folder), "--port", str(port), *(options or ("--no-browser",))]
    with (folder / "server.log").open("wb") as log:
        variables = {**os.environ, **environment}
        server = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=log, text=True, env=variables)
        try:
            assert server.stdout is not None
            line = server.stdout.readline()
            assert line.startswith("credo: http://127.0.0.1:"), (folder / "server.log").read_text()
            yield server, line.split()[1]
        finally:
            server.terminate()
            server.wait(timeout=30)


@contextmanager
def browser(**settings: Any) -> Iterator[Any]:
    """A page of a fresh browser; `page.complaints` are what it wrote to its console."""
    from playwright.sync_api import expect, sync_playwright

    expect.set_options(timeout=_PATIENCE)
    with sync_playwright() as started:
        program = started.chromium.launch(executable_path=chromium(), args=["--no-sandbox"])
        page = program.new_context(viewport={"width": 1200, "height": 900}, **settings).new_page()
        page.set_default_timeout(_PATIENCE)
        page.complaints = []
        page.on("console", lambda message: page.complaints.append(message.text))
        page.on("pageerror", lambda error: page.complaints.append(str(error)))
        page.on("dialog", lambda dialog: (page.complaints.append(f"dialog: {dialog.message}"), dialog.dismiss()))
        try:
            yield page
        finally:
            program.close()


@contextmanager
def signed_in(address: str, **settings: Any) -> Iterator[Any]:
    """A page that is on the first page of the server; `page.home` is its address without the token."""
    with browser(**settings) as page:
        page.home = address.split("?")[0]
        page.goto(address)
        page.wait_for_url(page.home)  # the entrance goes on by itself
        yield page


def upload(page: Any, name: str, content: bytes) -> None:
    """As a person does."""
    page.goto(page.home)
    page.get_by_label("CSV, TSV, Parquet").set_input_files({"name": name, "mimeType": "text/csv", "buffer": content})
    page.get_by_role("button", name="Upload").click()


def uploaded(page: Any, frame: Any, name: str = "runs.csv") -> None:
    """A frame of Polars; the page is then on its table."""
    from playwright.sync_api import expect

    upload(page, name, frame.write_csv().encode())
    expect(page.get_by_role("heading", level=1)).to_have_text(name)
    expect(page.locator("#message")).to_contain_text(f"{len(frame)} rows, {frame.width} columns.")


def violations(page: Any) -> list[str]:
    """What axe-core finds on a page: the rule, and where."""
    from axe_playwright_python.sync_playwright import Axe

    found = Axe().run(page).response["violations"]
    return [f"{rule['id']}: {node['target']} {node['failureSummary']}" for rule in found for node in rule["nodes"]]

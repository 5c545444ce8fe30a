"""`credo ui` as a process: what it shows a browser, and that nothing of it is left when it ends."""

import json
import os
import signal
import time
import urllib.error
import urllib.request
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest

from credo.app.web.running import way_in
from hostile_files import learnable
from ui_browser import started

in_proc = pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="the test looks for processes in /proc")
LONG = pytest.mark.timeout(300)


def ask(address, path, body=None, *, method=None):
    home, token = address.split("/?token=")
    content = body if body is None or isinstance(body, bytes) else json.dumps(body).encode()
    headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}
    request = urllib.request.Request(f"{home}{path}", data=content, headers=headers, method=method)
    return json.load(urllib.request.urlopen(request, timeout=60))


def descendants(pid):
    """The processes below one."""
    parents = {}
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            parents[int(path.parent.name)] = int(path.read_text().rpartition(")")[2].split()[1])
        except (OSError, ValueError):
            continue
    found, more = set(), {pid}
    while more:
        more = {child for child, parent in parents.items() if parent in more} - found
        found |= more
    return found


def are_gone(pids, seconds=30.0):
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        if not any(Path(f"/proc/{pid}/stat").exists() for pid in pids):
            return True
        time.sleep(0.1)
    return False


def learning(address):
    """Begin to learn a table, and wait for the child to be at it."""
    id = ask(address, "/api/tables?name=runs.csv", learnable(["t", "u"], rows=200))["id"]
    ask(address, f"/api/tables/{id}/learn", {"target": "y"})
    while ask(address, f"/api/tables/{id}/job")["phase"] == "starting":
        time.sleep(0.1)


@in_proc
@LONG
@pytest.mark.slow
@pytest.mark.parametrize("how", [signal.SIGTERM, signal.SIGKILL, signal.SIGINT])
def test_no_child_is_left(tmp_path, how):
    with started(tmp_path) as (server, address):
        learning(address)
        children = descendants(server.pid)
        assert len(children) >= 3  # two desks and a job
        server.send_signal(how)
        server.wait(20)
        assert are_gone(children)
    assert "Traceback" not in (tmp_path / "server.log").read_text()


@in_proc
@LONG
@pytest.mark.slow
def test_it_ends_without_waiting_for_a_question(tmp_path):
    """And a question that takes thought keeps nobody else waiting."""
    with started(tmp_path) as (server, address):
        id = ask(address, "/api/tables?name=runs.csv", learnable(["t", "u", "v"], rows=300))["id"]
        assert ask(address, "/api/studies") == []
        asked = {"target": "y", "direction": "maximize", "n": 20}
        with ThreadPoolExecutor(1) as threads:
            told = threads.submit(_status, address, f"/api/tables/{id}/next", asked)
            time.sleep(3.0)
            began = time.monotonic()
            assert ask(address, "/api/studies") == []
            assert time.monotonic() - began < 2.0
            assert not told.done()
            server.send_signal(signal.SIGINT)
            server.wait(10)
        assert told.result() != 200
    assert "Traceback" not in (tmp_path / "server.log").read_text()


def _status(address, path, body):
    try:
        ask(address, path, body)
    except urllib.error.HTTPError as error:
        return error.code
    except OSError:
        return None
    return 200


@LONG
@pytest.mark.slow
def test_a_browser_is_shown_the_page_once_it_is_served_and_its_command_tells_nothing(tmp_path):
    """The browser here is a script that notes what it was called with, and does not return."""
    script, note = tmp_path / "browser", tmp_path / "note"
    script.write_text(f'#!/bin/sh\nprintf %s "$1" > {note}.part && mv {note}.part {note}\nexec sleep 600\n')
    script.chmod(0o700)
    with started(tmp_path, "--browser", BROWSER=f"{script} %s") as (server, address):
        while not note.exists():
            time.sleep(0.1)
        called_with = note.read_text()
        assert address.rpartition("=")[2] not in called_with
        page = Path(unquote(urlsplit(called_with).path))
        assert address in page.read_text()
        assert ask(address, "/api/tables") == []  # while the browser is open
        children = descendants(server.pid)
        server.terminate()
        server.wait(20)
        assert not page.parent.exists()
    for pid in children:  # the script, which is not ended with the page
        if Path(f"/proc/{pid}/cmdline").exists() and b"sleep" in Path(f"/proc/{pid}/cmdline").read_bytes():
            os.kill(pid, signal.SIGKILL)


def test_the_way_in_is_for_nobody_elses_eyes(tmp_path):
    with ExitStack() as ending:
        page = way_in("http://127.0.0.1:8765/?token=a&b", tmp_path, ending)
        assert page.stat().st_mode & 0o777 == 0o600
        assert page.parent.stat().st_mode & 0o777 == 0o700
        text = page.read_text()
        assert '<meta http-equiv="refresh" content="0; url=http://127.0.0.1:8765/?token=a&amp;b">' in text
        assert "script" not in text
    assert list(tmp_path.iterdir()) == []

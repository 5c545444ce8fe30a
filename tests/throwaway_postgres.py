"""A PostgreSQL server for one session of tests: in a temporary directory, reached by a Unix socket, removed after.

Nothing listens on the network, and only what was started here is stopped. PostgreSQL refuses to run as root; where the
tests do, it runs as `postgres` or `nobody`.
"""

import os
import pwd
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

__all__ = ["postgres_programs", "postgres_server"]


def postgres_programs() -> Path | None:
    """The directory of `initdb` and `postgres`, None where they are not installed. Debian keeps them off the path."""
    on_path = shutil.which("initdb")
    folders = [Path(on_path).resolve().parent] if on_path else []
    folders += sorted(Path("/usr/lib/postgresql").glob("*/bin"), reverse=True)
    return next((folder for folder in folders if (folder / "postgres").exists()), None)


@contextmanager
def postgres_server(*, durable: bool = False) -> Iterator[str]:
    """The address of a fresh server. `durable` ones sync every commit, as a user's does; others are quicker."""
    programs = postgres_programs()
    assert programs is not None, "there is no PostgreSQL"
    folder = Path(tempfile.mkdtemp(prefix="credo-pg-"))
    as_user = _unprivileged(folder)
    data, log = folder / "data", folder / "log"
    setup = [programs / "initdb", "-D", data, "-U", "credo", "-A", "trust", "-E", "UTF8", "--locale=C", "--no-sync"]
    try:
        subprocess.run(setup, check=True, capture_output=True, cwd=folder, **as_user)
        settings = {"listen_addresses": "", "unix_socket_directories": folder, "fsync": "on" if durable else "off"}
        options = [part for name, value in settings.items() for part in ("-c", f"{name}={value}")]
        with log.open("wb") as output:
            server = subprocess.Popen(
                [programs / "postgres", "-D", data, *options], stdout=output, stderr=output, cwd=folder, **as_user
            )
        try:
            _await(server, folder, log)
            yield f"postgresql://credo@/postgres?host={folder}"
        finally:
            server.send_signal(signal.SIGINT)  # disconnects everyone and shuts down cleanly
            server.wait(timeout=60)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _unprivileged(folder: Path) -> dict[str, object]:
    """Arguments of `subprocess` for another user where this one is root, whose the folder becomes."""
    if os.getuid() != 0:
        return {}
    known = {entry.pw_name: entry for entry in pwd.getpwall()}
    user = known.get("postgres") or known["nobody"]
    os.chown(folder, user.pw_uid, user.pw_gid)
    return {"user": user.pw_uid, "group": user.pw_gid, "extra_groups": []}


def _await(server: subprocess.Popen, folder: Path, log: Path) -> None:
    """Until the server takes connections: its log says so after the socket is there."""
    deadline = time.monotonic() + 60.0
    while b"ready to accept connections" not in log.read_bytes():
        assert server.poll() is None, f"PostgreSQL did not start: {log.read_text()[-1000:]}"
        assert time.monotonic() < deadline, f"PostgreSQL took too long: {log.read_text()[-1000:]}"
        time.sleep(0.02)

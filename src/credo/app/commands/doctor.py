"""`credo doctor`: whether this machine and this installation do what credo needs."""

import importlib.metadata
import multiprocessing
import platform
import sqlite3
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from time import perf_counter
from typing import NamedTuple

import typer

from credo.app.console import Code, tell
from credo.app.options import JSON

__all__ = ["Check", "checks", "register"]

_ROUNDS = 3
_WAL_FIX = (3, 51, 3)  # of SQLite, in which the bug of resetting a write-ahead log is mended


class Check(NamedTuple):
    """What was looked at, whether it is as it should be, and what was seen."""

    name: str
    good: bool
    seen: str


def register(app: typer.Typer) -> None:
    """Add the command of this file."""
    app.command()(doctor)


def doctor(as_json: JSON = False) -> None:
    """Check the machine, the installation, SQLite and JAX, and that a study survives a worker that is killed."""
    from credo.represent.text import aligned

    found = checks()
    lines = aligned([("check", "", "seen"), *[(c.name, "ok" if c.good else "NOT OK", c.seen) for c in found]])
    bad = [check for check in found if not check.good]
    lines.append("All is well." if not bad else f"{len(bad)} of {len(found)} checks failed.")
    tell(lines, {"checks": found, "good": not bad}, as_json=as_json)
    if bad:
        raise typer.Exit(Code.BROKEN_PROMISE)


def checks() -> list[Check]:
    """All of them; one that raises has failed."""
    return [_checked(name, look) for name, look in _CHECKS.items()]


def _checked(name: str, look: Callable[[], tuple[bool, str]]) -> Check:
    try:
        return Check(name, *look())
    except Exception as error:
        return Check(name, False, f"{type(error).__name__}: {error}")


def _python() -> tuple[bool, str]:
    return sys.version_info >= (3, 11), f"{platform.python_version()} on {platform.system()} {platform.machine()}"


def _cores() -> tuple[bool, str]:
    from credo.numerics.memory import physical_memory
    from credo.numerics.threads import available_cores

    return True, f"{available_cores()} cores, {(physical_memory() or 0) / 2**30:.0f} GiB of memory"


def _installed() -> tuple[bool, str]:
    absent, seen = [], []
    for name in ("jax", "scikit-learn", "lightgbm", "polars", "altair", "sqlalchemy", "typer", "fastapi"):
        try:
            seen.append(f"{name} {importlib.metadata.version(name)}")
        except importlib.metadata.PackageNotFoundError:
            absent.append(name)
    return not absent, f"not installed: {', '.join(absent)}" if absent else ", ".join(seen)


def _jax() -> tuple[bool, str]:
    import jax
    import jax.numpy as jnp

    import credo  # noqa: F401  (which switches JAX to 64 bit)

    wide = bool(jnp.asarray(1.0).dtype == jnp.float64)
    return wide, f"{', '.join(str(device) for device in jax.devices())}, {'64' if wide else '32'} bit"


def _sqlite() -> tuple[bool, str]:
    version = sqlite3.sqlite_version
    old = sqlite3.sqlite_version_info < _WAL_FIX
    return True, version + (", older than the fix of its write-ahead log, which credo does not use" if old else "")


def _speed() -> tuple[bool, str]:
    import numpy as np

    A = np.random.default_rng(0).normal(size=(1000, 1000))
    A = A @ A.T + 1000.0 * np.eye(1000)
    np.linalg.cholesky(A)
    started = perf_counter()
    np.linalg.cholesky(A)
    return True, f"Cholesky of 1000 × 1000 in {1e3 * (perf_counter() - started):.0f} ms"


def _survives_a_crash() -> tuple[bool, str]:
    """A worker is killed in the midst of its work, some times; what it was told is there, and numbers have no gap."""
    from credo.decide import Study, open_study
    from credo.represent.space import Real, Space

    with tempfile.TemporaryDirectory() as folder:
        path = str(Path(folder) / "doctor.db")
        Study(Space({"x": Real(0, 1)}), acquisition="random", storage=path, name="doctor", random_state=0)
        for _ in range(_ROUNDS):
            worker = multiprocessing.get_context("spawn").Process(target=_told_until_killed, args=(path,))
            worker.start()
            told = len(open_study("doctor", path).trials)
            deadline = perf_counter() + 60.0
            while len(open_study("doctor", path).trials) < told + 3 and perf_counter() < deadline:
                pass
            worker.kill()
            worker.join()
        trials = open_study("doctor", path).trials
        with sqlite3.connect(path) as connection:
            whole = connection.execute("pragma integrity_check").fetchone()[0] == "ok"
    numbers = [trial.number for trial in trials]
    good = whole and numbers == list(range(len(numbers))) and len(numbers) >= 3 * _ROUNDS
    return good, f"a worker killed {_ROUNDS} times, {len(numbers)} trials kept without a gap" if good else str(numbers)


def _told_until_killed(path: str) -> None:
    from credo.decide import open_study

    study = open_study("doctor", path)
    while True:
        trial = study.ask()
        study.tell(trial, trial.params["x"])


_CHECKS: dict[str, Callable[[], tuple[bool, str]]] = {
    "Python": _python,
    "machine": _cores,
    "packages": _installed,
    "JAX": _jax,
    "SQLite": _sqlite,
    "speed": _speed,
    "crash safety": _survives_a_crash,
}

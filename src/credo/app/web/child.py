"""Work on strangers' files in a child process, with limits on memory and time: what goes wrong there ends there."""

import multiprocessing
import os
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from multiprocessing.connection import Connection
from typing import Any, Literal, NamedTuple, final

from credo.app.web.process import begun
from credo.errors import CredoError, message
from credo.numerics.memory import physical_memory

__all__ = ["Bounds", "Job", "listened", "start", "worked"]

State = Literal["running", "done", "failed"]
_LOOK = 0.1  # seconds between two looks at a child
_UNEXPECTED = "An error that nobody expected; it was told to the terminal that `credo ui` runs in"
_MEMORY = 6 * 2**30  # bytes, where the machine has twice as many


class Bounds(NamedTuple):
    """What a child may take: bytes of memory, seconds on the clock; and for what takes longer the likely cause and
    what to try."""

    memory: int = min(_MEMORY, (physical_memory() or 2 * _MEMORY) // 2)
    seconds: float = 900.0
    late: tuple[str, str] = ("The table is large", "Try fewer rows or columns")


@final
@dataclass
class Job:
    """A piece of work in a child process: how far it is, and what came out.

    `phase` is what it does now, `result` what it returned once `state` is "done", `error` a sentence where it failed.
    """

    phase: str = "starting"
    state: State = "running"
    result: Any = None
    error: str = ""
    _ended: threading.Event = field(default_factory=threading.Event, repr=False)
    _unwanted: threading.Event = field(default_factory=threading.Event, repr=False)

    def wait(self, seconds: float | None = None) -> "Job":
        """Until it has ended, or so many seconds."""
        self._ended.wait(seconds)
        return self

    def stop(self) -> None:
        """Have its child ended; `wait` tells when it is."""
        self._unwanted.set()

    def _end(self, state: State, *, result: Any = None, error: str = "") -> None:
        self.result, self.error, self.state = result, error, state
        self._ended.set()


def start(work: Callable[..., Any], *arguments: Any, bounds: Bounds | None = None) -> Job:
    """Run ``work(say, *arguments)`` in a new process; `say` takes the name of a phase. It returns at once.

    `work` is a function of a module; arguments and result are pickled between the two processes, which are both ours. A
    child that takes more than its bounds is killed, and the job says so.
    """
    job, limits = Job(), bounds or Bounds()
    threading.Thread(target=_watched, args=(job, work, arguments, limits), daemon=True).start()
    return job


def _watched(job: Job, work: Callable[..., Any], arguments: tuple[Any, ...], bounds: Bounds) -> None:
    """Tell a job what came of its child, once that has ended."""
    try:
        kind, content = _outcome(job, work, arguments, bounds)
    except (EOFError, OSError):
        kind, content = "failed", message("credo", "the work ended without an answer", "It may have run out of memory")
    job._end("done", result=content) if kind == "done" else job._end("failed", error=content)


def _outcome(job: Job, work: Callable[..., Any], arguments: tuple[Any, ...], bounds: Bounds) -> tuple[str, Any]:
    """Listen to a child until it ends, and end it where it takes too much."""
    ours, theirs = multiprocessing.get_context("spawn").Pipe(duplex=False)
    child = begun(_work, theirs, work, arguments)
    theirs.close()
    try:
        return listened(ours, child.pid or 0, bounds, partial(setattr, job, "phase"), job._unwanted)
    finally:
        child.kill()
        child.join()
        ours.close()


def listened(
    pipe: Connection, pid: int, bounds: Bounds, say: Callable[[str], None], unwanted: threading.Event
) -> tuple[str, Any]:
    """What a child answers in the end, ("done", result) or ("failed", sentence); its phases go to `say`.

    ("late", sentence) where it takes more than its bounds or its answer is unwanted by now, and it is still there, to
    be ended. One that died is an EOFError.
    """
    began = time.monotonic()
    while True:
        if pipe.poll(_LOOK):
            kind, content = pipe.recv()
            if kind != "phase":
                return kind, content
            say(content)
        reason = _too_much(pid, time.monotonic() - began, bounds)
        if unwanted.is_set():
            reason = message("credo", "the work was stopped", "Its table was deleted, or `credo ui` ends")
        if reason is not None:
            return "late", reason


def _too_much(pid: int, seconds: float, bounds: Bounds) -> str | None:
    """Why a child that runs for so many seconds has to end, or None."""
    if seconds > bounds.seconds:
        return message("credo", f"it took longer than {bounds.seconds:g} s", *bounds.late)
    if _memory(pid) > bounds.memory:
        what = f"it took more than {bounds.memory / 2**30:.1f} GiB of memory"
        return message("credo", what, "The table is large, or made to be", "Try fewer rows or columns")
    return None


def _memory(pid: int) -> int:
    """Bytes that a process holds; nothing where the machine does not tell."""
    try:
        with open(f"/proc/{pid}/statm", encoding="ascii") as file:
            return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except (OSError, ValueError, IndexError):
        return 0


def _work(pipe: Connection, work: Callable[..., Any], arguments: tuple[Any, ...]) -> None:
    """In the child."""
    pipe.send(worked(pipe, work, arguments))


def worked(pipe: Connection, work: Callable[..., Any], arguments: tuple[Any, ...]) -> tuple[str, Any]:
    """In a child: what came out, or a sentence about why nothing did. Phases are told as they come."""
    try:
        return "done", work(lambda phase: pipe.send(("phase", phase)), *arguments)
    except CredoError as error:
        return "failed", str(error)
    except MemoryError:
        return "failed", message("credo", "there is not enough memory", "The table is large", "Try fewer rows")
    except Exception:
        import traceback

        traceback.print_exc()
        return "failed", message("credo", "this cannot be done", _UNEXPECTED)

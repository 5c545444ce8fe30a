"""A child process that stays, for questions that must be answered at once: a prediction while a slider moves."""

import multiprocessing
import threading
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from multiprocessing.connection import Connection
from multiprocessing.context import SpawnProcess
from typing import Any, final

from credo.app.web.child import Bounds, listened, worked
from credo.app.web.process import begun
from credo.errors import NumericalError, UndefinedError

__all__ = ["Desk"]

# A child starts as quickly as the machine can: that is no time of a question.
_START = Bounds(seconds=60.0, late=("A child process did not start: the machine is busy", "Try again"))


@final
class Desk:
    """Answers one question after the other, in a child process that is begun again when it took too much or died.

    The first answer waits for the child to start, a few seconds; `open` begins it ahead of time.
    """

    def __init__(self, bounds: Bounds | None = None) -> None:
        self._bounds = bounds or Bounds(seconds=60.0)
        self._lock = threading.Lock()
        self._closed = threading.Event()
        self._child: SpawnProcess | None = None
        self._pipe: Connection | None = None
        self._ready = False  # whether the child has said that it is there
        # Of its own: those who wait for one desk do not keep those who ask another one waiting.
        self._queue = ThreadPoolExecutor(max_workers=1, thread_name_prefix="credo-desk")

    def open(self) -> None:
        """Begin the child, unless it is there."""
        with self._lock:
            self._opened()

    def later(self, work: Callable[..., Any], *arguments: Any) -> Future[Any]:
        """What `call` will return, once the questions before have been answered."""
        return self._queue.submit(self.call, work, *arguments)

    def call(self, work: Callable[..., Any], *arguments: Any) -> Any:
        """What ``work(say, *arguments)`` returns; its error as an `UndefinedError` in its words."""
        with self._lock:
            child, pipe = self._opened()
            try:
                if not self._ready:
                    kind, content = self._heard(child, pipe, _START)
                    self._ready = kind == "done"
                if self._ready:
                    pipe.send((work, arguments))
                    kind, content = self._heard(child, pipe, self._bounds)
            except (EOFError, OSError) as error:
                self._end()
                raise NumericalError("credo", "the work ended without an answer") from error
            if kind == "late":
                self._end()
        if kind != "done":
            raise UndefinedError(content)
        return content

    def _heard(self, child: SpawnProcess, pipe: Connection, bounds: Bounds) -> tuple[str, Any]:
        return listened(pipe, child.pid or 0, bounds, lambda phase: None, self._closed)

    def close(self) -> None:
        """End the child, also at a question: whoever waits for the answer is told so."""
        self._closed.set()
        with self._lock:
            self._end()

    def _opened(self) -> tuple[SpawnProcess, Connection]:
        if self._closed.is_set():
            raise UndefinedError("credo", "no question is taken any more", "`credo ui` ends")
        if self._child is None or self._pipe is None or not self._child.is_alive():
            self._end()
            self._pipe, theirs = multiprocessing.get_context("spawn").Pipe()
            self._child = begun(_answering, theirs)
            theirs.close()
        return self._child, self._pipe

    def _end(self) -> None:
        if self._child is not None and self._pipe is not None:
            self._child.kill()
            self._child.join()
            self._pipe.close()
        self._child = self._pipe = None
        self._ready = False


def _answering(pipe: Connection) -> None:
    """In the child: until the other end is gone. It first says that it is there."""
    pipe.send(("done", None))
    while True:
        try:
            work, arguments = pipe.recv()
        except EOFError:
            return
        pipe.send(worked(pipe, work, arguments))

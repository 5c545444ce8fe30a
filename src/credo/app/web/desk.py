"""One child process that stays, for questions that must be answered at once: a prediction while a slider moves."""

import multiprocessing
import threading
from collections.abc import Callable
from multiprocessing.connection import Connection
from typing import Any, final

from credo.app.web.child import Bounds, listened, worked
from credo.errors import NumericalError, UndefinedError

__all__ = ["Desk"]


@final
class Desk:
    """Answers one question after the other, in a child process that is begun again when it took too much or died.

    The first answer waits for the child to start, a few seconds; `open` begins it ahead of time.
    """

    def __init__(self, bounds: Bounds | None = None) -> None:
        self._bounds = bounds or Bounds(seconds=60.0)
        self._lock = threading.Lock()
        self._child: Any = None
        self._pipe: Connection | None = None

    def open(self) -> None:
        """Begin the child, unless it is there."""
        if self._child is not None and self._child.is_alive():
            return
        context = multiprocessing.get_context("spawn")
        self._pipe, theirs = context.Pipe()
        self._child = context.Process(target=_answering, args=(theirs,), daemon=True)
        self._child.start()
        theirs.close()

    def call(self, work: Callable[..., Any], *arguments: Any) -> Any:
        """What ``work(say, *arguments)`` returns; its error as an `UndefinedError` in its words."""
        with self._lock:
            self.open()
            assert self._pipe is not None
            try:
                self._pipe.send((work, arguments))
                kind, content = listened(self._pipe, self._child.pid, self._bounds, lambda phase: None)
            except (EOFError, OSError) as error:
                self._end()
                raise NumericalError("credo", "the work ended without an answer") from error
            if kind == "late":
                self._end()
        if kind != "done":
            raise UndefinedError(content)
        return content

    def _end(self) -> None:
        self._child.kill()
        self._child.join()

    def close(self) -> None:
        """End the child."""
        with self._lock:
            if self._child is not None:
                self._end()


def _answering(pipe: Connection) -> None:
    """In the child: until the other end is gone."""
    while True:
        try:
            work, arguments = pipe.recv()
        except EOFError:
            return
        pipe.send(worked(pipe, work, arguments))

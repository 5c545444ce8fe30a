"""Progress: silent unless asked; then one bar that names the phase, "compiling" included.

``with tracker("fitting", total=10, show=True) as track: track.phase("compiling"); track.advance()``. On a terminal
with Rich (the ``app`` extra) it is a bar; piped, or without Rich, it is plain lines without control characters. All
of it goes to stderr.
"""

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Protocol, runtime_checkable

__all__ = ["Tracker", "show_progress", "tracker"]

_shown = False


@runtime_checkable
class Tracker(Protocol):
    """What long work reports to."""

    def phase(self, name: str) -> None:
        """Say what is done now: "compiling", "minimizing"…"""
        ...

    def advance(self, steps: int = 1) -> None:
        """Count finished steps."""
        ...


class SilentTracker:
    """Says nothing: the default."""

    def phase(self, name: str) -> None:
        return None

    def advance(self, steps: int = 1) -> None:
        return None


class PlainTracker:
    """One line for each new phase and one at the end."""

    def __init__(self, task: str, total: int | None, stream: Any) -> None:
        self._task, self._total, self._stream = task, total, stream
        self._done, self._phase = 0, ""
        self._started = time.perf_counter()

    def phase(self, name: str) -> None:
        if name != self._phase:
            self._phase = name
            self._say(name)

    def advance(self, steps: int = 1) -> None:
        self._done += steps

    def finish(self) -> None:
        of_total = "" if self._total is None else f" of {self._total}"
        counted = f"{self._done}{of_total} steps in " if self._done else ""
        self._say(f"done, {counted}{time.perf_counter() - self._started:.1f} s")

    def _say(self, text: str) -> None:
        print(f"{self._task}: {text}", file=self._stream, flush=True)


class RichTracker:
    """A bar on a terminal."""

    def __init__(self, bar: Any, task: str, total: int | None) -> None:
        self._bar, self._task = bar, task
        self._id = bar.add_task(task, total=total)

    def phase(self, name: str) -> None:
        self._bar.update(self._id, description=f"{self._task}: {name}")

    def advance(self, steps: int = 1) -> None:
        self._bar.advance(self._id, steps)


def show_progress(enabled: bool = True) -> None:
    """Show progress wherever a call does not say otherwise (``show=``, ``verbose=``)."""
    global _shown
    _shown = bool(enabled)


@contextmanager
def tracker(task: str, total: int | None = None, show: bool | None = None) -> Iterator[Tracker]:
    """A tracker for one piece of work; `show` None follows [](#credo.numerics.show_progress), off by default.

    >>> with tracker("fitting", total=2) as track:  # prints nothing
    ...     track.phase("compiling")
    ...     track.advance()
    """
    if not (_shown if show is None else show):
        yield SilentTracker()
        return
    bar = _rich_bar() if sys.stderr.isatty() else None
    if bar is not None:
        with bar:
            yield RichTracker(bar, task, total)
        return
    plain = PlainTracker(task, total, sys.stderr)
    yield plain
    plain.finish()


def _rich_bar() -> Any:
    """Rich's bar on stderr, or None where Rich is not installed."""
    try:
        from rich.console import Console
        from rich.progress import Progress
    except ImportError:
        return None
    return Progress(console=Console(stderr=True))

"""Progress: silent unless asked, or long; then one bar that names the phase, "compiling" included.

``with tracker("fitting", total=10, show=True) as track: track.phase("compiling"); track.advance()``. On a terminal
with Rich (the ``app`` extra) it is a bar; piped, or without Rich, it is plain lines without control characters. All
of it goes to stderr. Work that states before it begins that it takes ten seconds or more is shown by itself, its time
first, unless progress is switched off.
"""

import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Protocol, runtime_checkable

__all__ = ["Tracker", "show_progress", "tracker"]

_shown: bool | None = None  # what the user has chosen
_LONG = 10.0  # seconds from which work is shown without being asked for
_EVERY = 10.0  # seconds between two lines about the same phase


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
    """One line for each new phase and one at the end; with `seconds`, the expected time first and every ten seconds."""

    def __init__(self, task: str, total: int | None, stream: Any, seconds: float | None = None) -> None:
        self._task, self._total, self._stream, self._seconds = task, total, stream, seconds
        self._done, self._phase = 0, ""
        self._started = self._spoke = time.perf_counter()
        if seconds is not None:
            self._say(f"takes about {_duration(seconds)}")

    def phase(self, name: str) -> None:
        now = time.perf_counter()
        if name != self._phase:
            self._phase, self._spoke = name, now
            self._say(name)
        elif self._seconds is not None and now - self._spoke >= _EVERY:
            self._spoke = now
            self._say(f"{name}, {_duration(now - self._started)} of about {_duration(self._seconds)}")

    def advance(self, steps: int = 1) -> None:
        self._done += steps

    def finish(self) -> None:
        of_total = "" if self._total is None else f" of {self._total}"
        counted = f"{self._done}{of_total} steps in " if self._done else ""
        self._say(f"done, {counted}{time.perf_counter() - self._started:.1f} s")

    def _say(self, text: str) -> None:
        print(f"{self._task}: {text}", file=self._stream, flush=True)


class RichTracker:
    """A bar on a terminal: of the steps, or with `seconds` of the expected time, which it names."""

    def __init__(self, bar: Any, task: str, total: int | None, seconds: float | None = None) -> None:
        self._bar, self._seconds, self._started = bar, seconds, time.perf_counter()
        self._task = task if seconds is None else f"{task}, about {_duration(seconds)}"
        self._id = bar.add_task(self._task, total=total if seconds is None else seconds)

    def phase(self, name: str) -> None:
        self._bar.update(self._id, description=f"{self._task}: {name}")
        if self._seconds is not None:
            self._bar.update(self._id, completed=min(time.perf_counter() - self._started, self._seconds))

    def advance(self, steps: int = 1) -> None:
        if self._seconds is None:
            self._bar.advance(self._id, steps)


def _duration(seconds: float) -> str:
    """In whole seconds, or in minutes from two on.

    >>> _duration(41.3), _duration(420.0)
    ('41 s', '7 min')
    """
    return f"{seconds:.0f} s" if seconds < 120.0 else f"{seconds / 60.0:.0f} min"


def show_progress(enabled: bool = True) -> None:
    """Show progress wherever a call does not say otherwise (``show=``, ``verbose=``), or not even that of long work."""
    global _shown
    _shown = bool(enabled)


@contextmanager
def tracker(
    task: str, total: int | None = None, show: bool | None = None, *, seconds: float | None = None
) -> Iterator[Tracker]:
    """A tracker for one piece of work.

    Parameters
    ----------
    task : str
        What is done, or by whom.
    total : int, optional
        The number of steps.
    show : bool, optional
        None follows [](#credo.numerics.show_progress). As long as that was never called, only work of the main thread
        is shown that is expected to take ten seconds or more and is no part of other work that is shown.
    seconds : float, optional
        How long the work is expected to take, which is stated first.

    >>> with tracker("fitting", total=2) as track:  # prints nothing
    ...     track.phase("compiling")
    ...     track.advance()
    """
    if not (_is_shown(seconds) if show is None else show):
        yield SilentTracker()
        return
    outer = getattr(_visible, "depth", 0)
    _visible.depth = outer + 1
    try:
        bar = _rich_bar() if sys.stderr.isatty() else None
        if bar is not None:
            with bar:
                yield RichTracker(bar, task, total, seconds)
            return
        plain = PlainTracker(task, total, sys.stderr, seconds)
        yield plain
        plain.finish()
    finally:
        _visible.depth = outer


_visible = threading.local()


def _is_shown(seconds: float | None) -> bool:
    if _shown is not None:
        return _shown
    alone = threading.current_thread() is threading.main_thread() and not getattr(_visible, "depth", 0)
    return alone and seconds is not None and seconds >= _LONG


def _rich_bar() -> Any:
    """Rich's bar on stderr, or None where Rich is not installed."""
    try:
        from rich.console import Console
        from rich.progress import Progress
    except ImportError:
        return None
    return Progress(console=Console(stderr=True))

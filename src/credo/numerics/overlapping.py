"""Settings that a process has once, wanted by contexts that may overlap."""

from collections.abc import Callable
from threading import Lock

__all__ = ["Overlapping"]


class Overlapping:
    """A setting made by the first of the contexts that want it, also in several threads, and undone by the last.

    `make` makes it and returns what undoes it.
    """

    def __init__(self, make: Callable[[], Callable[[], None]]) -> None:
        self._make, self._lock, self._inside = make, Lock(), 0
        self._undo: Callable[[], None]

    def enter(self) -> None:
        """One more wants the setting."""
        with self._lock:
            if self._inside == 0:
                self._undo = self._make()
            self._inside += 1

    def leave(self) -> None:
        """One less does."""
        with self._lock:
            self._inside -= 1
            if self._inside == 0:
                self._undo()

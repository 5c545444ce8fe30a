"""Child processes that end with this one, however it ends, and that leave Ctrl-C to it."""

import ctypes
import multiprocessing
import os
import signal
import sys
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from multiprocessing.connection import wait
from multiprocessing.context import SpawnProcess
from typing import Any

from credo.app.compiled import keep_compiled

__all__ = ["begun"]

_PARENT_DEATH_SIGNAL = 1  # of prctl

# Linux ends a child with the thread that started it, so that all are started by one that stays.
_starter = ThreadPoolExecutor(max_workers=1, thread_name_prefix="credo-children")


def begun(work: Callable[..., None], *arguments: Any) -> SpawnProcess:
    """A new process that runs ``work(*arguments)``; both are pickled. It ends when this process is gone."""
    child = multiprocessing.get_context("spawn").Process(
        target=_bound, args=(os.getpid(), work, arguments), daemon=True
    )
    _starter.submit(_started, child).result()
    return child


def _started(child: SpawnProcess) -> None:
    """A child inherits what its thread does not listen to: Ctrl-C is not told to it even before its first line."""
    if hasattr(signal, "pthread_sigmask"):
        from multiprocessing import resource_tracker

        resource_tracker.ensure_running()  # the first child would begin it, which lets the signal through again
        signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    child.start()


def _bound(parent: int, work: Callable[..., None], arguments: tuple[Any, ...]) -> None:
    """In the child."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    _end_with(parent)
    keep_compiled()
    work(*arguments)


def _end_with(parent: int) -> None:
    """End this process when its parent is gone: by a thread, and on Linux by the kernel, which needs no Python."""
    if sys.platform == "linux":
        with suppress(OSError, AttributeError):
            ctypes.CDLL(None).prctl(_PARENT_DEATH_SIGNAL, signal.SIGKILL, 0, 0, 0)
    if os.getppid() != parent:  # it was gone before
        os._exit(1)
    threading.Thread(target=_outlived, daemon=True).start()


def _outlived() -> None:
    parent = multiprocessing.parent_process()
    if parent is not None:
        wait([parent.sentinel])
        os._exit(1)

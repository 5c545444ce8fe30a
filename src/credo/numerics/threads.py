"""BLAS threads: one for many small steps, where waking threads costs more than the work, all of them for large ones.

L-BFGS-B solves systems of a few dozen unknowns at every step. With a BLAS of several threads on a busy machine such a
step was measured to take up to a thousand times longer than with one.
"""

import os
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, contextmanager, nullcontext
from functools import lru_cache
from typing import Any, TypeVar

from credo.numerics.overlapping import Overlapping

__all__ = ["OneBlasThread", "available_cores", "blas_threads_for", "on_all_cores"]

_LARGE = 512  # rows of a matrix from which several threads gain more than they cost

S = TypeVar("S")
T = TypeVar("T")


@lru_cache(maxsize=1)
def _controller() -> Any:
    # The search for loaded libraries takes milliseconds, so it is done once, after SciPy has brought its BLAS.
    import scipy.linalg  # noqa: F401
    from threadpoolctl import ThreadpoolController

    return ThreadpoolController()


def _one_thread() -> Callable[[], None]:
    return _controller().limit(limits=1, user_api="blas").restore_original_limits


_limited = Overlapping(_one_thread)


class OneBlasThread:
    """A context in which BLAS uses one thread; `paused` gives the others back for a large step inside it.

    Contexts that overlap, also in several Python threads, are counted: the last one to leave restores what was there
    before the first.
    """

    def __enter__(self) -> "OneBlasThread":
        _limited.enter()
        return self

    def __exit__(self, *error: Any) -> None:
        _limited.leave()

    @contextmanager
    def paused(self) -> Iterator[None]:
        """As many threads as there were before, unless another context wants one."""
        _limited.leave()
        try:
            yield
        finally:
            _limited.enter()


def blas_threads_for(rows: int) -> AbstractContextManager:
    """One BLAS thread for many steps on matrices of few rows: waking others took eight times as long when measured."""
    return OneBlasThread() if rows < _LARGE else nullcontext()


def available_cores() -> int:
    """Of this process, which may be fewer than the machine has."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def on_all_cores(work: Callable[[S], T], parts: Sequence[S]) -> list[T]:
    """``[work(part) for part in parts]``, on a core each with one BLAS thread: for work that is mostly NumPy's.

    >>> on_all_cores(abs, [-1, 2])
    [1, 2]
    """
    with OneBlasThread():
        if min(available_cores(), len(parts)) < 2:
            return [work(part) for part in parts]
        with ThreadPoolExecutor(min(available_cores(), len(parts))) as pool:
            return list(pool.map(work, parts))

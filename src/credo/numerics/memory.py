"""Memory kept between evaluations: the C library gives large blocks back to the system, and taking them again is slow.

An evaluation of n rows takes several n × n arrays in one block. From 32 MiB on glibc unmaps it when it is freed, so
that every page is faulted in again at the next evaluation: at 1000 rows this was measured to take as long as the
Cholesky factor and the inverse together.
"""

import ctypes
import os
import sys
from collections.abc import Callable
from functools import lru_cache
from typing import Any

from credo.numerics.overlapping import Overlapping

__all__ = ["KeptMemory", "physical_memory"]

# Of glibc's malloc.h. The values afterwards: its own, and for the thresholds where its adaptation of them ends.
_TRIM_THRESHOLD, _TOP_PAD, _MMAP_THRESHOLD = -1, -2, -3
_ALL = 2**31 - 1
_HEAP = 2**26  # what a thread other than the first takes at once; with so much to spare it is not given back when empty
_TRIM_AFTERWARDS, _TOP_PAD_AFTERWARDS, _MMAP_AFTERWARDS = 2**26, 2**17, 2**25


@lru_cache(maxsize=1)
def _library() -> Any:
    """The C library where it is glibc, else None."""
    if not sys.platform.startswith("linux"):
        return None
    library = ctypes.CDLL(None)
    return library if hasattr(library, "mallopt") and hasattr(library, "gnu_get_libc_version") else None


def _keep() -> Callable[[], None]:
    library = _library()
    if library is None:
        return lambda: None
    library.mallopt(_MMAP_THRESHOLD, _ALL)
    library.mallopt(_TRIM_THRESHOLD, _ALL)
    library.mallopt(_TOP_PAD, _HEAP)
    return _give_back


def _give_back() -> None:
    library = _library()
    library.mallopt(_MMAP_THRESHOLD, _MMAP_AFTERWARDS)
    library.mallopt(_TRIM_THRESHOLD, _TRIM_AFTERWARDS)
    library.mallopt(_TOP_PAD, _TOP_PAD_AFTERWARDS)
    library.malloc_trim(0)


_kept = Overlapping(_keep)


def physical_memory() -> int | None:
    """Bytes that this machine has; None where it does not tell."""
    try:
        return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, OSError, ValueError):
        return None


class KeptMemory:
    """A context in which freed memory stays with the process; at its end it goes back to the system.

    Does nothing where the C library is not glibc. Contexts may overlap, also in several threads.
    """

    def __enter__(self) -> "KeptMemory":
        _kept.enter()
        return self

    def __exit__(self, *error: Any) -> None:
        _kept.leave()

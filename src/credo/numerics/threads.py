"""BLAS threads: one for many small steps, where waking threads costs more than the work, all of them for large ones.

L-BFGS-B solves systems of a few dozen unknowns at every step. With a BLAS of several threads on a busy machine such a
step was measured to take up to a thousand times longer than with one.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from functools import lru_cache
from typing import Any

__all__ = ["OneBlasThread"]


@lru_cache(maxsize=1)
def _controller() -> Any:
    # The search for loaded libraries takes milliseconds, so it is done once, after SciPy has brought its BLAS.
    import scipy.linalg  # noqa: F401
    from threadpoolctl import ThreadpoolController

    return ThreadpoolController()


class OneBlasThread:
    """A context in which BLAS uses one thread; `paused` gives the others back for a large step inside it."""

    def __enter__(self) -> "OneBlasThread":
        self._limit = _controller().limit(limits=1, user_api="blas")
        return self

    def __exit__(self, *error: Any) -> None:
        self._limit.restore_original_limits()

    @contextmanager
    def paused(self) -> Iterator[None]:
        """As many threads as there were before."""
        self._limit.restore_original_limits()
        try:
            yield
        finally:
            self._limit = _controller().limit(limits=1, user_api="blas")

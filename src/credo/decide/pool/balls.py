"""Which rows lie within a distance of which: exact, block by block, with no n × n matrix."""

from collections.abc import Callable, Iterator
from typing import Any, TypeVar, final

import numpy as np
from jaxtyping import Bool, Float, Int

from credo.numerics.progress import Tracker
from credo.numerics.threads import available_cores, on_all_cores

__all__ = ["Balls", "blocks", "in_turns", "squared_distances"]

T = TypeVar("T")
TALL, WIDE = 512, 2048  # rows and columns of a block: 8 MiB of distances, which stay in the cache
_SMALL = 2**22  # distances for which threads are not worth waking
_PAIRS = 2**15  # of which differences are taken at once
_GRID = 2.0**10


@final
class Balls:
    r"""Closed balls of radius `delta` around the rows of X: $\lVert x_i - x_j \rVert^2 \le \delta^2$.

    Squared distances come from one matrix product a block, $\lVert a \rVert^2 + \lVert b \rVert^2 - 2 a^\top b$ of
    centered rows, which is off by some $d\,u\,(\lVert a \rVert + \lVert b \rVert)^2$ with $u$ the round-off unit. Pairs
    so close to the border are decided by the sum of squared differences. On rows of whole numbers (or of 1024ths)
    the product is exact, and nothing has to be decided again. O(n² d) for all pairs, memory O(n d).
    """

    def __init__(self, X: Float[np.ndarray, "n d"], delta: float) -> None:
        self._X, self._square = X, float(delta) ** 2
        exact = _is_on_grid(X)
        centered = X if exact else X - np.mean(X, axis=0)
        norms = np.einsum("ij,ij->i", centered, centered)
        ones = np.ones(len(X))
        self._left = np.column_stack([-2.0 * centered, norms, ones])
        self._right = np.column_stack([centered, ones, norms])
        self._length = np.sqrt(norms)
        self._round_off = 0.0 if exact else 2.0 * (X.shape[1] + 8.0) * np.finfo(np.float64).eps

    def __len__(self) -> int:
        return len(self._X)

    def around(self, row: int) -> Bool[np.ndarray, " n"]:
        """Which rows are in the ball around one."""
        return self._decided(np.array([row]), self._left[row : row + 1], np.arange(len(self)), self._right)[0]

    def counts(self, among: Int[np.ndarray, " m"], track: Tracker | None = None) -> Int[np.ndarray, " n"]:
        """How many of the rows `among` are in the ball around each row."""
        parts = [(among[start:stop], self._right[among[start:stop]]) for start, stop in blocks(0, len(among), WIDE)]

        def count(block: tuple[int, int]) -> Int[np.ndarray, " r"]:
            rows, left, total = np.arange(*block), self._left[slice(*block)], np.zeros(block[1] - block[0], np.int64)
            for columns, right in parts:
                found = self._decided(rows, left, columns, right)
                total += np.add.reduce(found.view(np.uint8), axis=1, dtype=np.uint32)
            return total

        tall = TALL * WIDE // min(max(len(among), 1), WIDE)  # few columns make tall blocks
        return np.concatenate(in_turns(count, list(blocks(0, len(self), tall)), len(self) * len(among), track))

    def _decided(
        self, rows: Int[np.ndarray, " r"], left: np.ndarray, columns: Int[np.ndarray, " c"], right: np.ndarray
    ) -> Bool[np.ndarray, "r c"]:
        """Who is inside, from the rows of both factors."""
        product = left @ right.T
        reach = (np.max(self._length[rows], initial=0.0) + np.max(self._length[columns], initial=0.0)) ** 2
        slack = self._round_off * reach
        found = product <= self._square + slack
        if slack > 0.0:
            surely = product <= self._square - slack
            if np.count_nonzero(surely) != np.count_nonzero(found):
                i, j = np.nonzero(found ^ surely)
                found[i, j] = squared_distances(self._X, rows[i], columns[j]) <= self._square
        return found


def _is_on_grid(X: Float[np.ndarray, "n d"]) -> bool:
    """Whether products and sums of the entries are exact: multiples of 1/1024 with room in 53 bits."""
    scaled = X * _GRID
    largest = float(np.max(np.abs(scaled)))
    return 4.0 * X.shape[1] * largest**2 < 2.0**53 and bool(np.all(scaled == np.rint(scaled)))


def squared_distances(
    X: Float[np.ndarray, "n d"], first: Int[np.ndarray, " p"], second: Int[np.ndarray, " p"]
) -> Float[np.ndarray, " p"]:
    """Sums of squared differences of pairs of rows."""
    found = np.empty(len(first))
    for start, stop in blocks(0, len(first), _PAIRS):
        difference = X[first[start:stop]] - X[second[start:stop]]
        found[start:stop] = np.sum(difference * difference, axis=1)
    return found


def blocks(start: int, stop: int, size: int) -> Iterator[tuple[int, int]]:
    """``(start, stop)`` of consecutive blocks."""
    return ((at, min(at + size, stop)) for at in range(start, stop, size))


def in_turns(work: Callable[[Any], T], tasks: list[Any], distances: int, track: Tracker | None = None) -> list[T]:
    """The results of the tasks, on all cores where there is enough to do; progress counts rows between the turns.

    A task begins with the first and the last of its rows.
    """
    if distances < _SMALL:
        return [work(task) for task in tasks]
    turn, found = 4 * available_cores(), []
    for start, stop in blocks(0, len(tasks), turn):
        found += on_all_cores(work, tasks[start:stop])
        if track is not None:
            track.advance(sum(task[1] - task[0] for task in tasks[start:stop]))
    return found

r"""What the losses of refits sum to, by row and by refit: all that is kept of them, so that memory does not grow."""

from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
from jaxtyping import Bool, Float

__all__ = ["Parts", "Sums", "Tally"]

Parts = tuple[np.ndarray, np.ndarray | None]


@dataclass
class Tally:
    """The two sums of a score: by row, over the refits that held it out; by refit, over the rows it held out.

    Of a bootstrap also by refit over all rows, over its own sample, and by row each refit's sum times how often it drew
    the row, which is how much the row moves the answer. Of nested folds, the losses themselves.
    """

    rows: Float[np.ndarray, "2 n"]
    refits: Float[np.ndarray, "2 b"]
    everywhere: Float[np.ndarray, "2 b"]
    inside: Float[np.ndarray, "2 b"]
    moved: Float[np.ndarray, "2 n"]
    losses: list[tuple[np.ndarray, np.ndarray]] = field(default_factory=list)

    @classmethod
    def zeros(cls, rows: int, refits: int) -> "Tally":
        """Of nothing yet."""
        everywhere, inside, by_refit = np.zeros((3, 2, refits))
        return cls(np.zeros((2, rows)), by_refit, everywhere, inside, np.zeros((2, rows)))

    def add(self, piece: "Tally", to: slice) -> None:
        """What some of the refits sum to."""
        self.rows += piece.rows
        self.moved += piece.moved
        self.refits[:, to], self.everywhere[:, to], self.inside[:, to] = piece.refits, piece.everywhere, piece.inside
        self.losses.extend(piece.losses)


class _Total(NamedTuple):
    """Of one of the two numbers of a score."""

    rows: Float[np.ndarray, " n"]
    refits: Float[np.ndarray, " b"]
    everywhere: Float[np.ndarray, " b"]
    inside: Float[np.ndarray, " b"]
    moved: Float[np.ndarray, " n"]


class Sums:
    """Sums of the scores of some refits, which drew the rows so often and held out some.

    >>> counts = np.array([[2.0, 0.0], [0.0, 2.0]])
    >>> Sums(counts, counts == 0.0, "bootstrap").of((np.array([[1.0, 5.0], [7.0, 2.0]]), None)).refits.tolist()
    [[5.0, 7.0], [1.0, 1.0]]
    """

    def __init__(self, counts: Float[np.ndarray, "b n"], held: Bool[np.ndarray, "b n"], kind: str) -> None:
        self._counts = counts
        self._out = held
        self._held = held.astype(np.float64)
        self._kind = kind
        self._ones: _Total | None = None

    def of(self, parts: Parts) -> Tally:
        """Of a score, from its two numbers for each refit and row, the second of which may be one."""
        above, below = (self._total(part) for part in parts)
        rows, refits, everywhere, inside, moved = (np.stack(both) for both in zip(above, below, strict=True))
        losses = zip(parts[0], self._out, strict=True) if self._kind == "nested" else ()
        kept = [(np.flatnonzero(out), loss[out]) for loss, out in losses]
        return Tally(rows, refits, everywhere, inside, moved, kept)

    def _total(self, part: np.ndarray | None) -> _Total:
        if part is None and self._ones is not None:
            return self._ones
        b, n = self._held.shape
        refits, no = _weighted(self._held, part, axis=1), np.zeros(b)
        everywhere, inside, moved = no, no, np.zeros(n)
        if self._kind == "bootstrap":
            everywhere = np.full(b, float(n)) if part is None else np.sum(part, axis=1)
            inside, moved = _weighted(self._counts, part, axis=1), refits @ self._counts
        total = _Total(_weighted(self._held, part, axis=0), refits, everywhere, inside, moved)
        if part is None:
            self._ones = total
        return total


def _weighted(weights: np.ndarray, part: np.ndarray | None, axis: int) -> np.ndarray:
    """The weighted sum along an axis; an infinite entry counts nothing where its weight is zero."""
    if part is None:
        return np.sum(weights, axis=axis)
    total = np.einsum("bn,bn->b" if axis else "bn,bn->n", weights, part)
    if np.all(np.isfinite(total)):
        return total
    return np.sum(np.multiply(weights, part, where=weights > 0.0, out=np.zeros_like(weights)), axis=axis)

r"""Which values nothing else beats in every objective, and the space that they leave: fronts, volumes, boxes.

Less is better. A value p dominates y where $p \le y$ in every objective; what is dominated below a reference point has
a volume, and the rest of the space below it falls into boxes, on which integrals of products are products.
"""

from typing import NamedTuple

import numpy as np
from jaxtyping import Bool, Float

from credo.errors import InputError

__all__ = ["Boxes", "dominated_boxes", "free_boxes", "hypervolume", "pareto_front", "reference_point"]

_MARGIN = 0.1  # of the range of the front, by which the reference point is worse than its worst


class Boxes(NamedTuple):
    """Boxes that share no volume: k lower and upper corners. A lower bound may be minus infinity."""

    lower: Float[np.ndarray, "k m"]
    upper: Float[np.ndarray, "k m"]

    @property
    def volume(self) -> float:
        """Of all of them."""
        return float(np.sum(np.prod(self.upper - self.lower, axis=1)))


def pareto_front(values: Float[np.ndarray, "n m"]) -> Bool[np.ndarray, " n"]:
    r"""Which rows are not dominated: no other row is at most as large in every objective and less in one.

    Equal rows do not dominate each other, so of duplicates all are in the front, or none. O(n log n + n f m) for f rows
    in the front.

    >>> pareto_front(np.array([[1.0, 3.0], [2.0, 2.0], [2.0, 3.0], [1.0, 3.0]])).tolist()
    [True, True, False, True]
    """
    values = _checked("pareto_front", values)
    front = np.zeros(len(values), dtype=bool)
    # In the order of the words that rows are, nothing is dominated by a later row.
    left = np.lexsort(values.T[::-1])
    while len(left):
        first, rest = values[left[0]], values[left]
        front[left[np.all(rest == first, axis=1)]] = True
        left = left[~np.all(first <= rest, axis=1)]
    return front


def reference_point(values: Float[np.ndarray, "n m"]) -> Float[np.ndarray, " m"]:
    """Where volumes are measured from when nobody says: the worst of the front in each objective, and a tenth of its
    range beyond, so that also the ends of the front count.

    Where the front has no range in an objective, a tenth of that of all values; where these have none, a tenth of the
    size of the value, or 0.1 where that is below one.

    >>> reference_point(np.array([[0.0, 4.0], [2.0, 0.0], [9.0, 9.0]])).tolist()
    [2.2, 4.4]
    """
    values = _checked("reference_point", values)
    front = values[pareto_front(values)]
    worst, ranges = np.max(front, axis=0), np.ptp(front, axis=0)
    ranges = np.where(ranges > 0.0, ranges, np.ptp(values, axis=0))
    ranges = np.where(ranges > 0.0, ranges, np.maximum(np.abs(worst), 1.0))
    return worst + _MARGIN * ranges


def hypervolume(front: Float[np.ndarray, "n m"], reference: Float[np.ndarray, " r"]) -> float:
    r"""The volume that is dominated by the rows of a front and bounded by the reference: $\lambda\bigl(\bigcup_i [p_i,
    r]\bigr)$.

    Exact in any number of objectives. Rows that are dominated, or not below the reference, add nothing.

    >>> hypervolume(np.array([[1.0, 2.0], [2.0, 1.0]]), np.array([3.0, 3.0]))
    3.0
    """
    return dominated_boxes(front, reference).volume


def dominated_boxes(front: Float[np.ndarray, "n m"], reference: Float[np.ndarray, " r"]) -> Boxes:
    """What a front dominates below the reference, as boxes: those that its points cut off, one after the other."""
    return _cut("dominated_boxes", front, reference)[1]


def free_boxes(front: Float[np.ndarray, "n m"], reference: Float[np.ndarray, " r"]) -> Boxes:
    """What a front does not dominate below the reference, as boxes: where a new value would add to the volume.

    Each point of the front cuts the corner that it dominates off every box, which leaves at most m boxes of it; those
    of large corners first, and boxes with a common side are joined at the end. With two objectives there is one more
    box than points in the front, with three some two a point (on spheres of 100 points: 212; with four 660, with five
    2400). Lacour, Klamroth & Fonseca (2017) have another decomposition, of about as many boxes.

    >>> free_boxes(np.array([[1.0, 2.0], [2.0, 1.0]]), np.array([3.0, 3.0])).upper.tolist()
    [[1.0, 3.0], [2.0, 2.0], [3.0, 1.0]]
    """
    return _joined(_cut("free_boxes", front, reference)[0])


def _cut(who: str, front: np.ndarray, reference: np.ndarray) -> tuple[Boxes, Boxes]:
    """The boxes that are free, and those that were cut off."""
    front, m = _checked(who, front), len(reference)
    if front.shape[1] != m or not np.all(np.isfinite(reference)):
        raise InputError(
            who,
            f"the reference {np.asarray(reference)} of values with {front.shape[1]} objectives",
            "It has one finite number an objective",
            "Try reference_point(values)",
        )
    front = front[np.all(front < reference, axis=1)]
    front = front[np.argsort(-np.prod(reference - front, axis=1), kind="stable")]
    lower, upper = np.full((1, m), -np.inf), np.array(reference, dtype=np.float64)[None]
    gone = [Boxes(upper[:0], upper[:0])]
    for point in front:
        over = np.all(point < upper, axis=1)
        below, above = lower[over], upper[over]
        corner = np.maximum(below, point)
        gone.append(Boxes(corner, above))
        kept = [_slice(below, above, corner, j) for j in range(m)]
        lower = np.concatenate([lower[~over], *(part.lower for part in kept)])
        upper = np.concatenate([upper[~over], *(part.upper for part in kept)])
    return Boxes(lower, upper), Boxes(*(np.concatenate(parts) for parts in zip(*gone, strict=True)))


def _slice(below: np.ndarray, above: np.ndarray, corner: np.ndarray, j: int) -> Boxes:
    """What is below the corner in objective j, above it in those before, and anywhere in those behind."""
    lower, upper = below.copy(), above.copy()
    lower[:, :j], upper[:, j] = corner[:, :j], corner[:, j]
    there = lower[:, j] < upper[:, j]
    return Boxes(lower[there], upper[there])


def _joined(boxes: Boxes) -> Boxes:
    """Boxes with a whole side in common made one, until there are none."""
    lower, upper = boxes
    before = len(lower) + 1
    while len(lower) < before:
        before = len(lower)
        for j in range(lower.shape[1]):
            others = np.arange(lower.shape[1]) != j
            order = np.lexsort((lower[:, j], *lower[:, others].T, *upper[:, others].T))
            lower, upper = lower[order], upper[order]
            goes_on = np.all((lower[1:] == lower[:-1])[:, others] & (upper[1:] == upper[:-1])[:, others], axis=1)
            goes_on &= upper[:-1, j] == lower[1:, j]
            first = np.flatnonzero(np.concatenate([[True], ~goes_on]))
            last = np.append(first[1:], len(lower)) - 1
            end = upper[last, j]
            lower, upper = lower[first], upper[first]
            upper[:, j] = end
    order = np.lexsort(upper.T[::-1])
    return Boxes(lower[order], upper[order])


def _checked(who: str, values: np.ndarray) -> np.ndarray:
    values = np.asarray(values, dtype=np.float64)
    if values.ndim != 2 or values.shape[1] < 1 or not np.all(np.isfinite(values)):
        raise InputError(
            who,
            f"values of shape {values.shape}" + ("" if np.all(np.isfinite(values)) else " that are not all finite"),
            "They have a row for each trial and a column for each objective",
            "Leave failed trials out",
        )
    return values

"""Which rows may be suggested: none that was taken, and none that is nearly the same setting as one under way."""

from typing import NamedTuple

import numpy as np
from jaxtyping import Bool, Float
from scipy.spatial.distance import cdist

from credo.errors import InputError
from credo.represent.space import Space

__all__ = ["APART", "Suggested", "are_apart", "first_free", "key_of", "taken_keys"]

#: Two settings are nearly the same where no column differs by that share of its range, and every choice is the same.
APART = 0.01
_ROUND_OFF = 1e-9  # of a row of the encoding


class Suggested(NamedTuple):
    """A row of the encoding that was not taken yet, and what the acquisition says of it."""

    row: Float[np.ndarray, " d"]
    value: float


def are_apart(
    rows: Float[np.ndarray, "m d"], others: Float[np.ndarray, "k d"] | None, least: float = APART
) -> Bool[np.ndarray, " m"]:
    """Which rows are not nearly the same setting as one of the others; all of them where there are no others.

    >>> are_apart(np.array([[0.5, 0.0], [0.5, 0.2]]), np.array([[0.501, 0.0]]))
    array([False,  True])
    """
    if others is None or not len(others):
        return np.ones(len(rows), dtype=bool)
    return np.min(cdist(rows, others, "chebyshev"), axis=1) >= least - _ROUND_OFF


def first_free(
    space: Space,
    rows: Float[np.ndarray, "m d"],
    values: Float[np.ndarray, " m"],
    taken: Float[np.ndarray, "t d"] | None,
    who: str,
    *,
    away: Float[np.ndarray, "p d"] | None = None,
    least: float = APART,
) -> Suggested:
    """The best row that no other has taken; where all of them are, one that is few steps from the best.

    It differs from the rows `away` by at least the share `least` of a range, where one of the rows does.
    """
    if away is not None and len(away):
        far = are_apart(space.snap(rows), away, least)
        if np.any(far & np.isfinite(values)):
            rows, values = rows[far], values[far]
    if taken is None or not len(taken):
        first = int(np.argmax(values))
        return Suggested(space.snap(rows[[first]])[0], float(values[first]))
    seen = taken_keys(space, taken)
    snapped = space.snap(rows)
    known = dict(zip(map(key_of, snapped), values, strict=True))
    ahead = list(snapped[np.argsort(-values, kind="stable")])
    at_once = next((row for row in ahead if key_of(row) not in seen), None)
    if at_once is not None:
        return Suggested(at_once, float(known[key_of(at_once)]))
    visited = set()
    for row in ahead:  # which grows while it is read
        key = key_of(row)
        if key in visited:
            continue
        if key not in seen:
            return Suggested(row, -np.inf)
        visited.add(key)
        ahead.extend(space.neighbors(row))
    raise InputError(
        who, f"all {len(seen)} points of the space are taken", "It is finite, and each was measured", "Widen the space"
    )


def taken_keys(space: Space, taken: Float[np.ndarray, "t d"] | None) -> set[bytes]:
    """The rows that were taken, of those that are in the space: a past run outside, or in another context, is not."""
    if taken is None or not len(taken):
        return set()
    inside = space.snap(taken)
    there = np.max(np.abs(inside - taken), axis=1) < _ROUND_OFF
    return {key_of(row) for row in inside[there]}


def key_of(row: Float[np.ndarray, " d"]) -> bytes:
    """What tells one row from another; there is one zero, not two."""
    return (row + 0.0).tobytes()

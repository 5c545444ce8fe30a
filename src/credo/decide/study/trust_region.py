r"""A box around the best point that grows with success and shrinks with failure, for spaces of many columns.

TuRBO (Eriksson et al. 2019) with one region and one trial at a time, as a function of the history alone, so that a
replay finds the same: three successes in a row double the side of the box, $\max(4, d)$ failures in a row halve it, and
when it has become too small the search starts again, with a design of its own and nothing of what was before.
"""

from typing import NamedTuple

import numpy as np
from jaxtyping import Bool, Float

from credo.errors import InputError

__all__ = ["Region", "candidates_in", "trust_region"]

_START, _LEAST, _MOST = 0.8, 0.5**7, 1.6  # of the side, where the whole range is one
_SUCCESSES = 3
_FEWEST_FAILURES = 4
_GAIN = 1e-3  # of the standard deviation of the values since the restart, by which a success is better
_PERTURBED = 20  # columns of a candidate, on average, that differ from the center


class Region(NamedTuple):
    """Where to look next, and how it came to that.

    `center` is the best row since the last restart. From `low` to `high` is the box, in the columns that it bounds; in
    others it is infinite. `members` are the trials since the last restart, of which alone a surrogate should learn.
    While it is `designing`, there are too few of them, and the next point belongs to a design all over the space.
    """

    center: Float[np.ndarray, " d"]
    low: Float[np.ndarray, " d"]
    high: Float[np.ndarray, " d"]
    length: float
    restarts: int
    successes: int
    failures: int
    members: Bool[np.ndarray, " n"]
    designing: bool


class _State(NamedTuple):
    length: float = _START
    restarts: int = 0
    successes: int = 0
    failures: int = 0
    first: int = 0


def trust_region(
    rows: Float[np.ndarray, "n d"],
    values: Float[np.ndarray, " n"],
    lengthscales: Float[np.ndarray, " d"],
    *,
    initial: int,
    bounded: Bool[np.ndarray, " d"] | None = None,
) -> Region:
    r"""The region after trials in their order, of which less is better; NaN is a trial that failed, and no success.

    The first `initial` trials after each restart are a design, and do not count. Then a trial is a success where it is
    better than all since the restart by a thousandth of their standard deviation (the paper's own code takes a
    thousandth of the best value; this does not depend on where the values have their zero). The side of the box in
    column j is $L\,\ell_j/(\prod_i \ell_i)^{1/d}$, cut at 0 and 1. `bounded` are the columns that the box is about, by
    default all: codes of choices have no distances. O(n² + n d).

    >>> rows, values = np.array([[0.5, 0.5], [0.2, 0.9], [0.4, 0.6]]), np.array([1.0, 2.0, 3.0])
    >>> region = trust_region(rows, values, np.array([1.0, 4.0]), initial=3)
    >>> region.low.round(6).tolist(), region.high.round(6).tolist()
    ([0.3, 0.0], [0.7, 1.0])
    """
    if initial < 1 or not np.all(lengthscales > 0.0) or not np.all(np.isfinite(lengthscales)):
        raise InputError(
            "trust_region",
            f"initial={initial}, length-scales {lengthscales}",
            "A design has at least one trial, and length-scales are positive",
            "Try initial=2 * d",
        )
    n, d = rows.shape
    bounded = np.ones(d, dtype=bool) if bounded is None else bounded
    state = _State()
    for i in range(n):
        state = _after(state, values[state.first : i], float(values[i]), initial, int(np.sum(bounded)), i)
    members = np.arange(n) >= state.first
    ours = values[state.first :]
    best = state.first + int(np.nanargmin(ours)) if np.any(np.isfinite(ours)) else None
    center = np.full(d, 0.5) if best is None else rows[best].astype(np.float64)
    low, high = _box(center, state.length, lengthscales, bounded)
    designing = best is None or len(ours) < initial
    return Region(center, low, high, *state[:4], members, designing)


def _after(state: _State, before: np.ndarray, value: float, initial: int, d: int, i: int) -> _State:
    """The state after one more trial, the values since the restart being known."""
    if len(before) < initial:
        return state
    known = before[np.isfinite(before)]
    success = np.isfinite(value) and (not len(known) or value < np.min(known) - _GAIN * np.std(known))
    successes, failures = (state.successes + 1, 0) if success else (0, state.failures + 1)
    length = state.length
    if successes == _SUCCESSES:
        length, successes = min(2.0 * length, _MOST), 0
    if failures == max(_FEWEST_FAILURES, d):
        length, failures = 0.5 * length, 0
    if length < _LEAST:
        return _State(restarts=state.restarts + 1, first=i + 1)
    return state._replace(length=length, successes=successes, failures=failures)


def _box(
    center: np.ndarray, length: float, lengthscales: np.ndarray, bounded: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    logs = np.log(lengthscales)
    sides = length * np.exp(logs - (np.mean(logs[bounded]) if np.any(bounded) else 0.0))
    low, high = np.clip(center - 0.5 * sides, 0.0, 1.0), np.clip(center + 0.5 * sides, 0.0, 1.0)
    return np.where(bounded, low, -np.inf), np.where(bounded, high, np.inf)


def candidates_in(
    region: Region, rows: Float[np.ndarray, "n d"], generator: np.random.Generator
) -> Float[np.ndarray, "n d"]:
    """Candidates in the box: the center, but for some columns taken from rows that are spread all over the space.

    A column is taken with probability min(1, 20/d), at least one in every candidate: in many columns points that
    differ from the best in all of them are too far from it. Where the box bounds it, the range from 0 to 1 is shrunk to
    the box. What constraints say of the candidates is for the caller to ask.
    """
    n, d = rows.shape
    inside = np.isfinite(region.low)
    low, high = np.where(inside, region.low, 0.0), np.where(inside, region.high, 1.0)
    taken = generator.random((n, d)) < min(1.0, _PERTURBED / d)
    one = generator.integers(d, size=n)
    taken[np.arange(n), one] |= ~np.any(taken, axis=1)
    return np.where(taken, np.where(inside, low + (high - low) * rows, rows), region.center)

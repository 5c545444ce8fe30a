"""Random walks inside linear constraints (hit-and-run), for sets too narrow to be hit by chance."""

import numpy as np
from jaxtyping import Bool, Float

from credo.represent.space.polytope import Polytope, corners

__all__ = ["corners_of", "points_inside"]

_PARALLEL = 1e-12  # a direction that changes a row by less than this runs along it
_ROUND_OFF = 2e-10  # relative, twice what the corners have
_STEPS = 60  # and so many more a column


def corners_of(polytope: Polytope, rng: np.random.Generator) -> Float[np.ndarray, "k q"]:
    """Corners enough to see how far the set reaches. Some linear programs; none where the solver found none in time."""
    return corners(polytope, min(4 * len(polytope.columns) + 4, 64), rng)


def points_inside(
    polytope: Polytope, ends: Float[np.ndarray, "k q"], n: int, rng: np.random.Generator
) -> Float[np.ndarray, "n q"]:
    r"""n points in the set, each the end of its own walk, nearly evenly spread (in the logarithm, for log columns).

    A walk starts at a mixture of the corners `ends` (at one of them, where there are whole numbers). Each step draws a
    line through the point and moves to a random place on the part of it that is inside (Smith 1984). Lines go along one
    column, or two at once such that one constraint stays as it is, or in a direction with the spread of the corners,
    which makes thin sets round (Lovász 1999). The number of steps is fixed, O(n m q) each for m constraints;
    nothing is proven about how near to even the ends are.
    """
    if np.any(polytope.whole):  # a mixture of whole numbers is none
        points = ends[rng.integers(len(ends), size=n)]
    else:
        points = rng.dirichlet(np.ones(len(ends)), size=n) @ ends
    spread = ends - np.mean(ends, axis=0)
    for _ in range(_STEPS + 20 * ends.shape[1]):
        points = _step(polytope, points, spread, rng)
    return points


def _step(
    polytope: Polytope, points: Float[np.ndarray, "n q"], spread: Float[np.ndarray, "k q"], rng: np.random.Generator
) -> Float[np.ndarray, "n q"]:
    n = len(points)
    kind = rng.integers(3)
    if kind == 0:
        lines = _along_columns(polytope, n, rng)
    elif kind == 1:
        lines = _along_pairs(polytope, n, rng)
    else:  # whole columns stay: a common step of all of them is rarely whole
        lines = (rng.standard_normal((n, len(spread))) @ spread) * ~polytope.whole
    first, last = _chords(polytope, points, lines)
    moved = points + _places(points, lines, first, last, polytope, rng)[:, None] * lines
    moved = np.clip(np.where(polytope.whole, np.rint(moved), moved), 0.0, polytope.upper)
    return np.where(_accepted(polytope, points, moved, lines, rng)[:, None], moved, points)


def _along_columns(polytope: Polytope, n: int, rng: np.random.Generator) -> Float[np.ndarray, "n q"]:
    return np.eye(len(polytope.columns))[rng.integers(len(polytope.columns), size=n)]


def _along_pairs(polytope: Polytope, n: int, rng: np.random.Generator) -> Float[np.ndarray, "n q"]:
    """One up and another so far down that a row of A does not change; with two whole ones, one step each."""
    q = len(polytope.columns)
    lines = np.zeros((n, q))
    if q < 2:
        return lines
    each = np.arange(n)
    first = rng.integers(q, size=n)
    second = (first + rng.integers(1, q, size=n)) % q
    swap = polytope.whole[second] & ~polytope.whole[first]  # the one that answers must be able to
    first, second = np.where(swap, second, first), np.where(swap, first, second)
    row = rng.integers(len(polytope.A), size=n)
    a, c = polytope.A[row, first], polytope.A[row, second]
    answer = np.where(c == 0.0, 0.0, -a / np.where(c == 0.0, 1.0, c))
    lines[each, first] = 1.0
    lines[each, second] = np.where(polytope.whole[second], np.where(rng.random(n) < 0.5, -1.0, np.rint(answer)), answer)
    return lines


def _chords(
    polytope: Polytope, points: Float[np.ndarray, "n q"], lines: Float[np.ndarray, "n q"]
) -> tuple[Float[np.ndarray, " n"], Float[np.ndarray, " n"]]:
    """From where to where one can go along each line."""
    eye = np.eye(points.shape[1])
    A = np.concatenate([polytope.A, eye, -eye])
    room = np.concatenate([polytope.b, polytope.upper, np.zeros_like(polytope.upper)]) - points @ A.T
    speed = lines @ A.T
    with np.errstate(divide="ignore", invalid="ignore"):
        time = room / speed
    last = np.min(np.where(speed > _PARALLEL, time, np.inf), axis=1)
    first = np.max(np.where(speed < -_PARALLEL, time, -np.inf), axis=1)
    still = ~np.isfinite(first) | ~np.isfinite(last) | (first > last)
    return np.where(still, 0.0, first), np.where(still, 0.0, last)


def _places(
    points: Float[np.ndarray, "n q"],
    lines: Float[np.ndarray, "n q"],
    first: Float[np.ndarray, " n"],
    last: Float[np.ndarray, " n"],
    polytope: Polytope,
    rng: np.random.Generator,
) -> Float[np.ndarray, " n"]:
    """A random place between first and last: in whole steps for whole columns, evenly in the log along a log column."""
    u = rng.random(len(points))
    evenly = first + u * (last - first)
    low, high = np.ceil(first - 1e-9), np.floor(last + 1e-9)
    steps = np.where(high >= low, np.minimum(low + np.floor(u * (high - low + 1.0)), high), 0.0)
    whole = np.any((lines != 0.0) & polytope.whole, axis=1)
    alone = _single_log(polytope, lines)
    numbers = polytope.low + polytope.scale * points
    at = np.sum(np.where(lines != 0.0, numbers, 0.0), axis=1)
    unit = np.sum(lines * polytope.scale, axis=1)
    with np.errstate(divide="ignore", invalid="ignore"):
        start, end = np.log(at + first * unit), np.log(at + last * unit)
        in_log = (np.exp(start + u * (end - start)) - at) / unit
    return np.where(whole, steps, np.where(alone, np.clip(in_log, first, last), evenly))


def _single_log(polytope: Polytope, lines: Float[np.ndarray, "n q"]) -> Bool[np.ndarray, " n"]:
    """Lines along one real column on a log scale."""
    moving = lines != 0.0
    return (np.sum(moving, axis=1) == 1) & np.any(moving & polytope.log & ~polytope.whole, axis=1)


def _accepted(
    polytope: Polytope,
    points: Float[np.ndarray, "n q"],
    moved: Float[np.ndarray, "n q"],
    lines: Float[np.ndarray, "n q"],
    rng: np.random.Generator,
) -> Bool[np.ndarray, " n"]:
    """Metropolis' rule for the density 1/x of log columns; never out of the set, where rounding would lead."""
    inside = np.all(moved @ polytope.A.T <= polytope.b + _ROUND_OFF, axis=1)
    if not np.any(polytope.log):
        return inside
    old, new = (np.where(polytope.log, polytope.low + polytope.scale * x, 1.0) for x in (points, moved))
    ratio = np.exp(np.sum(np.log(old) - np.log(new), axis=1))
    return inside & (_single_log(polytope, lines) | (rng.random(len(points)) < ratio))

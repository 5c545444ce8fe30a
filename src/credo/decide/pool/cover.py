"""ProbCover: the rows of a pool whose balls cover most of it."""

import numbers
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, NamedTuple, final

import numpy as np
from jaxtyping import Bool, Float, Int
from sklearn.metrics import pairwise_distances_argmin

from credo.decide.pool.balls import Balls, squared_distances
from credo.decide.pool.purity import pseudo_labels, pure_radius
from credo.decide.pool.sampler import Asked, PoolSampler, checked_rows
from credo.errors import InputError
from credo.numerics.progress import Tracker, tracker
from credo.numerics.random import as_seed
from credo.numerics.threads import OneBlasThread
from credo.represent.space.ranges import is_number

__all__ = ["Cover", "Covered", "ProbCover", "greedy_cover"]

_CLUSTERS = 10  # of pseudo-labels at the most, where nobody says how many classes there are


@final
@dataclass(frozen=True)
class Cover:
    """Rows of a pool to label next, in the order they were picked.

    `coverage` is the share of the pool that lies within `delta` of a labelled or picked row, after each pick. `radii`
    are those of the balls by which each was picked: `delta` until all is covered, then smaller. `how` says where
    `delta` is from.
    """

    indices: Int[np.ndarray, " n"]
    coverage: Float[np.ndarray, " n"]
    delta: float
    radii: Float[np.ndarray, " n"] = field(repr=False)
    how: str

    def __len__(self) -> int:
        return len(self.indices)


@final
class ProbCover(PoolSampler):
    r"""Picks rows whose balls cover as much of the pool as possible (Yehuda et al. 2022).

    A label says something about the rows around it: within `delta`, others mostly have the same. With few labels it
    pays to have many rows near one, so the next row is the one with most uncovered rows in its closed ball
    $\{x : \lVert x - x_i \rVert \le \delta\}$, and the lowest row number of equal ones; then these are covered. The
    greedy cover is exact, and covers at least $1 - 1/e$ of what the best n balls would. Rows that have a label cover
    what is around them from the start. Once all is covered, it goes on with balls of half the radius.

    Without `delta`, the rows get pseudo-labels by k-means, and it is the largest radius at which a share `alpha` of
    the balls hold one pseudo-label only. This assumes that rows near each other are alike: distances are Euclidean, in
    the columns as they are, so scale them first, or pass an embedding. No uncertainty is stated; coverage is of the
    pool, not of what new rows are drawn from.

    Time is O(n² d) for n rows of d columns (50 000 × 64 within a minute on two cores), memory O(n d).

    Parameters
    ----------
    delta : float, optional
        The radius of the balls.
    alpha : float
        The share of balls that are to be pure, where delta is looked for. Smaller ones give larger balls.
    classes : int, optional
        How many pseudo-labels to make: as many as there are classes, if that is known. By default as many as rows are
        asked for, but from 2 to 10: more of them make smaller balls.
    random_state : int, generator or None
        Of k-means. With `delta` nothing is random.

    Examples
    --------
    >>> pool = np.array([[0.0], [0.1], [0.2], [5.0], [5.1], [9.0]])
    >>> cover = ProbCover(delta=0.15).ask(pool, 2)
    >>> cover.indices.tolist(), cover.coverage.round(2).tolist()
    ([1, 3], [0.5, 0.83])
    >>> ProbCover(delta=0.15).ask(pool, 2, labelled=[0]).indices.tolist()
    [3, 1]
    """

    def __init__(
        self,
        delta: float | None = None,
        *,
        alpha: float = 0.95,
        classes: Any = None,
        random_state: Any = None,
    ) -> None:
        if delta is not None and not (is_number(delta) and 0.0 < delta < 1e150 and float(delta) ** 2 > 0.0):
            raise InputError("ProbCover", f"delta={delta!r} is no radius", "A radius is positive", "Leave it out")
        if not (is_number(alpha) and 0.0 < alpha <= 1.0):
            raise InputError("ProbCover", f"alpha={alpha!r} is no share", "It is above 0, at most 1", "Try 0.95")
        if classes is not None and (
            isinstance(classes, bool) or not isinstance(classes, numbers.Integral) or classes < 2
        ):
            raise InputError("ProbCover", f"classes={classes!r}", "There are two or more", "Leave it out if unknown")
        self.delta = None if delta is None else float(delta)
        self.alpha = float(alpha)
        self.classes = None if classes is None else int(classes)
        self.random_state = random_state

    def ask(self, pool: Any, n: int, labelled: Any = None) -> Cover:
        """The `n` rows of `pool` to label next, none of them among `labelled` (row numbers, or a mask of rows)."""
        asked = Asked("ProbCover", pool, n, labelled)
        X = checked_rows("ProbCover", pool)
        with tracker("ProbCover", asked.size * (2 if self.delta is not None else 3)) as track:
            delta, how = self._radius(X, asked.n, track)
            with OneBlasThread():  # a pick is a few small products
                rows, radii, share = greedy_cover(X, delta, asked, track)
        return Cover(rows, share, delta, radii, how)

    def _radius(self, X: Float[np.ndarray, "size d"], n: int, track: Tracker) -> tuple[float, str]:
        if self.delta is not None:
            return self.delta, "delta was given"
        track.phase("pseudo-labels")
        labels = pseudo_labels(X, self.classes or min(max(2, n), _CLUSTERS), as_seed(self.random_state))
        track.phase("purity")
        found = pure_radius(X, labels, self.alpha, track)
        if found.clusters == 1:
            return found.delta, "k-means finds one cluster, so delta reaches across the pool"
        how = f"the largest delta at which {self.alpha:.0%} of the balls hold one pseudo-label only"
        return found.delta, f"{how} ({found.purity:.1%} do; k-means, {found.clusters} clusters)"


class Covered(NamedTuple):
    """The rows, the radius of the ball by which each was picked, and the share that the first radius covers then."""

    rows: Int[np.ndarray, " n"]
    radii: Float[np.ndarray, " n"]
    share: Float[np.ndarray, " n"]


def greedy_cover(X: Float[np.ndarray, "size d"], delta: float, asked: Asked, track: Tracker) -> Covered:
    """Cover after cover, each of half the radius, until as many rows are picked as were asked for."""
    picks: list[tuple[int, float, float]] = []
    free, radius = asked.free.copy(), delta
    while len(picks) < asked.n and radius > 0.0:
        there = np.concatenate([asked.labelled, np.array([pick for pick, _, _ in picks], dtype=np.int64)])
        for pick, share in _one_cover(Balls(X, radius), there, free, asked.n - len(picks), track):
            picks.append((pick, radius, share if radius == delta else 1.0))
            track.advance(asked.size * len(picks) // asked.n - asked.size * (len(picks) - 1) // asked.n)
        radius = _smaller(X, radius, np.flatnonzero(~free))
    # What is left equals rows that have a label or were picked.
    picks += [(int(row), 0.0, 1.0) for row in np.flatnonzero(free)[: asked.n - len(picks)]]
    rows, radii, shares = zip(*picks, strict=True)
    return Covered(np.array(rows), np.array(radii), np.array(shares))


def _one_cover(
    balls: Balls, there: Int[np.ndarray, " m"], free: Bool[np.ndarray, " size"], n: int, track: Tracker
) -> Iterator[tuple[int, float]]:
    """Row after row the one whose ball holds most uncovered rows, with the share that is covered then.

    Ends after `n` rows, or when all is covered; the rows are no longer `free`. How many uncovered rows each ball holds
    is kept up to date: after a pick, either those that it covered are counted and taken off, or those that are left are
    counted anew, whichever are fewer. A row is covered once, so all of this costs no more than counting all pairs.
    """
    bare = balls.counts(there) == 0
    track.phase("counting")
    gains = balls.counts(np.flatnonzero(bare), track)
    track.phase("picking")
    for k in range(n):
        if not np.any(bare):
            return
        pick = int(np.argmax(np.where(free, gains, -1)))
        free[pick] = False
        covered = bare & balls.around(pick)
        bare = bare & ~covered
        yield pick, 1.0 - float(np.mean(bare))
        if k + 1 < n:
            gone, left = np.flatnonzero(covered), np.flatnonzero(bare)
            gains = gains - balls.counts(gone) if len(gone) < len(left) else balls.counts(left)


def _smaller(X: Float[np.ndarray, "size d"], radius: float, there: Int[np.ndarray, " m"]) -> float:
    """Half the radius, or half of that, until some row is not covered; zero where all rows equal those that are there.

    Not the distance itself, so that rounds of questions go through the same radii.
    """
    nearest = there[pairwise_distances_argmin(X, X[there])]
    farthest = float(np.max(squared_distances(X, np.arange(len(X)), nearest)))
    while 0.0 < farthest <= radius * radius:
        radius *= 0.5
    return radius if farthest > 0.0 else 0.0

"""Many ascents in a box together: projected quasi-Newton steps, all rows in one evaluation a round, by NumPy.

A function that costs tens of microseconds is no work for an optimizer that takes as long for each step of each row:
here a round is some fifty operations on small arrays, however many rows there are.
"""

from collections.abc import Callable

import numpy as np
from jaxtyping import Bool, Float

__all__ = ["ascended"]

_SUFFICIENT = 1e-4  # of what the slope promises, that a step has to bring
_FIRST, _LONGEST = 0.1, 1.0  # of a step, before the curvature is known and after
_SHORTEST = 1e-8  # of a step that is tried again and again
_LEVEL = 1e-9  # of a slope that leads nowhere
_HOPE = 20.0  # times the gain of its last two steps: an ascent that is further below the highest gives up
_TINY = 1e-300

Judge = Callable[[Float[np.ndarray, "m d"]], tuple[Float[np.ndarray, " m"], Float[np.ndarray, "m d"]]]


def ascended(
    judge: Judge,
    rows: Float[np.ndarray, "m d"],
    low: Float[np.ndarray, "m d"],
    high: Float[np.ndarray, "m d"],
    units: Float[np.ndarray, " d"],
    *,
    rounds: int,
    gain: float,
) -> tuple[Float[np.ndarray, "m d"], Float[np.ndarray, " m"]]:
    """Where ascents from the rows end, and how high.

    `judge` gives value and gradient at rows. Steps are made in coordinates of which `units` are one: there the function
    should be about equally curved in all directions. An ascent ends when two steps in a row bring less than `gain`,
    when it lags behind the highest hopelessly, or when no step is left to make; all end after so many rounds. A row
    where the function has no value stays where it is.

    >>> hill = lambda x: (-np.sum((x - 0.3) ** 2, axis=1), -2.0 * (x - 0.3))
    >>> ends, _ = ascended(hill, np.ones((1, 2)), np.zeros((1, 2)), np.ones((1, 2)), np.ones(2), rounds=20, gain=1e-9)
    >>> ends.round(4).tolist()
    [[0.3, 0.3]]
    """
    ends, heights = rows.copy(), np.full(len(rows), -np.inf)
    who, state = np.arange(len(rows)), _Ascents(judge, rows / units, low / units, high / units, units)
    highest = -np.inf
    for _ in range(rounds + 1):  # the first only looks
        ends[who], heights[who] = state.x * units, -state.f
        highest = max(highest, float(np.max(heights)))
        live = state.live(gain, highest)
        if not np.any(live):
            break
        if not np.all(live):
            who = who[live]
            state.keep(live)
        state.step()
    return np.clip(ends, low, high), heights


class _Ascents:
    """Of all rows that still climb: places, losses and their slopes, inverse curvatures, and the step being tried."""

    def __init__(self, judge: Judge, x: np.ndarray, low: np.ndarray, high: np.ndarray, units: np.ndarray) -> None:
        m, d = x.shape
        self.judge, self.units = judge, units
        self.x, self.low, self.high = x, low, high
        self.f, self.g = self._look(x)
        self.inverse = np.broadcast_to(np.eye(d), (m, d, d)).copy()
        self.curved = np.zeros(m, dtype=bool)  # whether a step has told of the curvature
        self.recent = np.full((m, 2), np.inf)  # gains
        self.length = np.ones(m)
        self.way, self.level = self._aim()

    def live(self, gain: float, highest: float) -> Bool[np.ndarray, " m"]:
        """Which of them have something to hope for."""
        won = self.recent[:, 0] + self.recent[:, 1]
        return (
            np.isfinite(self.f)
            & (won > gain)
            & (self.f + highest <= _HOPE * won)
            & (self.length > _SHORTEST)
            & (self.level > _LEVEL)
        )

    def keep(self, those: Bool[np.ndarray, " m"]) -> None:
        """Forget all others."""
        for name in ("x", "low", "high", "f", "g", "inverse", "curved", "recent", "length", "way", "level"):
            setattr(self, name, getattr(self, name)[those])

    def step(self) -> None:
        """One evaluation of all: a step is taken, or shortened to be tried again."""
        there = np.minimum(np.maximum(self.x + self.length[:, None] * self.way, self.low), self.high)
        value, slope = self._look(there)
        moved = there - self.x
        promised = (self.g * moved).sum(axis=1)
        taken = value <= self.f + _SUFFICIENT * promised
        self._learn(moved, np.where(taken[:, None], slope - self.g, 0.0))
        rise = value - self.f
        self.recent = np.where(taken[:, None], np.stack([self.recent[:, 1], -rise], axis=1), self.recent)
        self.x, self.g = np.where(taken[:, None], there, self.x), np.where(taken[:, None], slope, self.g)
        self.f = np.where(taken, value, self.f)
        # The least point of the parabola through both values and the slope, where the step was too long.
        shorter = np.clip(-0.5 * promised / np.maximum(rise - promised, _TINY), 0.1, 0.5)
        way, self.level = self._aim()
        self.way = np.where(taken[:, None], way, self.way)
        self.length = np.where(taken, 1.0, self.length * shorter)

    def _look(self, x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Losses and their slopes; infinite and zero where there are none."""
        value, slope = self.judge(x * self.units)
        good = np.isfinite(value + slope.sum(axis=1))
        if not good.all():
            value, slope = np.where(good, value, -np.inf), np.where(good[:, None], slope, 0.0)
        return -value, slope * -self.units

    def _aim(self) -> tuple[np.ndarray, np.ndarray]:
        """The way to go from each place, and how steep it is at most: bounds that hold it back are left aside."""
        held = ((self.x <= self.low) & (self.g > 0.0)) | ((self.x >= self.high) & (self.g < 0.0))
        steep = np.where(held, 0.0, self.g)
        way = np.where(held, 0.0, -np.matmul(self.inverse, steep[:, :, None])[:, :, 0])
        uphill = (way * steep).sum(axis=1) >= 0.0
        if uphill.any():
            way[uphill], self.curved[uphill] = -steep[uphill], False
            self.inverse[uphill] = np.eye(way.shape[1])
        longest = np.where(self.curved, _LONGEST, _FIRST)
        way *= np.minimum(1.0, longest / np.maximum(np.abs(way).max(axis=1), _TINY))[:, None]
        return way, np.abs(steep).max(axis=1)

    def _learn(self, s: np.ndarray, y: np.ndarray) -> None:
        """The update of Broyden, Fletcher, Goldfarb and Shanno of the inverse curvatures, where it is positive."""
        sy, yy = (s * y).sum(axis=1), (y * y).sum(axis=1)
        good = sy > 1e-10 * np.sqrt(yy * (s * s).sum(axis=1))
        new = good & ~self.curved
        if new.any():
            self.inverse[new] *= (sy[new] / yy[new])[:, None, None]
        self.curved |= good
        weight = np.where(good, 1.0 / np.where(good, sy, 1.0), 0.0)
        Hy = np.matmul(self.inverse, y[:, :, None])[:, :, 0]
        cross = Hy[:, :, None] * (weight[:, None] * s)[:, None, :]
        factor = weight * (1.0 + weight * (y * Hy).sum(axis=1))
        self.inverse += (factor[:, None] * s)[:, :, None] * s[:, None, :] - cross - np.swapaxes(cross, 1, 2)

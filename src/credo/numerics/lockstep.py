"""Quasi-Newton searches that keep step: each has its own L-BFGS-B state, all ask for the function at the same time.

SciPy's L-BFGS-B calls the function from inside its loop. Each search runs in its own greenlet and hands its request
out by switching back, so that the requests of all live searches are answered by one batched evaluation.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import numpy as np

from credo.numerics.certificate import CONVERGED, FAILED, STOPPED

__all__ = ["DROPPED", "Evaluation", "Limits", "Race", "Search", "run_together"]

DROPPED = -1  # ended because another start was out of reach; not a failure

_PATIENCE = 10  # iterations before a start may be dropped
_RECENT = 5  # iterations over which its rate is measured
_FIRST_LOOK = 2  # iterations before a start may look whether a known minimum lies straight below
_OF_THE_DESCENT = 0.4  # that may be left halfway to it
_GENEROSITY = 40.0  # it may go on while this many times its recent decrease would catch up

# Tolerances, relative to the value, that a gradient may be where rounding ends a search. At the usual tolerance of 1e-5
# nearly noiseless Gaussian processes were measured to end below 20, and those that rounding misled above 3000.
_ROUNDING = 100.0

Evaluation = tuple[float, np.ndarray]
Request = Callable[[np.ndarray], Evaluation]


@dataclass(frozen=True)
class Limits:
    """When a search ends: on the projected gradient, on the decrease (relative: tolerance²), or on iterations."""

    tolerance: float
    max_iterations: int
    gain: float = 0.0  # of two iterations in a row: less ends the search, as converged


@dataclass
class Race:
    """What several starts on the same function know of each other: the lowest value that any has reached, and minima.

    `drops` says whether hopeless starts are ended, `reach` how far above a minimum a start may be to be led to it.
    """

    drops: bool = True
    reach: float = 0.0
    best: float = np.inf
    minima: list["Search"] = field(default_factory=list)

    def within_reach(self, value: float) -> "Search | None":
        """The highest minimum that is still below `value`, if it is near: the likeliest one to end in."""
        near = [found for found in self.minima if 0.0 <= value - found.value < self.reach]
        return max(near, key=lambda found: found.value, default=None)

    def hopeless(self, history: list[float]) -> bool:
        """Whether a start is behind the best by more than it can still make up.

        After 10 iterations, when its value exceeds the best by more than 40 times what it gained in its last 5
        iterations. The best start is never behind itself.
        """
        if not self.drops or len(history) <= _PATIENCE:
            return False
        gain = history[-1 - _RECENT] - history[-1]
        return history[-1] - self.best > _GENEROSITY * gain + 1e-6 * max(1.0, abs(self.best))


class _NoStart(Exception):
    """The function has no finite value or gradient at the start."""


@dataclass
class Search:
    """One L-BFGS-B run; remembers the best point it has seen."""

    start: np.ndarray
    bounds: np.ndarray | None
    limits: Limits
    race: Race | None = None
    x: np.ndarray = field(init=False)
    value: float = field(default=np.nan, init=False)
    gradient: np.ndarray = field(init=False)
    status: int = field(default=FAILED, init=False)
    iterations: int = field(default=0, init=False)
    evaluations: int = field(default=0, init=False)
    blocked: bool = field(default=False, init=False)  # ended because the line search found no lower point
    joined: bool = field(default=False, init=False)  # ended because a minimum that is known lies straight below

    def __post_init__(self) -> None:
        self.x = np.full_like(self.start, np.nan)
        self.gradient = np.full_like(self.start, np.nan)
        self._history: list[float] = []
        self._dropped = self._settled = False
        self._next_look = _FIRST_LOOK
        self._latest: tuple[np.ndarray, float, np.ndarray] | None = None
        self._anchor: tuple[np.ndarray, float, np.ndarray] | None = None

    def run(self, request: Request) -> None:
        """Search until it converges, is stopped or dropped, or has no start; never raises for a non-finite function."""
        try:
            self.status = self._minimize(request) if self.start.size else self._look_once(request)
        except _NoStart:
            self.status = FAILED
        if self.race is not None and self.status == CONVERGED and not self.joined:
            self.race.minima.append(self)

    def _look_once(self, request: Request) -> int:
        self._evaluate(self.start, request)
        return CONVERGED

    def _minimize(self, request: Request) -> int:
        from scipy.optimize import minimize

        tolerance = self.limits.tolerance
        result = minimize(
            self._evaluate,
            self.start,
            args=(request,),
            jac=True,
            method="L-BFGS-B",
            bounds=self.bounds,
            callback=partial(self._accept, request),
            options={
                "maxiter": self.limits.max_iterations,
                "maxfun": 20 * self.limits.max_iterations,
                "gtol": tolerance,
                "ftol": max(tolerance**2, 10 * np.finfo(float).eps),
            },
        )
        self.iterations = int(result.nit)
        if self._dropped:
            return DROPPED
        if self._settled or self.joined:
            return CONVERGED
        if result.status in (0, 1):
            return CONVERGED if result.success else STOPPED
        # No lower point on the line. Where the gradient is small for a value of this size, rounding hides it.
        self.blocked = self.gradient_norm > tolerance
        return CONVERGED if self.gradient_norm <= _ROUNDING * tolerance * max(1.0, abs(self.value)) else STOPPED

    def _accept(self, request: Request, intermediate_result: Any) -> None:
        """SciPy calls this at each new iterate, which is the point evaluated last."""
        self._anchor = self._latest
        if self._anchor is not None:
            self._history.append(self._anchor[1])
        if self.race is not None and self.race.hopeless(self._history):
            self._dropped = True
            raise StopIteration
        if len(self._history) > 2 and self._history[-3] - self._history[-1] < self.limits.gain:
            self._settled = True
            raise StopIteration
        if self._leads_to_known(request):
            self.joined = True
            raise StopIteration

    def _leads_to_known(self, request: Request) -> bool:
        """Whether half the way to a known minimum takes well over half of the descent, as it does inside its bowl.

        On a quadratic it takes three quarters; a ridge between two minima takes it away. A look costs an evaluation,
        so that each one that fails doubles the iterations to the next.
        """
        if self.race is None or len(self._history) < self._next_look or self._anchor is None:
            return False
        point, value, _ = self._anchor
        known = self.race.within_reach(value)
        if known is None:
            return False
        self._next_look = 2 * len(self._history)
        halfway, _ = request(0.5 * (point + known.x))
        self.evaluations += 1
        if not halfway - known.value < _OF_THE_DESCENT * (value - known.value):
            return False
        self.x, self.value, self.gradient = known.x, known.value, known.gradient
        return True

    def _evaluate(self, x: np.ndarray, request: Request) -> Evaluation:
        x = np.array(x)
        value, gradient = request(x)
        self.evaluations += 1
        if not (np.isfinite(value) and np.all(np.isfinite(gradient))):
            return self._wall(x)
        self._latest = (x, value, gradient)
        if self._anchor is None:
            self._anchor = self._latest
        if not value >= self.value:  # also true at the first, when self.value is NaN
            self.x, self.value, self.gradient = self._latest
            if self.race is not None:
                self.race.best = min(self.race.best, value)
        return value, gradient

    def _wall(self, x: np.ndarray) -> Evaluation:
        """A quadratic that rises from the current iterate as steeply as the function falls there.

        Interpolating it, the line search comes back by about a factor of four, as often as needed.
        """
        if self._anchor is None:
            raise _NoStart
        origin, value, gradient = self._anchor
        step = x - origin
        rise = abs(gradient @ step) + 1e-8 * max(1.0, abs(value))
        return value + rise, 2.0 * rise * step / max(step @ step, np.finfo(float).tiny)

    @property
    def gradient_norm(self) -> float:
        """The largest entry of the projected gradient at the best point; zero at a minimum, bounds included."""
        if not self.start.size:
            return 0.0
        moved = self.x - self.gradient
        if self.bounds is not None:
            moved = np.clip(moved, self.bounds[:, 0], self.bounds[:, 1])
        return float(np.max(np.abs(moved - self.x)))


def run_together(
    searches: list[Search],
    evaluate: Callable[[list[int], np.ndarray], tuple[np.ndarray, np.ndarray]],
    done: Callable[[], None],
    *,
    at_once: int | None = None,
) -> None:
    """Searches in step: `evaluate(indices, points)` answers all that are live, `at_once` at most, in one call a round.

    The next one begins when one ends, so that the order, and what is known of other minima, is the same every time.
    """
    from greenlet import getcurrent, greenlet

    hub = getcurrent()
    runs = [greenlet(search.run, parent=hub) for search in searches]
    waiting: dict[int, np.ndarray] = {}
    to_begin = iter(range(len(runs)))

    def resume(i: int, answer: Any) -> None:
        request = runs[i].switch(answer)
        if runs[i].dead:
            waiting.pop(i, None)
            done()
        else:
            waiting[i] = request

    def begin() -> None:
        while len(waiting) < (len(runs) if at_once is None else at_once):
            i = next(to_begin, None)
            if i is None:
                return
            resume(i, hub.switch)  # the first switch calls search.run(hub.switch)

    begin()
    while waiting:
        indices = list(waiting)
        values, gradients = evaluate(indices, np.stack([waiting[i] for i in indices]))
        for i, value, gradient in zip(indices, values, gradients, strict=True):
            resume(i, (float(value), gradient))
        begin()

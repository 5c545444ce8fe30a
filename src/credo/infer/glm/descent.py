"""Descent with an inverse that is near that of the information, or with that itself, which alone ends it.

An inverse that is known from some of the rows is taken along and improved by what each step shows (a secant). Where
that goes slowly, and where it has come close, the information of all rows is taken; one more step with that is the end.
So the information, whose cost is that of many steps, is mostly taken once, at the solution, where standard errors want
it.
"""

from collections.abc import Callable
from contextlib import nullcontext
from typing import NamedTuple, Protocol, TypeVar, runtime_checkable

import numpy as np

from credo.numerics.semidefinite import scaled_inverse
from credo.numerics.threads import OneBlasThread

__all__ = ["Descended", "Exact", "Point", "descend"]

_ITERATIONS = 100
_HALVINGS = 30
_SMALL = 1024  # coefficients up to which one BLAS thread inverts the information: waking others costs more
_IMPATIENT = 2  # halvings of a step that is not exact


@runtime_checkable
class Point(Protocol):
    """Where a search stands."""

    @property
    def beta(self) -> np.ndarray:
        """Free coordinates."""

    @property
    def value(self) -> float:
        """The objective."""

    @property
    def gradient(self) -> np.ndarray:
        """Of the objective."""


P = TypeVar("P", bound=Point)


class Exact(NamedTuple):
    """The information at a point, its inverse and its rank."""

    information: np.ndarray
    inverse: np.ndarray
    rank: int

    @classmethod
    def of(cls, information: np.ndarray) -> "Exact":
        """With the inverse on what it spans. O(p³)."""
        with OneBlasThread() if len(information) <= _SMALL else nullcontext():
            return cls(information, *scaled_inverse(information))


class Descended(NamedTuple):
    """The last point, the information there, the step that is left to take (none if it did not converge), and how."""

    point: Point
    exact: Exact
    step: np.ndarray
    decrement: float
    iterations: int
    converged: bool

    @property
    def beta(self) -> np.ndarray:
        """After that step."""
        return self.point.beta - self.step

    @property
    def value(self) -> float:
        """After that step, which is so short that how far the objective falls is known."""
        return self.point.value - 0.5 * float(self.point.gradient @ self.step)


def descend(
    evaluate: Callable[[np.ndarray], P],
    information: Callable[[P], np.ndarray],
    point: P,
    inverse: np.ndarray | None,
    *,
    close: Callable[[P], float],
    weight: float,
    quick: float,
    keep: bool,
) -> Descended:
    """From `point`, first with `inverse` if there is one, until the Newton decrement is at most `close` of the point.

    While decrements fall to `quick` of the last the inverse is kept, if `keep`; otherwise it is exact at every step.
    `weight` is that of all rows: the value is a sum over them.
    """
    exact, before = None, np.inf
    slack = 1e-12 * abs(point.value) + 1e-14 * weight  # of terms of about one, and no better than that
    for iteration in range(1, _ITERATIONS + 1):
        if inverse is None:
            exact = Exact.of(information(point))
            inverse = exact.inverse
        step = inverse @ point.gradient
        decrement = float(point.gradient @ step)
        near = decrement <= close(point)
        if exact is not None and near:
            return Descended(point, exact, step, decrement, iteration, True)
        moved = None
        if exact is not None or not (near or decrement > quick * before):
            moved = _moved(evaluate, point, step, decrement, slack, _IMPATIENT if exact is None else _HALVINGS)
        if moved is None and exact is not None:
            return Descended(point, exact, 0.0 * step, decrement, iteration, False)
        inverse = _secant(inverse, point, moved) if moved is not None and keep else None
        before = decrement if moved is not None else np.inf
        exact, point = None, point if moved is None else moved
    return Descended(point, Exact.of(information(point)), 0.0 * step, decrement, iteration, False)


def _moved(
    evaluate: Callable[[np.ndarray], P], point: P, step: np.ndarray, decrement: float, slack: float, halvings: int
) -> P | None:
    """The point a step down, halved until the value is lower (Armijo); None where none is."""
    for halving in range(halvings):
        size = 0.5**halving
        moved = evaluate(point.beta - size * step)
        if moved.value <= point.value - 1e-4 * size * decrement + slack:
            return moved
    return None


def _secant(inverse: np.ndarray, point: Point, moved: Point) -> np.ndarray:
    """The inverse as the step that was taken shows it to be (BFGS; Nocedal & Wright 2006, eq. 6.17)."""
    step, change = moved.beta - point.beta, moved.gradient - point.gradient
    along = float(step @ change)
    if not along > 0.0:
        return inverse
    turned = inverse @ change
    crossed = np.outer(step, turned) / along
    return inverse - crossed - crossed.T + (1.0 + float(change @ turned) / along) * np.outer(step, step) / along

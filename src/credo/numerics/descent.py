"""A descent from near a minimum, whose curvature is known roughly, by NumPy.

Where an evaluation takes a tenth of a millisecond, a general optimizer takes longer than what it optimizes, and it does
not stop by what is left to gain.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from jaxtyping import Float

__all__ = ["Descent", "descended"]

_SUFFICIENT = 1e-4  # of what the slope promises, that a step has to bring
_SHORTEST = 1e-6  # of a step that is tried again and again
_CURVED = 1e-10  # cosine between a step and the change of the slope, from which on it tells of the curvature

Loss = Callable[[Float[np.ndarray, " q"]], tuple[float, Float[np.ndarray, " q"]]]


class Descent(NamedTuple):
    """The lowest point that was found, the loss there, and the inverse of its curvature."""

    x: Float[np.ndarray, " q"]
    loss: float
    inverse: Float[np.ndarray, "q q"]


def descended(
    loss: Loss,
    start: Float[np.ndarray, " q"],
    inverse: Float[np.ndarray, "q q"],
    *,
    left: float,
    longest: float,
    steps: int,
) -> Descent:
    r"""Quasi-Newton steps from `start` until a quadratic function would have no more than `left` to gain.

    `loss` gives value and gradient g. `inverse` is about the inverse H of the curvature at the start, positive
    definite, and is updated with each step (Broyden, Fletcher, Goldfarb and Shanno: Nocedal and Wright 2006,
    eq. 6.17); what is left to gain is $\tfrac12 g^\top H g$. No coordinate changes by more than `longest` in a step. It
    also ends after so many `steps`, or where none is left to make.

    >>> bowl = lambda x: (float(np.sum(x**4 + x**2)), 4.0 * x**3 + 2.0 * x)
    >>> descended(bowl, np.array([0.5, -0.2]), 0.3 * np.eye(2), left=1e-9, longest=1.0, steps=20).x.round(3).tolist()
    [-0.0, 0.0]
    """
    x, length = start, 1.0
    value, slope = loss(x)
    for _ in range(steps):
        way = -inverse @ slope
        promised = float(slope @ way)
        if -0.5 * promised <= left or length <= _SHORTEST:
            break
        length = min(length, longest / float(np.max(np.abs(way))))
        there = x + length * way
        after, beyond = loss(there)
        if not after <= value + _SUFFICIENT * length * promised:
            # The least point of the parabola through both values and the slope.
            rise = after - value - length * promised
            length *= float(np.clip(-0.5 * length * promised / rise, 0.1, 0.5)) if np.isfinite(rise) else 0.1
            continue
        inverse = _updated(inverse, there - x, beyond - slope)
        x, value, slope, length = there, after, beyond, 1.0
    return Descent(x, value, inverse)


def _updated(inverse: np.ndarray, s: np.ndarray, y: np.ndarray) -> np.ndarray:
    """After a step s that changed the slope by y, which is left aside where it has no curvature to tell of."""
    sy = float(s @ y)
    if sy <= _CURVED * np.sqrt(float(s @ s) * float(y @ y)):
        return inverse
    Hy = inverse @ y
    cross = np.outer(Hy, s)
    return inverse + ((1.0 + float(y @ Hy) / sy) * np.outer(s, s) - cross - cross.T) / sy

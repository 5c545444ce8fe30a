r"""Support vector machines, one problem for classes and numbers.

Minimize $P = \tfrac12\lVert f\rVert_k^2 + \sum_i \ell_i(y_i - f(x_i) - b)$ with the loss $\ell_i(r) = h_i\max(0, r -
\varepsilon) - l_i\max(0, -r - \varepsilon)$. Classes have y = ±1, ε = 0 and the loss on one side only; numbers have it
on both. The dual is to maximize $D(\theta) = y^\top\theta - \varepsilon\lVert\theta\rVert_1 - \tfrac12\theta^\top
K\theta$ with $l \le \theta \le h$ and $\sum\theta = 0$, and then $f = \sum_i\theta_i k(x_i, \cdot)$ (Schölkopf & Smola
2002, eqs. 7.35 and 9.8). $D \le P$ for every feasible pair, so that their difference bounds the error of both.
"""

from typing import NamedTuple

import numpy as np
from jaxtyping import Float

__all__ = [
    "MarginProblem",
    "best_intercept",
    "class_problem",
    "dual_value",
    "number_problem",
    "on_bounds",
    "primal_value",
    "violations",
]


class MarginProblem(NamedTuple):
    """y, the bounds l ≤ 0 ≤ h of each coefficient, and ε."""

    targets: Float[np.ndarray, " n"]
    low: Float[np.ndarray, " n"]
    high: Float[np.ndarray, " n"]
    tube: float

    def of(self, rows: np.ndarray) -> "MarginProblem":
        """The problem of some of the rows."""
        return MarginProblem(self.targets[rows], self.low[rows], self.high[rows], self.tube)


def class_problem(sign: Float[np.ndarray, " n"], cost: Float[np.ndarray, " n"]) -> MarginProblem:
    """Classes ±1: the loss is cost · max(0, 1 − y f)."""
    return MarginProblem(sign, np.minimum(0.0, cost * sign), np.maximum(0.0, cost * sign), 0.0)


def number_problem(y: Float[np.ndarray, " n"], cost: Float[np.ndarray, " n"], tube: float) -> MarginProblem:
    """Numbers: the loss is cost · max(0, |y − f| − ε)."""
    return MarginProblem(y, -cost, cost, tube)


def primal_value(problem: MarginProblem, residual: Float[np.ndarray, " n"], square: float) -> float:
    """P of a function of squared norm `square` that leaves `residual`."""
    above = problem.high @ np.maximum(0.0, residual - problem.tube)
    return float(0.5 * square + above - problem.low @ np.maximum(0.0, -residual - problem.tube))


def dual_value(problem: MarginProblem, theta: Float[np.ndarray, " n"], square: float) -> float:
    """D of coefficients whose function has the squared norm `square`; as their sum is zero, y has no level."""
    centered = problem.targets - np.median(problem.targets)
    return float(centered @ theta - problem.tube * np.sum(np.abs(theta)) - 0.5 * square)


def violations(
    problem: MarginProblem, theta: Float[np.ndarray, " n"], residual: Float[np.ndarray, " n"]
) -> Float[np.ndarray, " n"]:
    """How far each residual is from what its coefficient allows: at most ε at zero, ε inside, at least ε at a bound.

    Negative where there is room: the distance by which a row at a bound stays clear.
    """
    tube, below, above = problem.tube, problem.low < 0.0, problem.high > 0.0
    least = np.where(theta > 0.0, tube, np.where(theta < 0.0, -tube, np.where(below, -tube, -np.inf)))
    least = np.where((theta < 0.0) & (theta <= problem.low), -np.inf, least)
    most = np.where(theta < 0.0, -tube, np.where(theta > 0.0, tube, np.where(above, tube, np.inf)))
    most = np.where((theta > 0.0) & (theta >= problem.high), np.inf, most)
    return np.maximum(least - residual, residual - most)


def best_intercept(problem: MarginProblem, residual: Float[np.ndarray, " n"]) -> float:
    """The b that leaves the least loss of y − f − b: the middle of those that do. O(n log n)."""
    kinks = np.concatenate([residual - problem.tube, residual + problem.tube])
    rises = np.concatenate([problem.high, -problem.low])  # of the slope of the loss in b, at each kink
    order = np.argsort(kinks, kind="stable")
    kinks, slope = kinks[order], np.cumsum(rises[order]) - np.sum(problem.high)
    rounding = 1e-12 * np.sum(rises)
    first = int(np.searchsorted(slope, -rounding))
    last = int(np.searchsorted(slope, rounding, side="right"))
    return float(0.5 * (kinks[min(first, len(kinks) - 1)] + kinks[min(last, len(kinks) - 1)]))


def on_bounds(
    problem: MarginProblem, theta: Float[np.ndarray, " n"], rounding: float = 1e-10
) -> Float[np.ndarray, " n"]:
    """Coefficients that are within a share of their cost of zero or a bound are there; the others take up the sum."""
    near = rounding * np.maximum(problem.high, -problem.low)
    theta = np.where(np.abs(theta) <= near, 0.0, theta)
    theta = np.where(problem.high - theta <= near, problem.high, theta)
    theta = np.where(theta - problem.low <= near, problem.low, theta)
    inside = (theta > problem.low) & (theta < problem.high) & (theta != 0.0)
    if np.any(inside):
        theta[inside] -= np.sum(theta) / np.sum(inside)
    return np.clip(theta, problem.low, problem.high)

r"""The dual of a machine by an interior-point method, where others lose their way: large costs, kernels of low rank.

With $\theta = a - b$, $0 \le a \le h$ and $0 \le b \le -l$ the dual is a quadratic program with one equality, for which
there are Mehrotra's predictor and corrector (Nocedal & Wright 2006, algorithm 16.4). Each step solves with $K + W^{-1}$
for a positive diagonal W, and with $K = \Phi\Phi^\top$ by the smaller $I + \Phi^\top W\Phi$ (Fine & Scheinberg 2001).
The number of steps hardly depends on costs and kernel; rounding grows with the costs, and leaves the rest to Newton.
"""

from typing import NamedTuple

import numpy as np
from jaxtyping import Float
from scipy import linalg

from credo.infer.dual.problem import MarginProblem

__all__ = ["interior_point"]

_STEPS = 60
_SHORT = 0.99  # of the way to the nearest bound that a step goes
_TINY = 1e-13  # of the first complementarity, where nothing is left to gain
_RANK = 1e-14  # of the largest variance, below which what is left of the covariance is rounding


def interior_point(problem: MarginProblem, covariance: Float[np.ndarray, "n n"]) -> Float[np.ndarray, " n"]:
    """Coefficients whose objective is near the best, all of them inside their bounds.

    O(n r²) a step for a covariance of rank r, and the memory of two matrices n × r and one r × r.
    """
    halves, factor = _halves(problem), _root(covariance)
    point = halves.start()
    first = point.complementarity
    for _ in range(_STEPS):
        system = _System.at(halves, factor, point)
        if system is None or point.complementarity <= _TINY * first:
            break
        products = -point.u * point.lower, -point.room * point.upper
        predicted = system.step(*products)
        reached = point.toward(predicted, point.longest(predicted)).complementarity
        center = (reached / point.complementarity) ** 3 * point.complementarity
        step = system.step(
            products[0] + center - predicted.u * predicted.lower,
            products[1] + center - predicted.room * predicted.upper,
        )
        point = point.toward(step, _SHORT * point.longest(step))
    return halves.folded(point.u)


class _Point(NamedTuple):
    """The halves u of the coefficients and their room to the cost, the multiplier of each, and that of the sum."""

    u: np.ndarray
    room: np.ndarray
    lower: np.ndarray
    upper: np.ndarray
    intercept: float

    def toward(self, step: "_Point", length: float) -> "_Point":
        u, room, lower, upper = (here + length * move for here, move in zip(self[:4], step[:4], strict=True))
        return _Point(u, room, lower, upper, self.intercept + length * step.intercept)

    def longest(self, step: "_Point") -> float:
        """How much of the step keeps all of them positive."""
        here, move = np.concatenate(self[:4]), np.concatenate(step[:4])
        return min(1.0, float(np.min(-here[move < 0.0] / move[move < 0.0], initial=np.inf)))

    @property
    def complementarity(self) -> float:
        return float(self.u @ self.lower + self.room @ self.upper) / (2 * len(self.u))


class _Halves(NamedTuple):
    """The positive and the negative half of each coefficient that may have one: its row, sign, cost and gain."""

    rows: np.ndarray
    sign: np.ndarray
    cost: np.ndarray
    gain: np.ndarray
    n: int

    def folded(self, u: np.ndarray) -> np.ndarray:
        """The coefficients."""
        return np.bincount(self.rows, self.sign * u, minlength=self.n)

    def start(self) -> _Point:
        level = np.full(len(self.cost), max(float(np.max(np.abs(self.gain))), np.finfo(float).tiny))
        return _Point(0.5 * self.cost, 0.5 * self.cost, level, level, 0.0)


def _halves(problem: MarginProblem) -> _Halves:
    above, below = np.flatnonzero(problem.high > 0.0), np.flatnonzero(problem.low < 0.0)
    rows, sign = np.concatenate([above, below]), np.repeat([1.0, -1.0], [len(above), len(below)])
    cost = np.concatenate([problem.high[above], -problem.low[below]])
    return _Halves(rows, sign, cost, sign * problem.targets[rows] - problem.tube, len(problem.targets))


def _root(covariance: np.ndarray) -> np.ndarray:
    """Φ with K = ΦΦᵀ, as many columns as the rank, by pivoted Cholesky."""
    lower, pivots, rank, _ = linalg.lapack.dpstrf(covariance, tol=_RANK * np.max(np.diagonal(covariance)), lower=1)
    root = np.empty((len(covariance), rank))
    root[pivots - 1] = np.tril(lower)[:, :rank]
    return root


class _System(NamedTuple):
    """The equations of a step at a point: W⁻¹ + K and the sum of the coefficients."""

    halves: _Halves
    root: np.ndarray
    point: _Point
    weight: np.ndarray
    spread: np.ndarray
    factor: tuple[np.ndarray, bool]

    @classmethod
    def at(cls, halves: _Halves, root: np.ndarray, point: _Point) -> "_System | None":
        weight = point.lower / point.u + point.upper / point.room
        spread = np.bincount(halves.rows, 1.0 / weight, minlength=halves.n)  # W
        scaled = np.sqrt(spread)[:, None] * root
        inner = linalg.blas.dsyrk(1.0, scaled, trans=1, lower=1)
        inner[np.diag_indices_from(inner)] += 1.0
        try:
            factor = linalg.cho_factor(inner, lower=True, overwrite_a=True, check_finite=False)
        except (linalg.LinAlgError, ValueError):
            return None
        return cls(halves, root, point, weight, spread, factor)

    def step(self, lower: np.ndarray, upper: np.ndarray) -> _Point:
        """The step that changes u·lower and room·upper by these, to first order."""
        halves, point = self.halves, self.point
        theta = halves.folded(point.u)
        slope = self.root @ (self.root.T @ theta) + point.intercept
        right = halves.gain - halves.sign * slope[halves.rows] + point.lower - point.upper
        right += lower / point.u - upper / point.room
        full = halves.folded(right / self.weight)
        toward, ones = self._explained(full), self._explained(self.spread)
        level = (np.sum(full - self.spread * toward) + np.sum(theta)) / np.sum(self.spread * (1.0 - ones))
        du = (right - halves.sign * (toward + level * (1.0 - ones))[halves.rows]) / self.weight
        return _Point(
            du, -du, (lower - point.lower * du) / point.u, (upper + point.upper * du) / point.room, float(level)
        )

    def _explained(self, full: np.ndarray) -> np.ndarray:
        """K v of the v with (W⁻¹ + K)v = W⁻¹ full."""
        return self.root @ linalg.cho_solve(self.factor, self.root.T @ full, check_finite=False)

r"""What linear equations leave free: shares that sum to one are one share fewer.

Rows of the encoding with $A x = b$, over columns that vary continuously and evenly. A search moves in the columns that
are left when some are eliminated; which ones is a matter of turns, since one that is at its bound stops the others.
"""

from typing import NamedTuple

import numpy as np
from jaxtyping import Float, Int

from credo.represent.space.constraints import Constraints
from credo.represent.space.layout import Layout
from credo.represent.space.ranges import Real

__all__ = ["Elimination", "Planes", "planes_of"]

_SINGULAR = 1e-8  # of the largest entry: below, columns do not determine a row


class Elimination(NamedTuple):
    """Some columns as functions of the others: $x_p = c + W x$."""

    pivots: Int[np.ndarray, " e"]
    constant: Float[np.ndarray, " e"]
    weights: Float[np.ndarray, "e d"]

    def complete(self, rows: Float[np.ndarray, "m d"]) -> Float[np.ndarray, "m d"]:
        """Rows with the eliminated columns filled in."""
        whole = rows.copy()
        whole[:, self.pivots] = self.constant + rows @ self.weights.T
        return whole

    def pulled(self, slopes: Float[np.ndarray, "m d"]) -> Float[np.ndarray, "m d"]:
        """Slopes by the columns that are left, given those by all."""
        left = slopes + slopes[:, self.pivots] @ self.weights
        left[:, self.pivots] = 0.0
        return left


class Planes(NamedTuple):
    """$A x = b$ for rows of the encoding, the equations independent."""

    A: Float[np.ndarray, "e d"]
    b: Float[np.ndarray, " e"]

    def onto(self, rows: Float[np.ndarray, "m d"]) -> Float[np.ndarray, "m d"]:
        """The nearest rows that meet the equations; bounds are not asked."""
        return rows - (rows @ self.A.T - self.b) @ np.linalg.pinv(self.A).T

    def eliminated(self, turn: int) -> Elimination:
        """Other columns at every turn, where there is a choice."""
        named = np.flatnonzero(np.any(self.A != 0.0, axis=0))
        pivots: list[int] = []
        for j in np.roll(named, -turn).tolist():
            more = self.A[:, [*pivots, j]]
            if np.linalg.svd(more, compute_uv=False)[-1] > _SINGULAR * np.max(np.abs(self.A)):
                pivots.append(j)
            if len(pivots) == len(self.b):
                break
        chosen = np.array(pivots)
        inverse = np.linalg.inv(self.A[:, chosen])
        weights = -inverse @ self.A
        weights[:, chosen] = 0.0
        return Elimination(chosen, inverse @ self.b, weights)


def planes_of(layout: Layout, constraints: Constraints) -> Planes | None:
    """The equations among the linear constraints whose parameters are real, evenly scaled, always there and free, or
    held; None where there are none."""
    rows, bounds = [], []
    for constraint in constraints.linear:
        columns = [layout.names.index(name) for name in constraint.weights]
        if constraint.least is None or constraint.least != constraint.most:
            continue
        if not all(_varies_evenly(layout, j) for j in columns):
            continue
        row, bound = np.zeros(len(layout.names)), float(constraint.least)
        for j, weight in zip(columns, constraint.weights.values(), strict=True):
            parameter = layout.parameters[j]
            assert isinstance(parameter, Real)
            if j in layout.fixed:
                bound -= weight * float(layout.held[j])
            else:
                row[j] = weight * (parameter.high - parameter.low)
                bound -= weight * parameter.low
        rows.append(row)
        bounds.append(bound)
    return _independent(np.array(rows), np.array(bounds)) if rows else None


def _varies_evenly(layout: Layout, j: int) -> bool:
    parameter = layout.parameters[j]
    even = isinstance(parameter, Real) and parameter.step is None and not parameter.log
    return even and not layout.conditions[j]


def _independent(A: Float[np.ndarray, "m d"], b: Float[np.ndarray, " m"]) -> Planes | None:
    """The equations without those that follow from others."""
    kept: list[int] = []
    for i in range(len(b)):
        more = A[[*kept, i]]
        if np.linalg.svd(more, compute_uv=False)[-1] > _SINGULAR * (np.max(np.abs(A)) or 1.0):
            kept.append(i)
    return Planes(A[kept], b[kept]) if kept else None

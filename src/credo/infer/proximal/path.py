r"""Slopes along the penalty: the lasso and the elastic net, from the penalty that leaves none to a small one.

$$\min_{\alpha,\beta}\ \frac1{2\sum w}\sum_i w_i(y_i - \alpha - x_i^\top\beta)^2 + \lambda\Big(\rho\lVert\beta\rVert_1 +
\frac{1-\rho}2\lVert\beta\rVert^2\Big)$$

Each penalty starts from the slopes of the one before. What certifies an answer is its duality gap, an upper bound of
how far the objective is above its minimum.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from jaxtyping import Float

from credo.infer.proximal.active_set import ActiveSet, solve_active_set, subset_factor
from credo.infer.proximal.quadratic import Quadratic
from credo.numerics.certificate import Certificate, Solution
from credo.numerics.threads import OneBlasThread

__all__ = [
    "PathPoint",
    "PenaltyPath",
    "elastic_net_path",
    "gap_certificate",
    "joined",
    "largest_penalty",
    "penalty_grid",
]

GOOD_GAP = 1e-6  # relative to half the mean square of the targets


class PenaltyPath(NamedTuple):
    """The slopes at each penalty, and what certifies them: duality gaps relative to the loss without slopes."""

    penalties: Float[np.ndarray, " k"]
    coefficients: Float[np.ndarray, "k d"]
    intercepts: Float[np.ndarray, " k"]
    losses: Float[np.ndarray, " k"]  # half the weighted mean square of the residuals
    gaps: Float[np.ndarray, " k"]
    degrees: Float[np.ndarray, " k"]  # coefficients in effect, the intercept left out


class PathPoint(NamedTuple):
    """What is known at one penalty; the gap is absolute."""

    beta: Float[np.ndarray, " d"]
    loss: float
    gap: float
    degrees: float


def largest_penalty(quadratic: Quadratic, l1_ratio: float) -> float:
    """The least penalty at which every slope is zero."""
    return float(np.max(np.abs(quadratic.linear), initial=0.0)) / l1_ratio


def penalty_grid(quadratic: Quadratic, l1_ratio: float, count: int, smallest: float) -> Float[np.ndarray, " k"]:
    """`count` penalties, evenly spaced in the logarithm, from the largest to a fraction `smallest`.

    That is a fraction of the largest, or where that is less, of the one whose ridge halves the slope of the longest
    column: slopes in large units (columns in small ones) would pay for their square at every point of the path else.
    """
    largest = largest_penalty(quadratic, l1_ratio) or 1.0  # targets that do not vary: any penalty will do
    longest = float(np.max(quadratic.diagonal(), initial=0.0)) if l1_ratio < 1.0 else 0.0
    halving = longest / (1.0 - l1_ratio) if longest > 0.0 else np.inf
    return np.geomspace(largest, smallest * min(largest, halving), count)


def elastic_net_path(
    quadratic: Quadratic, penalties: Float[np.ndarray, " k"], *, l1_ratio: float = 1.0
) -> Solution[PenaltyPath]:
    """Solve at each of `penalties`, fastest when they fall; ρ is `l1_ratio`, above zero.

    >>> from credo.infer.proximal.quadratic import centered_quadratic
    >>> X, y = np.eye(3), np.array([3.0, -1.0, 0.1])
    >>> quadratic = centered_quadratic(X, y, np.ones(3), intercept=False)
    >>> elastic_net_path(quadratic, np.array([1 / 3])).value.coefficients.round(6).tolist()
    [[2.0, 0.0, 0.0]]
    """
    beta, factor = np.zeros(len(quadratic.linear)), subset_factor(quadratic)
    descent: np.ndarray | None = None
    points, steps = [], 0
    with OneBlasThread():  # hundreds of small products
        for penalty in map(float, penalties):
            l1, l2 = np.full(len(beta), penalty * l1_ratio), penalty * (1.0 - l1_ratio)
            # Without a ridge neither the system nor the descent depends on the penalty.
            known = None if l2 else descent
            answer = solve_active_set(quadratic, l1, beta, ridge=l2, factor=None if l2 else factor, descent=known)
            beta, descent, steps = answer.beta, answer.descent, steps + answer.steps
            points.append(_measured(quadratic, penalty, l1_ratio, answer))
    path = joined(quadratic, penalties, points)
    return Solution(path, gap_certificate(path, steps), {})


def joined(quadratic: Quadratic, penalties: Float[np.ndarray, " k"], points: Sequence[PathPoint]) -> PenaltyPath:
    """The points of a path, in the order of its penalties, and their gaps made relative."""
    coefficients = np.stack([point.beta for point in points])
    return PenaltyPath(
        penalties=np.asarray(penalties, dtype=np.float64),
        coefficients=coefficients,
        intercepts=quadratic.level - coefficients @ quadratic.center,
        losses=np.array([point.loss for point in points]),
        gaps=np.array([point.gap for point in points]) / (0.5 * quadratic.energy or 1.0),
        degrees=np.array([point.degrees for point in points]),
    )


def gap_certificate(path: PenaltyPath, steps: int) -> Certificate:
    """That of the point with the largest gap."""
    worst = float(np.max(path.gaps, initial=0.0))
    status = "converged" if worst <= GOOD_GAP else "stopped early"
    note = "the error is the duality gap, relative to the loss without slopes"
    return Certificate("bounded", status=status, error=worst, iterations=steps, notes=(note,))


def _measured(quadratic: Quadratic, penalty: float, l1_ratio: float, answer: ActiveSet) -> PathPoint:
    beta, l1, l2 = answer.beta, penalty * l1_ratio, penalty * (1.0 - l1_ratio)
    loss = quadratic.loss(beta, answer.descent + l2 * beta)
    ridge = l2 * float(beta @ beta)
    pull = np.max(np.abs(answer.descent), initial=0.0)
    share = min(1.0, l1 / pull) if pull > 0.0 else 1.0
    along = quadratic.energy - float(quadratic.linear @ beta)  # t'(t − Aβ)
    primal = loss + 0.5 * ridge + l1 * float(np.sum(np.abs(beta)))
    dual = share * along - 0.5 * share**2 * (2.0 * loss + ridge)
    return PathPoint(beta, loss, max(primal - dual, 0.0), _degrees(quadratic, beta, l2))


def _degrees(quadratic: Quadratic, beta: np.ndarray, l2: float) -> float:
    """tr G(G + λ₂)⁻¹ over the slopes that are not zero (Zou, Hastie & Tibshirani 2007); their number for the lasso."""
    active = np.flatnonzero(beta)
    if not l2:
        return float(len(active))
    spectrum = np.linalg.eigvalsh(quadratic.block(active))
    return float(np.sum(spectrum / (spectrum + l2)))

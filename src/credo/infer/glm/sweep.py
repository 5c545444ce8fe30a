"""One pass over the rows: predictor, objective and gradient with each row read once; and the information of all rows.

Rows go in blocks that stay in the cache from their predictor to their product with the gradient, so that a point costs
what reading the rows once costs. That is little work a block, which threads of Python would not share well; the
information is more, and has a share of the blocks on each core.
"""

from itertools import pairwise
from typing import NamedTuple

import numpy as np

from credo.infer.glm.loss import Loss, RowLoss
from credo.infer.glm.problem import GLMProblem
from credo.numerics.threads import OneBlasThread, available_cores, on_all_cores

__all__ = ["Sweep", "information_at", "row_losses", "sweep"]


class Sweep(NamedTuple):
    """A point: coefficients, the predictor of each row and its curvature (not yet weighted), objective and gradient."""

    beta: np.ndarray
    eta: np.ndarray
    curvature: np.ndarray
    value: float
    gradient: np.ndarray


def sweep(problem: GLMProblem, loss: Loss, beta: np.ndarray) -> Sweep:
    """What is known at β, penalties included. O(n p)."""
    eta, curvature = np.empty(len(problem.y)), np.empty(len(problem.y))
    penalties = problem.penalties
    value, gradient = 0.5 * float(penalties @ beta**2), penalties * beta
    with OneBlasThread(), np.errstate(invalid="ignore"):  # infinities of a mean not allowed: the value says so
        for rows in problem.design.blocks():
            part = problem.of(rows)
            eta[rows] = part.design.predictor(beta)
            _, score, curvature[rows] = found = loss(part.y, eta[rows])
            value += float(part.weights @ found.value)
            gradient -= part.design.against(part.weights * score)
    return Sweep(beta, eta, curvature, value, gradient)


def information_at(problem: GLMProblem, curvature: np.ndarray) -> np.ndarray:
    """The information where rows have this curvature, not yet weighted. O(n p²)."""
    weighted, blocks = problem.weights * curvature, problem.design.blocks()

    def summed(span: list[slice]) -> np.ndarray:
        return np.sum([problem.design.rows(rows).gram(weighted[rows]) for rows in span], axis=0)

    if len(blocks) < 2 * available_cores():
        with OneBlasThread():
            return summed(blocks) + np.diag(problem.penalties)
    ends = np.linspace(0, len(blocks), available_cores() + 1).astype(int)
    parts = on_all_cores(summed, [blocks[start:end] for start, end in pairwise(ends)])
    return np.sum(parts, axis=0) + np.diag(problem.penalties)


def row_losses(problem: GLMProblem, loss: Loss, eta: np.ndarray) -> RowLoss:
    """The loss of each row at a predictor. O(n)."""
    found = RowLoss(*(np.empty(len(eta)) for _ in range(3)))
    for rows in problem.design.blocks():
        for whole, part in zip(found, loss(problem.y[rows], eta[rows]), strict=True):
            whole[rows] = part
    return found

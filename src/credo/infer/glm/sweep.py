"""One pass over the rows: predictor, objective, gradient and, on request, information, with each row read once.

Rows go in blocks that stay in the cache from their predictor to their products, a share of the blocks on each core. So
a point costs what reading the rows costs; a pass for the predictor and one for the gradient would cost it twice.
"""

from collections.abc import Callable
from itertools import pairwise
from typing import NamedTuple, TypeVar

import numpy as np
from scipy import sparse

from credo.infer.glm.loss import Loss
from credo.infer.glm.problem import GLMProblem
from credo.numerics.threads import available_cores, on_all_cores

__all__ = ["Sweep", "information_at", "sweep"]

T = TypeVar("T")

_BLOCK = 2**17  # numbers of a block of rows, which with a scaled copy stay in the cache
_LARGE = 2**20  # numbers, from which on threads are worth waking


class Sweep(NamedTuple):
    """A point: coefficients, the predictor of each row and its curvature, the objective, its gradient, its information.

    The curvature is not yet weighted; the information is there where it was asked for.
    """

    beta: np.ndarray
    eta: np.ndarray
    curvature: np.ndarray
    value: float
    gradient: np.ndarray
    information: np.ndarray | None


class _Part(NamedTuple):
    value: float
    gradient: np.ndarray
    information: np.ndarray


def sweep(problem: GLMProblem, loss: Loss, beta: np.ndarray, *, information: bool) -> Sweep:
    """What is known at β, penalties included. O(n p), and O(n p²) with the information."""
    eta, curvature = np.empty(len(problem.y)), np.empty(len(problem.y))
    penalties = problem.penalties

    def summed(span: list[slice]) -> _Part:
        value, gradient = 0.0, np.zeros(len(beta))
        gram = np.zeros((len(beta), len(beta)))
        for rows in span:
            part = problem.of(rows)
            eta[rows] = part.design.predictor(beta)
            found = loss(part.y, eta[rows])
            curvature[rows] = found.curvature
            value += float(part.weights @ found.value)
            gradient -= part.design.against(part.weights * found.score)
            if information:
                gram += part.design.gram(part.weights * found.curvature)
        return _Part(value, gradient, gram)

    with np.errstate(invalid="ignore"):  # infinities of a mean that is not allowed: the value says so
        parts = _shared(problem, summed)
    value = sum(part.value for part in parts) + 0.5 * float(penalties @ beta**2)
    gradient = np.sum([part.gradient for part in parts], axis=0) + penalties * beta
    total = None
    if information:
        total = np.sum([part.information for part in parts], axis=0)
        np.einsum("ii->i", total)[...] += penalties
    return Sweep(beta, eta, curvature, value, gradient, total)


def information_at(problem: GLMProblem, curvature: np.ndarray) -> np.ndarray:
    """The information where rows have this curvature, not yet weighted. O(n p²)."""

    def summed(span: list[slice]) -> np.ndarray:
        return np.sum([problem.design.rows(rows).gram(weighted[rows]) for rows in span], axis=0)

    weighted = problem.weights * curvature
    return np.sum(_shared(problem, summed), axis=0) + np.diag(problem.penalties)


def _shared(problem: GLMProblem, work: Callable[[list[slice]], T]) -> list[T]:
    """The work on the blocks of rows of each core."""
    rows, columns = problem.design.X.shape
    if sparse.issparse(problem.design.X) or rows * columns < _LARGE:
        return [work([slice(0, rows)])]
    step = max(1, _BLOCK // columns)
    blocks = [slice(start, start + step) for start in range(0, rows, step)]
    ends = np.linspace(0, len(blocks), available_cores() + 1).astype(int)
    return on_all_cores(work, [blocks[start:end] for start, end in pairwise(ends)])

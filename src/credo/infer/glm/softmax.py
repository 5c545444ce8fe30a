r"""Softmax regression: $P(y = k \mid x) \propto e^{x^\top\beta_k}$, by quasi-Newton methods in whitened coordinates.

The information of one class is at most half of $X^\top W X$ (Böhning 1992), so with $X^\top W X = LL^\top$ and
$\gamma = L^\top\beta$ the problem is nearly round, and L-BFGS needs few iterations whatever the columns' units. Of
the K vectors one is redundant: with a ridge their sum is zero, without one they are centered so that it is.
"""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from scipy import linalg, special

from credo.infer.glm.descent import Exact, descend
from credo.infer.glm.design import LinearDesign
from credo.infer.glm.newton import close_enough
from credo.infer.glm.units import ColumnUnits, StandardEstimates, standardized
from credo.numerics.lockstep import Limits, Search
from credo.numerics.semidefinite import scaled_spectrum
from credo.numerics.threads import OneBlasThread, available_cores, on_all_cores

__all__ = ["SoftmaxFit", "fit_softmax", "softmax_information"]

_SAMPLE = 8192  # rows of the first fit, where they are many
_ROUGH, _GRADIENT = 1e-3, 1e-8  # largest entry of the gradient in whitened coordinates: of some rows, of all
_QUICK = 0.5  # of the decrement, in a step: keep the inverse, since the information costs many steps
_ENOUGH = 1e-8  # of the decrement, in nats: what is left if rounding allows no more
_NARROW = 128  # columns up to which products of all pairs of them are taken
_PAIRS = 6  # of classes, from which on that pays
_TILE = 1024  # rows of such products at a time


@dataclass(frozen=True)
class SoftmaxFit(StandardEstimates):
    """Coefficients (p × K, their sum over K is zero), minus log likelihood with penalty, and how the search ended.

    `inverse_information` (Kp × Kp, class by class) is the inverse on what the rows determine: without a ridge, that is
    differences of classes. `rank` counts it. Both are kept in the standard `units` of the columns too, in which
    predictions lose no digits.
    """

    value: float
    rank: int
    decrement: float
    iterations: int
    converged: bool


class _Task(NamedTuple):
    design: LinearDesign
    codes: np.ndarray
    weights: np.ndarray
    classes: int
    penalties: np.ndarray


def fit_softmax(
    design: LinearDesign,
    codes: np.ndarray,
    weights: np.ndarray,
    classes: int,
    ridge: float | np.ndarray,
    *,
    who: str = "fit_softmax",
) -> SoftmaxFit:
    """Minimize −Σ w log P(yᵢ | xᵢ) + ½ ridge Σ β², intercepts unpenalized. O(n p K) an iteration, after O(n p²).

    The ridge is one number or one per column, on the coefficients in the units of the given columns.
    """
    design, units = standardized(design, weights, who=who)
    penalties, rows = design.penalties(units.ridge(ridge)), len(codes)
    task = _Task(design, codes, weights, classes, penalties)
    start, inverse = np.zeros((design.columns, classes)), None
    if rows > 4 * max(_SAMPLE, 20 * design.columns * classes):
        chosen = np.sort(np.random.default_rng(0).choice(rows, max(_SAMPLE, rows // 16), replace=False))
        part = _Task(design.rows(chosen), codes[chosen], weights[chosen] * (rows / len(chosen)), classes, penalties)
        start, iterations = _search(part, start, _ROUGH)
        inverse = Exact.of(softmax_information(part.design, start, part.weights, penalties)).inverse
    else:
        start, iterations = _search(task, start, _GRADIENT)
    return _descended(task, units, start, inverse, iterations)


def _search(task: _Task, start: np.ndarray, tolerance: float) -> tuple[np.ndarray, int]:
    """By L-BFGS: the coefficients, and the iterations."""
    whiten, shape = _whitening(task), start.shape

    def evaluate(free: np.ndarray) -> tuple[float, np.ndarray]:
        value, slope = _value_and_slope(task, whiten @ free.reshape(shape))
        return value, (whiten.T @ slope).ravel()

    free = linalg.solve(whiten, start) if np.any(start) else start
    search = Search(free.ravel(), None, Limits(tolerance * np.sqrt(np.sum(task.weights)), 1000))
    with OneBlasThread():  # also for the small systems of L-BFGS
        search.run(evaluate)
    return whiten @ search.x.reshape(shape), search.iterations


class _Point(NamedTuple):
    """Coefficients and gradient class by class."""

    beta: np.ndarray
    value: float
    gradient: np.ndarray


def _descended(
    task: _Task, units: ColumnUnits, start: np.ndarray, inverse: np.ndarray | None, iterations: int
) -> SoftmaxFit:
    """Steps to the last digits, with the information that standard errors want anyway."""
    shape, total = start.T.shape, float(np.sum(task.weights))

    def evaluate(flat: np.ndarray) -> _Point:
        value, slope = _value_and_slope(task, flat.reshape(shape).T)
        return _Point(flat, value, slope.T.ravel())

    def information(point: _Point) -> np.ndarray:
        return softmax_information(task.design, point.beta.reshape(shape).T, task.weights, task.penalties)

    point = evaluate(start.T.ravel())
    end = descend(
        evaluate,
        information,
        point,
        inverse,
        close=lambda _: float(close_enough(total, task.design.columns * task.classes)),
        weight=total,
        quick=_QUICK,
        keep=True,
    )
    beta = end.beta.reshape(shape).T
    centered = beta - np.mean(beta, axis=1, keepdims=True)
    ended = end.value, end.exact.rank, end.decrement, iterations + end.iterations
    return SoftmaxFit(centered, end.exact.inverse, units, *ended, end.decrement <= _ENOUGH)


def _whitening(task: _Task) -> np.ndarray:
    """A matrix T with T'(½ X'WX + ridge)T = 1, in the span of the columns; the identity on what they do not span."""
    with OneBlasThread():
        gram = 0.5 * task.design.gram(task.weights)
    np.einsum("ii->i", gram)[...] += task.penalties
    scale, values, vectors, spanned = scaled_spectrum(gram)
    return scale[:, None] * vectors / np.sqrt(np.where(spanned, values, 1.0))


def _value_and_slope(task: _Task, beta: np.ndarray) -> tuple[float, np.ndarray]:
    """The objective and its gradient (p × K), a block of rows at a time, each class in one run of memory."""
    value, slope = 0.5 * float(task.penalties @ np.sum(beta**2, axis=1)), task.penalties[:, None] * beta
    with OneBlasThread():
        for rows in task.design.blocks():
            part, codes, weights = task.design.rows(rows), task.codes[rows], task.weights[rows]
            eta = np.ascontiguousarray(part.predictors(beta).T)
            eta -= np.max(eta, axis=0)
            own = codes, np.arange(len(codes))
            chosen = eta[own]
            np.exp(eta, out=eta)
            total = np.sum(eta, axis=0)
            value += float(weights @ (np.log(total) - chosen))
            eta *= weights / total
            eta[own] -= weights
            slope += part.against_all(eta.T)
    return value, slope


def softmax_information(
    design: LinearDesign, beta: np.ndarray, weights: np.ndarray, penalties: np.ndarray
) -> np.ndarray:
    """The information of all K classes, Kp × Kp, class by class. O(n p² K²).

    Block (j, k) is −X'diag(w pⱼ pₖ)X; those of a class add up to zero, so that its own is known from the others.
    """
    p = special.softmax(design.predictors(beta), axis=1)
    size, count = design.columns, beta.shape[1]
    first, second = np.triu_indices(count, 1)
    if isinstance(design.X, np.ndarray) and size <= _NARROW and len(first) >= _PAIRS:
        grams = _grams_of_pairs(design, p, weights)
    else:
        grams = np.stack([design.gram(weights * p[:, j] * p[:, k]) for j, k in zip(first, second, strict=True)])
    blocks = np.zeros((count, size, count, size))
    blocks[first, :, second] = blocks[second, :, first] = -grams
    diagonal = -np.sum(blocks, axis=2)
    blocks[np.arange(count), :, np.arange(count)] = diagonal
    information = blocks.reshape(count * size, count * size)
    np.einsum("ii->i", information)[...] += np.tile(penalties, count)
    return information


def _grams_of_pairs(design: LinearDesign, p: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """X'diag(w pⱼ pₖ)X of all classes j < k: products of columns times products of classes, one matrix product."""
    size, rows, classes = design.columns, len(p), p.shape[1]
    first, second = np.triu_indices(classes, 1)
    spans = np.array_split(np.arange(0, rows, _TILE), min(available_cores(), -(-rows // _TILE)))

    def summed(starts: np.ndarray) -> np.ndarray:
        total, kept = np.zeros((len(first), size * (size + 1) // 2)), np.empty((size * (size + 1) // 2, _TILE))
        for start in starts:
            part = slice(start, start + _TILE)
            columns = np.ascontiguousarray(design.rows(part).whole().T)
            chances = np.ascontiguousarray(p[part].T)
            of_columns, done = kept[:, : columns.shape[1]], 0
            for i in range(size):
                np.multiply(columns[i], columns[i:], out=of_columns[done : done + size - i])
                done += size - i
            total += (weights[part] * chances[first] * chances[second]) @ of_columns.T
        return total

    upper = np.sum(on_all_cores(summed, spans), axis=0)
    grams = np.empty((len(upper), size, size))
    i, j = np.triu_indices(size)
    grams[:, i, j] = grams[:, j, i] = upper
    return grams

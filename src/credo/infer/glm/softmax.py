r"""Softmax regression: $P(y = k \mid x) \propto e^{x^\top\beta_k}$, by a quasi-Newton method in whitened coordinates.

The information of one class is at most half of $X^\top W X$ (Böhning 1992), so with $X^\top W X = LL^\top$ and
$\gamma = L^\top\beta$ the problem is nearly round, and L-BFGS needs few iterations whatever the columns' units. Of
the K vectors one is redundant: with a ridge their sum is zero, without one they are centered so that it is.
"""

from typing import NamedTuple

import numpy as np
from scipy import linalg, special

from credo.infer.glm.design import LinearDesign
from credo.numerics.lockstep import Limits, Search
from credo.numerics.semidefinite import scaled_inverse, scaled_spectrum
from credo.numerics.threads import available_cores, on_all_cores

__all__ = ["SoftmaxFit", "fit_softmax", "softmax_information"]

_SAMPLE = 8192  # rows of the first fit, where they are many
_GRADIENT = 1e-8  # largest entry in whitened coordinates, where Newton's steps begin
_CLOSE = 1e-15  # of the Newton decrement, in nats
_SAME = 1e-17  # of the decrement, a row: so near the solution the information is that of the solution, to 1e-8
_QUICK = 0.01  # of the decrement, in a step: keep the inverse
_POLISHES = 20
_NARROW = 128  # columns up to which products of all pairs of them are taken
_PAIRS = 6  # of classes, from which on that pays
_BLOCK = 2**21  # numbers in a block of rows of such products, about


class SoftmaxFit(NamedTuple):
    """Coefficients (p × K, their sum over K is zero), minus log likelihood with penalty, and how the search ended.

    `inverse_information` (Kp × Kp, class by class) is the inverse on what the rows determine: without a ridge, that is
    differences of classes. `rank` counts it.
    """

    coefficients: np.ndarray
    value: float
    inverse_information: np.ndarray
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
    design: LinearDesign, codes: np.ndarray, weights: np.ndarray, classes: int, ridge: float | np.ndarray
) -> SoftmaxFit:
    """Minimize −Σ w log P(yᵢ | xᵢ) + ½ ridge Σ β², intercepts unpenalized. O(n p K) an iteration, after O(n p²).

    The ridge is one number, or one a column.
    """
    penalties = design.penalties(ridge)
    task = _Task(design, codes, weights, classes, penalties)
    rows = len(codes)
    start = np.zeros((design.columns, classes))
    if rows > 4 * max(_SAMPLE, 20 * design.columns * classes):
        chosen = np.sort(np.random.default_rng(0).choice(rows, max(_SAMPLE, rows // 16), replace=False))
        part = _Task(design.rows(chosen), codes[chosen], weights[chosen] * (rows / len(chosen)), classes, penalties)
        start = _search(part, start, 1e-3)[0]
    return _polished(task, *_search(task, start, _GRADIENT))


def _search(task: _Task, start: np.ndarray, tolerance: float) -> tuple[np.ndarray, int]:
    """By L-BFGS: the coefficients, and the iterations."""
    whiten, shape = _whitening(task), start.shape

    def evaluate(free: np.ndarray) -> tuple[float, np.ndarray]:
        value, slope = _value_and_slope(task, whiten @ free.reshape(shape))
        return value, (whiten.T @ slope).ravel()

    free = linalg.solve(whiten, start) if np.any(start) else start
    search = Search(free.ravel(), None, Limits(tolerance * np.sqrt(np.sum(task.weights)), 1000))
    search.run(evaluate)
    return whiten @ search.x.reshape(shape), search.iterations


def _polished(task: _Task, beta: np.ndarray, iterations: int) -> SoftmaxFit:
    """Newton steps to the last digits, which standard errors want the information for anyway."""
    decrement, taken, rank, inverse = np.inf, np.inf, 0, np.zeros((0, 0))
    value, slope = _value_and_slope(task, beta)
    for _ in range(_POLISHES):
        inverse, rank = scaled_inverse(softmax_information(task.design, beta, task.weights, task.penalties))
        # While steps with it converge quickly, the inverse is kept: they are short, and it is the solution's too.
        for kept in range(_POLISHES):
            step = inverse @ slope.T.ravel()
            before, decrement = decrement, float(slope.T.ravel() @ step)
            if not kept:
                taken = decrement
            if kept and decrement > max(_QUICK * before, _CLOSE):
                break
            moved = beta - step.reshape(beta.shape[::-1]).T
            lower, at_moved = _value_and_slope(task, moved)
            if not lower <= value + 1e-12 * abs(value) + 1e-14 * float(np.sum(task.weights)):
                break
            beta, value, slope, iterations = moved, lower, at_moved, iterations + 1
            if decrement <= _CLOSE:
                break
        if not kept or (decrement <= _CLOSE and taken <= _SAME * np.sum(task.weights)):
            break
    centered = beta - np.mean(beta, axis=1, keepdims=True)
    return SoftmaxFit(centered, value, inverse, rank, decrement, iterations, decrement <= 1e-8)


def _whitening(task: _Task) -> np.ndarray:
    """A matrix T with T'(½ X'WX + ridge)T = 1, in the span of the columns; the identity on what they do not span."""
    gram = 0.5 * task.design.gram(task.weights)
    np.einsum("ii->i", gram)[...] += task.penalties
    scale, values, vectors, spanned = scaled_spectrum(gram)
    return scale[:, None] * vectors / np.sqrt(np.where(spanned, values, 1.0))


def _value_and_slope(task: _Task, beta: np.ndarray) -> tuple[float, np.ndarray]:
    eta = task.design.predictors(beta)
    eta -= np.max(eta, axis=1, keepdims=True)
    rows = np.arange(len(eta))
    chosen = eta[rows, task.codes]
    np.exp(eta, out=eta)
    total = np.sum(eta, axis=1)
    value = float(task.weights @ (np.log(total) - chosen)) + 0.5 * float(task.penalties @ np.sum(beta**2, axis=1))
    eta *= (task.weights / total)[:, None]
    eta[rows, task.codes] -= task.weights
    return value, task.design.against_all(eta) + task.penalties[:, None] * beta


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
    size, rows = design.columns, len(p)
    products, step = size * (size + 1) // 2, max(64, _BLOCK // size**2)
    spans = np.array_split(np.arange(0, rows, step), min(available_cores(), -(-rows // step)))

    def summed(starts: np.ndarray) -> np.ndarray:
        total = np.zeros((p.shape[1] * (p.shape[1] - 1) // 2, products))
        for start in starts:
            part = slice(start, start + step)
            columns = np.ascontiguousarray(design.X[part].T)
            if design.intercept:
                columns = np.concatenate([np.ones((1, columns.shape[1])), columns])
            chances = np.ascontiguousarray(p[part].T)
            of_classes = [chances[j] * weights[part] * chances[j + 1 :] for j in range(len(chances) - 1)]
            of_columns = [columns[i] * columns[i:] for i in range(size)]
            total += np.concatenate(of_classes) @ np.concatenate(of_columns).T
        return total

    upper = np.sum(on_all_cores(summed, spans), axis=0)
    grams = np.empty((len(upper), size, size))
    i, j = np.triu_indices(size)
    grams[:, i, j] = grams[:, j, i] = upper
    return grams

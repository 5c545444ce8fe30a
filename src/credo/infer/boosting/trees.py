"""Boosted trees as plain arrays: what a library learnt, without the library."""

import equinox as eqx
import numpy as np
from jaxtyping import Float, Int

__all__ = ["Trees", "trees_at"]

_ENTRIES = 2**20  # rows times trees that are followed at once


class Trees(eqx.Module):
    r"""A sum of trees, $\eta_k(x) = b_k + \sum_{t \in k} v(\text{leaf of tree } t \text{ that } x \text{ falls into})$.

    Nodes of all trees lie in one line. At node i, x goes to `left` where $x_c \le$ `threshold`, c the `column`, else to
    `right`; a leaf leads to itself and holds `value`. Trees begin at `roots`, and `outputs` says to which of the sums
    each one adds; `base` are the sums without trees.
    """

    base: Float[np.ndarray, " k"]
    roots: Int[np.ndarray, " t"]
    outputs: Int[np.ndarray, " t"]
    column: Int[np.ndarray, " m"]
    threshold: Float[np.ndarray, " m"]
    left: Int[np.ndarray, " m"]
    right: Int[np.ndarray, " m"]
    value: Float[np.ndarray, " m"]


def trees_at(trees: Trees, X: Float[np.ndarray, "n d"]) -> Float[np.ndarray, "n k"]:
    """The sums at each row: O(trees × depth) a row, in blocks of bounded memory.

    >>> stump = Trees(*map(np.array, ([1.0], [0], [0], [0, 0, 0], [0.5, 0.0, 0.0], [1, 1, 2], [2, 1, 2])),
    ...               np.array([0.0, -3.0, 4.0]))
    >>> trees_at(stump, np.array([[0.5], [0.6]])).ravel().tolist()
    [-2.0, 5.0]
    """
    out = np.tile(trees.base, (len(X), 1))
    if not len(trees.roots):
        return out
    step = max(1, _ENTRIES // len(trees.roots))
    for start in range(0, len(X), step):
        rows = slice(start, start + step)
        values = trees.value[_leaves(trees, X[rows])]
        for tree, k in enumerate(
            trees.outputs
        ):  # in this order always, so that a row alone is the same as among others
            out[rows, k] += values[:, tree]
    return out


def _leaves(trees: Trees, X: Float[np.ndarray, "n d"]) -> Int[np.ndarray, "n t"]:
    """The leaf of each tree that each row falls into: all of them go down one level at a time."""
    at = np.broadcast_to(trees.roots, (len(X), len(trees.roots)))
    rows = np.arange(len(X))[:, None]
    while True:
        smaller = X[rows, trees.column[at]] <= trees.threshold[at]
        below = np.where(smaller, trees.left[at], trees.right[at])
        if np.array_equal(below, at):
            return at
        at = below

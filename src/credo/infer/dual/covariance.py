"""The covariance of the rows of a machine: whole where it fits into the memory that was stated, else in blocks."""

from typing import NamedTuple

import jax.numpy as jnp
import numpy as np
from jaxtyping import Float, Int

from credo.kernels import Kernel
from credo.numerics.padding import filled, pad

__all__ = [
    "BorderedCovariance",
    "RowCovariance",
    "StreamedCovariance",
    "WholeCovariance",
    "bordered",
    "covariance_of",
    "kernel_product",
]


class WholeCovariance(NamedTuple):
    """The n × n matrix."""

    matrix: Float[np.ndarray, "n n"]

    def entries(self, rows: Int[np.ndarray, " a"], columns: Int[np.ndarray, " b"]) -> Float[np.ndarray, "a b"]:
        """Some rows and columns of it."""
        return self.matrix[np.ix_(rows, columns)]

    def dense(self) -> Float[np.ndarray, "n n"]:
        """All of it."""
        return self.matrix

    def times(self, theta: Float[np.ndarray, " n"]) -> Float[np.ndarray, " n"]:
        """K θ; where θ is mostly zero, from the rows (which are columns) of the others."""
        support = np.flatnonzero(theta)
        return theta[support] @ self.matrix[support] if 4 * len(support) < len(theta) else self.matrix @ theta

    def diagonal(self) -> Float[np.ndarray, " n"]:
        """The variances."""
        return np.diagonal(self.matrix)


class BorderedCovariance(NamedTuple):
    """The matrix of some rows, and of k more: what was computed need not be copied to be extended."""

    whole: WholeCovariance
    border: Float[np.ndarray, "k m"]
    corner: Float[np.ndarray, "k k"]

    def entries(self, rows: Int[np.ndarray, " a"], columns: Int[np.ndarray, " b"]) -> Float[np.ndarray, "a b"]:
        """Some rows and columns of it."""
        m, block = self.border.shape[1], np.empty((len(rows), len(columns)))
        old, known = rows < m, columns < m
        block[np.ix_(old, known)] = self.whole.entries(rows[old], columns[known])
        block[np.ix_(~old, known)] = self.border[np.ix_(rows[~old] - m, columns[known])]
        block[np.ix_(old, ~known)] = self.border[np.ix_(columns[~known] - m, rows[old])].T
        block[np.ix_(~old, ~known)] = self.corner[np.ix_(rows[~old] - m, columns[~known] - m)]
        return block

    def dense(self) -> Float[np.ndarray, "n n"]:
        """All of it, copied."""
        return np.block([[self.whole.matrix, self.border.T], [self.border, self.corner]])

    def times(self, theta: Float[np.ndarray, " n"]) -> Float[np.ndarray, " n"]:
        """K θ."""
        first, last = np.split(theta, [self.border.shape[1]])
        return np.concatenate([self.whole.times(first) + last @ self.border, self.border @ first + self.corner @ last])

    def diagonal(self) -> Float[np.ndarray, " n"]:
        """The variances."""
        return np.concatenate([self.whole.diagonal(), np.diagonal(self.corner)])


class StreamedCovariance(NamedTuple):
    """The kernel and the rows: entries are computed when they are asked for."""

    kernel: Kernel
    X: Float[np.ndarray, "n d"]

    def entries(self, rows: Int[np.ndarray, " a"], columns: Int[np.ndarray, " b"]) -> Float[np.ndarray, "a b"]:
        """Some rows and columns of it."""
        if not len(rows) or not len(columns):
            return np.zeros((len(rows), len(columns)))
        block = self.kernel(filled(self.X[rows]), filled(self.X[columns]))
        return np.asarray(block)[: len(rows), : len(columns)]

    def times(self, theta: Float[np.ndarray, " n"]) -> Float[np.ndarray, " n"]:
        """K θ, 32 MiB of K at a time."""
        support = np.flatnonzero(theta)
        return kernel_product(self.kernel, self.X, self.X[support], theta[support])

    def diagonal(self) -> Float[np.ndarray, " n"]:
        """The variances."""
        return np.asarray(self.kernel.diagonal(jnp.asarray(filled(self.X))))[: len(self.X)]


RowCovariance = WholeCovariance | BorderedCovariance | StreamedCovariance


def bordered(
    whole: WholeCovariance, kernel: Kernel, X: Float[np.ndarray, "m d"], new: Float[np.ndarray, "k d"]
) -> BorderedCovariance:
    """The covariance of X, extended by rows. O(m k)."""
    border = np.asarray(kernel(filled(new), filled(X)))[: len(new), : len(X)]
    return BorderedCovariance(whole, border, np.asarray(kernel(filled(new)))[: len(new), : len(new)])


def covariance_of(kernel: Kernel, X: Float[np.ndarray, "n d"]) -> WholeCovariance:
    """The whole matrix. n² of memory, and once more where n is no padded length."""
    return WholeCovariance(np.ascontiguousarray(np.asarray(kernel(filled(X)))[: len(X), : len(X)]))


def kernel_product(
    kernel: Kernel, X: Float[np.ndarray, "n d"], Z: Float[np.ndarray, "m d"], theta: Float[np.ndarray, " m"]
) -> Float[np.ndarray, " n"]:
    """k(X, Z) θ in blocks of bounded memory; a new n or m compiles nothing."""
    if not len(Z):
        return np.zeros(len(X))
    (padded,) = pad(theta)[:1]
    return np.asarray(kernel.times(filled(X), filled(Z), padded))[: len(X)]

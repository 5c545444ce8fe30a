r"""Many weightings of the same rows at once: all their Gram matrices, and all their forms, as one matrix product.

$\sum_i w_{bi}\, x_i x_i^\top$ for every replicate b is $W Z$, where row i of Z holds the products of pairs of entries
of $x_i$: as many operations as one Gram matrix after the other, but in one call of BLAS, and with no scaled copy of the
rows for each. Replicates go in blocks, a block on a core; rows in tiles, so that memory is bounded.
"""

from collections.abc import Iterator
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from jaxtyping import Float

from credo.infer.glm.design import weighted_gram
from credo.numerics.semidefinite import row_forms

__all__ = ["PairedRows", "StandardUnits", "paired_rows", "replicate_blocks", "standard_units"]

_BLOCK = 128  # replicates at a time: products of so many rows are as quick as larger ones
_TILE = 1024  # rows at a time: with a block of replicates, an array of 1 MB
_NARROW = 64  # columns up to which pairs are written out; above, one Gram matrix is a large product itself
_KEPT = 2**24  # numbers of the pairs that are kept for the next call: 128 MB


class PairedRows(NamedTuple):
    """Rows, and the products of pairs of their entries where these fit into memory."""

    rows: Float[np.ndarray, "n p"]
    products: Float[np.ndarray, "n q"] | None

    @property
    def tiles(self) -> Iterator[slice]:
        """All rows, a bounded number at a time."""
        return (slice(start, start + _TILE) for start in range(0, len(self.rows), _TILE))

    def grams(self, weights: Float[np.ndarray, "b t"], tile: slice) -> Float[np.ndarray, "b p p"]:
        """X' diag(w) X of the rows of a tile, for each row of non-negative weights. O(b t p²)."""
        columns = self.rows.shape[1]
        if columns > _NARROW:
            return np.stack([weighted_gram(self.rows[tile], w) for w in weights])
        place = np.empty((columns, columns), dtype=np.intp)
        upper = np.triu_indices(columns)
        place[upper] = place.T[upper] = np.arange(len(upper[0]))
        return (weights @ self._products(tile))[:, place]

    def forms(self, matrices: Float[np.ndarray, "b p p"], tile: slice) -> Float[np.ndarray, "b t"]:
        """x'Mx of the rows of a tile, for each of the symmetric matrices. O(b t p²)."""
        columns = self.rows.shape[1]
        if columns > _NARROW:
            return np.stack([row_forms(self.rows[tile], matrix) for matrix in matrices])
        first, second = np.triu_indices(columns)
        twice = np.where(first == second, 1.0, 2.0)  # an entry off the diagonal stands for its mirror too
        return (matrices[:, first, second] * twice) @ self._products(tile).T

    def _products(self, tile: slice) -> Float[np.ndarray, "t q"]:
        return _pairs(self.rows[tile]) if self.products is None else self.products[tile]

    def all_grams(self, weights: Float[np.ndarray, "b n"]) -> Float[np.ndarray, "b p p"]:
        """The same of all rows."""
        columns = self.rows.shape[1]
        total = np.zeros((len(weights), columns, columns))
        for tile in self.tiles:
            total += self.grams(weights[:, tile], tile)
        return total


def paired_rows(rows: Float[np.ndarray, "n p"]) -> PairedRows:
    """Ready for Gram matrices of many weightings.

    >>> paired_rows(np.array([[1.0, 2.0], [0.0, 1.0]])).all_grams(np.array([[1.0, 1.0], [2.0, 0.0]])).tolist()
    [[[1.0, 2.0], [2.0, 5.0]], [[2.0, 4.0], [4.0, 8.0]]]
    """
    n, p = rows.shape
    fits = p <= _NARROW and n * p * (p + 1) // 2 <= _KEPT
    return PairedRows(rows, _pairs(rows) if fits else None)


def _pairs(rows: np.ndarray) -> np.ndarray:
    first, second = np.triu_indices(rows.shape[1])
    columns = np.ascontiguousarray(rows.T)
    return (columns[first] * columns[second]).T


def replicate_blocks(count: int, most: int = _BLOCK) -> list[slice]:
    """All replicates, at most so many at a time and about as many in each block.

    >>> replicate_blocks(130)
    [slice(0, 65, None), slice(65, 130, None)]
    """
    ends = np.linspace(0, count, -(-count // most) + 1).astype(int)
    return [slice(int(start), int(end)) for start, end in pairwise(ends)]


class StandardUnits(NamedTuple):
    """Where the columns lie and how far they spread, over all replicates: units in which sums lose few digits."""

    center: Float[np.ndarray, " d"]
    scale: Float[np.ndarray, " d"]

    def of(self, X: Float[np.ndarray, "n d"]) -> Float[np.ndarray, "n d"]:
        """The rows in these units."""
        return (X - self.center) / self.scale


def standard_units(X: Float[np.ndarray, "n d"], weights: Float[np.ndarray, " n"], *, centered: bool) -> StandardUnits:
    """Weighted mean (zero if not `centered`) and root mean square about it; one for a column that does not vary."""
    center = centered * np.average(X, axis=0, weights=weights)
    scale = np.sqrt(np.average(np.square(X - center), axis=0, weights=weights))
    return StandardUnits(center, np.where(scale > 1e-12 * np.abs(center), scale, 1.0))

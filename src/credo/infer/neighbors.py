"""The nearest rows of a query, where rows count as often as they were seen and ties are taken whole."""

from typing import NamedTuple

import numpy as np
from jaxtyping import Float, Int
from sklearn.neighbors import KDTree

__all__ = ["Neighborhoods", "neighborhoods"]

_TIE = 1e-10  # distances that agree to this relative precision are one distance
_ENTRIES = 2**20  # distances that are held at once


class Neighborhoods(NamedTuple):
    """The neighbors of m queries in one line: those of query i are ``members[starts[i]:starts[i + 1]]``."""

    members: Int[np.ndarray, " total"]
    starts: Int[np.ndarray, " m"]

    @property
    def query(self) -> Int[np.ndarray, " total"]:
        """The number of the query that each neighbor belongs to."""
        return np.repeat(np.arange(len(self.starts)), np.diff(self.starts, append=len(self.members)))

    def total(self, values: Float[np.ndarray, "total *rest"]) -> Float[np.ndarray, "m *rest"]:
        """The sum of the neighbors' values for each query."""
        return np.add.reduceat(values, self.starts, axis=0)


def neighborhoods(
    tree: KDTree, counts: Float[np.ndarray, " n"], queries: Float[np.ndarray, "m d"], k: int
) -> Neighborhoods:
    """All rows within the distance at which the counts of the nearest rows first add up to k, or every row.

    A row of count 2 is two neighbors, and rows of the same distance go in together: a row twice, a row of count 2 and
    rows in another order are the same. O(m k log n) while few are tied.

    >>> tree, counts = KDTree([[0.0], [1.0], [3.0], [9.0]]), np.array([1.0, 2.0, 1.0, 1.0])
    >>> neighborhoods(tree, counts, np.array([[0.2]]), 3).members.tolist()
    [0, 1]
    """
    found = [_in_block(tree, counts, block, k) for block in _blocks(queries, k)]
    members = np.concatenate([part.members for part in found])
    ends = np.cumsum([0, *(len(part.members) for part in found[:-1])])
    return Neighborhoods(members, np.concatenate([part.starts + end for part, end in zip(found, ends, strict=True)]))


def _blocks(queries: np.ndarray, k: int) -> list[np.ndarray]:
    rows = max(1, _ENTRIES // (k + 1))
    return [queries[start : start + rows] for start in range(0, len(queries), rows)]


def _in_block(tree: KDTree, counts: np.ndarray, queries: np.ndarray, k: int) -> Neighborhoods:
    """Ask for a few rows; where they count too little, or the last one is tied, ask again for twice as many."""
    asked, left = min(k + 1, len(counts)), np.arange(len(queries))
    owners, members = [], []
    while len(left):
        distances, rows = tree.query(queries[left], k=asked)
        total = np.cumsum(counts[rows], axis=1)
        enough = total >= k * (1.0 - _TIE)  # counts such as 0.1 add up to k but for rounding
        last = np.where(enough[:, -1], np.argmax(enough, axis=1), asked - 1)
        radius = np.take_along_axis(distances, last[:, None], axis=1) * (1.0 + _TIE)
        done = (enough[:, -1] & (distances[:, -1] > radius[:, 0])) | (asked == len(counts))
        inside = (distances <= radius) & done[:, None]
        owners.append(np.broadcast_to(left[:, None], inside.shape)[inside])
        members.append(rows[inside])
        left, asked = left[~done], min(2 * asked, len(counts))
    owner, member = np.concatenate(owners), np.concatenate(members)
    order = np.lexsort((member, owner))
    return Neighborhoods(member[order], np.searchsorted(owner[order], np.arange(len(queries))))

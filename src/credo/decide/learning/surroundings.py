"""Whether a row is far from all rows that a model has seen: its predictions there are a guess about the outside."""

from dataclasses import dataclass
from typing import final

import numpy as np
from jaxtyping import Bool, Float
from scipy.spatial import cKDTree

__all__ = ["Surroundings", "surroundings_of"]

_MOST = 2000  # rows that are kept
_USUAL = 0.99  # of the rows have another one this near
_SLACK = 1.5
_SAME = 1e-9  # of columns that are scaled: apart by round-off


@final
@dataclass(frozen=True)
class Surroundings:
    """Some of the rows, as numbers, and how far from the nearest of them a row may be."""

    rows: np.ndarray
    reach: float

    def far(self, X: Float[np.ndarray, "n d"]) -> Bool[np.ndarray, " n"]:
        """Whether each row is further from every row than those mostly are from each other."""
        return cKDTree(self.rows).query(X)[0] > self.reach

    def seen(self, X: Float[np.ndarray, "n d"]) -> Bool[np.ndarray, " n"]:
        """Whether each row is one of those that are kept."""
        return cKDTree(self.rows).query(X)[0] <= _SAME


def surroundings_of(X: Float[np.ndarray, "n d"], generator: np.random.Generator) -> Surroundings:
    """Of rows as numbers that are centered and scaled: the reach is half as much again as 99 % of the distances between
    a row and the nearest other one.

    >>> rows = np.arange(100.0)[:, None]
    >>> surroundings_of(rows, np.random.default_rng(0)).far(np.array([[3.5], [200.0]])).tolist()
    [False, True]
    """
    kept = X if len(X) <= _MOST else X[np.sort(generator.choice(len(X), _MOST, replace=False))]
    kept = np.unique(kept, axis=0)
    if len(kept) < 2:
        return Surroundings(kept, 0.0)
    nearest = cKDTree(kept).query(kept, k=2)[0][:, 1]
    return Surroundings(kept, _SLACK * float(np.quantile(nearest, _USUAL)))

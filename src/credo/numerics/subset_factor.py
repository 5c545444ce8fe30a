r"""Systems with principal submatrices of one positive definite matrix, for sets of columns that change little.

The factor is of every column that was asked for lately, in that order: a new column is a new row of it, $O(m^2)$. A
set that lacks some of them is solved with their unknowns held at zero: with $E$ the unit vectors of what is lacking and
$Z = L^{-1}E$, $x = L^{-\top}(I - Z(Z^\top Z)^{-1}Z^\top)L^{-1}b$.
"""

from collections.abc import Callable

import numpy as np
from jaxtyping import Float, Int
from scipy import linalg

from credo.numerics.lapack import solve_lower_in_place

__all__ = ["SubsetFactor"]

_SPARE = 16  # columns that may be held at zero, or an eighth of all, before the factor is made anew
_DEPENDENT = 1e-10  # what is left of a column's square once others have explained it, where it counts as explained

Entries = Callable[[np.ndarray, np.ndarray], np.ndarray]


class SubsetFactor:
    """Solves $H_{SS}x = b$ for sets S of columns 0 to d − 1; `entries(rows, columns)` gives parts of H.

    >>> H = np.array([[2.0, 1.0, 0.0], [1.0, 2.0, 0.0], [0.0, 0.0, 4.0]])
    >>> factor = SubsetFactor(lambda i, j: H[np.ix_(i, j)], 3)
    >>> factor.solve(np.array([2, 0]), np.array([4.0, 2.0])).round(12).tolist()
    [1.0, 1.0]
    """

    def __init__(self, entries: Entries, d: int) -> None:
        self.entries = entries
        self.place = np.full(d, -1)  # of a column in the factor
        self._columns = np.empty(0, dtype=int)
        self._lower = np.empty((0, 0))

    def solve(
        self, columns: Int[np.ndarray, " s"], right: Float[np.ndarray, " s *k"]
    ) -> Float[np.ndarray, " s *k"] | None:
        """x, or None where the columns depend on each other; `right` may have columns. O(m² (new + lacking))."""
        new = columns[self.place[columns] < 0]
        lacking = len(self._columns) - (len(columns) - len(new))
        if lacking > max(_SPARE, len(self._columns) // 8):
            self._forget()
            new, lacking = columns, 0
        if len(new) and not self._append(new):
            if not lacking:
                return None
            self._forget()  # they may depend on what they lack only
            if not self._append(columns):
                return None
        return self._solved(self.place[columns], right.reshape(len(columns), -1)).reshape(right.shape)

    def _forget(self) -> None:
        self.place[self._columns], self._columns = -1, self._columns[:0]

    def _solved(self, places: np.ndarray, right: np.ndarray) -> np.ndarray:
        m, k = len(self._columns), right.shape[1]
        free = np.zeros(m, dtype=bool)
        free[places] = True
        held = np.flatnonzero(~free)
        sides = np.zeros((m, k + len(held)))
        sides[places, :k], sides[held, k + np.arange(len(held))] = right, 1.0
        solve_lower_in_place(self._lower, sides)
        half, held_half = sides[:, :k].copy(), sides[:, k:]
        if len(held):
            inner = linalg.cho_factor(held_half.T @ held_half, check_finite=False)
            half -= held_half @ linalg.cho_solve(inner, held_half.T @ half, check_finite=False)
        solve_lower_in_place(self._lower, half, transposed=True)
        return half[places]

    def _append(self, new: np.ndarray) -> bool:
        old, count = len(self._columns), len(self._columns) + len(new)
        corner = self.entries(new, new)
        border = np.ascontiguousarray(self.entries(self._columns, new))
        if old:
            solve_lower_in_place(self._lower, border)
        factor, failed = linalg.lapack.dpotrf(corner - border.T @ border, lower=1, clean=1)
        if failed or np.min(np.diagonal(factor) ** 2 / np.diagonal(corner)) < _DEPENDENT:
            return False
        if count > len(self._lower):
            larger = np.zeros((2 * count, 2 * count))
            larger[:old, :old] = self._lower[:old, :old]
            self._lower = larger
        self._lower[old:count, :old], self._lower[old:count, old:count] = border.T, factor
        self.place[new] = np.arange(old, count)
        self._columns = np.concatenate([self._columns, new])
        return True

r"""The squares of a penalized linear model as a quadratic of its slopes, with no more of its matrix than is asked for.

With rows weighted to a mean and centered, $A = \sqrt{W/\sum w}\,(X - \bar x)$ and $t$ the targets likewise, the loss is
$\tfrac12\lVert t - A\beta\rVert^2 = \tfrac12 t^\top t - c^\top\beta + \tfrac12\beta^\top G\beta$ with $c = A^\top t$
and $G = A^\top A$: the intercept is gone.
"""

from abc import ABC, abstractmethod
from typing import Any

import numpy as np
from jaxtyping import Float, Int
from scipy import sparse

from credo.infer.glm.design import weighted_gram

__all__ = ["Quadratic", "WholeQuadratic", "centered_quadratic"]

_ROUNDING = 8.0 * np.finfo(float).eps
_SMALL = 512  # columns up to which all of G is computed, however few the rows


class Quadratic(ABC):
    """½ t't − c'β + ½ β'Gβ; `center` and `level` are what was taken off the columns and the targets."""

    linear: Float[np.ndarray, " d"]  # c
    energy: float  # t't
    center: Float[np.ndarray, " d"]
    level: float
    weight: float  # Σw

    @abstractmethod
    def descent(self, columns: Int[np.ndarray, " s"], beta: Float[np.ndarray, " s"]) -> Float[np.ndarray, " d"]:
        """c − Gβ for slopes that are zero outside `columns`: the direction in which the loss falls. O(d s) or more."""

    @abstractmethod
    def between(self, rows: Int[np.ndarray, " r"], columns: Int[np.ndarray, " s"]) -> Float[np.ndarray, "r s"]:
        """These entries of G."""

    @abstractmethod
    def diagonal(self) -> Float[np.ndarray, " d"]:
        """The diagonal of G: the mean square of each column."""

    def block(self, columns: Int[np.ndarray, " s"]) -> Float[np.ndarray, "s s"]:
        """The rows and columns of G that belong to `columns`."""
        return self.between(columns, columns)

    def loss(self, beta: Float[np.ndarray, " d"], descent: Float[np.ndarray, " d"]) -> float:
        """½‖t − Aβ‖² from the descent at β."""
        return 0.5 * max(self.energy - float(beta @ (self.linear + descent)), 0.0)


class WholeQuadratic(Quadratic):
    """All of G, where that costs less than the rows do."""

    def __init__(self, gram: np.ndarray, linear: np.ndarray) -> None:
        self.gram, self.linear = gram, linear

    def descent(self, columns: np.ndarray, beta: np.ndarray) -> np.ndarray:
        return self.linear - beta @ self.gram[columns]

    def between(self, rows: np.ndarray, columns: np.ndarray) -> np.ndarray:
        return self.gram[np.ix_(rows, columns)]

    def diagonal(self) -> np.ndarray:
        return np.diagonal(self.gram)


class _Piecewise(Quadratic):
    """Rows of Aᵀ, and G among the columns that were ever asked for."""

    def __init__(self, rows: Any, targets: np.ndarray) -> None:
        self.rows, self.targets = rows, targets
        self.linear = rows @ targets
        self.seen = np.full(len(self.linear), -1)  # where a column stands in `gram`
        self.count = 0
        self.gram = np.empty((0, 0))
        self.taken = np.empty((0, len(targets)))

    def descent(self, columns: np.ndarray, beta: np.ndarray) -> np.ndarray:
        if not len(columns):
            return self.linear
        return self.rows @ (self.targets - self.rows[columns].T @ beta)

    def between(self, rows: np.ndarray, columns: np.ndarray) -> np.ndarray:
        asked = np.union1d(rows, columns)
        self._see(asked[self.seen[asked] < 0])
        return self.gram[np.ix_(self.seen[rows], self.seen[columns])]

    def diagonal(self) -> np.ndarray:
        rows = self.rows
        return rows.squares() if isinstance(rows, _CenteredRows) else np.einsum("dn,dn->d", rows, rows)

    def _see(self, new: np.ndarray) -> None:
        if not len(new):
            return
        old, count = self.count, self.count + len(new)
        if count > len(self.gram):
            self.gram = _enlarged(self.gram, 2 * count, 2 * count)
            self.taken = _enlarged(self.taken, 2 * count, self.taken.shape[1])
        self.taken[old:count] = self.rows[new]
        border = self.taken[:count] @ self.taken[old:count].T
        self.gram[:count, old:count], self.gram[old:count, :count] = border, border.T
        self.seen[new], self.count = np.arange(old, count), count


class _CenteredRows:
    """Aᵀ of a sparse X, which stays sparse: the center is taken off what comes out."""

    def __init__(self, X: Any, center: np.ndarray, root: np.ndarray) -> None:
        self.scaled = sparse.csr_array(X.T.multiply(root[None, :]))
        self.center, self.root = center, root

    def __matmul__(self, r: np.ndarray) -> np.ndarray:
        return self.scaled @ r - self.center * float(self.root @ r)

    def squares(self) -> np.ndarray:
        """The sum of squares of each row."""
        return np.asarray(self.scaled.multiply(self.scaled).sum(axis=1)).ravel() - self.center**2

    def __getitem__(self, columns: np.ndarray) -> np.ndarray:
        return self.scaled[columns].toarray() - np.outer(self.center[columns], self.root)


def _enlarged(array: np.ndarray, rows: int, columns: int) -> np.ndarray:
    larger = np.empty((rows, columns))
    larger[: array.shape[0], : array.shape[1]] = array
    return larger


def centered_quadratic(
    X: Any, y: Float[np.ndarray, " n"], weights: Float[np.ndarray, " n"], *, intercept: bool
) -> Quadratic:
    """The quadratic of a weighted least-squares loss; X is dense or sparse.

    All of G where columns are no more than rows (O(n d²), and no row is looked at again), otherwise what is asked for.
    """
    total = float(np.sum(weights))
    share = weights / total
    center = intercept * np.asarray(X.T @ share)
    level = intercept * float(share @ y)
    root, targets = np.sqrt(share), y - level
    if float(share @ targets**2) <= (_ROUNDING * level) ** 2:
        targets = np.zeros_like(targets)  # they do not vary, and rounding is no reason for a slope
    n, d = X.shape
    if d <= max(n, _SMALL):
        found: Quadratic = _whole(X, targets, share, center)
    elif sparse.issparse(X):
        found = _Piecewise(_CenteredRows(X, center, root), root * targets)
    else:
        found = _Piecewise(np.ascontiguousarray(((X - center) * root[:, None]).T), root * targets)
    found.energy, found.center, found.level, found.weight = float(share @ targets**2), center, level, total
    return found


def _whole(X: Any, targets: np.ndarray, share: np.ndarray, center: np.ndarray) -> Quadratic:
    if sparse.issparse(X):  # centered afterwards, which loses digits only where a mean is large against its spread
        gram = weighted_gram(X, share) - np.outer(center, center)
        return WholeQuadratic(gram, np.asarray(X.T @ (share * targets)) - center * float(share @ targets))
    centered = X - center
    return WholeQuadratic(weighted_gram(centered, share), centered.T @ (share * targets))

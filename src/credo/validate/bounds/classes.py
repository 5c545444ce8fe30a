r"""How far the risk of any member of a class of functions is from what n rows show of it, for losses of zero or one.

Realizable: some member makes no error, and the bound is on the risk of one that makes none on the rows. Agnostic: the
bound is on $\sup_h |R(h) - \hat R_n(h)|$, so that the risk of the best on the rows is within twice that of the best.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import special

from credo.validate.bounds.base import Bound, checked_number

__all__ = ["VC", "FiniteClass", "TightestRectangle", "hyperplanes", "rectangles"]


@dataclass(frozen=True)
class FiniteClass(Bound):
    r"""A class of `size` functions: $(\log|H| + \log(1/\delta))/n$ if realizable, else $\sqrt{\log(2|H|/\delta)/2n}$
    (Mohri, Rostamizadeh & Talwalkar 2018, theorems 2.5 and 2.13).

    >>> int(FiniteClass(1000, realizable=True).rows(0.1, delta=0.05))
    100
    """

    size: float
    realizable: bool = False

    def __post_init__(self) -> None:
        checked_number("FiniteClass", "size", self.size, 1.0)

    def _error(self, n: np.ndarray, delta: np.ndarray) -> Any:
        """Of the union over the class."""
        if self.realizable:
            return (np.log(self.size) - np.log(delta)) / n
        return np.sqrt(np.log(2.0 * self.size / delta) / (2.0 * n))


@dataclass(frozen=True)
class VC(Bound):
    r"""A class of VC dimension d, with the growth function $\Pi(2n)$ bounded by Sauer's lemma.

    Agnostic $\sqrt{8\,(\log\Pi(2n) + \log(4/\delta))/n}$ (Vapnik & Chervonenkis 1971, theorem 2, $P \le
    4\Pi(2n)e^{-n\varepsilon^2/8}$); realizable $2(\log_2\Pi(2n) + \log_2(2/\delta))/n$ (Blumer et al. 1989, theorem
    A2.1, $P \le 2\Pi(2n)2^{-n\varepsilon/2}$). An error above one says nothing.
    """

    dimension: float
    realizable: bool = False

    def __post_init__(self) -> None:
        checked_number("VC", "dimension", self.dimension, 0.0)

    def _error(self, n: np.ndarray, delta: np.ndarray) -> Any:
        """By symmetrization and Sauer's lemma."""
        growth = log_growth(2.0 * n, self.dimension)
        if self.realizable:
            return 2.0 * (growth + np.log(2.0 / delta)) / (np.log(2.0) * n)
        return np.sqrt(8.0 * (growth + np.log(4.0 / delta)) / n)


@dataclass(frozen=True)
class TightestRectangle(Bound):
    r"""The smallest box around the positive rows, where the truth is a box in d dimensions: $2d\log(2d/\delta)/n$.

    Each of 2d strips inside a side of the true box is missed by all rows with probability at most $e^{-n\varepsilon
    /2d}$ (Kearns & Vazirani 1994, §1.1). It assumes labels without noise.
    """

    columns: int = 2

    def __post_init__(self) -> None:
        checked_number("TightestRectangle", "columns", self.columns, 1.0)

    def _error(self, n: np.ndarray, delta: np.ndarray) -> Any:
        """(2d/n) log(2d/δ)."""
        sides = 2.0 * self.columns
        return sides * np.log(sides / delta) / n


def hyperplanes(columns: int, *, realizable: bool = False) -> VC:
    """Half-spaces of d columns with an intercept: VC dimension d + 1.

    >>> hyperplanes(2).dimension
    3
    """
    return VC(columns + 1, realizable)


def rectangles(columns: int, *, realizable: bool = False) -> VC:
    """Boxes with sides along d columns: VC dimension 2d.

    >>> rectangles(2).dimension
    4
    """
    return VC(2 * columns, realizable)


def log_growth(n: Any, dimension: float) -> np.ndarray:
    r"""$\log\sum_{i\le d}\binom ni$, Sauer's bound on the patterns that a class makes on n rows."""
    rows = np.asarray(n, dtype=np.float64)[..., None]
    chosen = np.minimum(np.arange(int(dimension) + 1), rows)
    logs = special.gammaln(rows + 1.0) - special.gammaln(chosen + 1.0) - special.gammaln(rows - chosen + 1.0)
    return np.asarray(special.logsumexp(np.where(np.arange(logs.shape[-1]) <= rows, logs, -np.inf), axis=-1))

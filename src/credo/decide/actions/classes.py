"""Losses about classes: a table of costs, with the option not to decide."""

import math
import numbers
from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, final

import numpy as np
from jaxtyping import Float

from credo.beliefs import Belief
from credo.decide.actions.expectations import class_probabilities
from credo.decide.actions.loss import Loss, names_of
from credo.errors import InputError

__all__ = ["Costs", "ZeroOne"]


class _OfClasses(Loss):
    """A loss about classes: a table of costs, one row an action, and perhaps the option not to decide."""

    reject: Any

    @abstractmethod
    def table(self, k: int) -> Float[np.ndarray, "m k"]:
        """The cost of each action (row) at each of k classes, the row of rejecting included."""

    def _with_reject(self, table: Float[np.ndarray, "rows k"]) -> Float[np.ndarray, "m k"]:
        if self.reject is None:
            return table
        return np.concatenate([table, np.full((1, table.shape[1]), float(self.reject))])

    def _check_reject(self) -> None:
        if self.reject is not None and not (isinstance(self.reject, numbers.Real) and math.isfinite(self.reject)):
            raise InputError(
                type(self).__name__, f"reject={self.reject!r}", "It is the cost of not deciding", "Try 0.2"
            )

    def listed(self, belief: Belief, actions: Any) -> tuple[Any, ...] | None:
        """The numbers of the rows, or their names, and "reject"."""
        rows = len(self.table(class_probabilities(belief).shape[-1])) - (self.reject is not None)
        named = names_of(actions, rows)
        return named if self.reject is None else (*named, "reject")

    def of(self, action: Any, y: Any, number: int = 0) -> Any:
        """The costs at all class codes."""
        codes = np.asarray(y, dtype=np.int64)
        return self.table(int(np.max(codes)) + 1)[number][codes]

    def risks(self, belief: Belief, actions: Sequence[Any]) -> Float[np.ndarray, "*batch m"] | None:
        """Probabilities times costs."""
        probabilities = class_probabilities(belief)
        return probabilities @ self.table(probabilities.shape[-1]).T


@final
@dataclass(frozen=True)
class ZeroOne(_OfClasses):
    """1 for a wrong class, 0 for the right one, and `reject` for not deciding: best where no class is surer than 1 −
    reject (Chow 1970)."""

    reject: Any = None

    def __post_init__(self) -> None:
        self._check_reject()

    def table(self, k: int) -> Float[np.ndarray, "m k"]:
        """One off the diagonal."""
        return self._with_reject(1.0 - np.eye(k))


@final
@dataclass(frozen=True)
class Costs(_OfClasses):
    """A table of costs, one row an action and one column a class; `reject` is the cost of not deciding."""

    matrix: Any
    reject: Any = None

    def __post_init__(self) -> None:
        matrix = np.asarray(self.matrix, dtype=np.float64)
        if matrix.ndim != 2 or not matrix.size or not np.all(np.isfinite(matrix)):
            what = f"the matrix has shape {matrix.shape}" + (" and is not finite" if matrix.ndim == 2 else "")
            raise InputError("Costs", what, "It has one row an action and one column a class", "Pass such a matrix")
        object.__setattr__(self, "matrix", tuple(map(tuple, matrix.tolist())))
        self._check_reject()

    def table(self, k: int) -> Float[np.ndarray, "m k"]:
        """The matrix, for a belief of as many classes."""
        matrix = np.asarray(self.matrix)
        if matrix.shape[1] != k:
            what = f"the matrix has {matrix.shape[1]} columns, but the belief {k} classes"
            raise InputError("Costs", what, "Rows and columns may be swapped", "Pass one column a class")
        return self._with_reject(matrix)

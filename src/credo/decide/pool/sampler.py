"""What samplers of a pool share: the question, the answer, and what is refused."""

from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from typing import Any, final

import numpy as np
from jaxtyping import Float, Int
from sklearn.utils import check_array
from sklearn.utils.validation import _num_samples

from credo.errors import InputError
from credo.represent.validation import in_credos_words, refuse_sparse

__all__ = ["Asked", "PoolPicks", "PoolSampler", "best_first", "checked_rows"]


@final
@dataclass(frozen=True)
class PoolPicks:
    """Rows of a pool to label next, in the order they were picked.

    `scores` says how much each was worth by the rule of its sampler, `how` names the rule.
    """

    indices: Int[np.ndarray, " n"]
    scores: Float[np.ndarray, " n"] = field(repr=False)
    how: str

    def __len__(self) -> int:
        return len(self.indices)


class PoolSampler(ABC):
    """Picks rows of a pool that are worth a label."""

    @abstractmethod
    def ask(self, pool: Any, n: int, labelled: Any = None) -> Any:
        """The `n` rows of `pool` to label next, none of them among `labelled` (row numbers, or a mask of rows)."""


@final
class Asked:
    """A question to a sampler, checked: how many rows the pool has, how many are wanted, which are labelled."""

    def __init__(self, who: str, pool: Any, n: Any, labelled: Any) -> None:
        self.size = _row_count(who, pool)
        self.labelled = _checked_labelled(who, labelled, self.size)
        self.free = np.ones(self.size, dtype=bool)
        self.free[self.labelled] = False
        if isinstance(n, bool) or not isinstance(n, (int, np.integer)) or n < 1:
            raise InputError(who, f"n={n!r} is no number of rows", "It is how many to pick", "Try n=10")
        left = self.size - len(self.labelled)
        if n > left:
            what = f"n={n}, but {left} of {self.size} rows have no label"
            remedy = f"Ask for at most {left}" if left else "There is nothing left to pick"
            raise InputError(who, what, "No row is picked twice", remedy)
        self.n = int(n)


def checked_rows(who: str, pool: Any) -> Float[np.ndarray, "n d"]:
    """A pool (array, list, or frame of pandas, polars or pyarrow) as finite numbers, one row a point."""
    refuse_sparse(who, pool)
    with in_credos_words(who):
        rows: np.ndarray = check_array(pool, dtype=np.float64, order="C", input_name="pool")
    if not np.max(np.abs(rows)) < 1e150:
        what = f"the pool has a value of {np.max(np.abs(rows)):.3g}"
        raise InputError(who, what, "Squared distances overflow", "Bring the columns to a common scale first")
    return rows


def best_first(scores: Float[np.ndarray, " size"], asked: Asked) -> Int[np.ndarray, " n"]:
    """The free rows with the largest scores; of equal ones the lowest row number comes first."""
    rows = np.flatnonzero(asked.free)
    return rows[np.argsort(-scores[rows], kind="stable")[: asked.n]]


def _row_count(who: str, pool: Any) -> int:
    try:
        count = int(_num_samples(pool))
    except TypeError as error:
        what = f"the pool is a {type(pool).__name__}"
        raise InputError(who, what, "A pool is a table of rows", "Pass an array or a frame") from error
    if not count:
        raise InputError(who, "the pool is empty", "A filter may have left no row", "Pass at least one row")
    return count


def _checked_labelled(who: str, labelled: Any, size: int) -> Int[np.ndarray, " m"]:
    given = np.zeros(0, dtype=np.int64) if labelled is None else np.asarray(labelled)
    if given.ndim == 1 and given.dtype == bool and len(given) == size:
        return np.flatnonzero(given)
    if given.ndim != 1 or (given.dtype.kind not in "iu" and given.size):
        what = f"labelled has shape {given.shape} and type {given.dtype}"
        raise InputError(who, what, "It says which rows have a label", f"Pass row numbers, or a mask of {size} rows")
    wrong = given[(given < 0) | (given >= size)]
    if wrong.size:
        what = f"labelled has the row {wrong[0]}"
        raise InputError(who, what, f"The pool has {size} rows, numbered from 0", "Pass rows of this pool")
    return np.unique(given).astype(np.int64)

"""A split of rows: what is learned from and what is judged on, checked, of rows that there are, on one side each."""

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
from jaxtyping import Int
from sklearn.utils.validation import column_or_1d

from credo.errors import InputError
from credo.represent.validation import in_credos_words

__all__ = ["GivenSplits", "Split", "checked_split", "group_codes", "require_apart"]


class Split(NamedTuple):
    """Rows to learn from, with repetition, and rows to judge on, in order, none of which is among them."""

    train: Int[np.ndarray, " t"]
    held: Int[np.ndarray, " h"]


class GivenSplits:
    """A splitter of splits that were made before, the same at every call."""

    def __init__(self, pairs: list[Any]) -> None:
        self.pairs = pairs

    def get_n_splits(self, X: Any = None, y: Any = None, groups: Any = None) -> int:
        """How many."""
        return len(self.pairs)

    def split(self, X: Any, y: Any = None, groups: Any = None) -> Iterator[Any]:
        """One after the other, whatever X is."""
        return iter(self.pairs)


def group_codes(groups: Any, rows: int) -> Int[np.ndarray, " n"]:
    """The group of each row as a number from zero on, checked: one a row, none missing.

    >>> group_codes(["b", "a", "b"], 3).tolist()
    [1, 0, 1]
    """
    with in_credos_words("evaluate"):
        column = column_or_1d(groups)
    if len(column) != rows:
        what = f"{len(column)} groups for {rows} rows"
        raise InputError("evaluate", what, "groups and X come from different tables", "Pass the group of each row")
    try:
        missing = bool(np.any(column != column))  # as is true of NaN alone
        codes = np.unique(column, return_inverse=True)[1]
    except TypeError:  # None, or text and numbers, have no order
        missing = True
    if missing:
        cause = "One is missing, or some are text and others numbers"
        raise InputError("evaluate", "groups cannot be told apart", cause, "Pass a number or a name for each row")
    return codes


def checked_split(pair: Any, which: str, rows: int) -> Split:
    """A pair of row numbers as a split of `rows` rows, if it is one; `which` names it in an error.

    >>> checked_split(([3, 0, 3], [2, 1]), "split 1", 4).held.tolist()
    [1, 2]
    """
    try:
        train, held = (np.asarray(part) for part in pair)
    except (TypeError, ValueError):
        cause = "It has row numbers to learn from, and others to judge on"
        raise InputError("evaluate", f"{which} is no pair", cause, "Pass [(train, test), ...]") from None
    if not train.size or not held.size:
        what = f"{which} has {train.size} rows to learn from and {held.size} to judge on"
        raise InputError("evaluate", what, "The plan has more parts than there are rows", "Try fewer folds")
    for part in (train, held):
        if part.ndim != 1 or part.dtype.kind not in "iu":
            what = f"{which} has an array of {part.dtype} of shape {part.shape}"
            raise InputError("evaluate", what, "Rows are given by number", "Try numpy.flatnonzero of a mask")
        if np.min(part) < 0 or np.max(part) >= rows:
            what = f"{which} has rows from {np.min(part)} to {np.max(part)}, of {rows}"
            raise InputError("evaluate", what, "It was made for another table", f"Pass numbers from 0 to {rows - 1}")
    train, held = train.astype(np.intp, copy=False), np.sort(held.astype(np.intp, copy=False))
    learned = np.zeros(rows, dtype=bool)
    learned[train] = True
    if np.any(learned[held]) or np.any(held[1:] == held[:-1]):
        what = f"{which} judges on {int(np.sum(learned[held]))} rows that it learns from, or on a row twice"
        raise InputError("evaluate", what, "A risk is of rows that a refit has not seen", "Leave them out of one side")
    return Split(train, held)


def require_apart(split: Split, codes: Int[np.ndarray, " n"], which: str) -> None:
    """Refuse a split that has rows of one group on both sides."""
    learned = np.zeros(int(np.max(codes)) + 1, dtype=bool)
    learned[codes[split.train]] = True
    shared = len(np.unique(codes[split.held][learned[codes[split.held]]]))
    if shared:
        raise InputError(
            "evaluate",
            f"{which} has rows of {shared} groups on both sides",
            "It does not look at groups",
            "Try '5-fold', 'hold-out', 'leave-one-out' or 'bootstrap', or sklearn.model_selection.GroupKFold",
        )

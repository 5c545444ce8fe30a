"""Groups of rows: their codes, and which rows are held out so that each group has its share."""

from typing import Any

import numpy as np
from jaxtyping import Int
from sklearn.utils import column_or_1d
from sklearn.utils._missing import is_pandas_na

from credo.errors import InputError
from credo.represent.validation import in_credos_words

__all__ = ["coded_groups", "codes_among", "held_out_share"]


def coded_groups(who: str, groups: Any, rows: int) -> tuple[np.ndarray | None, Int[np.ndarray, " n"]]:
    """The names of the groups, in order, and the number of that of each row; no names and zeros without groups.

    >>> labels, codes = coded_groups("example", ["b", "a", "b"], 3)
    >>> labels.tolist(), codes.tolist()
    (['a', 'b'], [1, 0, 1])
    """
    if groups is None:
        return None, np.zeros(rows, dtype=int)
    labels, codes = np.unique(_checked(who, groups, rows), return_inverse=True)
    return labels, codes


def codes_among(who: str, labels: np.ndarray | None, groups: Any, rows: int) -> Int[np.ndarray, " n"]:
    """The number of the group of each row among known names; a group that is not among them is refused."""
    if (labels is None) != (groups is None):
        there, missing = ("fit", "prediction") if groups is None else ("prediction", "fit")
        raise InputError(
            who,
            f"groups were given to {there} and not to {missing}",
            "A row is held against the calibration rows of its own group",
            "Pass groups= to both, or to neither",
        )
    if labels is None:
        return np.zeros(rows, dtype=int)
    asked = _checked(who, groups, rows)
    known = np.isin(asked, labels)
    if not np.all(known):
        names = ", ".join(repr(name) for name in np.unique(asked[~known])[:5].tolist())
        raise InputError(
            who,
            f"groups has {names}, of which there was no row in fit",
            "Without calibration rows of a group nothing can be promised for it",
            f"Pass groups among {labels[:5].tolist()}{' …' if len(labels) > 5 else ''}",
        )
    return np.searchsorted(labels, asked)


def held_out_share(codes: Int[np.ndarray, " n"], share: float, generator: np.random.Generator) -> Int[np.ndarray, " m"]:
    """Rows to hold out, in order: of each group this share at random, rounded up."""
    chosen = []
    for code in np.unique(codes):
        members = np.flatnonzero(codes == code)
        chosen.append(generator.permutation(members)[: int(np.ceil(share * len(members) * (1.0 - 1e-12)))])
    return np.sort(np.concatenate(chosen))


def _checked(who: str, groups: Any, rows: int) -> np.ndarray:
    """One name a row, all of a kind that can be ordered."""
    with in_credos_words(who):
        names = column_or_1d(groups, warn=False)
    if len(names) != rows:
        raise InputError(
            who, f"groups has {len(names)} entries for {rows} rows", "A row has one group", "Pass one group a row"
        )
    missing = np.array([name is None or is_pandas_na(name) or name != name for name in names.tolist()], dtype=bool)
    kinds = {type(name).__name__ for name in names.tolist()}
    if np.any(missing) or (names.dtype == object and len(kinds) > 1):
        what = f"{np.sum(missing)} entries of groups are missing" if np.any(missing) else f"groups mixes {kinds}"
        raise InputError(who, what, "A group is a name or a number", "Drop those rows, or name their group")
    return names

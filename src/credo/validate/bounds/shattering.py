r"""What a finite class can tell apart: its VC dimension by search, and AdaBoost's bound on its training error."""

from itertools import combinations
from typing import Any

import numpy as np
from jaxtyping import Bool

from credo.errors import InputError

__all__ = ["adaboost_training_bound", "vc_dimension"]


def vc_dimension(patterns: Any) -> int:
    """The size of the largest set of rows on which the functions take all labelings.

    `patterns` has a row a function and a column a row of data, true or false: what each says of each. Sets grow from
    shattered ones only, since a part of a shattered set is shattered (the search of an a-priori algorithm). Exponential
    in the answer.

    >>> thresholds = np.arange(5)[None, :] >= np.arange(6)[:, None]
    >>> vc_dimension(thresholds)
    1
    """
    said = _checked(patterns)
    shattered: set[tuple[int, ...]] = {()}
    size = 0
    while True:
        larger = {
            (*known, new)
            for known in shattered
            for new in range(known[-1] + 1 if known else 0, said.shape[1])
            if all(part in shattered for part in combinations((*known, new), size))
            and _shatters(said[:, [*known, new]])
        }
        if not larger:
            return size
        shattered, size = larger, size + 1


def _shatters(said: Bool[np.ndarray, "h s"]) -> bool:
    """Whether all labelings of these rows are there."""
    codes = said @ (1 << np.arange(said.shape[1]))
    return len(np.unique(codes)) == 1 << said.shape[1]


def _checked(patterns: Any) -> Bool[np.ndarray, "h n"]:
    said = np.asarray(patterns)
    if said.ndim != 2 or not said.size or not np.all((said == 0) | (said == 1)):
        raise InputError(
            "vc_dimension",
            f"patterns of shape {said.shape} and dtype {said.dtype}",
            "They are true or false, a row a function and a column a row of data",
            "Pass predictions == positive",
        )
    return np.unique(said.astype(bool), axis=0)


def adaboost_training_bound(errors: Any) -> np.ndarray:
    r"""$\prod_t 2\sqrt{\epsilon_t(1 - \epsilon_t)}$ after each round, for weighted errors of its learners (Freund &
    Schapire 1997, theorem 6).

    >>> adaboost_training_bound([0.3, 0.3]).round(3).tolist()
    [0.917, 0.84]
    """
    rounds = np.asarray(errors, dtype=np.float64)
    if rounds.ndim != 1 or not np.all((rounds >= 0.0) & (rounds <= 1.0)):
        raise InputError(
            "adaboost_training_bound", f"errors are {errors}", "One weighted error a round, in [0, 1]", "Try [0.3, 0.4]"
        )
    return np.cumprod(2.0 * np.sqrt(rounds * (1.0 - rounds)))

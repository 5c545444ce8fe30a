"""Splits of rows as weights: what an engine that takes weights needs to be refitted without some of them."""

from typing import Any

import numpy as np
from jaxtyping import Bool

from credo.errors import InputError
from credo.numerics.random import as_seed

__all__ = ["folds"]


def folds(n: int, count: int, random_state: Any = 0) -> Bool[np.ndarray, "k n"]:
    """Which of n rows each of `count` folds holds out: at random, sizes at most one apart, every row once.

    >>> held = folds(5, 2)
    >>> held.sum(axis=0).tolist(), sorted(held.sum(axis=1).tolist())
    ([1, 1, 1, 1, 1], [2, 3])
    """
    if not 2 <= count <= n:
        raise InputError("folds", f"{count} folds of {n} rows", "A fold holds out a row or more", "Try fewer folds")
    order = np.random.default_rng(as_seed(random_state)).permutation(n)
    return (order % count)[None, :] == np.arange(count)[:, None]

"""Splits of rows as weights: what an engine that takes weights needs to be refitted without some of them."""

from typing import Any

import numpy as np
from jaxtyping import Bool, Int

from credo.errors import InputError
from credo.numerics.random import as_seed

__all__ = ["class_folds", "dealt", "folds"]


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


def class_folds(
    codes: Int[np.ndarray, " n"], count: int, random_state: Any = 0, *, who: str = "class_folds"
) -> Bool[np.ndarray, "k n"]:
    """Folds that share out the rows of each class: as many as asked, or as the smallest class has rows.

    So every class that has two rows or more has some outside each fold.

    >>> held = class_folds(np.array([0, 0, 0, 0, 1, 1]), 5)
    >>> len(held), held[:, 4:].sum(axis=1).tolist()
    (2, [1, 1])
    """
    fewest = int(np.min(np.unique(codes, return_counts=True)[1]))
    if fewest < 2:
        raise InputError(
            who,
            "a class has one row only",
            "A fold that holds it out leaves none to learn from",
            "Pass two rows or more of each class",
        )
    generator = np.random.default_rng(as_seed(random_state))
    count = min(count, fewest)
    return dealt(codes, count, generator)[None, :] == np.arange(count)[:, None]


def dealt(codes: Int[np.ndarray, " n"], count: int, generator: np.random.Generator) -> Int[np.ndarray, " n"]:
    """The fold of each row, at random: sizes at most one apart, in each class too."""
    fold_of = np.empty(len(codes), dtype=int)
    fold_of[np.lexsort((generator.random(len(codes)), codes))] = np.arange(len(codes)) % count
    return fold_of

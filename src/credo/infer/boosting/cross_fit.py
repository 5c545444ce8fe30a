"""Boosting without each of some folds: the number of rounds, what is said of rows that were not seen, and the trees."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from jaxtyping import Float, Int

from credo.infer.boosting.lightgbm import Growth, Loss, Run
from credo.infer.boosting.trees import Trees, trees_at
from credo.numerics.threads import on_all_cores

__all__ = ["CrossFit", "cross_fit"]

_STRIDE = 20  # rounds between two looks at whether it still gets better
_PATIENCE = 50  # rounds without a gain, after which it is given up
_LARGE = 20_000  # numbers in X, from which a round takes longer than the turn of a thread
_GAIN = 1e-4  # of a mean loss of about one, that is none


class CrossFit(NamedTuple):
    """One sum of trees without each fold, what each says of the fold it has not seen, and the rounds of all of them.

    `losses` is the mean loss at held rows by the number of rounds; `stopped` says whether rounds ran out while it still
    got better.
    """

    trees: tuple[Trees, ...]
    held: Float[np.ndarray, "n k"]
    rounds: int
    losses: Float[np.ndarray, " r"]
    stopped: bool


def cross_fit(
    loss: Loss,
    X: Float[np.ndarray, "n d"],
    y: np.ndarray,
    w: Float[np.ndarray, " n"],
    folds: Int[np.ndarray, " n"],
    growth: Growth,
    *,
    outputs: int = 1,
    max_rounds: int = 2000,
) -> CrossFit:
    r"""Boost without each fold, as many rounds as are best at the rows that were held out, of all folds together.

    Fold models grow in step, of large tables on a core each. The number of rounds is that of the least weighted mean of
    the losses at held rows; growth ends where fifty more have lowered it by less than 1e-4, so that y should be of unit
    size. O(rounds × n × d) a fold (Ke et al. 2017; rounds: Hastie, Tibshirani & Friedman 2009, §10.12).
    """
    held = [np.flatnonzero(folds == k) for k in range(int(np.max(folds)) + 1)]
    each = on_all_cores if X.size >= _LARGE else _one_by_one
    runs = each(lambda rows: Run(loss, growth, X, y, w, rows, outputs), held)
    while True:
        curve = np.average([run.losses for run in runs], axis=0, weights=[run.weight for run in runs])
        best, done = int(np.argmin(curve)), len(curve) - 1
        still = done < _PATIENCE or np.min(curve[:-_PATIENCE]) - curve[best] > _GAIN
        if not still or done >= max_rounds:
            break
        advance = partial(Run.advance, rounds=min(_STRIDE, max_rounds - done))
        each(advance, runs)
    trees = tuple(run.trees(best) for run in runs)
    said = np.empty((len(y), outputs))
    for rows, each in zip(held, trees, strict=True):
        said[rows] = trees_at(each, X[rows])
    return CrossFit(trees, said, best, curve, stopped=bool(still))


def _one_by_one(work: Callable[[Any], Any], parts: Sequence[Any]) -> list[Any]:
    return [work(part) for part in parts]

r"""Conformal prediction as functions of arrays: ranks, quantiles, ends of intervals, scores of classes.

A score says how badly a row fits a model, here $|y - \mu(x)|/\sigma(x)$ or one from class probabilities. Of n scores
of calibration rows and that of a new row, all orders are equally likely where rows are exchangeable, so that the new
one is at most the k-th smallest of the n with probability $k/(n + 1)$ or more (Vovk, Gammerman & Shafer 2005, §2.2;
Lei et al. 2018, theorem 2.2). No more is assumed, of the model nothing at all.
"""

from typing import NamedTuple

import numpy as np
from jaxtyping import Float, Int
from sklearn.utils import gen_batches

__all__ = [
    "Ends",
    "aps_scores",
    "conformal_quantile",
    "conformal_rank",
    "group_quantiles",
    "lac_scores",
    "plus_ends",
    "rows_needed",
]

_ROUND_OFF = 1e-12  # 0.55 · 100 is a little above 55 in floating point, and the rank is still 55
_BLOCK = 2**22  # numbers at a time: 32 MB


class Ends(NamedTuple):
    """The lower and the upper end of each interval."""

    low: Float[np.ndarray, " b"]
    high: Float[np.ndarray, " b"]


def conformal_rank(n: int, level: float) -> int:
    r"""$k = \lceil (n + 1)(1 - \alpha)\rceil$: which of n ordered scores bounds a new one at level 1 − α.

    Above n there is none: no finite bound has this level.

    >>> conformal_rank(19, 0.9), conformal_rank(8, 0.9)
    (18, 9)
    """
    return int(np.ceil((n + 1) * level * (1.0 - _ROUND_OFF)))


def rows_needed(level: float) -> int:
    r"""The fewest scores that bound a new one at a level: $(1 - \alpha)/\alpha$, rounded up.

    >>> rows_needed(0.9), rows_needed(0.99)
    (9, 99)
    """
    return int(np.ceil(level / (1.0 - level) * (1.0 - _ROUND_OFF / (1.0 - level))))


def conformal_quantile(scores: Float[np.ndarray, " n"], level: float) -> float:
    """The k-th smallest of n scores, k as in `conformal_rank`; infinite where k is above n. O(n).

    >>> conformal_quantile(np.array([3.0, 1.0, 2.0]), 0.5), conformal_quantile(np.array([3.0, 1.0, 2.0]), 0.9)
    (2.0, inf)
    """
    rank = conformal_rank(len(scores), level)
    return float(np.partition(scores, rank - 1)[rank - 1]) if rank <= len(scores) else np.inf


def group_quantiles(
    scores: Float[np.ndarray, " n"], codes: Int[np.ndarray, " n"], groups: int, level: float
) -> Float[np.ndarray, " g"]:
    """The conformal quantile of the scores of each group, so that its level holds in each (Mondrian; Vovk et al. §4.5).

    >>> group_quantiles(np.array([1.0, 2.0, 7.0, 8.0]), np.array([0, 0, 1, 1]), 2, 0.6).tolist()
    [2.0, 8.0]
    """
    return np.array([conformal_quantile(scores[codes == group], level) for group in range(groups)])


def plus_ends(
    centers: Float[np.ndarray, "b k"],
    scales: Float[np.ndarray, "b k"],
    fold_of: Int[np.ndarray, " n"],
    scores: Float[np.ndarray, " n"],
    level: float,
) -> Ends:
    r"""The ends of CV+ intervals, and of jackknife+ ones where each row is a fold of its own.

    Row i of n was left out of model $f(i)$ and has score $R_i$. At a new row, model f has center $\mu_f$ and scale
    $\sigma_f$. With k as in `conformal_rank`, the upper end is the k-th smallest of the n values
    $\mu_{f(i)} + \sigma_{f(i)}R_i$, the lower the k-th largest of $\mu_{f(i)} - \sigma_{f(i)}R_i$ (Barber, Candès,
    Ramdas & Tibshirani 2021, §3, and §2 for jackknife+). Below level 1/2 they can cross; then both are in the middle.

    O(n) for each new row, in blocks of bounded memory.

    >>> one = np.ones((1, 2))
    >>> plus_ends(np.array([[0.0, 1.0]]), one, np.array([0, 0, 1]), np.array([1.0, 2.0, 3.0]), 0.7).high.tolist()
    [4.0]
    """
    n, new = len(scores), len(centers)
    rank = conformal_rank(n, level)
    if rank > n:
        return Ends(np.full(new, -np.inf), np.full(new, np.inf))
    low, high = np.empty(new), np.empty(new)
    for rows in gen_batches(new, max(1, _BLOCK // n)):
        center, reach = centers[rows][:, fold_of], scales[rows][:, fold_of] * scores
        low[rows] = np.partition(center - reach, n - rank, axis=1)[:, n - rank]
        high[rows] = np.partition(center + reach, rank - 1, axis=1)[:, rank - 1]
    crossed = low > high
    low[crossed] = high[crossed] = 0.5 * (low[crossed] + high[crossed])
    return Ends(low, high)


def lac_scores(probabilities: Float[np.ndarray, "n k"]) -> Float[np.ndarray, "n k"]:
    """One minus the probability of each class (least ambiguous sets; Sadinle, Lei & Wasserman 2019)."""
    return 1.0 - probabilities


def aps_scores(
    probabilities: Float[np.ndarray, "n k"], shares: Float[np.ndarray, " n"] | None = None
) -> Float[np.ndarray, "n k"]:
    """The probability of all classes that are more probable (adaptive sets; Romano, Sesia & Candès 2020, §2).

    With uniform random numbers as `shares`, one a row, that share of the probability of the class itself is added,
    as there; without, nothing of it, so that the most probable class has score zero. Ties go to the earlier class.
    O(k log k) a row.

    >>> aps_scores(np.array([[0.25, 0.625, 0.125]])).tolist(), aps_scores(np.array([[0.25, 0.75]]), np.ones(1)).tolist()
    ([[0.625, 0.0, 0.875]], [[1.0, 0.75]])
    """
    order = np.argsort(-probabilities, axis=1, kind="stable")
    falling = np.take_along_axis(probabilities, order, axis=1)
    before = np.zeros_like(falling)
    before[:, 1:] = np.cumsum(falling[:, :-1], axis=1)
    scores = np.empty_like(falling)
    np.put_along_axis(scores, order, before, axis=1)
    return scores if shares is None else scores + shares[:, None] * probabilities

r"""How many clusters two halves of the rows agree on, beyond what halves of one Gaussian cloud do.

k-means on each half gives two sets of centroids. The squared distance of every row to them is the cost of assigning it,
and posterior agreement is the information about assignments that both halves share. It is counted as

$$ I_K = H(\text{cluster sizes}) + \frac1n\max_\beta \sum_i \log\sum_c p_1(c \mid i)\,p_2(c \mid i), $$

so that splitting a cluster at random, which adds as much entropy as it takes agreement, gains nothing (Buhmann 2010).
A split of a single cloud has some agreement too: the first axis of the rows is in both halves. What clouds of the same
mean and covariance have is therefore subtracted, as by the gap statistic (Tibshirani, Walther & Hastie 2001).
"""

from contextlib import suppress
from dataclasses import dataclass
from typing import Any

import numpy as np
from jaxtyping import Float, Int
from scipy.cluster.hierarchy import cut_tree, ward
from scipy.cluster.vq import ClusterError, kmeans2
from scipy.optimize import linear_sum_assignment
from scipy.spatial.distance import cdist
from scipy.special import entr

from credo.errors import InputError, TooLargeError
from credo.numerics import as_seed
from credo.validate.agreement import posterior_agreement

__all__ = ["ClusterCount", "choose_clusters"]

_SIGNIFICANCE = 0.05
_REFERENCES = 19  # clouds: with the rows themselves twenty, of which the most structured is one in twenty by chance
_HALVINGS = 4
_MOST_ROWS = 10_000  # Ward's hierarchy takes memory of the square of the rows of a half
_TEMPERATURES = np.geomspace(0.1, 300.0, 12)  # in units of one over the mean squared distance; refined later


@dataclass(frozen=True)
class ClusterCount:
    """The number of clusters chosen, and what was seen for each number tried.

    `information` is what two halves share, in nats a row; `reference` and `spread` are its mean and standard deviation
    over clouds without clusters. `p_value` is for the hypothesis that the rows are such a cloud.
    """

    count: int
    counts: Int[np.ndarray, " k"]
    information: Float[np.ndarray, " k"]
    reference: Float[np.ndarray, " k"]
    spread: Float[np.ndarray, " k"]
    p_value: float

    def __str__(self) -> str:
        tried = ", ".join(
            f"{k}: {found:.3g} ({cloud:.3g})"
            for k, found, cloud in zip(self.counts, self.information, self.reference, strict=True)
        )
        return (
            f"{self.count} cluster{'s' * (self.count != 1)}; one cloud has p = {self.p_value:.2g}\n"
            f"nats that two halves share, and those of a cloud: {tried}"
        )


def choose_clusters(X: Any, counts: Any = (1, 2, 3, 4, 5, 6), random_state: Any = None) -> ClusterCount:
    r"""The number of k-means clusters on which halves of the rows agree most, beyond a Gaussian cloud; one if not.

    First whether there are clusters at all: the largest of $(I_K - \text{mean})/\text{std}$ over the counts, ranked
    among those of 19 Gaussian clouds of the same size, mean and covariance, all treated alike. At p ≤ 0.05, that is
    when the rows are the most structured of the twenty, the count with the largest excess over the clouds is chosen;
    else 1. It is for clusters that k-means can find: round, of similar size. A single cloud that is far from Gaussian
    (a square, a ring) may be split. For each count k-means runs on eight halves of twenty tables, from the start of a
    Ward hierarchy, which is O(n²).

    Measured on 120 rows in two columns, counts 1 to 6, 100 simulations each: four round clusters of standard deviation
    1 at the corners of a square were four in 100 (side 6) and 99 (side 4); one Gaussian cloud was one in 98 (round) and
    95 (three times as long as wide), where 95 are promised.

    >>> rng = np.random.default_rng(0)
    >>> centers = np.array([[0.0, 0.0], [0.0, 8.0], [8.0, 0.0]])
    >>> X = np.concatenate([center + rng.normal(size=(30, 2)) for center in centers])
    >>> choose_clusters(X, counts=(1, 2, 3, 4), random_state=0).count
    3
    """
    rows, tried = _checked(X, counts)
    rng = np.random.default_rng(as_seed(random_state))
    center, root = np.mean(rows, axis=0), _root_of_covariance(rows)
    clouds = [center + rng.normal(size=rows.shape) @ root for _ in range(_REFERENCES)]
    shared = np.stack([_information(table, tried, rng) for table in (rows, *clouds)])
    # The rows are among the twenty that are centered and scaled: under the hypothesis no one of them is special.
    spread = np.std(shared, axis=0, ddof=1)
    scaled = (shared - np.mean(shared, axis=0)) / np.where(spread > 0.0, spread, 1.0)
    structure = np.max(scaled, axis=1)
    p_value = float(np.mean(structure >= structure[0]))
    reference = np.mean(shared[1:], axis=0)
    found = int(tried[np.argmax(shared[0] - reference)]) if p_value <= _SIGNIFICANCE else 1
    return ClusterCount(found, tried, shared[0], reference, np.std(shared[1:], axis=0, ddof=1), p_value)


def _information(X: np.ndarray, counts: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """What halves of the rows share for each count, in nats a row, averaged over ways to halve them."""
    shared = np.zeros(len(counts))
    for _ in range(_HALVINGS):
        order = rng.permutation(len(X))
        halves = X[order[: len(X) // 2]], X[order[len(X) // 2 :]]
        shared += [_shared(X, *pair) for pair in zip(*(_centroids(half, counts) for half in halves), strict=True)]
    return shared / _HALVINGS


def _shared(X: np.ndarray, first: np.ndarray, second: np.ndarray) -> float:
    """Entropy of the cluster sizes plus the log agreement of a row, at the temperature that is best."""
    k = len(first)
    if k == 1:
        return 0.0
    matched = second[linear_sum_assignment(cdist(first, second, "sqeuclidean"))[1]]
    costs = cdist(X, first, "sqeuclidean"), cdist(X, matched, "sqeuclidean")
    scale = float(np.mean(np.min(costs[0], axis=1))) or 1.0
    agreement = posterior_agreement(*costs, _TEMPERATURES / scale, factorized=True)
    sizes = [np.bincount(np.argmin(cost, axis=1), minlength=k) / len(X) for cost in costs]
    entropy = float(np.mean([np.sum(entr(size)) for size in sizes]))
    return entropy + agreement.value / len(X) - float(np.log(k))


def _centroids(X: np.ndarray, counts: np.ndarray) -> list[np.ndarray]:
    """Of k-means for each count, started from Ward's hierarchy: one tree serves all counts, and no luck is needed."""
    return [_settled(X, labels) for labels in cut_tree(ward(X), n_clusters=counts).T]


def _settled(X: np.ndarray, labels: np.ndarray) -> np.ndarray:
    member = labels == np.unique(labels)[:, None]
    start = member @ X / np.sum(member, axis=1, keepdims=True)
    with suppress(ClusterError):  # a cluster became empty: the start is the answer
        return np.asarray(kmeans2(X, start, minit="matrix", missing="raise")[0])
    return start


def _root_of_covariance(X: np.ndarray) -> np.ndarray:
    """A matrix whose product with white rows has the covariance of X; of any rank."""
    _, singular, axes = np.linalg.svd(X - np.mean(X, axis=0), full_matrices=False)
    lengths = np.zeros(X.shape[1])
    lengths[: len(singular)] = singular / np.sqrt(len(X) - 1.0)
    full = np.zeros((X.shape[1], X.shape[1]))
    full[: len(axes)] = axes
    return lengths[:, None] * full


def _checked(X: Any, counts: Any) -> tuple[np.ndarray, np.ndarray]:
    who = "choose_clusters"
    rows = np.asarray(X, dtype=np.float64)
    if rows.ndim != 2 or not np.all(np.isfinite(rows)) or rows.size == 0 or np.all(rows == rows[0]):
        raise InputError(
            who, f"X has shape {rows.shape}", "It is a table of finite numbers that vary", "Drop incomplete rows"
        )
    if len(rows) > _MOST_ROWS:
        raise TooLargeError(
            who, f"X has {len(rows)} rows", "A hierarchy takes their square in memory", "Pass a random sample of them"
        )
    tried = np.unique(np.asarray(counts))
    if tried.size == 0 or tried.dtype.kind not in "iu" or tried[0] < 1 or len(rows) < 4 * tried[-1]:
        raise InputError(
            who,
            f"counts are {list(counts)} for {len(rows)} rows",
            "They are positive whole numbers, and each cluster needs two rows in each half",
            "Pass fewer counts or more rows",
        )
    return rows, tried

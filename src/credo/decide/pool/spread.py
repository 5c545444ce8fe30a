"""Samplers that look at where rows are, and the one that looks at nothing."""

import warnings
from typing import Any, final

import numpy as np
from jaxtyping import Float
from sklearn.cluster import KMeans
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics import pairwise_distances_argmin_min

from credo.decide.pool.sampler import Asked, PoolPicks, PoolSampler, checked_rows
from credo.numerics.progress import tracker
from credo.numerics.random import as_seed

__all__ = ["CoreSetSampler", "KMeansSampler", "RandomSampler"]


@final
class RandomSampler(PoolSampler):
    """Picks rows at random, all equally probable: what every other sampler has to beat.

    >>> len(RandomSampler(random_state=0).ask(np.zeros((5, 1)), 3))
    3
    """

    def __init__(self, *, random_state: Any = None) -> None:
        self.random_state = random_state

    def ask(self, pool: Any, n: int, labelled: Any = None) -> PoolPicks:
        """The `n` rows of `pool` to label next, none of them among `labelled` (row numbers, or a mask of rows)."""
        asked = Asked("RandomSampler", pool, n, labelled)
        generator = np.random.default_rng(as_seed(self.random_state))
        rows = generator.choice(np.flatnonzero(asked.free), size=asked.n, replace=False)
        return PoolPicks(rows, np.zeros(asked.n), "at random")


@final
class CoreSetSampler(PoolSampler):
    r"""Picks the row farthest from all that are labelled or picked, again and again (Sener & Savarese 2018).

    The greedy way to k centers: the largest distance $\max_x \min_c \lVert x - c \rVert$ that is left is at most twice
    the least possible. Ties go to the lowest row number, to round-off. The first row is drawn at random where none is
    labelled. It covers outliers first, where ProbCover covers what is dense. `scores` are the distances, that of a
    first row with nothing before it is infinite. O(n N d) for n picks of N rows.

    >>> CoreSetSampler().ask([[0.0], [1.0], [10.0]], 2, labelled=[0]).indices.tolist()
    [2, 1]
    """

    def __init__(self, *, random_state: Any = None) -> None:
        self.random_state = random_state

    def ask(self, pool: Any, n: int, labelled: Any = None) -> PoolPicks:
        """The `n` rows of `pool` to label next, none of them among `labelled` (row numbers, or a mask of rows)."""
        asked = Asked("CoreSetSampler", pool, n, labelled)
        X = checked_rows("CoreSetSampler", pool)
        X = X - np.mean(X, axis=0)
        rows, scores, away = np.empty(asked.n, dtype=np.int64), np.empty(asked.n), np.full(asked.size, np.inf)
        norms = np.einsum("ij,ij->i", X, X)
        if len(asked.labelled):
            away = pairwise_distances_argmin_min(X, X[asked.labelled], metric="sqeuclidean")[1]
        with tracker("CoreSetSampler", asked.n) as track:
            for k in range(asked.n):
                if k == 0 and not len(asked.labelled):
                    rows[k] = np.random.default_rng(as_seed(self.random_state)).integers(asked.size)
                else:
                    rows[k] = np.argmax(np.where(asked.free, away, -1.0))
                scores[k] = np.sqrt(away[rows[k]])
                asked.free[rows[k]] = False
                away = np.minimum(away, np.maximum(norms + norms[rows[k]] - 2.0 * (X @ X[rows[k]]), 0.0))
                track.advance()
        return PoolPicks(rows, scores, "farthest from all before (k-center)")


@final
class KMeansSampler(PoolSampler):
    """Picks the row nearest to each center of k-means, with as many clusters as rows are asked for.

    Rows that have a label are left out before. A row that two centers are nearest to is the first one's. `scores` are
    minus the distances to the centers. Memory O(N d) for N rows.

    >>> KMeansSampler(random_state=0).ask([[0.0], [0.1], [0.2], [5.0]], 2).indices.tolist()
    [1, 3]
    """

    def __init__(self, *, random_state: Any = None) -> None:
        self.random_state = random_state

    def ask(self, pool: Any, n: int, labelled: Any = None) -> PoolPicks:
        """The `n` rows of `pool` to label next, none of them among `labelled` (row numbers, or a mask of rows)."""
        asked = Asked("KMeansSampler", pool, n, labelled)
        X = checked_rows("KMeansSampler", pool)
        with tracker("KMeansSampler") as track, warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)  # fewer different rows than are asked for
            track.phase("k-means")
            kmeans = KMeans(asked.n, n_init=1, max_iter=100, random_state=as_seed(self.random_state))
            centers = kmeans.fit(X[asked.free]).cluster_centers_
        rows, scores = np.empty(asked.n, dtype=np.int64), np.empty(asked.n)
        for k, center in enumerate(_from_largest(kmeans.labels_, centers)):
            distance = np.where(asked.free, np.linalg.norm(X - center, axis=1), np.inf)
            rows[k] = np.argmin(distance)
            scores[k] = -distance[rows[k]]
            asked.free[rows[k]] = False
        return PoolPicks(rows, scores, f"nearest to the centers of {asked.n} clusters, the largest cluster first")


def _from_largest(labels: np.ndarray, centers: Float[np.ndarray, "k d"]) -> Float[np.ndarray, "k d"]:
    return centers[np.argsort(-np.bincount(labels, minlength=len(centers)), kind="stable")]

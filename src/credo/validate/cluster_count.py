"""How many clusters there are: as many as it takes until none of them is more than one cloud.

Starting from one, k-means is fitted and each of its clusters is asked whether it is a single cloud. The reference is
drawn from that hypothesis: clouds of the size, mean and covariance of the cluster itself, as in SigClust (Liu, Hayes,
Nobel & Marron 2008), not of all rows as in the gap statistic (Tibshirani, Walther & Hastie 2001), whose reference grows
with the distance between clusters. The first count of which no cluster can be split by more than chance is the answer.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from jaxtyping import Float, Int
from sklearn.covariance import ledoit_wolf

from credo.errors import InputError, TooLargeError
from credo.numerics import as_seed
from credo.validate.separation import assigned, k_means, log_separations

__all__ = ["ClusterCount", "choose_clusters"]

# One cloud is not to be split without need; once there are clusters, one more is as good a guess as one less.
_OF_ONE, _OF_MORE = 0.02, 0.05
# Tables, and the weights of the p-values of two pieces and of more: their inverses add up to one at most, so that the
# smaller weighted p-value is one again (Bonferroni). Gaussian clouds are the usual case, and the rows must be more
# separated than all 99 of them. Uniform ones are as spread out as a cloud without clusters can be: of 199, two may be
# more separated into two pieces, the split that fewest rows must show, and none into more pieces.
_REFERENCES = {"gaussian": (99, 2.0, 2.0), "box": (199, 4.0 / 3.0, 4.0), "turned box": (199, 4.0 / 3.0, 4.0)}
_FEWEST = 4  # rows of a cluster
_MOST_ROWS = 10_000


@dataclass(frozen=True)
class ClusterCount:
    """The number of clusters chosen, and what was seen for each number tried.

    `separation` is the distance of neighboring centroids in units of the spread of rows towards the next one: clusters
    at a distance of 5 standard deviations have about 5. `reference` and `spread` are its mean and standard deviation
    over clouds without clusters of the covariance of the rows; all are zero for one cluster. `p_values` are for the
    hypotheses that so many clusters are enough, NaN where the question did not arise; `p_value` is for a single cloud.
    """

    count: int
    counts: Int[np.ndarray, " k"]
    separation: Float[np.ndarray, " k"]
    reference: Float[np.ndarray, " k"]
    spread: Float[np.ndarray, " k"]
    p_values: Float[np.ndarray, " k"]
    p_value: float

    def __str__(self) -> str:
        tried = ", ".join(
            f"{k}: {found:.3g} ({cloud:.3g})"
            for k, found, cloud in zip(self.counts, self.separation, self.reference, strict=True)
        )
        tests = {1: self.p_value, **dict(zip(self.counts.tolist(), self.p_values.tolist(), strict=True))}
        enough = ", ".join(f"{k}: {p:.2g}" for k, p in tests.items() if p == p)
        return (
            f"{self.count} cluster{'s' * (self.count != 1)}; one cloud has p = {self.p_value:.2g}\n"
            f"p-values of so many being enough: {enough}\n"
            f"separation of centroids, and that of one cloud: {tried}"
        )


class _Split(NamedTuple):
    """How sure it is that some cluster is more than one cloud, and the separations of the last references."""

    p_value: float
    references: Float[np.ndarray, "r k"]


def choose_clusters(X: Any, counts: Any = (1, 2, 3, 4, 5, 6), random_state: Any = None) -> ClusterCount:
    r"""The smallest number of k-means clusters of which none can be split by more than chance.

    For k = 1 and then each of `counts`, each cluster of k-means is compared with 99 Gaussian clouds of its own size,
    mean and covariance (shrunken as by Ledoit & Wolf 2004), and with 199 uniform boxes along the columns and as many
    along the principal axes. All are cut by k-means into 2 to max(counts) − k + 1 pieces, and the separation of the
    pieces is standardized for each cluster and number of pieces. The largest for two pieces, and the largest for more,
    are ranked among those of the references. One cluster is too few at p ≤ 0.02 for every kind of cloud, more are at
    p ≤ 0.05. The first k that is not too small is the answer; the largest of `counts` if all others are, in which case
    there may be more.

    It is for clusters that k-means can find: round, of similar spread, at a distance of 6 standard deviations or more
    in two columns and 8 in ten. At a distance of 5, of 12 tables with 30 rows a cluster one or two are counted wrong in
    two columns, and up to seven in ten columns with clusters of unequal size. A single cloud that is more hollow than a
    box (a ring, a bow) or has many outliers may be split. Up to 497 tables are clustered for each count that is tested,
    which takes about half a second for 120 rows in two columns, O(n) in the rows.

    Parameters
    ----------
    X : array of shape (n, d)
        Rows of finite numbers, 10 000 at most. Columns count by their spread: scale them if their units differ.
    counts : sequence of int, default (1, 2, 3, 4, 5, 6)
        The numbers of clusters to try. One is tried in any case, and is the answer if the rows look like one cloud.
    random_state : int, generator or None
        Random seed of the references; the same seed gives the same result.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> centers = np.array([[0.0, 0.0], [0.0, 8.0], [8.0, 0.0]])
    >>> X = np.concatenate([center + rng.normal(size=(30, 2)) for center in centers])
    >>> choose_clusters(X, counts=(1, 2, 3, 4), random_state=0).count
    3
    """
    rows, tried = _checked(X, counts)
    rng = np.random.default_rng(as_seed(random_state))
    rows = rng.permutation(rows - np.mean(rows, axis=0))
    rows /= np.max(np.abs(rows))  # squares of any unit are numbers
    p_values = np.full(len(tried), np.nan)
    whole = _split(rows, np.zeros(len(rows), dtype=int), int(tried[-1]), _OF_ONE, rng)
    too_few, found = whole.p_value <= _OF_ONE, 1
    for at, k in enumerate(tried.tolist()):
        if not too_few:
            break
        found = k
        if k > 1 and k < tried[-1]:
            labels = assigned(rows, k_means(rows[None], [k])[0][0])
            p_values[at] = _split(rows, labels, int(tried[-1]) - k + 1, _OF_MORE, rng).p_value
            too_few = p_values[at] <= _OF_MORE
    if tried[0] == 1:
        p_values[0] = whole.p_value
    separation, reference, spread = _seen(rows, tried, whole.references)
    return ClusterCount(found, tried, separation, reference, spread, p_values, whole.p_value)


def _split(
    rows: Float[np.ndarray, "n d"],
    labels: Int[np.ndarray, " n"],
    pieces: int,
    significance: float,
    rng: np.random.Generator,
) -> _Split:
    """Whether some cluster, cut into two or more `pieces`, is more separated than clouds of its covariance are.

    Once a p-value is above the significance, further kinds of cloud are not asked.
    """
    clusters = [rows[labels == label] for label in np.unique(labels)]
    cuts = [range(2, min(pieces, len(cluster) // _FEWEST) + 1) for cluster in clusters]
    parts = [(cluster, cut) for cluster, cut in zip(clusters, cuts, strict=True) if len(cut)]
    if not parts:
        return _Split(1.0, np.zeros((0, 0)))
    own = np.concatenate([log_separations(cluster[None], cut) for cluster, cut in parts], axis=1)
    in_two = np.concatenate([np.asarray(cut) == 2 for _, cut in parts])
    p_value = 0.0
    for shape, (tables, *weights) in _REFERENCES.items():
        drawn = [log_separations(_clouds(cluster, tables, shape, rng), cut) for cluster, cut in parts]
        together = np.concatenate([own, np.concatenate(drawn, axis=1)])
        found = [_rank(together[:, cut]) for cut in (in_two, ~in_two) if np.any(cut)]
        weighted = [weight * p for weight, p in zip(weights, found, strict=False)] if len(found) == 2 else found
        p_value = max(p_value, min(*weighted, 1.0))
        if p_value > significance:
            break
    return _Split(p_value, together[1:])


def _rank(separations: Float[np.ndarray, "r k"]) -> float:
    """The share of tables that are as separated as the first one, by the largest of their standardized separations.

    The first is among those that are centered and scaled: under the hypothesis no one of them is special.
    """
    scale = np.std(separations, axis=0, ddof=1)
    largest = np.max((separations - np.mean(separations, axis=0)) / np.where(scale > 0.0, scale, 1.0), axis=1)
    return float(np.mean(largest >= largest[0]))


def _clouds(
    cluster: Float[np.ndarray, "n d"], tables: int, shape: str, rng: np.random.Generator
) -> Float[np.ndarray, "r n d"]:
    """Clouds without clusters of the covariance of one, which is shrunken: that of few rows is longer than they are."""
    size, steps = (tables, *cluster.shape), np.sqrt(3.0)
    if shape == "box":
        return rng.uniform(-steps, steps, size=size) * np.std(cluster, axis=0, ddof=1)
    covariance, _ = ledoit_wolf(cluster - np.mean(cluster, axis=0), assume_centered=True)
    lengths, axes = np.linalg.eigh(covariance * len(cluster) / (len(cluster) - 1.0))
    drawn = rng.normal(size=size) if shape == "gaussian" else rng.uniform(-steps, steps, size=size)
    return drawn @ (np.sqrt(np.maximum(lengths, 0.0))[:, None] * axes.T)


def _seen(
    rows: Float[np.ndarray, "n d"], tried: Int[np.ndarray, " k"], references: Float[np.ndarray, "r j"]
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The separation of the rows, and its mean and standard deviation over clouds, for each count."""
    several = tried[tried > 1].tolist()
    if not several:
        return np.zeros(len(tried)), np.zeros(len(tried)), np.zeros(len(tried))
    own = np.exp(log_separations(rows[None], several)[0])
    clouds = np.exp(references[:, np.asarray(several) - 2])
    ahead = np.zeros(len(tried) - len(several))
    seen = (own, np.mean(clouds, axis=0), np.std(clouds, axis=0, ddof=1))
    return tuple(np.concatenate([ahead, each]) for each in seen)  # type: ignore[return-value]


def _checked(X: Any, counts: Sequence[int]) -> tuple[np.ndarray, np.ndarray]:
    who = "choose_clusters"
    rows = np.asarray(X, dtype=np.float64)
    if rows.ndim != 2 or not np.all(np.isfinite(rows)) or rows.size == 0 or np.all(rows == rows[0]):
        raise InputError(
            who, f"X has shape {rows.shape}", "It is a table of finite numbers that vary", "Drop incomplete rows"
        )
    if len(rows) > _MOST_ROWS:
        raise TooLargeError(
            who,
            f"X has {len(rows)} rows",
            f"Hundreds of tables of that size are clustered, and {_MOST_ROWS} rows take minutes",
            "Pass a random sample of them",
        )
    tried = np.unique(np.asarray(counts))
    if tried.size == 0 or tried.dtype.kind not in "iu" or tried[0] < 1 or len(rows) < _FEWEST * tried[-1]:
        raise InputError(
            who,
            f"counts are {list(counts)} for {len(rows)} rows",
            f"They are positive whole numbers, and each cluster needs {_FEWEST} rows",
            "Pass fewer counts or more rows",
        )
    return rows, tried

"""The radius of the balls: the largest at which nearly all of them hold one pseudo-label only."""

import warnings
from typing import NamedTuple

import numpy as np
from jaxtyping import Float, Int
from sklearn.cluster import KMeans
from sklearn.exceptions import ConvergenceWarning

from credo.decide.pool.balls import TALL, WIDE, blocks, in_turns, squared_distances
from credo.numerics.progress import Tracker

__all__ = ["PureRadius", "distance_to_others", "pseudo_labels", "pure_radius"]

_ROUNDS = 50  # of k-means: pseudo-labels are rough whatever they are worth


class PureRadius(NamedTuple):
    """The radius, the share of balls that are pure at it, and how many pseudo-labels there were."""

    delta: float
    purity: float
    clusters: int


def pure_radius(
    X: Float[np.ndarray, "n d"], labels: Int[np.ndarray, " n"], alpha: float, track: Tracker | None = None
) -> PureRadius:
    r"""The largest radius at which a share `alpha` of the balls around rows hold rows of one label only.

    The ball around $x$ is pure as long as it does not reach the nearest row of another label, at distance $r_x$. So
    the purity at $\delta$ is the share of rows with $r_x > \delta$, and no search over radii is needed: what is asked
    for lies just below the $\lceil\alpha n\rceil$-th largest $r_x$. With one label every ball is pure, and the radius
    is one that covers all. O(n² d), memory O(n d).
    """
    clusters = len(np.unique(labels))
    reach = np.sort(distance_to_others(X, labels, track)) if clusters > 1 else np.zeros(0)
    apart = reach[reach > 0.0]
    if not apart.size:
        everything = 2.0 * float(np.max(np.linalg.norm(X - np.mean(X, axis=0), axis=1)))
        return PureRadius(everything if everything > 0.0 else 1.0, 1.0, clusters)
    limit = float(max(reach[len(reach) - int(np.ceil(alpha * len(reach)))], apart[0]))
    delta = float(np.nextafter(np.sqrt(limit), 0.0))
    while delta * delta >= limit:
        delta = float(np.nextafter(delta, 0.0))
    return PureRadius(delta, float(np.mean(reach > delta * delta)), clusters)


def distance_to_others(
    X: Float[np.ndarray, "n d"], labels: Int[np.ndarray, " n"], track: Tracker | None = None
) -> Float[np.ndarray, " n"]:
    """The squared distance of each row to the nearest one of another label, of which there are two or more."""
    order = np.argsort(labels, kind="stable")
    centered = (X - np.mean(X, axis=0))[order]
    norms = np.einsum("ij,ij->i", centered, centered)
    starts = np.flatnonzero(np.diff(labels[order], prepend=-1)).tolist()
    ranges = list(zip(starts, [*starts[1:], len(X)], strict=True))

    def nearest(task: tuple[int, int, int, int]) -> Int[np.ndarray, " r"]:
        start, stop, low, high = task  # rows start to stop, of the label whose rows are low to high
        least, where = np.full(stop - start, np.inf), np.zeros(stop - start, dtype=np.int64)
        for first, last in [*blocks(0, low, WIDE), *blocks(high, len(X), WIDE)]:
            distance = norms[first:last] - 2.0 * (centered[start:stop] @ centered[first:last].T)
            at = np.argmin(distance, axis=1)
            value = distance[np.arange(stop - start), at]
            where = np.where(value < least, at + first, where)
            least = np.minimum(value, least)
        return where

    tasks = [(*block, low, high) for low, high in ranges for block in blocks(low, high, TALL)]
    others = order[np.concatenate(in_turns(nearest, tasks, len(X) ** 2, track))]
    found = np.empty(len(X))
    found[order] = squared_distances(X, order, others)
    return found


def pseudo_labels(X: Float[np.ndarray, "n d"], clusters: int, seed: int) -> Int[np.ndarray, " n"]:
    """The cluster of each row by k-means."""
    kmeans = KMeans(min(clusters, len(X)), n_init=1, max_iter=_ROUNDS, random_state=seed)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # fewer different rows than clusters is no harm here
        return kmeans.fit_predict(X).astype(np.int64)

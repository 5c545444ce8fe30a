r"""How far apart the centroids of k-means lie, for many tables of one shape at once.

A row whose own centroid is a and whose next one is b has gone the share $s = \langle x - a, b - a\rangle / |b - a|^2$
of the way between them: 0 at its centroid, 1/2 on the border. The separation is $1/\sqrt{\mathrm{mean}(s^2)}$, the
distance of neighboring centroids in units of how far rows spread towards the next one. Two round clusters at a distance
of D standard deviations have D, a uniform strip that is cut into pieces 3.5, and one that is Gaussian less. Directions
in which clusters do not differ have no part in it, so that many columns do not hide a few that tell.
"""

from collections.abc import Sequence

import numpy as np
from jaxtyping import Float, Int
from scipy.cluster.hierarchy import fcluster, ward

__all__ = ["assigned", "k_means", "log_separations"]

_HIERARCHY = 500  # rows from which the first centroids are found
_NUMBERS = 2**22  # distances and coordinates in memory at once
_STEPS = 100
_LEAST = 1e-12  # mean squared share below which rows are their centroids


def log_separations(tables: Float[np.ndarray, "r n d"], counts: Sequence[int]) -> Float[np.ndarray, "r k"]:
    """The logarithm of the separation of each table, for each count of two or more. O(r n d) per count and step."""
    size = max(1, _NUMBERS // (tables.shape[1] * (tables.shape[2] + max(counts))))
    blocks = [tables[begin : begin + size] for begin in range(0, len(tables), size)]
    return np.concatenate([np.stack([_log_separation(b, c) for c in k_means(b, counts)], axis=1) for b in blocks])


def k_means(tables: Float[np.ndarray, "r n d"], counts: Sequence[int]) -> list[Float[np.ndarray, "r k d"]]:
    """The centroids of k-means for each count, started from Ward's hierarchy: one tree per table serves all counts.

    Of more than 500 rows the first 500 make the tree.
    """
    trees = [ward(table[:_HIERARCHY]) for table in tables]
    return [
        _settled(tables, np.stack([_first(t, tree, k) for t, tree in zip(tables, trees, strict=True)])) for k in counts
    ]


def assigned(rows: Float[np.ndarray, "n d"], centroids: Float[np.ndarray, "k d"]) -> Int[np.ndarray, " n"]:
    """The number of the nearest centroid of each row."""
    return np.argmin(_distances(rows[None], centroids[None])[0], axis=1)


def _first(rows: Float[np.ndarray, "n d"], tree: np.ndarray, k: int) -> Float[np.ndarray, "k d"]:
    """The centroids of a cut of the tree; ties may leave fewer, which are filled up with rows."""
    seen = rows[:_HIERARCHY]
    member = fcluster(tree, k, "maxclust") == np.arange(1, k + 1)[:, None]
    sizes = np.sum(member, axis=1, keepdims=True)
    return np.where(sizes > 0, member @ seen / np.maximum(sizes, 1), seen[:k])


def _settled(tables: Float[np.ndarray, "r n d"], centroids: Float[np.ndarray, "r k d"]) -> Float[np.ndarray, "r k d"]:
    """Lloyd's iterations until nothing moves; a centroid that loses all rows stays where it is."""
    for _ in range(_STEPS):
        nearest = np.argmin(_distances(tables, centroids), axis=2)
        member = (nearest[:, None, :] == np.arange(centroids.shape[1])[None, :, None]).astype(float)
        sizes = np.sum(member, axis=2)[..., None]
        moved = np.where(sizes > 0, member @ tables / np.maximum(sizes, 1.0), centroids)
        if np.array_equal(moved, centroids):
            break
        centroids = moved
    return centroids


def _log_separation(
    tables: Float[np.ndarray, "r n d"], centroids: Float[np.ndarray, "r k d"]
) -> Float[np.ndarray, " r"]:
    squares = _distances(tables, centroids)
    nearest = np.argsort(squares, axis=2)[..., :2]
    own, other = np.moveaxis(np.take_along_axis(squares, nearest, axis=2), 2, 0)
    table = np.arange(len(tables))[:, None]
    between = np.sum((centroids[table, nearest[..., 0]] - centroids[table, nearest[..., 1]]) ** 2, axis=2)
    # By the law of cosines; centroids that coincide have no way between them.
    shares = np.where(between > 0.0, 0.5 * (own - other + between) / np.where(between > 0.0, between, 1.0), 0.0)
    return -0.5 * np.log(np.mean(shares**2, axis=1) + _LEAST)


def _distances(tables: Float[np.ndarray, "r n d"], centroids: Float[np.ndarray, "r k d"]) -> Float[np.ndarray, "r n k"]:
    """Squared, of each row from each centroid."""
    across = -2.0 * tables @ np.swapaxes(centroids, 1, 2)
    return np.sum(tables**2, axis=2)[..., None] + across + np.sum(centroids**2, axis=2)[:, None, :]

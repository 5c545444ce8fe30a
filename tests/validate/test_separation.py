"""The separation of centroids: a formula by hand, the peer for k-means, and many tables at once."""

import numpy as np
import pytest
from sklearn.cluster import KMeans

from credo.validate.separation import assigned, k_means, log_separations


def row_of(seed, count, *, columns=2, rows=30):
    """Round clusters of standard deviation one, eight apart along the first column."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(count * rows, columns))
    X[:, 0] += 8.0 * np.repeat(np.arange(count), rows)
    return X


@pytest.mark.parametrize("distance", [3.0, 6.0, 20.0])
def test_the_separation_of_two_points_and_their_errors_is_the_formula(distance):
    # Rows at ±e around two centroids: each has gone e / distance of the way, on one side or the other.
    X = np.array([[-0.5], [0.5], [distance - 0.5], [distance + 0.5]])
    assert np.exp(log_separations(X[None], [2])[0, 0]) == pytest.approx(distance / 0.5, rel=1e-6)


def test_directions_without_clusters_do_not_count():
    few, many = (row_of(3, 2, columns=columns, rows=200) for columns in (2, 30))
    separations = [float(np.exp(log_separations(X[None], [2])[0, 0])) for X in (few, many)]
    assert separations == pytest.approx([8.0, 8.0], rel=0.15)


def test_centroids_are_those_of_scikit_learn():
    X = row_of(4, 4)
    ours = k_means(X[None], [4])[0][0]
    theirs = KMeans(4, n_init=10, random_state=0).fit(X).cluster_centers_
    np.testing.assert_allclose(ours[np.lexsort(np.rint(ours.T))], theirs[np.lexsort(np.rint(theirs.T))], atol=1e-8)
    assert len(np.unique(assigned(X, ours))) == 4


def test_many_tables_at_once_are_each_by_itself(monkeypatch):
    tables = np.stack([row_of(s, 3) for s in range(5)])
    each = np.concatenate([log_separations(table[None], [2, 3]) for table in tables])
    np.testing.assert_allclose(log_separations(tables, [2, 3]), each)
    monkeypatch.setattr("credo.validate.separation._NUMBERS", 1000)
    np.testing.assert_allclose(log_separations(tables, [2, 3]), each)

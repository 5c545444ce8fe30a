"""Neighborhoods against sorting all distances."""

import numpy as np
from sklearn.neighbors import KDTree

from credo.infer import neighborhoods


def brute(rows, counts, query, k):
    """Rows by distance until their counts reach k, and whatever is as near as the last."""
    distance = np.linalg.norm(rows - query, axis=1)
    order = np.argsort(distance)
    reached = np.flatnonzero(np.cumsum(counts[order]) >= k)
    radius = distance[order[reached[0]]] if len(reached) else np.inf
    return np.flatnonzero(distance <= radius * (1 + 1e-10))


def check(rows, counts, queries, k):
    found = neighborhoods(KDTree(rows), counts, queries, k)
    ends = [*found.starts[1:], len(found.members)]
    for query, start, end in zip(queries, found.starts, ends, strict=True):
        np.testing.assert_array_equal(found.members[start:end], brute(rows, counts, query, k))
    return found


def test_rows_that_count_more_and_less_than_one():
    rng = np.random.default_rng(0)
    for counts in (np.ones(60), rng.integers(1, 4, 60).astype(float), rng.uniform(0.05, 0.4, 60)):
        found = check(rng.normal(size=(60, 2)), counts, rng.normal(size=(25, 2)), 5)
        assert np.all(found.total(counts[found.members]) >= 5 - 1e-9)


def test_ties_on_a_grid_are_taken_whole():
    grid = np.stack(np.meshgrid(0.1 * np.arange(7), 0.1 * np.arange(7)), axis=-1).reshape(-1, 2)
    near = neighborhoods(KDTree(grid), np.ones(49), np.array([[0.3, 0.3]]), 3)
    assert len(near.members) == 5


def test_all_rows_where_they_do_not_suffice_or_coincide():
    rows = np.zeros((40, 1))
    assert len(neighborhoods(KDTree(rows), np.ones(40), np.zeros((2, 1)), 3).members) == 80
    assert len(neighborhoods(KDTree(rows[:3]), np.ones(3), np.zeros((1, 1)), 9).members) == 3


def test_blocks_of_queries_are_all_queries(monkeypatch):
    rng = np.random.default_rng(1)
    monkeypatch.setattr("credo.infer.neighbors._ENTRIES", 20)
    found = check(rng.normal(size=(30, 1)), np.ones(30), rng.normal(size=(17, 1)), 4)
    np.testing.assert_array_equal(np.bincount(found.query), 4)

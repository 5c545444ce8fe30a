"""The pure radius, against the purity of every ball at every distance that occurs."""

import numpy as np
import pytest

from credo.decide.pool import purity as module
from credo.decide.pool.purity import distance_to_others, pseudo_labels, pure_radius


def distances(X):
    return np.sqrt(np.sum((X[:, None] - X[None]) ** 2, axis=2))


def purity(X, labels, delta):
    inside = distances(X) <= delta
    return np.mean([len(set(labels[row])) == 1 for row in inside])


def clumps(seed, n=120):
    rng = np.random.default_rng(seed)
    labels = rng.integers(3, size=n)
    return rng.normal(size=(n, 2)) + 3.0 * labels[:, None] * np.array([1.0, -1.0]), labels


@pytest.mark.parametrize("alpha", [1.0, 0.95, 0.8, 0.5, 0.01])
@pytest.mark.parametrize("seed", range(3))
def test_the_largest_radius_that_is_pure_enough(alpha, seed):
    X, labels = clumps(seed)
    found = pure_radius(X, labels, alpha)
    assert found.purity == pytest.approx(purity(X, labels, found.delta))
    assert found.purity >= alpha
    assert found.clusters == 3
    # The next larger distance that occurs is too large: purity changes at distances only.
    larger = np.min(distances(X)[distances(X) > found.delta])
    assert purity(X, labels, larger) < alpha


def test_distances_to_other_labels(monkeypatch):
    monkeypatch.setattr(module, "TALL", 7)
    monkeypatch.setattr(module, "WIDE", 11)
    X, labels = clumps(5)
    by_hand = np.where(labels[:, None] == labels[None], np.inf, distances(X)).min(axis=1)
    np.testing.assert_allclose(np.sqrt(distance_to_others(X, labels)), by_hand, rtol=1e-13)


def test_one_label_is_pure_everywhere():
    X = np.array([[0.0], [2.0], [10.0]])
    found = pure_radius(X, np.zeros(3, dtype=np.int64), 0.95)
    assert found.delta >= 10.0
    assert (found.purity, found.clusters) == (1.0, 1)
    assert pure_radius(np.zeros((4, 2)), np.zeros(4, dtype=np.int64), 0.95).delta > 0.0


def test_equal_rows_of_different_labels_leave_a_positive_radius():
    X = np.array([[0.0], [0.0], [1.0], [1.0]])
    found = pure_radius(X, np.array([0, 1, 0, 1]), 0.95)
    assert found.delta > 0.0


def test_pseudo_labels_are_clumps():
    X, labels = clumps(0)
    found = pseudo_labels(X * 0.2 + 5.0 * labels[:, None], 3, seed=0)
    assert all(len(set(found[labels == label])) == 1 for label in range(3))
    assert len(set(pseudo_labels(np.zeros((5, 1)), 3, seed=0))) == 1
    assert len(set(pseudo_labels(np.arange(4.0)[:, None], 9, seed=0))) == 4

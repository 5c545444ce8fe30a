"""Samplers by place against their definitions."""

import numpy as np
import pytest
from sklearn.cluster import KMeans

from credo.decide.pool import CoreSetSampler, KMeansSampler, RandomSampler

RNG = np.random.default_rng(0)
X = RNG.normal(size=(80, 3))


def distances(X):
    return np.sqrt(np.sum((X[:, None] - X[None]) ** 2, axis=2))


def test_random_picks_are_even():
    counts = np.zeros(8)
    for seed in range(800):
        counts[RandomSampler(random_state=seed).ask(np.zeros((8, 1)), 2, labelled=[0]).indices] += 1
    assert counts[0] == 0
    # Binomial(800, 2/7): within five standard deviations.
    np.testing.assert_allclose(counts[1:], 800 * 2 / 7, atol=5 * np.sqrt(800 * 2 / 7 * 5 / 7))


@pytest.mark.parametrize("labelled", [(), (5,), (5, 60, 2)])
def test_core_set_is_farthest_first(labelled):
    picked = CoreSetSampler(random_state=1).ask(X, 10, labelled)
    taken, away = list(labelled), distances(X)
    if not labelled:
        taken = [picked.indices[0]]
    drawn = len(taken) - len(labelled)
    for pick, score in zip(picked.indices[drawn:], picked.scores[drawn:], strict=True):
        nearest = away[:, taken].min(axis=1)
        assert pick == np.argmax(nearest)
        assert score == pytest.approx(nearest.max())
        taken.append(pick)


def test_core_set_reaches_everything_within_twice_the_least_radius():
    points = np.concatenate([0.1 * RNG.normal(size=(20, 2)) + center for center in ([0, 0], [5, 0], [0, 5])])
    picked = CoreSetSampler(random_state=0).ask(points, 3)
    assert sorted(picked.indices // 20) == [0, 1, 2]


def test_k_means_takes_the_row_nearest_to_each_center():
    picked = KMeansSampler(random_state=0).ask(X, 6, labelled=[0, 1])
    kmeans = KMeans(6, n_init=1, max_iter=100, random_state=0).fit(X[2:])
    away = np.sqrt(np.sum((X[2:, None] - kmeans.cluster_centers_[None]) ** 2, axis=2))
    assert sorted(picked.indices) == sorted(2 + np.argmin(away, axis=0))
    np.testing.assert_allclose(np.sort(-picked.scores), np.sort(np.min(away, axis=0)))
    first = np.argmax(np.bincount(kmeans.labels_))
    assert picked.indices[0] == 2 + np.argmin(away[:, first])


def test_k_means_of_equal_rows_still_picks_different_ones():
    assert sorted(KMeansSampler(random_state=0).ask(np.ones((4, 1)), 3).indices) == [0, 1, 2]

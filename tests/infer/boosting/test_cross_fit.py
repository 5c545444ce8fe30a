"""Boosting without each fold."""

import numpy as np
import pytest

from credo.infer.boosting.cross_fit import cross_fit
from credo.infer.boosting.lightgbm import Growth
from credo.infer.boosting.trees import trees_at


@pytest.fixture(scope="module")
def rows():
    rng = np.random.default_rng(2)
    X = rng.uniform(-2, 2, size=(300, 2))
    return X, np.sign(X[:, 0]) + 0.5 * rng.normal(size=300), np.arange(300) % 5


def test_what_is_said_of_a_fold_is_by_the_model_that_has_not_seen_it(rows):
    X, y, folds = rows
    found = cross_fit("squares", X, y, np.ones(300), folds, Growth())
    for k in range(5):
        np.testing.assert_array_equal(found.held[folds == k], trees_at(found.trees[k], X[folds == k]))
    moved = y + 100.0 * (folds == 3)
    again = cross_fit("squares", X, moved, np.ones(300), folds, Growth())
    rounds = min(found.rounds, again.rounds)
    assert rounds > 0
    same = trees_at(again.trees[3], X) if again.rounds == found.rounds else None
    assert same is None or np.array_equal(same, trees_at(found.trees[3], X))


def test_rounds_are_the_best_at_held_rows(rows):
    X, y, folds = rows
    found = cross_fit("squares", X, y, np.ones(300), folds, Growth())
    assert found.rounds == int(np.argmin(found.losses))
    assert found.losses[found.rounds] == pytest.approx(np.mean((y - found.held[:, 0]) ** 2), rel=1e-6)
    assert not found.stopped


def test_noise_alone_has_no_rounds_or_few():
    rng = np.random.default_rng(3)
    X, y = rng.normal(size=(200, 3)), rng.normal(size=200)
    found = cross_fit("squares", X, y, np.ones(200), np.arange(200) % 5, Growth())
    assert found.rounds < 10


def test_rounds_that_ran_out_are_told(rows):
    X, y, folds = rows
    found = cross_fit("squares", X, y, np.ones(300), folds, Growth(), max_rounds=3)
    assert found.rounds == 3
    assert found.stopped

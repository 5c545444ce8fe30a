"""Trees as arrays: they say what LightGBM itself says of the same trees."""

import lightgbm
import numpy as np
import pytest

from credo.infer.boosting.lightgbm import _parsed
from credo.infer.boosting.trees import Trees, trees_at


@pytest.fixture(scope="module")
def rows():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(500, 4))
    return X, np.sin(2.0 * X[:, 0]) + (X[:, 1] > 0.3) + 0.1 * rng.normal(size=500)


def boosted(X, y, **settings):
    settings = {"verbosity": -1, "num_threads": 1, "boost_from_average": False, **settings}
    return lightgbm.train(settings, lightgbm.Dataset(X, y), num_boost_round=40)


def test_numbers_as_lightgbm_has_them(rows):
    X, y = rows
    booster = boosted(X, y, objective="regression")
    trees = _parsed(booster.model_to_string(), np.zeros(1), 40)
    # Also at the very numbers at which the trees part, where less-or-equal and less differ.
    asked = np.concatenate([X, np.tile(trees.threshold[:50, None], (1, 4)), np.full((1, 4), 1e30)])
    np.testing.assert_allclose(trees_at(trees, asked)[:, 0], booster.predict(asked), rtol=1e-12, atol=1e-13)


def test_classes_as_lightgbm_has_them(rows):
    X, y = rows
    codes = np.digitize(y, [-0.2, 0.8])
    booster = boosted(X, codes, objective="multiclass", num_class=3)
    trees = _parsed(booster.model_to_string(), np.zeros(3), 40)
    np.testing.assert_allclose(trees_at(trees, X), booster.predict(X, raw_score=True), rtol=1e-12, atol=1e-13)


def test_no_tree_is_the_base():
    empty = np.empty(0, dtype=np.int64)
    trees = Trees(np.array([2.5]), *(empty,) * 3, np.empty(0), empty, empty, np.empty(0))
    assert trees_at(trees, np.zeros((3, 2))).tolist() == [[2.5]] * 3


def test_a_row_is_the_same_alone_and_among_others(rows):
    X, y = rows
    trees = _parsed(boosted(X, y, objective="regression").model_to_string(), np.ones(1), 40)
    alone = np.concatenate([trees_at(trees, X[i : i + 1]) for i in range(20)])
    np.testing.assert_array_equal(alone, trees_at(trees, X)[:20])

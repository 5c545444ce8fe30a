"""Rows that are far from all others."""

import numpy as np

from credo.decide.learning.surroundings import surroundings_of


def test_rows_of_the_same_kind_are_seldom_far_and_those_outside_are():
    rng = np.random.default_rng(0)
    around = surroundings_of(rng.normal(size=(500, 3)), rng)
    assert np.mean(around.far(rng.normal(size=(2000, 3)))) < 0.02
    assert np.all(around.far(rng.normal(size=(20, 3)) + 10.0))


def test_of_many_rows_some_are_kept():
    rng = np.random.default_rng(1)
    around = surroundings_of(rng.normal(size=(5000, 2)), rng)
    assert len(around.rows) == 2000


def test_equal_rows_have_no_reach():
    around = surroundings_of(np.ones((30, 2)), np.random.default_rng(0))
    assert around.far(np.array([[1.0, 1.0], [1.0, 1.1]])).tolist() == [False, True]


def test_rows_that_are_kept_are_known_again():
    rows = np.random.default_rng(2).normal(size=(50, 2))
    around = surroundings_of(rows, np.random.default_rng(0))
    assert around.seen(np.vstack([rows[3] * (1.0 + 1e-14), rows[3] + 1e-3])).tolist() == [True, False]

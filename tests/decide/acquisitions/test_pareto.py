"""Fronts by pairs, volumes by inclusion and exclusion and on a grid, boxes by where points are."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from credo.decide.acquisitions.pareto import (
    dominated_boxes,
    free_boxes,
    hypervolume,
    pareto_front,
    reference_point,
)
from credo.errors import InputError

# Whole numbers, so that many are equal.
TABLES = st.integers(1, 4).flatmap(
    lambda m: hnp.arrays(np.float64, st.tuples(st.integers(1, 8), st.just(m)), elements=st.integers(0, 5).map(float))
)


def by_pairs(values):
    dominates = lambda p, y: np.all(p <= y) and np.any(p < y)  # noqa: E731
    return [not any(dominates(p, y) for p in values) for y in values]


def by_inclusion_and_exclusion(front, reference):
    total = 0.0
    for size in range(1, len(front) + 1):
        for some in combinations(front, size):
            total -= (-1) ** size * np.prod(np.maximum(reference - np.max(some, axis=0), 0.0))
    return total


@given(TABLES)
def test_the_front_is_what_no_other_row_dominates(values):
    assert pareto_front(values).tolist() == by_pairs(values)


@given(TABLES)
def test_volumes_are_those_of_inclusion_and_exclusion(values):
    reference = np.full(values.shape[1], 4.0)
    wanted = by_inclusion_and_exclusion(values[np.all(values < reference, axis=1)], reference)
    assert hypervolume(values, reference) == pytest.approx(wanted, abs=1e-9)


@given(TABLES)
def test_every_point_below_the_reference_is_in_one_box_and_in_the_right_kind(values):
    reference = np.full(values.shape[1], 4.0)
    rng = np.random.default_rng(0)
    points = rng.uniform(-2.0, 4.0, size=(200, values.shape[1]))
    dominated = np.any(np.all(values[:, None] <= points, axis=2), axis=0)
    for boxes, wanted in ((free_boxes(values, reference), ~dominated), (dominated_boxes(values, reference), dominated)):
        inside = np.all((boxes.lower[:, None] < points) & (points <= boxes.upper[:, None]), axis=2)
        np.testing.assert_array_equal(np.sum(inside, axis=0), wanted)


@pytest.mark.parametrize("m", [2, 3, 4, 5])
def test_volumes_on_a_sphere_are_those_of_random_points(m):
    rng = np.random.default_rng(m)
    front = np.abs(rng.normal(size=(40, m)))
    front = 1.0 - front / np.linalg.norm(front, axis=1, keepdims=True)
    assert np.all(pareto_front(front))
    points = rng.random((40_000, m)) * 1.1
    hit = np.any(np.all(front[:, None] <= points, axis=2), axis=0)
    error = np.std(hit) / len(hit) ** 0.5 * 1.1**m
    assert hypervolume(front, np.full(m, 1.1)) == pytest.approx(np.mean(hit) * 1.1**m, abs=4.0 * error)


def test_boxes_are_few():
    rng = np.random.default_rng(0)
    for m, most in ((2, 101), (3, 240), (4, 900)):
        front = np.abs(rng.normal(size=(100, m)))
        front = 1.0 - front / np.linalg.norm(front, axis=1, keepdims=True)
        assert len(free_boxes(front, np.full(m, 1.1)).lower) <= most


def test_the_reference_is_a_tenth_of_the_range_beyond_the_front():
    values = np.array([[0.0, 7.0, 1.0], [4.0, 7.0, 0.0], [9.0, 8.0, 9.0]])
    np.testing.assert_allclose(reference_point(values), [4.4, 7.1, 1.1])
    np.testing.assert_allclose(reference_point(np.array([[30.0, 0.0]])), [33.0, 0.1])


def test_nonsense_is_refused():
    with pytest.raises(InputError, match="not all finite"):
        pareto_front(np.array([[np.nan, 1.0]]))
    with pytest.raises(InputError, match="one finite number an objective"):
        free_boxes(np.ones((2, 2)), np.ones(3))

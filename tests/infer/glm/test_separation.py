"""Directions to infinity: by hand, and against a search that grows without end."""

import numpy as np
import pytest

from credo.infer.glm.separation import binary_signs, count_signs, separation

X = np.arange(6.0)[:, None]
ONES = np.column_stack([np.ones(6), X])


@pytest.mark.parametrize(
    ("y", "expected"),
    [
        ([0, 0, 0, 1, 1, 1], "complete"),
        ([0, 0, 1, 0, 1, 1], "none"),
        ([1, 1, 1, 0, 0, 0], "complete"),
    ],
)
def test_two_classes_on_a_line(y, expected):
    assert separation(ONES, *binary_signs(np.array(y, dtype=float))) == expected


def test_a_tie_at_the_border_separates_in_part():
    design = np.column_stack([np.ones(6), [0.0, 1.0, 2.0, 2.0, 3.0, 4.0]])
    assert separation(design, *binary_signs(np.array([0.0, 0.0, 0.0, 1.0, 1.0, 1.0]))) == "partial"


def test_fractions_between_hold_the_predictor():
    y = np.array([0.0, 0.0, 0.3, 0.7, 1.0, 1.0])
    assert separation(ONES, *binary_signs(y)) == "none"


def test_a_group_without_a_count_separates_in_part():
    group = np.array([0.0, 0.0, 0.0, 1.0, 1.0, 1.0])
    design = np.column_stack([np.ones(6), group])
    assert separation(design, *count_signs(np.array([2.0, 0.0, 1.0, 0.0, 0.0, 0.0]))) == "partial"
    assert separation(design, *count_signs(np.array([2.0, 0.0, 1.0, 0.0, 4.0, 0.0]))) == "none"


def test_nothing_but_counts_is_not_separated():
    assert separation(ONES, *count_signs(np.ones(6))) == "none"

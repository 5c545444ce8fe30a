"""Rows that may be suggested: not taken, and not nearly the same as one under way."""

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from credo.decide.acquisitions.free import APART, are_apart, first_free, taken_keys
from credo.errors import InputError
from credo.represent.space import Choice, Integer, Real, Space

BOX = Space({"a": Real(0, 1), "b": Real(0, 1)})
ROWS = np.array([[0.5, 0.5], [0.5 + 1e-15, 0.5], [0.5, 0.5 + 0.9 * APART], [0.5, 0.5 + APART], [0.1, 0.5]])


def test_apart_is_a_hundredth_of_a_range_in_one_column():
    assert_array_equal(are_apart(ROWS, ROWS[:1]), [False, False, False, True, True])
    assert_array_equal(are_apart(ROWS, ROWS[[0, 4]]), [False, False, False, True, False])
    assert np.all(are_apart(ROWS, None))
    assert np.all(are_apart(ROWS, ROWS[:0]))


def test_choices_that_differ_are_apart():
    space = Space({"a": Real(0, 1), "kind": Choice("x", "y"), "n": Integer(1, 12)})
    rows = space.encode([{"a": 0.5, "kind": kind, "n": n} for kind in "xy" for n in (6, 7)])
    assert_array_equal(are_apart(rows, rows[:1]), [False, True, True, True])


def test_the_best_row_that_is_apart_is_chosen():
    values = np.array([5.0, 4.0, 3.0, 2.0, 1.0])
    assert_array_equal(first_free(BOX, ROWS, values, None, "test").row, ROWS[0])
    found = first_free(BOX, ROWS, values, None, "test", away=ROWS[:1])
    assert_array_equal(found.row, ROWS[3])
    assert found.value == 2.0


def test_where_none_is_apart_or_has_a_value_the_best_is_chosen():
    values = np.array([5.0, 4.0, 3.0, -np.inf, -np.inf])
    assert first_free(BOX, ROWS, values, None, "test", away=ROWS[:1]).value == 5.0
    assert first_free(BOX, ROWS[:3], values[:3], None, "test", away=ROWS[:1]).value == 5.0


def test_a_finite_space_is_used_up_also_beside_what_is_under_way():
    space = Space({"n": Integer(1, 151)})  # of which neighbors are nearly the same setting
    rows, taken, order = space.encode([{"n": n} for n in range(1, 152)]), np.empty((0, 1)), []
    for _ in range(151):
        found = first_free(space, rows, -np.abs(rows[:, 0] - 0.5), taken, "test", away=taken)
        taken = np.concatenate([taken, found.row[None]])
        order.append(space.decode(found.row[None])[0]["n"])
    assert sorted(order) == list(range(1, 152))
    assert min(abs(a - b) for i, a in enumerate(order[:50]) for b in order[:i]) == 2
    with pytest.raises(InputError, match="all 151 points"):
        first_free(space, rows, rows[:, 0], taken, "test", away=taken)


def test_rows_outside_take_nothing():
    assert len(taken_keys(BOX, np.array([[0.5, 1.2], [0.0, -0.0], [0.0, 0.0]]))) == 1

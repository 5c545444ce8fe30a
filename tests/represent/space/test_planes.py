"""Equations between columns: projections, eliminations, and which constraints make them."""

import numpy as np
import pytest

from credo.represent.space import Integer, Real, Space

SHARES = Space({"a": Real(0, 1), "b": Real(0.1, 0.9), "c": Real(0, 1), "t": Real(20, 80)}, ["a + b + c == 1"])


def total(space, rows):
    return [point["a"] + point["b"] + point["c"] for point in space.decode(rows)]


def test_the_nearest_rows_meet_the_equation():
    rows = np.random.default_rng(0).uniform(0.2, 0.4, size=(20, 4))
    near = SHARES.planes.onto(rows)
    np.testing.assert_allclose(total(SHARES, near), 1.0)
    np.testing.assert_array_equal(near[:, 3], rows[:, 3])
    away = near - rows
    assert np.all(np.abs(away @ np.array([1.0, -1.25, 0.0, 0.0])) < 1e-12)  # across the plane only
    np.testing.assert_allclose(SHARES.planes.onto(near), near)


@pytest.mark.parametrize("turn", range(5))
def test_an_eliminated_column_is_what_the_others_leave(turn):
    left = SHARES.planes.eliminated(turn)
    rows = np.random.default_rng(1).uniform(0.2, 0.4, size=(6, 4))
    np.testing.assert_allclose(total(SHARES, left.complete(rows)), 1.0)
    slopes = np.random.default_rng(2).normal(size=(6, 4))
    step = 1e-6
    for j in set(range(4)) - set(left.pivots.tolist()):
        moved = left.complete(rows + step * np.eye(4)[j]) - left.complete(rows)
        np.testing.assert_allclose(np.sum(slopes * moved, axis=1) / step, left.pulled(slopes)[:, j], rtol=1e-6)
    assert np.all(left.pulled(slopes)[:, left.pivots] == 0.0)


def test_every_column_has_its_turn():
    assert {int(SHARES.planes.eliminated(turn).pivots[0]) for turn in range(3)} == {0, 1, 2}


def test_two_equations_and_one_that_follows_from_them():
    space = Space({name: Real(0, 1) for name in "abcd"}, ["a + b + c + d == 1", "a - b == 0", "2 a - 2 b == 0"])
    assert len(space.planes.b) == 2
    rows = space.planes.eliminated(1).complete(np.full((1, 4), 0.3))
    assert rows[0].sum() == pytest.approx(1.0)
    assert rows[0, 0] == pytest.approx(rows[0, 1])


def test_held_values_are_in_the_equation_and_others_make_none():
    held = SHARES.fixed(a=0.5)
    np.testing.assert_allclose(total(held, held.planes.onto(held.sample_rows(4, 0) + 0.01)), 1.0)
    assert Space({"a": Real(0, 1), "b": Real(0, 1)}, ["a + b <= 1"]).planes is None
    assert Space({"a": Real(0.1, 1, log=True), "b": Real(0, 1)}, ["a + b == 1"]).planes is None
    assert Space({"m": Integer(0, 5), "n": Integer(0, 5)}, ["m + n == 5"]).planes is None

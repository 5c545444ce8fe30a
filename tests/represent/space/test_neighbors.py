"""Neighbors: against a search through all points of a small space for those that differ in one step."""

import numpy as np
import pytest

from credo.errors import InputError
from credo.represent.space import Choice, Integer, Real, Space
from credo.represent.space.neighbors import neighbors_of

SPACE = Space(
    {
        "x": Real(0, 1),
        "n": Integer(0, 4),
        "z": Choice("a", "b", "c"),
        "grade": Choice("low", "mid", "high", ordered=True, when={"z": "b"}),
    }
)


def as_set(rows):
    return {tuple(np.round(row, 9)) for row in rows}


def test_by_hand():
    row = SPACE.encode([{"x": 0.3, "n": 0, "z": "a"}])[0]
    expected = [
        {"x": 0.3, "n": 1, "z": "a"},
        {"x": 0.3, "n": 0, "z": "b", "grade": "mid"},
        {"x": 0.3, "n": 0, "z": "c"},
    ]
    assert as_set(SPACE.neighbors(row)) == as_set(SPACE.encode(expected))


def test_active_children_step_too():
    row = SPACE.encode([{"x": 0.3, "n": 2, "z": "b", "grade": "mid"}])[0]
    expected = [
        *({"x": 0.3, "n": n, "z": "b", "grade": "mid"} for n in (1, 3)),
        *({"x": 0.3, "n": 2, "z": z} for z in "ac"),
        *({"x": 0.3, "n": 2, "z": "b", "grade": grade} for grade in ("low", "high")),
    ]
    assert as_set(neighbors_of(SPACE._layout, row)) == as_set(SPACE.encode(expected))


def test_one_step_is_undone_by_one_step():
    flat = Space({"n": Integer(1, 9, log=True), "z": Choice(1, 2, 3), "k": Choice(1, 2, 3, ordered=True)})
    for row in flat.sample_rows(40, random_state=0):
        for neighbor in flat.neighbors(row):
            assert tuple(np.round(row, 9)) in as_set(flat.neighbors(neighbor))
            assert np.sum(np.abs(neighbor - row) > 1e-9) == 1


def test_held_and_forbidden_ones_are_not_there():
    space = Space(SPACE.parameters, ["x + n <= 2.5"]).fixed(z="b")
    row = space.encode([{"x": 0.3, "n": 2, "z": "b", "grade": "low"}])[0]
    found = space.decode(space.neighbors(row))
    assert found == [
        {"x": 0.3, "n": 1, "z": "b", "grade": "low"},
        {"x": 0.3, "n": 2, "z": "b", "grade": "mid"},
    ]


def test_a_large_range_has_two_neighbors_and_a_continuous_space_none():
    assert len(Space({"n": Integer(0, 10**9)}).neighbors([0.5])) == 2
    assert Space({"x": Real(0, 1)}).neighbors([0.5]).shape == (0, 1)
    with pytest.raises(InputError, match="2 rows"):
        Space({"x": Real(0, 1)}).neighbors([[0.5], [0.6]])

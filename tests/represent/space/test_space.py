"""The space as a user meets it: names of any text, held values, changes, equality, and what is refused."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from credo.errors import InputError
from credo.represent.space import Choice, Integer, Linear, Real, Space

SPACE = Space(
    {
        "Feed rate (L/min)": Real(0.1, 5),
        "depth": Integer(1, 12),
        "solvent": Choice("water", "ethanol"),
        "lr": Real(1e-5, 1, log=True),
    },
    [Linear({"Feed rate (L/min)": 1.0, "depth": 1.0}, most=12.0)],
)
POINT = {"Feed rate (L/min)": 1.0, "depth": 3, "solvent": "water", "lr": 0.1}


@given(st.text(min_size=1).filter(str.strip))
def test_any_text_is_a_name(name):
    space = Space({name: Real(0, 1), name + "2": Choice("a", "b", when={})}, [Linear({name: 1.0}, most=0.5)])
    assert all(point[name] <= 0.5 for point in space.sample(4, random_state=0))
    assert Space.from_dict(space.to_dict()) == space


def test_what_it_says_of_itself():
    assert len(SPACE) == 4
    assert list(SPACE) == list(SPACE.parameters)
    assert SPACE.count is None
    assert [kind.kind for kind in SPACE.column_kinds] == ["continuous", "integer", "code", "continuous"]
    assert eval(repr(SPACE), {c.__name__: c for c in (Space, Real, Integer, Choice, Linear)}) == SPACE
    held = SPACE.fixed(depth=2)
    assert eval(repr(held), {c.__name__: c for c in (Space, Real, Integer, Choice, Linear)}) == held


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({}, None),
        ({"depth": 12.0, "Feed rate (L/min)": 0.1}, "sum is 12.1"),
        ({"depth": 13}, "'depth' is 13, above 12"),
        ({"solvent": "oil"}, "'solvent' is 'oil', which is none of 'water', 'ethanol'"),
        ({"speed": 1}, "'speed', which is no parameter"),
    ],
)
def test_why_not(change, says):
    point = {**POINT, **change}
    assert SPACE.contains(point) == (says is None)
    assert says is None or says in SPACE.why_not(point)
    missing = {name: value for name, value in POINT.items() if name != "lr"}
    assert SPACE.why_not(missing) == "'lr' is missing"


def test_values_are_held():
    held = SPACE.fixed({"Feed rate (L/min)": 0.3}, depth=5)
    assert held.held == {"Feed rate (L/min)": 0.3, "depth": 5}
    points = held.sample(30, random_state=0)
    assert all(point["depth"] == 5 and point["Feed rate (L/min)"] == 0.3 for point in points)
    assert all(held.contains(point) for point in points)
    assert held.why_not(POINT | {"depth": 5}) == "'Feed rate (L/min)' is 1.0, but it is held at 0.3"
    assert held.encode([POINT]).tolist() == SPACE.encode([POINT]).tolist()  # past runs were elsewhere
    assert held.fixed({"depth": 6}).held["depth"] == 6
    assert held.freed("depth").held == {"Feed rate (L/min)": 0.3}
    assert held.freed() == SPACE
    assert SPACE.held == {}
    with pytest.raises(InputError, match="'depth' is 0, below 1"):
        SPACE.fixed(depth=0)
    with pytest.raises(InputError, match="'deep' is no parameter"):
        SPACE.fixed(deep=1)


def test_equality():
    same = Space(SPACE.parameters, ["'Feed rate (L/min)' + depth <= 12"])
    assert same == SPACE
    assert same != Space(SPACE.parameters)
    assert same != SPACE.fixed(depth=2)
    assert same != Space(dict(reversed(SPACE.parameters.items())), SPACE.constraints)  # other columns
    assert same != "space"
    with pytest.raises(TypeError):
        hash(SPACE)


def test_it_does_not_change_through_what_it_gives():
    SPACE.parameters.clear()
    SPACE.held["depth"] = 3
    assert len(SPACE) == 4
    assert SPACE.held == {}


def test_numbers_outside_the_bounds_of_past_runs():
    with pytest.raises(InputError, match="above 5"):
        SPACE.encode([POINT | {"Feed rate (L/min)": 9.9}])
    row = SPACE.encode([POINT | {"Feed rate (L/min)": 9.9}], outside=True)[0]
    assert row[0] == pytest.approx(2.0)


@pytest.mark.parametrize(
    ("parameters", "says"),
    [
        ({}, "no parameters"),
        ([], "no mapping"),
        ({"x": (0, 1)}, r"'x' is \(0, 1\)"),
        ({"": Real(0, 1)}, "no name"),
        ({3: Real(0, 1)}, "no name"),
        ({"x": Real}, "'x' is <class"),
    ],
)
def test_no_spaces(parameters, says):
    with pytest.raises(InputError, match=says):
        Space(parameters)


def test_removing_what_is_needed_is_refused():
    with pytest.raises(InputError, match="'depth', which is no parameter"):
        SPACE.without("depth")
    assert list(SPACE.without("lr", "solvent")) == ["Feed rate (L/min)", "depth"]


@pytest.mark.parametrize("rows", [[0.5, 0.5], [[0.5] * 3], [[0.5, 0.5, np.nan, 0.5]], [[[0.5]]]])
def test_bad_rows(rows):
    with pytest.raises(InputError, match="one column for each of 4 parameters"):
        SPACE.decode(rows)


def test_past_runs_are_kept_as_they_are():
    space = Space({"x": Real(0, 1), "n": Integer(1, 3), "kind": Choice("a", "b"), "y": Real(0, 1, when={"kind": "a"})})
    runs = space.runs([{"x": np.float32(2), "n": np.int64(7), "kind": "a", "y": -1}, {"x": 0, "n": 2, "kind": "b"}])
    assert runs == [{"x": 2.0, "n": 7, "kind": "a", "y": -1.0}, {"x": 0.0, "n": 2, "kind": "b"}]
    assert [type(value) for value in runs[0].values()] == [float, int, str, float]
    with pytest.raises(InputError, match=r"'n' is 2\.5"):
        space.runs([{"x": 0, "n": 2.5, "kind": "b"}])

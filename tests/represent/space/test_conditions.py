"""Conditions: parents before children, what is refused, and the number of points by going through all of them."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from credo.errors import InputError
from credo.represent.space import Choice, Integer, Real, Space
from credo.represent.space.conditions import conditions_between, parents_first


def all_points(space):
    """Every point of a small space: all combinations, without what is not active, each once."""
    values = [p.decode(p.column_of(np.arange(p.levels))) for p in space.parameters.values()]
    found = set()
    for combination in product(*values):
        point = dict(zip(space, combination, strict=True))
        there = {name: value for name, value in point.items() if _active(space, name, point)}
        if all(there.get(name, value) == value for name, value in space.held.items()):
            found.add(tuple(sorted(there.items(), key=str)))
    return found


def _active(space, name, point):
    return all(_active(space, p, point) and point[p] in values for p, values in space.parameters[name].when.items())


TREES = [
    {"a": Integer(0, 4), "b": Choice("x", "y")},
    {"a": Integer(0, 4), "b": Choice("x", "y", when={"a": (1, 2)}), "c": Integer(1, 3, when={"b": "x"})},
    {"c": Integer(1, 3, when={"b": "x", "a": 4}), "b": Choice("x", "y", "z"), "a": Integer(0, 4)},
    {"a": Choice(0, 1), "b": Integer(0, 6, when={"a": 1}), "c": Choice("u", "v"), "d": Choice(1, 2, when={"c": "v"})},
]


@pytest.mark.parametrize("parameters", TREES, ids=str)
@given(st.data())
def test_the_count_is_that_of_all_points(parameters, data):
    space = Space(parameters)
    held = data.draw(st.sets(st.sampled_from(list(parameters)), max_size=2))
    for name in held:
        p = parameters[name]
        values = p.decode(p.column_of(np.arange(p.levels)))
        space = space.fixed({name: data.draw(st.sampled_from(values))})
    assert space.count == len(all_points(space))


def test_many_families_and_large_ranges_are_counted_without_going_through_them():
    many = {f"p{i}": Choice(0, 1) for i in range(40)} | {f"c{i}": Integer(0, 8, when={f"p{i}": 1}) for i in range(40)}
    assert Space(many).count == 10**40
    assert Space({"n": Integer(1, 10**9), "x": Choice(1, 2, when={"n": 5})}).count == 10**9 + 1
    assert Space({"n": Integer(1, 9), "x": Real(0, 1)}).count is None
    assert Space({"n": Integer(1, 9), "x": Real(0, 1)}).fixed(x=0.5).count == 9


def test_parents_come_first():
    parameters = {"c": Real(0, 1, when={"b": 1}), "b": Choice(1, 2, when={"a": "x"}), "a": Choice("x", "y")}
    assert parents_first(parameters) == [2, 1, 0]
    assert [[c.parent for c in of] for of in conditions_between(parameters)] == [[1], [2], []]


@pytest.mark.parametrize(
    ("parameters", "says"),
    [
        ({"x": Real(0, 1, when={"z": 1})}, "'z', which is no parameter"),
        ({"x": Choice(1, 2, when={"x": 1})}, "circle"),
        ({"x": Choice(1, 2, when={"y": 1}), "y": Choice(1, 2, when={"x": 1}), "w": Real(0, 1)}, "'x', 'y'.*circle"),
        ({"x": Real(0, 1, when={"y": 0.5}), "y": Real(0, 1)}, "never comes up"),
        ({"x": Real(0, 1, when={"y": ("a", "q")}), "y": Choice("a", "b")}, "'q', which is none of"),
        ({"x": Real(0, 1, when={"y": 9}), "y": Integer(1, 5)}, "above 5"),
    ],
)
def test_what_is_refused(parameters, says):
    with pytest.raises(InputError, match=says):
        Space(parameters)

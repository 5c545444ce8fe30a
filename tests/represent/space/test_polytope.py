"""Whether linear constraints leave any point: against all whole points, and against a closed form; and its corners."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from credo.errors import InputError
from credo.represent.space import Choice, Integer, Linear, Real, Space
from credo.represent.space.layout import Layout
from credo.represent.space.polytope import corners, polytope_of, refuse_contradictions

WEIGHTS = st.integers(-3, 3)


@given(st.lists(st.tuples(WEIGHTS, WEIGHTS, WEIGHTS, st.integers(-6, 8)), min_size=1, max_size=4))
def test_whole_numbers_against_all_points(rows):
    constraints = [
        Linear({n: c for n, c in zip("abc", row[:3], strict=True) if c}, row[3], row[3]) for row in rows if any(row[:3])
    ]
    layout = Layout({n: Integer(-1, 2) for n in "abc"}, {})
    points = np.array(list(product(range(-1, 3), repeat=3)))
    met = [np.all([row[:3] @ point == row[3] for row in np.array(rows) if any(row[:3])]) for point in points]
    if any(met):
        refuse_contradictions(layout, constraints)
    else:
        with pytest.raises(InputError, match="met"):
            refuse_contradictions(layout, constraints)


@given(st.lists(st.floats(-2, 2).filter(lambda c: abs(c) > 0.01), min_size=1, max_size=3), st.floats(-5, 5))
def test_one_constraint_against_the_smallest_sum(weights, most):
    names = "abc"[: len(weights)]
    smallest = sum(min(-c, 2 * c) for c in weights)  # each between −1 and 2
    constraint = Linear(dict(zip(names, weights, strict=True)), most=most)
    layout = Layout({n: Real(-1, 2) for n in names}, {})
    if most > smallest + 1e-6:
        refuse_contradictions(layout, [constraint])
    elif most < smallest - 1e-6:
        with pytest.raises(InputError, match="is met by no point"):
            refuse_contradictions(layout, [constraint])


def test_both_are_named_when_only_together_they_contradict():
    with pytest.raises(InputError, match=r"a \+ b <= 1; a - b >= 0.5 are met together by no point"):
        Space({"a": Real(0, 1), "b": Real(0.4, 1)}, ["a + b <= 1", "a - b >= 0.5"])


def test_held_values_count():
    space = Space({"a": Real(0, 1), "b": Integer(0, 5)}, ["a + b <= 2.5"])
    space.fixed(b=2)
    with pytest.raises(InputError, match="met by no point"):
        space.fixed(b=3)
    space.fixed(a=0.5, b=2)
    with pytest.raises(InputError, match="what is held does not meet"):
        space.fixed(a=0.75, b=2)


def test_conditional_parameters_are_left_to_the_points():
    space = Space({"z": Choice(1, 2), "a": Real(0, 1, when={"z": 1}), "b": Real(0, 1)}, ["a + b >= 3", "b >= 0.5"])
    assert polytope_of(space._layout, space._constraints.linear).A.shape == (1, 1)
    assert all("a" not in point for point in space.sample(20, random_state=0))


def test_corners_are_those_of_the_triangle():
    layout = Layout({"a": Real(0, 2), "b": Real(-1, 1)}, {})
    polytope = polytope_of(layout, [Linear({"a": 1.0, "b": 2.0}, most=0.0), Linear({"a": 1.0, "b": 1.0}, least=-0.5)])
    found = corners(polytope, 60, np.random.default_rng(0)) * polytope.scale + polytope.low
    # a ≥ 0, a + 2 b ≤ 0, a + b ≥ −1/2, b ≥ −1, a ≤ 2
    expected = {(0.0, 0.0), (0.0, -0.5), (0.5, -1.0), (2.0, -1.0)}
    assert {tuple(np.round(point, 8)) for point in found + 0.0} == expected


def test_corners_of_whole_numbers_are_whole():
    layout = Layout({"n": Integer(0, 10), "x": Real(0, 4)}, {})
    polytope = polytope_of(layout, [Linear({"n": 1.0, "x": 1.0}, least=3.5, most=3.6)])
    found = corners(polytope, 20, np.random.default_rng(0))
    np.testing.assert_array_equal(found[:, 0], np.rint(found[:, 0]))
    sums = found[:, 0] + 4.0 * found[:, 1]
    assert np.all((sums >= 3.5 - 1e-8) & (sums <= 3.6 + 1e-8))
    assert len(set(found[:, 0])) > 1

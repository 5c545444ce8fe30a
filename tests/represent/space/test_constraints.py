"""Constraints of a space: which rows meet them, why a point does not, and functions that misbehave."""

import numpy as np
import pytest

from credo.errors import InputError
from credo.represent.space import Choice, Integer, Linear, Real, Space
from credo.represent.space.constraints import Constraints, name_of

PARAMETERS = {"a": Real(0, 10), "n": Integer(0, 10), "z": Choice("x", "y"), "c": Real(0, 10, when={"z": "x"})}


def odd(point):
    return point["n"] % 2 == 1


def test_rows_by_hand():
    space = Space(PARAMETERS, ["a + n <= 10", odd, "c + a <= 5"])
    points = [
        {"a": 2.0, "n": 3, "z": "y"},
        {"a": 2.0, "n": 4, "z": "y"},
        {"a": 9.0, "n": 3, "z": "y"},
        {"a": 2.0, "n": 3, "z": "x", "c": 3.0},
        {"a": 2.0, "n": 3, "z": "x", "c": 3.1},
    ]
    assert space.allowed(space.encode(points)).tolist() == [True, False, False, True, False]
    assert [space.contains(point) for point in points] == [True, False, False, True, False]
    assert space.why_not(points[0]) is None
    assert "odd does not allow {'a': 2.0, 'n': 4" in space.why_not(points[1])
    assert space.why_not(points[2]) == "a + n <= 10 is not met: the sum is 12"
    assert space.why_not(points[4]) == "c + a <= 5 is not met: the sum is 5.1"


def test_functions_are_asked_only_where_linear_ones_are_met():
    asked = []
    constraints = Constraints(Space(PARAMETERS)._layout, ["a <= 5", lambda point: asked.append(point["a"]) or True])
    constraints.met(Space(PARAMETERS).snap(np.random.default_rng(0).random((50, 4))))
    assert asked
    assert max(asked) <= 5.0


@pytest.mark.parametrize(
    ("constraint", "says"),
    [
        (3, "neither linear nor a function"),
        ("a + w <= 1", "'w', which is no parameter"),
        (Linear({"z": 1.0}, most=1.0), "'z', which is a choice"),
        (lambda point: point["c"] > 1, "KeyError.*not active"),
        (lambda point: 1 / 0, "ZeroDivisionError"),
        (lambda point: "yes", "returned 'yes'"),
        (lambda point: None, "returned None"),
    ],
)
def test_bad_constraints(constraint, says):
    with pytest.raises(InputError, match=says):
        Space(PARAMETERS, [constraint])


def test_one_constraint_is_not_a_list_of_letters():
    with pytest.raises(InputError, match="brackets"):
        Space(PARAMETERS, "a + n <= 10")


def test_names():
    assert name_of(odd) == "the constraint odd"
    assert "lambda" in name_of(lambda point: True)

"""Numbers in steps: which there are, that they come back as written, and what is not one of them."""

import copy
import math
import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from credo.errors import InputError
from credo.represent.space import Choice, Integer, Real, Space

DIAL = Space({"t": Real(20, 35, step=5), "p": Real(0, 1, step=0.1), "kind": Choice("x", "y")})


@given(st.integers(-1000, 1000), st.integers(1, 400), st.sampled_from([0.1, 0.25, 0.5, 2.5, 5.0, 1e-3]))
def test_numbers_come_back_as_they_are_written(first, steps, step):
    low, high = round(first * step, 6), round((first + steps) * step, 6)
    parameter = Real(low, high, step=step)
    numbers = parameter.decode(parameter.column_of(np.arange(parameter.levels)))
    assert numbers == [float(f"{(first + k) * step:.6g}") for k in range(steps + 1)]
    assert parameter.decode(parameter.encode(numbers)) == numbers
    assert parameter.first_refused(numbers) is None
    assert parameter.column("x") == ("x", "integer", steps + 1, 1.0 / steps, None)


def test_a_step_of_one_is_an_integer_in_other_words():
    unit = np.random.default_rng(0).random(1000)
    for log in (False, True):
        whole, stepped = Integer(1, 50, log=log), Real(1, 50, log=log, step=1)
        np.testing.assert_array_equal(whole.place(unit), stepped.place(unit))
        np.testing.assert_array_equal(whole.snap(unit), stepped.snap(unit))
        assert whole.middle == stepped.middle
        assert whole.column("x") == stepped.column("x")


def test_on_a_log_scale_the_steps_are_in_the_number_itself():
    parameter = Real(0.5, 8.0, log=True, step=0.5)
    assert parameter.levels == 16
    assert parameter.decode(np.array([0.0, 0.25, 0.5, 0.75, 1.0])) == [0.5, 1.0, 2.0, 4.0, 8.0]
    assert parameter.column("x").step is None


def test_it_is_a_real_with_a_step():
    parameter = Real(0, 1, step=0.1, when={"kind": "x"})
    assert isinstance(parameter, Real)
    assert repr(parameter) == "Real(0.0, 1.0, step=0.1, when={'kind': ('x',)})"
    assert parameter != Real(0, 1, when={"kind": "x"})
    assert Real(0, 1, step=None) == Real(0, 1)
    assert pickle.loads(pickle.dumps(parameter)) == copy.deepcopy(parameter) == parameter
    assert "Real    20 to 35, in steps of 5" in str(DIAL)


@pytest.mark.parametrize(
    ("bounds", "step", "says"),
    [
        ((0, 1), 0.3, "high=1.0 cannot be reached from low=0.0 in steps of 0.3. .* Try high=0.9 or 1.2"),
        ((0, 1), 2, "Try high=2"),
        ((0, 1), 0, "not a positive number"),
        ((0, 1), -0.5, "not a positive number"),
        ((0, 1), math.nan, "not a positive number"),
        ((0, 1), True, "not a positive number"),
        ((0, 1), "0.5", "not a positive number"),
        ((0, 1), 1e-14, r"2\*\*40"),
        ((1, 1), 0.5, "Real: low=1.0 is not below"),
    ],
)
def test_bad_steps(bounds, step, says):
    with pytest.raises(InputError, match=says):
        Real(*bounds, step=step)


def test_what_is_between_steps_is_refused_where_it_is_chosen_and_kept_where_it_was_run():
    off = {"t": 22.0, "p": 0.3, "kind": "x"}
    assert DIAL.why_not(off) == "'t' is 22.0, which lies between the steps 20 and 25 (step=5)"
    assert DIAL.why_not({"t": 25, "p": 0.1 + 0.2, "kind": "x"}) is None
    assert DIAL.runs([off]) == [off]
    np.testing.assert_allclose(DIAL.encode([off], outside=True), [[2 / 15, 0.3, 0.0]])
    assert DIAL.decode(DIAL.encode([off], outside=True)) == [{"t": 20.0, "p": 0.3, "kind": "x"}]


def test_what_is_held_may_be_between_steps():
    held = DIAL.fixed(t=22.5)
    assert held.contains({"t": 22.5, "p": 0.3, "kind": "x"})
    assert "held at 22.5" in held.why_not({"t": 23.0, "p": 0.3, "kind": "x"})
    assert {point["t"] for point in held.sample(8, 0)} == {22.5}
    assert held.count == 22
    with pytest.raises(InputError, match="above 35"):
        DIAL.fixed(t=36)


def test_a_space_of_steps_is_finite():
    assert DIAL.count == 4 * 11 * 2
    rows = DIAL.sample_rows(256, 0)
    np.testing.assert_array_equal(DIAL.encode(DIAL.decode(rows)), rows)
    near = DIAL.decode(DIAL.neighbors(DIAL.encode([{"t": 20, "p": 0.3, "kind": "x"}])[0]))
    assert [(point["t"], point["p"], point["kind"]) for point in near] == [
        (25.0, 0.3, "x"),
        (20.0, 0.2, "x"),
        (20.0, 0.4, "x"),
        (20.0, 0.3, "y"),
    ]


def test_constraints_hold_on_the_steps():
    shares = Space({name: Real(0, 1, step=0.05) for name in "abc"}, ["a + b + c == 1"])
    points = shares.sample(20, 0)
    assert all(abs(sum(point.values()) - 1.0) < 1e-9 and shares.contains(point) for point in points)
    assert all(value == round(value, 2) for point in points for value in point.values())
    mixed = Space({"a": Real(1, 3, step=0.5), "b": Real(0, 1), "n": Integer(1, 4)}, ["2 a + b + n <= 4"])
    assert all(mixed.contains(point) for point in mixed.sample(20, 0))
    with pytest.raises(InputError, match="met by no point"):
        Space({"a": Real(0, 1, step=0.5), "b": Real(0, 1, step=0.5)}, ["a + b == 0.75"])


def test_whole_numbers_may_have_a_step():
    parameter = Integer(10, 50, step=5)
    assert parameter.decode(parameter.column_of(np.arange(9))) == list(range(10, 51, 5))
    assert [type(value) for value in parameter.decode(np.array([0.3]))] == [int]
    assert parameter.why_not(12) == "is 12, which lies between the steps 10 and 15 (step=5)"
    assert "not whole" in parameter.why_not(12.5, outside=True)
    assert parameter.why_not(12, outside=True) is None
    assert Space({"n": parameter}).fixed(n=12).sample(1, 0) == [{"n": 12}]
    assert repr(parameter) == "Integer(10, 50, step=5)"
    assert repr(Integer(1, 9, True, step=2, when={"a": 1})) == "Integer(1, 9, log=True, step=2, when={'a': (1,)})"
    assert "Integer  10 to 50, in steps of 5" in str(Space({"n": parameter}))
    assert Space.from_dict(Space({"n": parameter}).to_dict()).parameters == {"n": parameter}
    assert "step" not in Space({"n": Integer(1, 3)}).to_dict()["parameters"][0]
    for step, says in [(0.5, "not whole"), (3, "Try high=49 or 52"), (0, "not a positive number")]:
        with pytest.raises(InputError, match=says):
            Integer(10, 50, step=step)


def test_stored_with_its_step_and_without_one_as_before():
    assert Space.from_dict(DIAL.to_dict()) == DIAL
    assert DIAL.to_dict()["parameters"][1]["step"] == 0.1
    assert set(Space({"x": Real(0, 1)}).to_dict()["parameters"][0]) == {"name", "kind", "low", "high", "log", "when"}


@pytest.mark.parametrize("kind", [Real(1e9, 1e9 + 1, step=0.001), Real(0, 1e-12, step=1e-13), Real(0, 1, step=1 / 3)])
def test_what_is_sampled_is_accepted_in_any_unit(kind):
    space = Space({"x": kind})
    for point in space.sample(50, random_state=0):
        assert space.why_not(point) is None
        assert space.runs([point]) == [point]


def test_a_number_between_small_steps_of_large_ones_is_named_with_both():
    near = Real(1e9, 1e9 + 1, step=0.001)
    assert "between the steps 1000000000.001 and 1000000000.002" in near.why_not(1e9 + 0.0015)


def test_tiny_steps_are_numbers_as_one_would_write_them():
    assert Real(0, 5e-13, step=1e-13).decode(np.array([0.6])) == [3e-13]

"""What may be stored: JSON that comes back as it was, and refusals that say which part was wrong."""

import json
import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from credo.decide.storage import checked
from credo.errors import InputError

PLAIN = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda parts: st.lists(parts, max_size=3) | st.dictionaries(st.text(), parts, max_size=3),
    max_leaves=8,
)


@given(st.dictionaries(st.text(), PLAIN, max_size=4))
def test_json_comes_back_as_it_was_and_does_not_depend_on_the_order(value):
    text = checked.as_json("who", "params", value)
    assert json.loads(text) == value
    assert text.isascii()
    assert checked.as_json("who", "params", dict(reversed(value.items()))) == text


def test_numbers_of_numpy_become_pythons():
    value = {"a": np.float64(0.1), "b": np.int32(3), "c": np.bool_(True), "d": (np.float32(0.5),), "e": Fraction(1, 4)}
    assert checked.as_json("who", "params", value) == '{"a":0.1,"b":3,"c":true,"d":[0.5],"e":0.25}'


@pytest.mark.parametrize(
    ("value", "words"),
    [
        ({"a": {"b": [0, math.nan]}}, r"params\['a'\]\['b'\]\[1\] is nan"),
        ({"a": -math.inf}, r"params\['a'\] is -inf"),
        ({"a": {1: 2}}, "has the key 1"),
        ({"a": np.ones(2)}, r"which JSON cannot hold.*tolist"),
        ({"a": {1, 2}}, "which JSON cannot hold"),
        ({"a": 1j}, "which JSON cannot hold"),
        ([1], "not a mapping"),
        (None, "params is None, not a mapping"),
    ],
)
def test_what_json_cannot_hold_is_named_by_its_place(value, words):
    with pytest.raises(InputError, match=words):
        checked.as_json("who", "params", value)


def test_a_dict_that_contains_itself_is_refused():
    value = {}
    value["self"] = value
    with pytest.raises(InputError, match="contains itself"):
        checked.as_json("who", "params", value)


@pytest.mark.parametrize(("values", "floats"), [(1, (1.0,)), ([1, 2.5], (1.0, 2.5)), (np.array([0.5]), (0.5,))])
def test_values_become_floats(values, floats):
    found = checked.answer("tell", values, False)
    assert found == floats
    assert all(type(value) is float for value in found)


def test_a_failure_has_no_values():
    assert checked.answer("tell", None, True) is None
    with pytest.raises(InputError, match="failed and has the values"):
        checked.answer("tell", 1.0, True)


@pytest.mark.parametrize(
    "values", ["12", b"12", {"a": 1.0}, {1: 2}, {1.0, 2.0}, [10**400], 10**400, ["x"], ["1.5"], True]
)
def test_what_is_no_list_of_numbers_is_no_answer(values):
    with pytest.raises(InputError, match="values is"):
        checked.answer("tell", values, False)


@pytest.mark.parametrize("name", ["", " a", "a ", "a\nb", "a\0", "\ud800", "a" * 251, 5, None])
def test_names_that_a_database_would_change_are_refused(name):
    with pytest.raises(InputError, match="name is"):
        checked.study_name("create_study", name)


def test_ordinary_names_pass():
    for name in ("reactor-2", "Füllstand (Tank 3)", "学习", "a" * 250):
        assert checked.study_name("create_study", name) == name


@pytest.mark.parametrize("lease", [0.0, -1.0, math.nan, math.inf, "60", None, 1e11, 10**400])
def test_leases_are_positive_seconds(lease):
    with pytest.raises(InputError, match="lease is"):
        checked.lease_seconds("claim", lease)


def test_a_note_never_stands_in_the_way_of_an_answer():
    assert checked.plain_text("a\0b\ud800 ü") == "a\\0b\\ud800 ü"
    assert checked.plain_text(ValueError("bad")) == "bad"
    long = checked.plain_text("x" * 50_000 + "the end")
    assert len(long) < 20_010
    assert long.endswith("the end")


@given(st.text(st.characters()))  # surrogates and zeros included
def test_every_note_is_utf8_without_zeros(text):
    checked.plain_text(text).encode("utf-8")
    assert "\0" not in checked.plain_text(text)

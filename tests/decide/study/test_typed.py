"""Numbers and points as people type them, and what they are told where they mistyped."""

import pytest

from credo.decide.study.typed import number_from, point_from
from credo.errors import InputError
from credo.represent.space import Choice, Integer, Real, Space

SPACE = Space({"t": Real(20, 80), "n": Integer(1, 12), "s": Choice("water", "ethanol"), "size": Choice(1, 2.5)})


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("61.5", 61.5),
        ("61,5", 61.5),
        (" -61,5e-3 ", -0.0615),
        ("1e3", 1000.0),
        ("61,", None),
        (",5", None),
        ("1,2,3", None),
        ("1,234.5", None),
        ("6l.5", None),
        ("", None),
    ],
)
def test_numbers(text, number):
    assert number_from(text) == number


def test_each_value_is_read_by_its_parameter():
    point = point_from("enqueue", SPACE, ["s = ethanol", "t=40,5", "n=3", "size=2,5"])
    assert point == {"t": 40.5, "n": 3, "s": "ethanol", "size": 2.5}
    assert list(point) == list(SPACE)
    assert [type(value) for value in point.values()] == [float, int, str, float]
    assert isinstance(point_from("enqueue", SPACE, ["s=water", "t=40", "n=3", "size=1"])["size"], int)


def test_what_is_held_need_not_be_said_and_what_is_not_there_must_not_be():
    space = SPACE.without("size", "n").fixed(t=40)
    assert point_from("enqueue", space, ["s=water"]) == {"t": 40, "s": "water"}
    branch = Space({"s": Choice("water", "ethanol"), "drops": Integer(1, 5, when={"s": "water"})})
    assert point_from("enqueue", branch, ["s=ethanol"]) == {"s": "ethanol"}
    with pytest.raises(InputError, match="only when 's' is 'water'"):
        point_from("enqueue", branch, ["s=ethanol", "drops=3"])


def test_names_and_options_may_have_an_equals_sign():
    space = Space({"a": Choice("b=1", "c"), "a=b": Choice("1", "2")})
    assert point_from("enqueue", space, ["a=c", "a=b=1"]) == {"a": "c", "a=b": "1"}


@pytest.mark.parametrize(
    ("texts", "words"),
    [
        (["t=warm"], ["'t' is 'warm', which is no finite number", "It takes 20 to 80"]),
        (["t=400"], ["'t' is 400.0, above 80.0", "It takes 20 to 80"]),
        (["n=2.5"], ["'n' is 2.5, which is not whole", "It takes 1 to 12"]),
        (["s=watr"], ["'s' is 'watr', which is none of 'water', 'ethanol'"]),
        (["size=3"], ["'size' is '3', which is none of 1, 2.5"]),
        (["x=3"], ["'x' is no parameter", "There are 't', 'n', 's'"]),
        (["40"], ["'40' has no = in it", "NAME=VALUE"]),
        (["t=40", "t=50"], ["'t' is there twice"]),
        (["t=40", "s=water", "size=1"], ["'n' is missing", "n takes 1 to 12"]),
        ([], ["'t' is missing"]),
    ],
)
def test_what_cannot_be_read_is_named_with_what_it_takes(texts, words):
    with pytest.raises(InputError) as error:
        point_from("enqueue", SPACE, texts)
    for word in words:
        assert word in str(error.value)

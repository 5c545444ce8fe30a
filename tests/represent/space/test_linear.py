"""Linear constraints: met or not by hand, and text that is read, written and refused."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from credo.errors import InputError
from credo.represent.space import Linear
from credo.represent.space.linear import parse_linear

LARGEST = {"a": 10.0, "b": 10.0}


def test_met_or_not_by_hand():
    numbers = {"a": np.array([1.0, 2.0, 3.0]), "b": np.array([1.0, 0.0, -1.0])}  # sums 3, 2, 1
    assert Linear({"a": 1, "b": 2}, most=2.0).holds(numbers, LARGEST).tolist() == [False, True, True]
    assert Linear({"a": 1, "b": 2}, least=2.0).holds(numbers, LARGEST).tolist() == [True, True, False]
    assert Linear({"a": 1, "b": 2}, least=2.0, most=2.0).holds(numbers, LARGEST).tolist() == [False, True, False]
    assert Linear({"a": 1, "b": 2}, most=1.0).value({"a": 4.0, "b": 0.5}) == 5.0


def test_round_off_is_forgiven_and_more_is_not():
    share = {"a": np.array([0.1 + 0.2, 0.3 + 1e-6])}
    assert Linear({"a": 1.0}, least=0.3, most=0.3).holds(share, LARGEST).tolist() == [True, False]


def test_one_sided():
    sides = Linear({"a": 1, "b": -2}, least=-1.0, most=3.0).one_sided()
    assert [(c.tolist(), b) for c, b in sides] == [([1.0, -2.0], 3.0), ([-1.0, 2.0], 1.0)]


@pytest.mark.parametrize(
    ("text", "weights", "least", "most"),
    [
        ("a + b <= 1", {"a": 1, "b": 1}, None, 1),
        ("2 a - 3*b>=-1.5e2", {"a": 2, "b": -3}, -150, None),
        ("-a + .5 b == 1", {"a": -1, "b": 0.5}, 1, 1),
        ("a = 1", {"a": 1}, 1, 1),
        ("2 'Feed rate (L/min)' + `x <= y` + \"it's\" <= 3", {"Feed rate (L/min)": 2, "x <= y": 1, "it's": 1}, None, 3),
        ("a + 2 a <= 1", {"a": 3}, None, 1),
        ("2e3 β1 <= 1", {"β1": 2000}, None, 1),
    ],
)
def test_text_that_is_understood(text, weights, least, most):
    assert parse_linear(text) == Linear(weights, least, most)


@pytest.mark.parametrize(
    "text",
    [
        *(
            "",
            "a",
            "a <= b",
            "a * b <= 1",
            "a b <= 1",
            "a ** 2 <= 1",
            "(a) <= 1",
            "a + <= 1",
            "<= 1",
            "1 <= a",
            "a < 1",
        ),
        *(
            "f(a) <= 1",
            "__import__('os') <= 1",
            "a.b <= 1",
            "a <= 1 <= 2",
            "a <= nan",
            "a <= inf",
            "2 <= 1",
            "''  <= 1",
        ),
    ],
)
def test_text_that_is_not(text):
    with pytest.raises(InputError, match=r"not understood"):
        parse_linear(text)


@given(
    st.dictionaries(
        st.text(st.characters(exclude_characters="\"'`", exclude_categories=("Cs",)), min_size=1),
        st.floats(-1e6, 1e6).filter(lambda c: abs(c) > 1e-6).map(lambda c: float(f"{c:.12g}")),
        min_size=1,
        max_size=4,
    ),
    st.integers(-100, 100),
    st.sampled_from(["least", "most", "both"]),
)
def test_what_is_printed_is_read_again(weights, bound, side):
    linear = Linear(weights, None if side == "most" else bound, None if side == "least" else bound)
    assert parse_linear(str(linear)) == linear


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (({},), "no terms"),
        ((3,), "no terms"),
        (({"a": 1},), "neither least nor most"),
        (({"a": 0}, 1), "weight of 'a' is 0"),
        (({"a": np.nan}, 1), "weight of 'a' is nan"),
        (({"a": True}, 1), "weight of 'a' is True"),
        (({"a": 1}, np.inf), "least=inf"),
        (({"a": 1}, "3"), "least='3'"),
        (({"a": 1}, 2, 1), "swapped"),
    ],
)
def test_bad_constraints(arguments, says):
    with pytest.raises(InputError, match=says):
        Linear(*arguments)

"""Choices: codes and steps by hand, options of every type given back as they were, and what is no choice."""

import numpy as np
import pytest

from credo.errors import InputError
from credo.represent.space import Choice


def test_codes_and_steps():
    np.testing.assert_array_equal(Choice("a", "b", "c").encode(["c", "a"]), [2.0, 0.0])
    np.testing.assert_allclose(Choice(16, 32, 64, ordered=True).encode([32, 64]), [0.5, 1.0])
    assert Choice("a", "b", "c").column("z") == ("z", "code", 3, 1.0, None)
    assert Choice("a", "b", "c", ordered=True).column("z") == ("z", "ordered", 3, 0.5, None)


def test_options_come_back_as_the_very_objects():
    options = (("t", 1), None, 2.5, "x", frozenset({1}), int)
    choice = Choice(*options)
    back = choice.decode(choice.encode(list(options)))
    assert all(one is other for one, other in zip(back, options, strict=True))


def test_numpys_values_are_found():
    assert Choice(True, False).code_of(np.False_) == 1
    assert Choice(1, 2).code_of(np.float64(2.0)) == 1
    assert Choice("a", "b").code_of(np.str_("b")) == 1
    assert Choice("a", "b").code_of(["a"]) is None


@pytest.mark.parametrize(
    ("make", "says"),
    [
        (lambda: Choice("only"), r"only option is 'only'.*fix it"),
        (lambda: Choice(), "0 options"),
        (lambda: Choice(["a", "b"]), r"Choice\(\*options\)"),
        (lambda: Choice("a", "b", "a"), "'a' is there twice"),
        (lambda: Choice(1, True), "True is there twice"),
        (lambda: Choice("a", {}), "not hashable"),
        (lambda: Choice("a", float("nan")), "does not equal itself"),
        (lambda: Choice("a", "b", ordered="yes"), "neither True nor False"),
    ],
)
def test_bad_choices(make, says):
    with pytest.raises(InputError, match=says):
        make()


def test_a_reason_lists_some_options():
    assert Choice("a", "b").why_not("c") == "is 'c', which is none of 'a', 'b'"
    assert "(30 options)" in Choice(*range(30)).why_not(99)

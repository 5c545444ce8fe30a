"""Spaces from text."""

import pytest

from credo.errors import InputError
from credo.represent.space import Choice, Integer, Real
from credo.represent.space.text import space_from_text


@pytest.mark.parametrize(
    ("text", "parameter"),
    [
        ("t=20..80", Real(20, 80)),
        ("t = -1.5 .. 2e3", Real(-1.5, 2000)),
        ("lr=1e-5..1 log", Real(1e-5, 1, log=True)),
        ("t=20..80 step 0.5", Real(20, 80, step=0.5)),
        ("t=1..9 log step 2", Real(1, 9, log=True, step=2)),
        ("n=1..12 int", Integer(1, 12)),
        ("n=1..9 int step 2", Integer(1, 9, step=2)),
        ("n=1..1000 log int", Integer(1, 1000, log=True)),
        ("s=water|ethanol", Choice("water", "ethanol")),
        ("size=S<M<L", Choice("S", "M", "L", ordered=True)),
        ("Feed rate (L/min)=0.1..5", Real(0.1, 5)),
    ],
)
def test_what_can_be_written(text, parameter):
    space = space_from_text([text])
    assert space.parameters[text.partition("=")[0].strip()] == parameter


@pytest.mark.parametrize(
    "text", ["t", "=1..2", "t=", "t=1..", "t=water", "t=1..x", "t=a||b", "n=1.5..3 int", "t=3..1", "t=1..2 step"]
)
def test_what_cannot_is_named(text):
    with pytest.raises(InputError):
        space_from_text([text])


def test_a_name_twice_is_refused():
    with pytest.raises(InputError, match="twice"):
        space_from_text(["t=1..2", "t=1..3"])

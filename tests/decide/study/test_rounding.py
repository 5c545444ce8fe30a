"""Suggestions in short numbers: how short, what stays as it is, and that a study learns from what it asked for."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from credo.decide.study import Study
from credo.decide.study.rounding import short_point
from credo.represent.space import Choice, Integer, Real, Space

LINE = Space({"t": Real(20, 80)})


@given(st.floats(-1e6, 1e6), st.floats(1e-3, 1e6), st.floats(0.0, 1.0))
def test_within_a_millionth_of_the_range_inside_it_and_no_shorter_twice(low, width, share):
    space = Space({"x": Real(low, low + width)})
    value = min(low + share * width, low + width)
    short = short_point(space, {"x": value})
    assert space.contains(short)
    assert abs(short["x"] - value) <= 0.5000001e-6 * (space.parameters["x"].high - low) + 1e-15 * abs(low)
    assert short_point(space, short) == short


@given(st.floats(0.0, 1.0))
def test_on_a_log_scale_seven_digits(share):
    space = Space({"lr": Real(1e-5, 1.0, log=True)})
    value = min(10.0 ** (-5.0 * share), 1.0)
    short = short_point(space, {"lr": value})
    assert space.contains(short)
    assert math.isclose(short["lr"], value, rel_tol=5e-7)
    assert float(f"{short['lr']:.7g}") == short["lr"]


@pytest.mark.parametrize(
    ("parameter", "value", "short"),
    [
        (Real(20, 80), 44.596975315362215, 44.59698),
        (Real(0, 1), 0.1 + 0.2, 0.3),
        (Real(-1, 1), -1e-9, 0.0),
        (Real(0, 3e9), 1234567891.25, 1234568000.0),
        (Real(1 / 3, 2 / 3), 1 / 3, 1 / 3),
        (Real(0.33333342, 1), 0.333333425, 0.33333342),
        (Real(1.0, 1.0001, log=True), 1.00005123456789, 1.00005123457),
    ],
)
def test_how_short(parameter, value, short):
    found = short_point(Space({"x": parameter}), {"x": value})["x"]
    assert (found, math.copysign(1.0, found)) == (short, math.copysign(1.0, short))


def test_what_somebody_chose_and_what_must_add_up_stay():
    third = 1 / 3
    assert short_point(LINE.fixed(t=20 + third), {"t": 20 + third}) == {"t": 20 + third}
    assert short_point(LINE, {"t": 20 + third}, kept=["t"]) == {"t": 20 + third}
    shares = Space({"a": Real(0, 1), "b": Real(0, 1)}, ["a + b = 1"])
    assert short_point(shares, {"a": third, "b": 1 - third}) == {"a": third, "b": 1 - third}
    mixed = Space({"n": Integer(1, 9), "kind": Choice(third, 2 * third)})
    assert short_point(mixed, {"n": 3, "kind": third}) == {"n": 3, "kind": third}


def test_what_is_asked_stored_learnt_from_and_made_again_is_the_same_short_number(tmp_path):
    path = tmp_path / "study.db"
    study = Study(LINE, storage=path, name="tank", random_state=0)
    asked = []
    for _ in range(6):
        trial = study.ask()
        asked.append(trial.params)
        study.tell(trial, (trial.params["t"] - 55.0) ** 2)
    assert all(point == {"t": round(point["t"], 5)} for point in asked)
    later = Study(LINE, storage=path, name="tank")
    assert [trial.params for trial in later.trials] == asked
    assert later._log.known(later._log.read()).rows.tolist() == LINE.encode(asked).tolist()
    assert [later.replay(number) for number in range(6)] == asked


def test_a_context_and_a_fidelity_that_counts_are_not_rounded():
    third = 1 / 3
    space = Space({"x": Real(0, 1), "day": Real(0, 1), "effort": Real(0, third)})
    cost = lambda point: 1.0 + point["effort"]  # noqa: E731
    study = Study(space, context=["day"], fidelity={"effort": third}, cost=cost, random_state=0)
    asked = study.ask(context={"day": third / 3}).params
    assert asked["day"] == third / 3
    assert asked["x"] == round(asked["x"], 6)
    assert study._point(space.encode([{**asked, "effort": third}])[0])["effort"] == third
    assert study.replay(0) == asked


def test_several_at_once_are_apart():
    study = Study(LINE, acquisition="random", random_state=0)
    assert len({trial.params["t"] for trial in study.ask_batch(20)}) == 20

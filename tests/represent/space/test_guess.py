"""Guesses from tables: of every library, for each kind of column, with bounds that hold what was seen."""

import datetime

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from credo.errors import InputError
from credo.represent.space import Choice, Integer, Real, Space
from credo.represent.space.guess import readable_bounds

RUNS = {
    "Feed rate (L/min)": [0.12, 2.5, 4.93],
    "depth": [1, 12, 3],
    "lr": [1e-4, 0.02, 0.5],
    "solvent": ["water", "ethanol", "water"],
    "stirred": [True, False, True],
    "y": [1.0, 2.0, 3.0],
}


@pytest.mark.parametrize("make", [pd.DataFrame, pl.DataFrame, pa.table])
def test_tables_of_every_library(make):
    space = Space.from_frame(make(RUNS), target="y")
    assert space.parameters == {
        "Feed rate (L/min)": Real(0.1, 5.5),
        "depth": Integer(1, 13),
        "lr": Real(4e-5, 2.0, log=True),
        "solvent": Choice("ethanol", "water"),
        "stirred": Choice(False, True),
    }
    assert np.all(np.isfinite(space.encode(make(RUNS))))
    assert "over 3.7 decades" in space.reasons["lr"]
    assert all(reason in str(space) for reason in space.reasons.values())


@given(st.lists(st.floats(-1e6, 1e6), min_size=2, max_size=20).filter(lambda x: max(x) - min(x) > 1e-6))
def test_bounds_hold_what_was_seen_and_keep_its_sign(values):
    low, high = readable_bounds(min(values), max(values), log=False)
    assert low <= min(values)
    assert max(values) <= high
    assert high - low <= 1.5 * (max(values) - min(values))
    assert not (low < 0 <= min(values))
    assert not (max(values) <= 0 < high)
    if min(values) > 0:
        assert low > 0


@given(st.floats(1e-12, 1e9), st.floats(1e3, 1e9))
def test_log_bounds_hold_what_was_seen(low, ratio):
    first, last = readable_bounds(low, low * ratio, log=True)
    assert 0 < first <= low
    assert last >= low * ratio
    assert np.log(last / first) < 1.2 * np.log(ratio) + 2 * np.log(2.0)
    assert all(len(f"{end:.0e}") and float(f"{end:.0e}") == end for end in (first, last))  # one digit


@pytest.mark.parametrize(
    ("column", "expected"),
    [
        ([1, 2000, 30], Integer(1, 5000, log=True)),
        ([0, 1, 1], Integer(0, 1)),
        ([-20, -10, -1], Integer(-22, -1)),
        ([2.0, 8.0, 5.0], Integer(1, 9)),
        ([-1.0, 0.5, 1.0], Real(-1.2, 1.2)),
        ([0.0, 50.5, 100.0], Real(0.0, 110.0)),
        (
            pd.Categorical(["hi", "lo", "hi"], categories=["lo", "mid", "hi"], ordered=True),
            Choice("lo", "hi", ordered=True),
        ),
    ],
)
def test_kinds_of_columns(column, expected):
    assert Space.from_frame(pd.DataFrame({"x": column})).parameters["x"] == expected


@pytest.mark.parametrize(
    ("column", "expected"),
    [
        ([20, 25, 30, 35], Integer(15, 40, step=5)),
        ([20.0, 40.0, 60.0, 80.0], Integer(10, 90, step=10)),
        ([1.0, 2.5, 3.0, 4.5], Real(0.5, 5, step=0.5)),
        ([22.5, 27.5, 32.5, 17.5], Real(15, 35, step=2.5)),
        ([0.0, -0.5, -1.0, -2.5], Real(-3, 0, step=0.5)),
        ([6.8, 6.9, 7.0, 7.2] * 3, Real(6.7, 7.3, step=0.1)),  # each number comes three times
        ([6.8, 6.9, 7.0, 7.2] * 2, Real(6.76, 7.24)),
        ([3, 4, 5, 6] * 3, Integer(3, 6)),
        ([1e13, 2e13, 3e13, 4e13], Real(1e13, 5e13, step=1e13)),
        ([5, 10, 5, 10] * 3, Integer(5, 10)),  # two numbers have no step
        ([10, 100, 1000, 10000], Integer(5, 20000, log=True)),
        ([0.1234567891, 0.5, 0.7, 0.9], Real(0.04, 0.98)),
        ([k / 3 for k in range(1, 5)] * 3, Real(0.2, 1.5)),  # no decimal number, however small a step is
        ([1.2 * 2**0.5, -1.2 * 2**0.5, 1.2, -1.2, 0.0] * 3, Real(-2.1, 2.1)),
        ([1.2e-10, 3.7e-10, 5.1e-10, 9.7e-10], Real(3e-11, 1.06e-9)),
        ([1.0e-9, 2.5e-9, 3.0e-9, 4.5e-9], Real(5e-10, 5e-9, step=5e-10)),
    ],
)
def test_a_step_is_guessed_where_it_is_no_chance(column, expected):
    frame = pd.DataFrame({"x": column, "z": np.linspace(0.1, 0.937, len(column))})
    space = Space.from_frame(frame)
    assert space.parameters["x"] == expected
    if expected.step not in (None, 1):
        assert f"all multiples of {expected.step:g}" in space.reasons["x"]
        assert all(expected.why_not(value) is None for value in column)


def test_the_smallest_numbers_have_no_step():
    """Powers of ten by which they would be multiplied are no numbers."""
    values = 1e-300 * np.array([0.1234567891, 0.5, 0.7, 0.9])
    found = Space.from_frame(pd.DataFrame({"x": values})).parameters["x"]
    assert found.step is None
    assert found.low <= values[0] < values[3] <= found.high


def test_steps_that_would_leave_nothing_to_try_are_not_guessed():
    levels = pd.DataFrame({"t": [20, 25, 30, 35] * 2, "p": [1.0, 1.5, 2.0, 2.5] * 2})
    assert Space.from_frame(levels).parameters == {"t": Integer(15, 40, step=5), "p": Real(0.5, 3, step=0.5)}
    assert Space.from_frame(levels[["t"]]).parameters == {"t": Integer(18, 37)}


def test_what_is_left_out_is_said():
    frame = pl.DataFrame(
        {
            "x": [float(i) + 0.5 for i in range(25)],
            "lot": [f"run {i}" for i in range(25)],
            "same": [3.0] * 25,
            "site": ["Basel"] * 25,
            "day": [datetime.date(2020, 1, 1)] * 25,
            "void": pl.Series([None] * 25, dtype=pl.Float64),
        }
    )
    space = Space.from_frame(frame)
    assert list(space) == ["x"]
    for name, says in [
        ("lot", "names"),
        ("same", "3 in every row"),
        ("site", "'Basel'"),
        ("day", "date"),
        ("void", "empty"),
    ]:
        assert says in space.reasons[name]
        assert f"left out: {name} (" in str(space)
    changed = space.with_(same=Real(0, 10))
    assert "same" not in changed.reasons
    assert changed.encode(frame).shape == (25, 2)


def test_missing_values_are_counted():
    space = Space.from_frame(pd.DataFrame({"x": [0.5, np.nan, 1.5, 2.0]}))
    assert space.reasons["x"].endswith("1 missing")


def test_a_guess_is_changed_by_hand():
    space = Space.from_frame(pl.DataFrame(RUNS), target=["y", "stirred"])
    changed = space.with_({"Feed rate (L/min)": Real(0, 8)}, depth=Integer(1, 20))
    assert list(changed) == list(space)
    assert changed.parameters["Feed rate (L/min)"] == Real(0, 8)
    assert set(changed.reasons) == {"lr", "solvent"}
    assert list(changed.without("lr")) == ["Feed rate (L/min)", "depth", "solvent"]


@pytest.mark.parametrize(
    ("frame", "target", "says"),
    [
        (RUNS, None, "nor a frame"),
        (pl.DataFrame(RUNS), "yield", "target 'yield' is no column"),
        (pl.DataFrame({"x": [1.0]}), None, "1 rows"),
        (pl.DataFrame({"x": [1.0, 1.0]}), None, "no column varies"),
        (pl.DataFrame({"y": [1.0, 2.0]}), "y", "no column varies"),
    ],
)
def test_tables_that_say_nothing(frame, target, says):
    with pytest.raises(InputError, match=says):
        Space.from_frame(frame, target)

"""Rows and points: the round trip with conditional and held parameters, tables of every library, and bad points."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from credo.errors import InputError
from credo.represent.space import Choice, Integer, Real, Space
from credo.represent.space.layout import Layout, columns_of

PARAMETERS = {
    "Feed rate (L/min)": Real(0.1, 5),
    "depth": Integer(1, 12, when={"model": ("tree", "forest")}),
    "model": Choice("tree", "forest", "line"),
    "grade": Choice("low", "mid", "high", ordered=True, when={"depth": (11, 12)}),
    "lr": Real(1e-5, 1, log=True),
}
SPACE = Space(PARAMETERS)
POINTS = [
    {"Feed rate (L/min)": 0.1, "depth": 11, "model": "tree", "grade": "high", "lr": 1e-5},
    {"Feed rate (L/min)": 5.0, "depth": 1, "model": "forest", "lr": 1.0},
    {"Feed rate (L/min)": 2.55, "model": "line", "lr": 10**-2.5},
]
ROWS = [[0.0, 10 / 11, 0.0, 1.0, 0.0], [1.0, 0.0, 1.0, 0.5, 1.0], [0.5, 5 / 11, 2.0, 0.5, 0.5]]


def test_rows_by_hand():
    np.testing.assert_allclose(SPACE.encode(POINTS), ROWS, atol=1e-15)
    back = SPACE.decode(ROWS)
    assert [list(point) for point in back] == [[n for n in PARAMETERS if n in point] for point in POINTS]
    assert all(_same(back[i][name], value) for i, point in enumerate(POINTS) for name, value in point.items())
    assert SPACE.encode([]).shape == (0, 5)


def _same(one, other):
    return type(one) is type(other) and (one == pytest.approx(other) if isinstance(one, float) else one == other)


def test_round_trip_and_what_is_not_active_is_in_the_middle():
    rows = np.random.default_rng(0).uniform(-0.3, 2.4, size=(500, 5))
    snapped = SPACE.snap(rows)
    np.testing.assert_array_equal(SPACE.snap(snapped), snapped)
    points = SPACE.decode(rows)
    np.testing.assert_allclose(SPACE.encode(points), snapped, atol=1e-12)
    for point, row in zip(points, snapped, strict=True):
        assert SPACE.why_not(point) is None
        has_depth = point["model"] != "line"
        assert ("depth" in point) == has_depth
        assert ("grade" in point) == (has_depth and point["depth"] >= 11)
        if not has_depth:
            assert row[1] == pytest.approx(5 / 11)
            assert row[3] == 0.5
    assert {len(point) for point in points} == {3, 4, 5}


def test_held_values():
    layout = Layout(PARAMETERS, {"model": "line", "lr": 0.123})
    rows = layout.settled(np.random.default_rng(0).random((20, 5)))
    assert all(point["lr"] == 0.123 and point["model"] == "line" and len(point) == 3 for point in layout.decode(rows))
    assert [kind.fixed is not None for kind in layout.kinds] == [False, False, True, False, True]
    np.testing.assert_allclose(rows[:, 4], np.log(0.123e5) / np.log(1e5))
    with pytest.raises(InputError, match="'depth' is 13, above 12"):
        Layout(PARAMETERS, {"depth": 13})


@pytest.mark.parametrize(
    "make", [pd.DataFrame, pl.DataFrame, pa.Table.from_pylist], ids=["pandas", "polars", "pyarrow"]
)
def test_tables(make):
    full = [{name: point.get(name) for name in [*PARAMETERS, "y"]} for point in POINTS]
    np.testing.assert_allclose(SPACE.encode(make(full)), ROWS, atol=1e-15)


def test_none_can_be_an_option():
    space = Space({"cap": Choice(None, "x"), "n": Integer(1, 3, when={"cap": "x"})})
    assert space.encode([{"cap": None}, {"cap": "x", "n": 3}]).tolist() == [[0.0, 0.5], [1.0, 1.0]]
    assert space.encode(pl.DataFrame({"cap": [None, "x"], "n": [None, 3]})).tolist() == [[0.0, 0.5], [1.0, 1.0]]


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"lr": 2.0}, "row 1: 'lr' is 2.0, above 1"),
        ({"model": "net"}, "row 1: 'model' is 'net'"),
        ({"model": "line"}, "row 1: 'depth' is 1, but it is there only when 'model' is 'tree' or 'forest'"),
        ({"depth": 12}, "row 1: 'grade' is missing"),
        ({"lr": None}, "row 1: 'lr' is None"),
        ({"speed": 1}, "point 1 has 'speed'"),
    ],
)
def test_bad_points(change, says):
    with pytest.raises(InputError, match=says):
        SPACE.encode([POINTS[0], {**POINTS[1], **change}])


def test_what_holds_no_points():
    for bad, says in [(3, "neither a list"), (POINTS[0], "in a list"), ([3], "point 0 is 3"), (["a"], "point 0")]:
        with pytest.raises(InputError, match=says):
            columns_of("me", bad, ["a"])
    with pytest.raises(InputError, match="no column 'b'"):
        columns_of("me", pl.DataFrame({"a": [1]}), ["a", "b"])

"""What is asked of a table."""

import numpy as np
import polars as pl
import pytest

from credo.decide.learning.question import asked_of, targets_of
from credo.errors import InputError
from credo.represent import Table


def table(**columns):
    return Table.from_frame(pl.DataFrame(columns))


NUMBERS = [float(i) + 0.5 * (i % 3) for i in range(20)]


@pytest.mark.parametrize(
    ("values", "kind"),
    [
        (NUMBERS, "number"),
        ([i % 7 for i in range(20)], "count"),
        ([i % 7 - 3 for i in range(20)], "number"),
        (["yes", "no"] * 10, "class"),
        ([True, False] * 10, "class"),
    ],
)
def test_the_kind_follows_from_the_scale(values, kind):
    assert asked_of(table(x=NUMBERS[::-1], y=values), "y").kind == kind


@pytest.mark.parametrize(
    ("values", "scale", "wide"),
    [
        (np.geomspace(2.0, 10.0, 20), "ratio", True),
        (np.geomspace(2.0, 9.9, 20), "ratio", False),
        (np.geomspace(2.0, 10.0, 20), "interval", False),
        (np.linspace(0.0, 10.0, 20), "ratio", False),  # zero has no logarithm
        (np.geomspace(1e-50, 1e-45, 20), "ratio", False),  # the squares of their squares are no numbers
        (np.arange(1.0, 21.0), "absolute", False),
    ],
)
def test_errors_may_be_factors_of_positive_amounts_over_a_wide_range(values, scale, wide):
    asked = asked_of(table(x=NUMBERS[::-1], y=values).with_scales({"y": scale}), "y", keep=["x"])
    assert asked.by_factors == wide


@pytest.mark.parametrize("name", ["x", "y"])
def test_numbers_whose_squares_vanish_are_refused_by_name(name):
    columns = {"x": NUMBERS[::-1], "y": [y**2 for y in NUMBERS], "z": ["a", "b"] * 10}
    tiny = table(**{**columns, name: [1e-200 * value for value in columns[name]]})
    with pytest.raises(InputError, match=rf"column '{name}' has no number above .*e-19.*another unit, for example"):
        asked_of(tiny, "y", keep=["x"])
    if name == "x":
        assert asked_of(tiny, "y", drop=["x"]).columns == ("z",)
    assert asked_of(table(**{**columns, "x": [0.0] * 19 + [1e-140]}), "y", keep=["x"]).kind == "number"


def test_leaks_are_left_out_unless_they_are_kept():
    columns = {
        "id": list(range(20)),
        "copy": [2.0 * y + 1.0 for y in NUMBERS],
        "x": NUMBERS[::-1][:10] * 2,
        "y": NUMBERS,
    }
    asked = asked_of(table(**columns), "y")
    assert asked.columns == ("x",)
    assert set(asked.left_out) == {"id", "copy"}
    assert asked_of(table(**columns), "y", keep=["copy"]).columns == ("copy", "x")
    assert asked_of(table(**columns), "y", keep=["copy"], drop=["x"]).columns == ("copy",)


def test_rows_without_a_target_are_not_learnt_from():
    whole = table(x=NUMBERS[::-1], y=[None, None, *NUMBERS[2:]])
    asked = asked_of(whole, "y")
    assert asked.without_target == 2
    assert asked.rows.tolist() == list(range(2, 20))
    np.testing.assert_array_equal(targets_of(whole, asked), NUMBERS[2:])


@pytest.mark.parametrize(
    ("columns", "match"),
    [
        ({"x": NUMBERS[:5], "y": NUMBERS[:5]}, "different rows have a value"),
        ({"x": NUMBERS, "y": [3.5] * 20}, "in every row"),
        ({"x": [1.0] * 20, "y": NUMBERS}, "no column is left"),
        ({"x": NUMBERS, "y": ["a"] * 19 + ["b"]}, "one row only"),
        ({"x": NUMBERS * 2, "y": [f"name {i}" for i in range(40)]}, "40 classes"),
    ],
)
def test_what_cannot_be_learnt_is_refused_in_words(columns, match):
    with pytest.raises(InputError, match=match):
        asked_of(table(**columns), "y")


def test_a_time_is_refused():
    with pytest.raises(InputError, match="is a time"):
        asked_of(table(x=NUMBERS, y=[f"2024-01-{i + 1:02d}" for i in range(20)]), "y")


def test_an_unknown_target_is_named():
    with pytest.raises(InputError, match="no column 'z'"):
        asked_of(table(x=NUMBERS, y=NUMBERS), "z")

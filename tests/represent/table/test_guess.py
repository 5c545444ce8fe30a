"""Scales that are guessed, by type, values and name, and scales that are said."""

import datetime as dt

import polars as pl
import pytest

from credo.errors import InputError
from credo.represent.table.guess import guessed_column, known_column, said_column

CASES = [
    ("flag", [True, False, None], "nominal"),
    ("sex", [0, 1, 1], "nominal"),
    ("zip code", [8001, 10115, 75001], "nominal"),
    ("children", [0, 3, 2], "absolute"),
    ("count", ["4", "7", "12"], "absolute"),
    ("year", [1999, 2004, 2011], "interval"),
    ("Temperature (°C)", [20.5, 80.0, 99.0], "interval"),
    ("delta", [-1.5, 2.0, 0.1], "interval"),
    ("length", [0.1, 2.0, 3.5], "ratio"),
    ("price", ["1,50", "2", "0,99"], "ratio"),
    ("solvent", ["water", "ethanol", "water"], "nominal"),
    ("size", ["Low", "high", "medium"], "ordinal"),
    ("day", ["2024-05-31", "2024-06-01", None], "time"),
    ("when", ["31.05.2024 14:30", "01.06.2024 08:00", "02.06.2024 09:15"], "time"),
    ("at", [dt.datetime(2024, 5, 31), None, dt.datetime(2024, 6, 1)], "time"),
    ("took", [dt.timedelta(minutes=3), dt.timedelta(seconds=5), None], "interval"),
]


@pytest.mark.parametrize(("name", "values", "scale"), CASES, ids=[case[0] for case in CASES])
def test_what_type_values_and_name_speak_for(name, values, scale):
    column = guessed_column(name, pl.Series(name, values))
    assert column.scale == scale
    assert column.reason


def test_levels_stand_in_their_order():
    assert guessed_column("size", pl.Series(["high", "low", "medium", "low"])).levels == ("low", "medium", "high")
    enum = pl.Series(["b", "a", "b"], dtype=pl.Enum(["b", "c", "a"]))
    assert guessed_column("grade", enum).levels == ("b", "a")
    assert guessed_column("lot", pl.Series(["z", "a"])).levels == ("a", "z")


def test_a_decimal_comma_is_read_and_said():
    column = guessed_column("price", pl.Series(["1,5", "2", None]))
    assert column.series.to_list() == [1.5, 2.0, None]
    assert "decimal comma" in column.reason
    assert guessed_column("mixed", pl.Series(["1,500.2", "2", "3"])).scale == "nominal"


def test_what_is_said_counts():
    whole = pl.Series("zip", [8001, 8002, 8001])
    said = said_column("zip", whole, "nominal")
    assert (said.scale, said.levels, said.reason) == ("nominal", ("8001", "8002"), "as said")
    assert said_column("n", pl.Series([3, 1, 2]), "ordinal").levels == ("1", "2", "3")
    assert said_column("size", pl.Series(["S", "L"]), ["S", "M", "L"]).levels == ("S", "L")
    assert said_column("x", pl.Series(["1", "2.5"]), "interval").series.to_list() == [1.0, 2.5]


@pytest.mark.parametrize(
    ("values", "scale", "why"),
    [
        (["a", "b"], "ratio", "no numbers"),
        ([-1.0, 2.0, 3.0], "ratio", "It has -1"),
        ([1.5, 2.0, 3.0], "absolute", "whole"),
        (["S", "L"], "ordinal", "order of its levels"),
        ([1.0, 2.0], "time", "no dates"),
        (["a"], "odd", "Known are"),
        (["S", "XL"], ["S", "M"], "'XL', which is none of"),
    ],
)
def test_what_cannot_be_is_refused(values, scale, why):
    with pytest.raises(InputError, match=why):
        said_column("x", pl.Series("x", values), scale)


def test_infinite_numbers_and_lists_are_refused_by_name():
    with pytest.raises(InputError, match="'x' has infinite"):
        guessed_column("x", pl.Series([1.0, float("inf")]))
    with pytest.raises(InputError, match="lists or structures"):
        guessed_column("x", pl.Series([[1], [2]]))
    assert guessed_column("x", pl.Series([1.0, float("nan")])).missing == 1


def test_moments_that_no_date_can_say_are_refused_or_stay_text():
    days = pl.Series("d", [0, 2932896], dtype=pl.Int32).cast(pl.Date)  # the last day of 9999
    assert guessed_column("d", days).scale == "time"
    assert guessed_column("d", days.cast(pl.Datetime("ms"))).values_in_words.endswith("9999-12-31 00:00:00")
    with pytest.raises(InputError, match="years 1 to 9999"):
        guessed_column("d", (days.cast(pl.Int32) + 1).cast(pl.Date))
    assert guessed_column("d", pl.Series(["0000-01-01", "2024-05-31"])).scale == "nominal"


def test_numbers_whose_squares_are_none_are_refused():
    assert guessed_column("x", pl.Series([1e149, -1e149, 0.5])).scale == "interval"
    with pytest.raises(InputError, match=r"as large as 1e\+200"):
        guessed_column("x", pl.Series([1e200, 0.5, 1.0]))
    with pytest.raises(InputError, match="too large"):
        said_column("x", pl.Series(["1e200"]), "ratio")


def test_whole_numbers_of_more_bits_become_numbers():
    long = guessed_column("x", pl.Series([2**100, 5, 7], dtype=pl.Int128))
    assert long.series.to_list() == [2.0**100, 5.0, 7.0]
    assert guessed_column("x", pl.Series([3, 5, 7], dtype=pl.Int128)).series.dtype == pl.Int64


def test_numbers_that_are_none_are_no_name():
    found = said_column("a", pl.Series("a", [1.5, 2.0, float("nan"), 3.0]), "nominal")
    assert found.levels == ("1.5", "2", "3")
    assert found.missing == 1


def test_names_keep_their_leading_zeros():
    assert guessed_column("zip", pl.Series("zip", ["08001", "08002", "18003"])).levels == ("08001", "08002", "18003")


def test_a_known_column_is_read_value_by_value():
    """Also where the new rows alone would look like numbers, or have words that are no level."""
    levels = ("08001", "3", "D-1")
    found = known_column("plz", pl.Series("plz", ["08001", " D-1", "77", "3.0", None]), "nominal", levels)
    assert found.series.to_list() == ["08001", "D-1", "77", "3", None]
    numbers = known_column("x", pl.Series("x", [1.0, float("nan")]), "ratio")
    assert numbers.series.to_list() == [1.0, None]
    with pytest.raises(InputError, match="infinite"):
        known_column("x", pl.Series("x", [float("inf")]), "ratio")

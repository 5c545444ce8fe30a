"""Scales that are guessed, by type, values and name."""

import datetime as dt

import polars as pl
import pytest

from credo.errors import InputError
from credo.represent.table.guess import guessed_column, names_rows
from credo.represent.table.moments import MomentForm
from credo.represent.table.texts import NumberForm

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
    assert guessed_column("grade", enum).levels == ("b", "c", "a")  # declared, and other rows may have it
    assert guessed_column("lot", pl.Series(["z", "a"])).levels == ("a", "z")


def test_a_decimal_comma_is_read_and_said():
    column = guessed_column("price", pl.Series(["1,5", "2", None]))
    assert column.series.to_list() == [1.5, 2.0, None]
    assert "decimal comma" in column.reason
    assert column.form == NumberForm(decimal=",")


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
        guessed_column("x", pl.Series(["1e200", "1"]))


def test_large_numbers_are_not_counts_because_all_of_them_are_whole():
    """Beyond 2**53 the distance of neighboring numbers is two and more."""
    assert guessed_column("x", pl.Series([1.2e100, 3.4e100, 5.6e100])).scale == "ratio"
    assert guessed_column("x", pl.Series([-1.2e100, 3.4e100, 5.6e100])).scale == "interval"
    assert guessed_column("x", pl.Series([1.0, 2.0, 1e12])).scale == "absolute"


def test_whole_numbers_of_more_bits_become_numbers():
    long = guessed_column("x", pl.Series([2**100, 5, 7], dtype=pl.Int128))
    assert long.series.to_list() == [2.0**100, 5.0, 7.0]
    assert guessed_column("x", pl.Series([3, 5, 7], dtype=pl.Int128)).series.dtype == pl.Int64


def test_names_keep_their_leading_zeros():
    assert guessed_column("zip", pl.Series("zip", ["08001", "08002", "18003"])).levels == ("08001", "08002", "18003")


@pytest.mark.parametrize(
    ("texts", "numbers", "said"),
    [
        (["1,234", "12,500", "999", "3,100"], [1234, 12500, 999, 3100], "with commas between thousands"),
        (["$1,234.50", "$5", "$7"], [1234.5, 5.0, 7.0], "with $ before them"),
        (["12.3 %", "4 %", None], [12.3, 4.0, None], "with % behind them"),
        (["2.329,03 €", "1217,5", "n.a."], [2329.03, 1217.5, None], "with € behind some of them"),
    ],
)
def test_how_numbers_are_written_is_said(texts, numbers, said):
    column = guessed_column("price", pl.Series(texts))
    assert column.series.to_list() == numbers
    assert said in column.reason


def test_how_dates_are_written_is_said():
    column = guessed_column("day", pl.Series(["05/31/2024", "06/01/2024"]))
    assert (column.scale, column.form) == ("time", MomentForm("%m/%d/%Y"))
    assert "month/day/year" in column.reason
    assert "taken for day/month/year" in guessed_column("day", pl.Series(["05/06/2024"])).reason


def test_few_amounts_with_a_unit_are_names_as_they_are_written():
    column = guessed_column("dose", pl.Series(["5 kg", "10 kg", "-"]))
    assert (column.scale, column.levels, column.missing) == ("nominal", ("10 kg", "5 kg"), 1)
    assert column.reason == "2 different whole numbers, with kg behind them"
    assert guessed_column("dose", pl.Series(["1,0", "1", "0,0"])).levels == ("0", "1")


@pytest.mark.parametrize("mark", ["", " ", "NA", " NA", "#N/A", "n/a", "null", "None", "-", "."])
def test_marks_of_what_is_missing_leave_numbers_numbers(mark):
    column = guessed_column("x", pl.Series(["1.5", mark, "4", "7"]))
    assert column.scale == "ratio"
    assert column.series.to_list() == [1.5, None, 4.0, 7.0]


def test_a_dash_is_a_name_among_names_and_missing_among_dates():
    assert guessed_column("x", pl.Series(["a", "-", "b", "NA"])).levels == ("-", "a", "b")
    assert guessed_column("x", pl.Series(["2024-05-31", "-"])).missing == 1


def test_what_keeps_a_column_from_being_numbers_is_said():
    column = guessed_column("x", pl.Series(["1.5", "2.5", "3.5", "<0.1"]))
    assert column.reason == "4 different texts, numbers but for 1 such as '<0.1'"
    column = guessed_column("x", pl.Series(["1,5", "2,5", "1.234,5", "<0,1", "n.b.", "7,25", "8,0 €"]))
    assert column.reason == "7 different texts, numbers but for 2 such as '<0,1'"
    assert guessed_column("x", pl.Series(["5 kg", "water", "ethanol"])).reason == "3 different texts"


def test_names_of_columns_that_hold_names():
    assert names_rows("Order ID")
    assert not names_rows("width")

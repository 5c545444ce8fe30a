"""Scales that are said, and columns that are known from the rows that were learnt from."""

import datetime as dt

import polars as pl
import pytest

from credo.errors import InputError
from credo.represent.table.moments import MomentForm
from credo.represent.table.said import known_column, said_column
from credo.represent.table.texts import NumberForm


def test_what_is_said_counts():
    whole = pl.Series("zip", [8001, 8002, 8001])
    said = said_column("zip", whole, "nominal")
    assert (said.scale, said.levels, said.reason) == ("nominal", ("8001", "8002"), "as said")
    assert said_column("n", pl.Series([3, 1, 2]), "ordinal").levels == ("1", "2", "3")
    assert said_column("size", pl.Series(["S", "L"]), ["S", "M", "L"]).levels == ("S", "M", "L")
    assert said_column("x", pl.Series(["1", "2.5"]), "interval").series.to_list() == [1.0, 2.5]


@pytest.mark.parametrize(
    ("values", "scale", "why"),
    [
        (["a", "b"], "ratio", "'a' is no number"),
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


def test_numbers_that_are_none_are_no_name():
    found = said_column("a", pl.Series("a", [1.5, 2.0, float("nan"), 3.0]), "nominal")
    assert found.levels == ("1.5", "2", "3")
    assert found.missing == 1


def test_a_known_column_is_read_value_by_value():
    """Also where the new rows alone would look like numbers, or have words that are no level."""
    levels = ("08001", "3", "D-1")
    found = known_column("plz", pl.Series("plz", ["08001", " D-1", "77", "3.0", None]), "nominal", levels)
    assert found.series.to_list() == ["08001", "D-1", "77", "3", None]
    numbers = known_column("x", pl.Series("x", [1.0, float("nan")]), "ratio")
    assert numbers.series.to_list() == [1.0, None]
    with pytest.raises(InputError, match="infinite"):
        known_column("x", pl.Series("x", [float("inf")]), "ratio")


@pytest.mark.parametrize("values", [[1, 2, None], [1.0, 2.0, None], ["1", "2.0", "NA"], ["1", " 2", None]])
def test_levels_that_are_numbers_are_found_whatever_their_type(values):
    column = said_column("g", pl.Series("g", values), [1, 2, 3])
    assert column.series.to_list() == ["1", "2", None]
    assert column.levels == ("1", "2", "3")


def test_a_mark_that_is_a_level_is_no_gap():
    said = said_column("g", pl.Series(["None", "some", ""]), ["None", "some"])
    assert said.series.to_list() == ["None", "some", None]
    known = known_column("g", pl.Series(["None", "NA"]), "ordinal", ("None", "some"))
    assert known.series.to_list() == ["None", None]


def test_truth_values_are_levels_in_any_letters():
    for levels, asked in ((("False", "True"), [True, False]), (("FALSE", "TRUE"), ["True", "false"])):
        found = known_column("b", pl.Series("b", asked), "nominal", levels).series.to_list()
        assert [word.lower() for word in found] == ["true", "false"]
        assert set(found) == set(levels)


@pytest.mark.parametrize("mark", ["", " ", "NA", "#N/A", "null", "-", "."])
def test_marks_of_what_is_missing_are_none_in_new_rows(mark):
    assert known_column("x", pl.Series(["1.5", mark]), "ratio").series.to_list() == [1.5, None]
    assert known_column("x", pl.Series([mark]), "ratio").series.to_list() == [None]
    assert known_column("x", pl.Series([mark]), "time").series.to_list() == [None]


def test_new_rows_are_read_as_the_first_ones_were_written():
    """One value alone does not tell what its comma is, or which part is the month."""
    comma, thousands = NumberForm(decimal=","), NumberForm(thousands=",")
    assert known_column("x", pl.Series(["1,250"]), "ratio", form=comma).series.to_list() == [1.25]
    assert known_column("x", pl.Series(["1,250"]), "ratio", form=thousands).series.to_list() == [1250.0]
    assert known_column("x", pl.Series(["1,5", "2.25"]), "ratio", form=comma).series.to_list() == [1.5, 2.25]
    american = MomentForm("%m/%d/%Y")
    days = known_column("d", pl.Series(["05/06/2024", "2024-05-07 00:00:00", None]), "time", form=american)
    assert days.series.to_list() == [dt.datetime(2024, 5, 6), dt.datetime(2024, 5, 7), None]
    assert known_column("n", pl.Series(["1,0"]), "nominal", ("0", "1"), comma).series.to_list() == ["1"]
    with pytest.raises(InputError, match="'x' is no number"):
        known_column("x", pl.Series(["1,5", "x"]), "ratio", form=comma)


def test_what_is_said_keeps_how_it_was_read():
    column = said_column("d", pl.Series(["05/06/2024"]), "time")
    assert column.reason.startswith("as said, taken for day/month/year")
    column = said_column("x", pl.Series(["5 kg", "7 kg"]), "ratio")
    assert (column.series.to_list(), column.reason) == ([5.0, 7.0], "as said, with kg behind them")
    assert said_column("x", pl.Series(["1,5", "2,5"]), "ordinal").form == NumberForm(decimal=",")


def test_the_advice_is_not_refused_in_turn():
    with pytest.raises(InputError, match="a list in Python"):
        said_column("size", pl.Series(["S", "L"]), "ordinal")
    assert said_column("size", pl.Series(["S", "L"]), ["S", "L"]).scale == "ordinal"
    with pytest.raises(InputError, match="several signs or units"):
        said_column("x", pl.Series(["5 kg", "7 g", "3 g"]), "ratio")

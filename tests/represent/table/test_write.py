"""CSV that runs nothing."""

import polars as pl
import pytest

from credo.errors import FileError
from credo.represent.table.write import safe_cell, write_csv
from hostile_files import FORMULAS


@pytest.mark.parametrize("cell", ["=1+1", "+cmd|' /C calc'!A0", "@SUM(A1)", "-2+3", '="a"', "＝1", "＠x"])
def test_formulas_become_text(cell):
    assert safe_cell(cell) == f"'{cell}"


@pytest.mark.parametrize(
    ("cell", "safe"),
    [("a;=1", "a;'=1"), ("\t=1", "'\t'=1"), ("x\r\n@y", "x\r\n'@y"), ("a|+b", "a|'+b"), ("=a;=b", "'=a;'=b")],
)
def test_formulas_inside_become_text_where_another_spreadsheet_would_cut(cell, safe):
    assert safe_cell(cell) == safe


@pytest.mark.parametrize("cell", ["-A1", "+US$5", "-USD5", "-5%/A2", "-1,5+2", "-1|x", "-1 kg!A1", "-f(1)", "--5", "-"])
def test_what_is_nearly_a_number_becomes_text(cell):
    assert safe_cell(cell) == f"'{cell}"


@pytest.mark.parametrize(
    "cell", ["-1,5", "-1.847,89 €", "-$5", "-USD 5", "+1'000.5", "-5 m/s2", "-3 °C", "-12 %", "-inf"]
)
def test_numbers_below_zero_stay_as_people_write_them(cell):
    assert safe_cell(cell) == cell


@pytest.mark.parametrize("cell", ["water", "-1", "+3e5", "a=b", "", "1-2"])
def test_other_text_stays(cell):
    assert safe_cell(cell) == cell


def test_names_and_cells_are_written_safely_and_numbers_as_they_are(tmp_path):
    frame = pl.DataFrame({"=evil()": ["=1", None, "plain, with comma"], "n": [-1.5, 2.0, None]})
    text = write_csv(frame, tmp_path / "out.csv")
    assert (tmp_path / "out.csv").read_text() == text
    assert text == "'=evil(),n\n'=1,-1.5\n,2.0\n\"plain, with comma\",\n"
    again = pl.read_csv(tmp_path / "out.csv")
    assert again["n"].to_list() == [-1.5, 2.0, None]


@pytest.mark.parametrize("formula", FORMULAS)
def test_no_spreadsheet_finds_a_formula(formula):
    """Whatever it takes for the end of a cell."""
    text = write_csv(pl.DataFrame({formula: [formula, "plain"], "n": [-1.5, 2.0]}))
    for mark in (",", ";", "\t", "|"):
        for line in text.replace("\r", "\n").splitlines():
            for cell in line.split(mark):
                start = cell.strip().strip('"').strip()
                assert not start.startswith(("=", "@", "＝", "+S", "-2+")), (formula, mark, cell)


def test_names_that_mean_every_column_mean_one():
    frame = pl.DataFrame({"*": ["=a"], "^.*$": ["=b"], "n": [1]})
    assert write_csv(frame).splitlines() == ["*,^.*$,n", "'=a,'=b,1"]


def test_names_that_become_the_same_are_told_apart():
    assert write_csv(pl.DataFrame({"=a": [1], "'=a": [2]})).splitlines()[0] == "'=a,'=a (again)"


@pytest.mark.parametrize("place", ["no/such/folder.csv", ".", "a\0b.csv"])
def test_where_nothing_can_be_written_it_says_so(place, tmp_path):
    with pytest.raises(FileError, match="cannot be written"):
        write_csv(pl.DataFrame({"a": [1]}), tmp_path / place)

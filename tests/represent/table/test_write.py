"""CSV that runs nothing."""

import polars as pl
import pytest

from credo.represent.table.write import safe_cell, write_csv


@pytest.mark.parametrize("cell", ["=1+1", "+cmd|' /C calc'!A0", "@SUM(A1)", "-2+3", "\t=1", "\r=1", '="a"'])
def test_formulas_become_text(cell):
    assert safe_cell(cell) == f"'{cell}"


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

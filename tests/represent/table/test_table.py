"""Tables: read, understood, corrected, and cut to rows and columns."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from credo.errors import InputError, TooLargeError
from credo.represent import NumberForm, Table

COLUMNS = {"t": [20.5, 80.0, -3.0, 4.0], "lot": ["a", "b", None, "a"], "n": [3, 9, 4, 5]}


@pytest.fixture
def table():
    return Table.from_frame(pl.DataFrame(COLUMNS))


@pytest.mark.parametrize("library", [pl.DataFrame, pd.DataFrame, pa.table])
def test_frames_of_every_library_mean_the_same(library):
    table = Table.from_frame(library(COLUMNS))
    assert {name: column.scale for name, column in table.columns.items()} == {
        "t": "interval",
        "lot": "nominal",
        "n": "absolute",
    }
    assert table["lot"].missing == 1


def test_a_file_with_scales_that_are_said(tmp_path):
    (tmp_path / "runs.csv").write_text("zip;size;y\n8001;S;1,5\n8002;L;2\n8001;M;2,5\n")
    table = Table.read(tmp_path / "runs.csv", scales={"zip": "nominal", "size": ["S", "M", "L"]})
    assert [column.scale for column in table.columns.values()] == ["nominal", "ordinal", "ratio"]
    assert table["size"].levels == ("S", "M", "L")
    assert "as said" in str(table)
    with pytest.raises(InputError, match="a scale is said of 'zap'"):
        Table.read(tmp_path / "runs.csv", scales={"zap": "nominal"})


def test_numbers_are_given_for_what_makes_sense(table):
    np.testing.assert_array_equal(table.numbers("t"), COLUMNS["t"])
    with pytest.raises(InputError, match="the log of 't'"):
        table.numbers("t", "log")
    with pytest.raises(InputError, match="the mean of 'lot'"):
        table.numbers("lot", "mean")


def test_rows_columns_and_scales_make_another_table(table):
    assert len(table.complete()) == 3
    assert list(table.without("n")) == ["t", "lot"]
    assert table.rows([2, 0])["t"].series.to_list() == [-3.0, 20.5]
    assert table.with_scales({"n": "nominal"})["n"].levels == ("3", "4", "5", "9")
    assert table["n"].scale == "absolute"
    assert table.frame.columns == ["t", "lot", "n"]
    with pytest.raises(InputError, match="no column 'm'"):
        table.without("m")


def test_frames_are_refused_as_frames():
    with pytest.raises(InputError, match=r"^Table.from_frame: the frame has 0 rows and 1 columns"):
        Table.from_frame(pl.DataFrame({"a": []}))
    with pytest.raises(TooLargeError, match=r"^Table.from_frame: .* 2,000,001 rows.* Take a part of it\.$"):
        Table.from_frame(pl.DataFrame({"a": range(2_000_001)}))
    with pytest.raises(InputError, match=r"^Table.from_frame: two columns are called 'a'"):
        Table.from_frame(pd.DataFrame([[1, 2]], columns=["a", "a"]))


def test_how_texts_were_written_is_kept():
    table = Table.from_frame(pl.DataFrame({"x": ["1,5", "2,5", "3"], "z": ["5 kg", "7 kg", "5 kg"]}))
    changed = table.rows([0, 1]).with_scales({"x": "interval", "z": "ratio"})
    assert changed["x"].form == NumberForm(decimal=",")
    assert changed["z"].form == NumberForm(behind="kg")
    assert changed["z"].series.to_list() == [5.0, 7.0]

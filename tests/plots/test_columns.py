"""Rows along some columns, the others at their median or most frequent value, in every kind of table."""

import numpy as np
import pandas as pd
import polars as pl
import pytest

from credo.errors import InputError
from credo.plots.columns import along, numeric_column
from credo.validate.columns import as_table

FRAME = {"dose": [1.0, 2.0, 9.0], "site": ["b", "a", "b"], "count": [3, 1, 2], "on": [True, True, False]}


@pytest.mark.parametrize("library", [pd, pl])
def test_frames_keep_their_kind_and_their_columns(library):
    frame = library.DataFrame(FRAME)
    moved = along(as_table(frame, "me"), {2: np.array([7.0, 8.0])})
    assert isinstance(moved, type(frame))
    assert list(moved["dose"]) == [2.0, 2.0]
    assert list(moved["site"]) == ["b", "b"]
    assert list(moved["count"]) == [7.0, 8.0]
    assert list(moved["on"]) == [True, True]


def test_two_columns_of_a_matrix():
    table = as_table([[1, 2, 3], [3, 4, 5], [9, 8, 1]], "me")
    moved = along(table, {0: np.array([0.5, 1.5]), 2: np.array([-1.0, -2.0])})
    np.testing.assert_array_equal(moved, [[0.5, 4.0, -1.0], [1.5, 4.0, -2.0]])


def test_columns_by_name_and_number():
    table = as_table(pl.DataFrame(FRAME), "me")
    for column in ("count", 2, -2, np.int64(2)):
        at, values = numeric_column(table, column)
        assert at == 2
        np.testing.assert_array_equal(values, [3.0, 1.0, 2.0])
    unnamed = as_table(pd.DataFrame([[1.0, 2.0], [3.0, 4.0]]), "me")
    assert numeric_column(unnamed, 1)[1].tolist() == [2.0, 4.0]
    assert along(unnamed, {1: np.array([5.0])}).to_numpy().tolist() == [[2.0, 5.0]]


def test_what_is_no_column_of_numbers_is_named():
    table = as_table(pl.DataFrame({"t": ["x", "y"], "gap": [1.0, None]}), "me")
    with pytest.raises(InputError, match="'t' is not numeric"):
        numeric_column(table, 0)
    with pytest.raises(InputError, match="'gap' is empty or not finite"):
        numeric_column(table, 1)
    with pytest.raises(InputError, match="no column 'c'"):
        numeric_column(table, "c")

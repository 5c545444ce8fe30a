"""Rows along some columns, the others at their median or most frequent value, in every kind of table."""

import numpy as np
import polars as pl
import pytest

from credo.errors import InputError
from credo.plots.columns import along, named_table, numeric_column, position_of

FRAME = {"dose": [1.0, 2.0, 9.0], "site": ["b", "a", "b"], "count": [3, 1, 2]}


@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_frames_keep_their_kind_and_their_columns(library):
    frame = pl.DataFrame(FRAME) if library == "polars" else pytest.importorskip("pandas").DataFrame(FRAME)
    table, names = named_table(frame)
    assert list(names) == ["dose", "site", "count"]
    moved = along(table, {2: np.array([7.0, 8.0])})
    assert isinstance(moved, type(frame))
    assert list(moved["dose"]) == [2.0, 2.0]
    assert list(moved["site"]) == ["b", "b"]
    assert list(moved["count"]) == [7.0, 8.0]


def test_two_columns_of_a_matrix():
    table, names = named_table([[1, 2, 3], [3, 4, 5], [9, 8, 1]])
    moved = along(table, {0: np.array([0.5, 1.5]), 2: np.array([-1.0, -2.0])})
    np.testing.assert_array_equal(moved, [[0.5, 4.0, -1.0], [1.5, 4.0, -2.0]])
    np.testing.assert_array_equal(numeric_column(table, 1, names), [2.0, 4.0, 8.0])


def test_positions_by_name_and_number():
    assert [position_of(at, ["a", "b"]) for at in ("b", 0, -1)] == [1, 0, 1]
    for wrong in ("c", 2, -3):
        with pytest.raises(InputError, match=r"is not in X.*a, b"):
            position_of(wrong, ["a", "b"])


def test_what_is_no_column_of_numbers_is_named():
    table, names = named_table(pl.DataFrame({"t": ["x", "y"], "gap": [1.0, None]}))
    with pytest.raises(InputError, match="'t' is not numeric"):
        numeric_column(table, 0, names)
    with pytest.raises(InputError, match="'gap' is empty or not finite"):
        numeric_column(table, 1, names)
    with pytest.raises(InputError, match=r"shape \(3,\)"):
        named_table(np.zeros(3))

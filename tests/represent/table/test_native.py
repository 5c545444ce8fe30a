"""Frames of every library become Polars', and what is no table is refused in words."""

import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from credo.errors import InputError
from credo.represent.table.native import polars_frame


@pytest.mark.parametrize("library", [pl.DataFrame, pd.DataFrame, pa.table])
def test_columns_stay_what_they_are(library):
    assert polars_frame(library({"a": [1, 2], "b": ["x", None]}), "Table").rows() == [(1, "x"), (2, None)]


@pytest.mark.parametrize(
    ("frame", "why"),
    [
        (pd.DataFrame([[1, 2]], columns=["a", "a"]), "two columns are called 'a'"),
        (pa.table([[1], [2]], names=["a", "a"]), "two columns are called 'a'"),
        (pd.DataFrame({"t": [1, 2], "a": [1, "x"]}), "column 'a' holds values of the types int, str"),
        (pd.DataFrame({"a": [{"b": 1}, 2]}), "column 'a' holds values of the types dict, int"),
        ([1, 2], "a list is no frame"),
    ],
)
def test_what_is_no_table_is_refused_by_name(frame, why):
    with pytest.raises(InputError, match=f"Me: {why}"):
        polars_frame(frame, "Me")

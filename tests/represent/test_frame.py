import datetime

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from credo.errors import InputError
from credo.represent.frame import as_frame, frame_columns

DATA = {"n": [1, 2, 3], "x": [0.5, 1.5, 2.5], "b": [True, False, True], "z": ["b", "a", "b"]}


@pytest.mark.parametrize("make", [pd.DataFrame, pl.DataFrame, pa.table])
def test_frames_of_every_library(make):
    columns = frame_columns(make(DATA), DATA, "me")
    assert columns["n"].values.tolist() == [1, 2, 3]
    assert columns["n"].values.dtype.kind == "i"
    assert columns["x"].values.dtype == np.float64
    assert columns["b"].values.dtype == bool
    assert columns["x"].levels is None
    assert columns["z"].levels == ["a", "b"]
    assert columns["z"].values.tolist() == ["b", "a", "b"]
    assert len(as_frame(make(DATA), "me")) == 3


def test_declared_levels_keep_their_order_and_others_are_sorted():
    words = ["low", "high", "low"]
    declared = ["low", "mid", "high"]
    frames = {
        "pandas": pd.DataFrame({"z": pd.Categorical(words, categories=declared)}),
        "ordered": pd.DataFrame({"z": pd.Categorical(words, categories=declared, ordered=True)}),
        "enum": pl.DataFrame({"z": pl.Series(words, dtype=pl.Enum(declared))}),
    }
    for frame in frames.values():
        assert frame_columns(frame, ["z"], "me")["z"].levels == ["low", "high"]
    loose = pl.DataFrame({"z": pl.Series(words, dtype=pl.Categorical)})
    assert frame_columns(loose, ["z"], "me")["z"].levels == ["high", "low"]
    numbers = pd.DataFrame({"z": pd.Categorical([3, 1, 3])})
    assert frame_columns(numbers, ["z"], "me")["z"].levels == [1, 3]


@pytest.mark.parametrize(
    ("column", "says"),
    [
        (pl.Series([1.0, None]), "missing"),
        (pl.Series([1.0, np.nan]), "missing"),
        (pl.Series([1, None]), "missing"),
        (pl.Series(["a", None]), "missing"),
        (pd.Series([1.0, np.nan]), "missing"),
        (pd.Series(["a", None]), "missing"),
        (pd.Series([1, None], dtype="Int64"), "missing"),
        (pl.Series([datetime.date(2020, 1, 1), datetime.date(2020, 1, 2)]), "Date"),
        (pd.Series(["a", 1], dtype=object), "Object"),
        (pd.Series(pd.Categorical([datetime.date(2020, 1, 1)])), "categories"),
    ],
)
def test_what_is_not_read(column, says):
    frame = column.to_frame("x")
    with pytest.raises(InputError, match=says):
        frame_columns(frame, ["x"], "me")


@pytest.mark.parametrize("thing", [np.eye(3), [1, 2], None, "y", pl.LazyFrame(DATA)])
def test_what_is_no_frame(thing):
    with pytest.raises(InputError, match="no frame"):
        frame_columns(thing, ["x"], "me")


def test_a_missing_column_is_named():
    with pytest.raises(InputError, match=r"no column 'w'.*n, x, b, z"):
        frame_columns(pl.DataFrame(DATA), ["w", "x"], "me")

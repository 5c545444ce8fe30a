"""Columns of every kind of table: names, numbers, and one replaced while all others stay as they came."""

import datetime
import decimal

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

from credo.errors import InputError
from credo.validate.columns import as_table

ROWS = {"a": [1, 2, 3], "word": ["x", "y", "x"], "b": [0.0, 0.5, 0.0]}
FRAMES = {"pandas": lambda: pd.DataFrame(ROWS, index=[7, 7, 9]), "polars": lambda: pl.DataFrame(ROWS)}
FRAMES["pyarrow"] = lambda: pa.table(ROWS)
BOTH = {"array": lambda: np.array([[1.0, 0.0], [2.0, 0.5], [3.0, 0.0]])}
BOTH |= {
    f"{kind.__name__} {form}": (lambda kind=kind, form=form: kind(BOTH["array"]()).asformat(form))
    for kind in (sparse.csr_array, sparse.csr_matrix)
    for form in ("csr", "csc", "lil", "coo")
}


def lists(frame):
    """What a frame of any library holds, by its own way to say it."""
    return frame.to_pydict() if isinstance(frame, pa.Table) else frame.to_dict(**AS_LISTS[type(frame)])


AS_LISTS = {pd.DataFrame: {"orient": "list"}, pl.DataFrame: {"as_series": False}}


@pytest.mark.parametrize("library", FRAMES)
def test_a_frame_keeps_its_other_columns(library):
    frame = FRAMES[library]()
    table = as_table(frame, "me")
    assert table.names == ("a", "word", "b")
    replaced = table.replaced(0, np.array([0.25, 0.5, 0.75]))
    assert type(replaced) is type(frame)
    assert lists(replaced) == {**ROWS, "a": [0.25, 0.5, 0.75]}
    assert lists(table.shuffled(1, np.array([1, 0, 2]))) == {**ROWS, "word": ["y", "x", "x"]}
    assert lists(frame) == ROWS
    assert lists(table.some(np.array([2, 0])).native) == {name: [column[2], column[0]] for name, column in ROWS.items()}


def test_a_pandas_frame_keeps_index_and_labels():
    assert as_table(FRAMES["pandas"](), "me").shuffled(0, np.array([2, 0, 1])).index.tolist() == [7, 7, 9]
    numbered = pd.DataFrame(np.arange(6.0).reshape(3, 2))
    replaced = as_table(numbered, "me").shuffled(1, np.array([2, 0, 1]))
    assert replaced.columns.tolist() == [0, 1]
    assert replaced.to_numpy().tolist() == [[0.0, 5.0], [2.0, 1.0], [4.0, 3.0]]


@pytest.mark.parametrize("kind", BOTH)
def test_arrays_keep_their_kind(kind):
    X = BOTH[kind]()
    table = as_table(X, "me")
    assert table.names == ("x0", "x1")
    replaced = table.replaced(1, np.array([0.0, 7.0, 8.0]))
    assert type(replaced) is type(table.native)
    assert getattr(X, "format", "") in (getattr(replaced, "format", ""), "coo")  # whose rows cannot be picked
    dense = lambda Z: Z.toarray() if sparse.issparse(Z) else Z  # noqa: E731
    assert dense(replaced).tolist() == [[1.0, 0.0], [2.0, 7.0], [3.0, 8.0]]
    assert dense(table.shuffled(0, np.array([2, 0, 1]))).tolist() == [[3.0, 0.0], [1.0, 0.5], [2.0, 0.0]]
    assert table.numbers(0).tolist() == [1.0, 2.0, 3.0]
    assert dense(table.some(np.array([1])).native).tolist() == [[2.0, 0.5]]
    assert dense(X).tolist() == BOTH["array"]().tolist()


@given(st.integers(1, 4), st.integers(1, 5), st.data())
@settings(max_examples=30, deadline=None)
def test_sparse_tables_are_what_dense_ones_are(d, n, data):
    entries = st.sampled_from([0.0, 0.0, 1.5, -2.0])
    X = np.array(data.draw(st.lists(st.lists(entries, min_size=d, max_size=d), min_size=n, max_size=n)))
    at = data.draw(st.integers(0, d - 1))
    values = np.array(data.draw(st.lists(entries, min_size=n, max_size=n)))
    found = as_table(sparse.csr_array(X), "me").replaced(at, values)
    np.testing.assert_array_equal(found.toarray(), as_table(X, "me").replaced(at, values))


def test_halves_fit_into_a_table_of_whole_numbers():
    assert as_table([[1, 2], [3, 4]], "me").replaced(0, np.array([0.5, 1.5])).tolist() == [[0.5, 2.0], [1.5, 4.0]]
    words = as_table([["a", 1], ["b", 2]], "me")
    assert words.replaced(1, np.array([0.5, 1.5])).tolist() == [["a", 0.5], ["b", 1.5]]


def test_numbers_are_told_from_what_looks_like_them():
    day = datetime.date(2024, 1, 1)
    columns = {
        "whole": ([1, 2], [1.0, 2.0]),
        "truth": ([True, False], [1.0, 0.0]),
        "money": ([decimal.Decimal("0.5"), decimal.Decimal(2)], [0.5, 2.0]),
        "gap": ([1.0, None], [1.0, np.nan]),
        "digits": (["1", "2"], None),
        "day": ([day, day], None),
    }
    native = {name: values for name, (values, _) in columns.items()}
    for frame in (pd.DataFrame(native), pl.DataFrame(native), pa.table(native), native):
        table = as_table(np.array(list(native.values()), dtype=object).T if frame is native else frame, "me")
        for j, (_, wanted) in enumerate(columns.values()):
            found = table.numbers(j)
            assert (found is None) == (wanted is None), (type(frame), j)
            if wanted is not None:
                np.testing.assert_array_equal(found, wanted)
    assert as_table(pd.DataFrame({"code": pd.Categorical([1, 2])}), "me").numbers(0) is None


def test_columns_are_found_by_name_and_by_position():
    table = as_table(FRAMES["polars"](), "me")
    assert [table.position(column, "me") for column in ("b", 1, -1, np.int64(0))] == [2, 1, 2, 0]
    with pytest.raises(InputError, match=r"me: no column 'c'. The name is misspelt. Columns are: a, word, b"):
        table.position("c", "me")
    with pytest.raises(InputError, match=r"no column 3. Positions are 0 to 2"):
        table.position(3, "me")


@pytest.mark.parametrize(
    ("X", "what"),
    [
        (["one", "two"], "list of shape"),
        (np.ones(3), r"shape \(3,\)"),
        (pl.LazyFrame(ROWS), "LazyFrame"),
        ([[1.0, 2.0], [3.0]], "differ in length"),
        (pd.DataFrame([[1.0, 2.0]], columns=["a", "a"]), "one name"),
        (pa.table([[1], [2]], names=["a", "a"]), "one name"),
    ],
)
def test_what_is_no_table_is_refused(X, what):
    with pytest.raises(InputError, match=what):
        as_table(X, "me")

"""The encoder: names, what fit has not seen, pipelines inside cross-validation."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.linear_model import Ridge
from sklearn.model_selection import cross_val_score
from sklearn.pipeline import make_pipeline

import credo
from credo.errors import InputError
from credo.represent import Table, TableEncoder

RNG = np.random.default_rng(0)
FRAME = pl.DataFrame({"x": RNG.normal(size=60), "lot": RNG.choice(["a", "b", "c"], 60), "n": RNG.integers(0, 9, 60)})


def test_rows_of_every_library_and_of_a_table_are_the_same():
    encoder = TableEncoder().fit(FRAME)
    wanted = encoder.transform(FRAME)
    assert encoder.get_feature_names_out().tolist() == ["x", "lot=a", "lot=b", "lot=c", "n"]
    np.testing.assert_array_equal(encoder.transform(FRAME.to_pandas()), wanted)
    np.testing.assert_array_equal(encoder.transform(FRAME.to_arrow()), wanted)
    np.testing.assert_array_equal(TableEncoder().fit(Table.from_frame(FRAME)).transform(FRAME), wanted)


def test_new_rows_are_made_with_what_fit_learnt():
    encoder = TableEncoder().fit(FRAME)
    new = pl.DataFrame({"lot": ["z"], "x": [0.5], "n": [20]})
    row = encoder.transform(new)[0]
    assert row[0] == pytest.approx((0.5 - FRAME["x"].mean()) / FRAME["x"].std(ddof=0))
    assert row[1:4].tolist() == [0.0, 0.0, 0.0]
    gone = encoder.transform(pl.DataFrame({"lot": [None], "x": [None], "n": [None]}))
    assert np.all(np.isfinite(gone))
    with pytest.raises(InputError, match="no column 'n'"):
        encoder.transform(FRAME.drop("n"))


def test_said_scales_count():
    encoder = TableEncoder(scales={"n": "nominal"}).fit(FRAME)
    assert "n=3" in encoder.get_feature_names_out()


def test_said_scales_count_for_a_table_too():
    table = Table.from_frame(FRAME)
    encoder = TableEncoder(scales={"n": "nominal"}).fit(table)
    assert "n=3" in encoder.get_feature_names_out()
    assert table["n"].scale == "absolute"


def test_rows_that_fit_has_not_seen_the_like_of_are_told():
    encoder = TableEncoder().fit(FRAME)
    rows = pl.DataFrame({"x": [0.5, None, 0.5, 9e9], "lot": ["a", "a", "z", "b"], "n": [1, 1, 1, 1]})
    assert encoder.unknown(rows).tolist() == [False, True, True, False]
    assert not encoder.unknown(FRAME).any()
    assert not encoder.unknown(Table.from_frame(FRAME)).any()
    with pytest.raises(InputError, match="no column 'n'"):
        encoder.unknown(FRAME.drop("n"))


def test_truth_values_as_text_and_as_themselves_are_the_same():
    encoder = TableEncoder().fit(pl.DataFrame({"b": ["True", "False", "True"]}))
    rows = pl.DataFrame({"b": [True, False]})
    assert encoder.transform(rows).tolist() == [[0.0, 1.0], [1.0, 0.0]]
    assert not encoder.unknown(rows).any()


def test_new_rows_are_read_as_those_of_a_table_were_written(tmp_path):
    texts = pl.DataFrame({"x": ["1,5", "2,125", "0,5"], "day": ["05/31/2024", "05/01/2024", "06/01/2024"]})
    table = Table.from_frame(texts)
    credo.save(TableEncoder(scales={"x": "ratio"}).fit(table), tmp_path / "encoder.credo")
    encoder = credo.load(tmp_path / "encoder.credo")
    np.testing.assert_array_equal(encoder.transform(texts[1:2]), encoder.transform(table)[1:2])
    np.testing.assert_array_equal(encoder.transform(table.frame), encoder.transform(table))


def test_frames_that_are_no_tables_are_refused_in_words():
    encoder = TableEncoder().fit(FRAME)
    with pytest.raises(InputError, match="TableEncoder: two columns are called 'x'"):
        encoder.transform(pd.DataFrame([[1.0, 2.0]], columns=["x", "x"]))


def test_in_a_pipeline_it_learns_from_training_rows_alone():
    y = 2.0 * FRAME["x"].to_numpy() + np.where(FRAME["lot"] == "a", 3.0, 0.0)
    model = make_pipeline(TableEncoder(), Ridge(alpha=1e-3))
    for frame in (FRAME, pd.DataFrame(FRAME.to_dict(as_series=False))):
        assert np.min(cross_val_score(model, frame, y, cv=5)) > 0.99

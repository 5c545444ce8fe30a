"""A column counts what it has and lacks, and says its values in words."""

import datetime as dt

import numpy as np
import polars as pl

from credo.represent.table.column import Column, values_of


def test_counts_and_words():
    numbers = Column("x", "ratio", "", pl.Series("x", [1.0, None, 3.5, 1.0]))
    assert (numbers.missing, numbers.different, numbers.values_in_words) == (1, 2, "1 to 3.5")
    levels = Column("z", "nominal", "", pl.Series("z", ["a"]), tuple("abcdefgh"))
    assert levels.values_in_words == "a, b, c, d, e, f, … (8)"
    book = Column("z", "nominal", "", pl.Series("z", ["a"]), ("x" * 1000,))
    assert book.values_in_words == "x" * 59 + "…"
    assert Column("n", "ratio", "", pl.Series("n", [None], dtype=pl.Float64)).values_in_words == "none"


def test_moments_are_seconds_since_1970():
    column = Column("t", "time", "", pl.Series("t", [dt.date(1970, 1, 2), None]))
    np.testing.assert_array_equal(values_of(column), [86400.0, np.nan])

"""The map of honesty: its correction, its words, and how often it raises an alarm where there is nothing."""

import re

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy import sparse, stats
from statsmodels.stats.multitest import multipletests

from credo.validate.honesty import Columns, binomial_bands, holm, honesty_map, numeric_columns


def test_holm_equals_statsmodels():
    p = np.array([0.04, 0.001, 0.3, 0.02])
    np.testing.assert_allclose(holm(p), multipletests(p, method="holm")[1])


def test_bands_are_clopper_pearson():
    p, low, high = binomial_bands([7, 20], [20, 20], 0.5)
    assert low[0] == pytest.approx(stats.beta.ppf(0.025, 7, 14))
    assert high[0] == pytest.approx(stats.beta.ppf(0.975, 8, 13))
    assert p[1] == pytest.approx(2.0 * 0.5**20)


def test_columns_that_are_numbers_are_named():
    frame = {"a": [1.0, 2.0], "text": ["x", "y"], "gap": [1.0, np.nan], "b": [3, 4]}
    for table in (pd.DataFrame(frame), pl.DataFrame(frame, strict=False)):
        found = numeric_columns(table)
        assert found.names == ("a", "b")
        assert found.values.tolist() == [[1.0, 3.0], [2.0, 4.0]]
    assert numeric_columns(np.ones((3, 2))).names == ("x0", "x1")
    assert numeric_columns(sparse.eye_array(3, format="csr")).values.tolist() == np.eye(3).tolist()
    assert numeric_columns(["one", "two"]).names == ()


def box(n, rng):
    """A box in two columns in which the truth is far out."""
    values = rng.random((n, 2))
    inside = (values[:, 0] > 0.6) & (values[:, 1] < 0.5)
    pit = rng.random(n)
    return values, np.where(inside, 0.9 + 0.1 * pit, pit)


def test_a_place_is_told_in_words():
    rng = np.random.default_rng(0)
    values, surprise = box(2000, rng)
    worst = honesty_map(Columns(values, ("heat", "flow")), surprise, surprise < 0.9, np.full(2000, 0.9), rng)[0]
    assert worst.verdict == "overconfident"
    heat, flow = map(float, re.fullmatch(r"heat > (\S+) and flow ≤ (\S+)", worst.where).groups())
    assert (heat, flow) == pytest.approx((0.6, 0.5), abs=0.02)
    assert worst.coverage < 0.1


def test_too_few_rows_have_no_map():
    rng = np.random.default_rng(0)
    few = Columns(rng.random((79, 1)), ("a",))
    assert honesty_map(few, rng.random(79), np.ones(79, dtype=bool), np.full(79, 0.9), rng) == ()
    none = Columns(np.empty((200, 0)), ())
    assert honesty_map(none, rng.random(200), np.ones(200, dtype=bool), np.full(200, 0.9), rng) == ()


def test_alarms_where_there_is_nothing_stay_below_their_level():
    """1000 honest tables: at most 5 % have a place that fails, up to Monte Carlo error."""
    rng = np.random.default_rng(0)
    alarms = 0
    for _ in range(1000):
        values, surprise = rng.random((120, 3)), rng.random(120)
        regions = honesty_map(Columns(values, ("a", "b", "c")), surprise, surprise < 0.9, np.full(120, 0.9), rng)
        alarms += any(region.verdict != "honest" for region in regions)
    assert alarms / 1000 < 0.05 + 3.0 * np.sqrt(0.05 * 0.95 / 1000)

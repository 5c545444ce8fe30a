"""The map of honesty: its correction, its words, and how often it raises an alarm where there is nothing."""

import re

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from scipy import sparse, stats
from statsmodels.stats.multitest import multipletests

from credo.validate.honesty import Columns, _Place, _united, binomial_bands, holm, honesty_map, numeric_columns


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
    for table in (pd.DataFrame(frame), pl.DataFrame(frame, strict=False), pa.table(frame)):
        found = numeric_columns(table)
        assert found.names == ("a", "b")
        assert found.values.tolist() == [[1.0, 3.0], [2.0, 4.0]]
    assert numeric_columns(np.ones((3, 2))).names == ("x0", "x1")
    assert numeric_columns(sparse.eye_array(3, format="csr")).values.tolist() == np.eye(3).tolist()
    for other in (["one", "two"], pd.DataFrame([[1.0, 2.0]] * 2, columns=["a", "a"]), pl.DataFrame({"t": ["x", "y"]})):
        assert numeric_columns(other).names == ()
        assert numeric_columns(other).values.shape == (2, 0)


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
    assert worst.bounds == {
        "heat": (pytest.approx(heat, abs=1e-3), np.inf),
        "flow": (-np.inf, pytest.approx(flow, abs=1e-3)),
    }


def test_failures_side_by_side_are_told_as_one():
    """Above 0.5 intervals are too narrow, above 0.75 much more so: the tree cuts there, the user hears of one place."""
    rng = np.random.default_rng(0)
    n = 4000
    heat = rng.random(n)
    held = rng.random(n) < np.select([heat > 0.75, heat > 0.5], [0.2, 0.6], 0.9)
    surprise = np.where(held, 0.0, 1.0)
    columns = Columns(np.column_stack([rng.random(n), heat]), ("flow", "heat"))
    regions = honesty_map(columns, surprise, held, np.full(n, 0.9), np.random.default_rng(1))
    (failure,) = (region for region in regions if region.verdict != "honest")
    assert failure.verdict == "overconfident"
    cut = float(re.fullmatch(r"heat > (\S+)", failure.where)[1])
    assert cut == pytest.approx(0.5, abs=0.02)
    judged = np.random.default_rng(1).permutation(n)[n // 2 :]
    there = judged[heat[judged] > cut]
    assert failure.rows == pytest.approx(len(there), abs=1)  # the cut is told in four digits
    assert failure.coverage == pytest.approx(np.mean(held[there]), abs=0.002)
    kept = round(failure.coverage * failure.rows)
    assert failure.low == pytest.approx(stats.beta.ppf(0.025, kept, failure.rows - kept + 1))
    assert failure.high == pytest.approx(stats.beta.ppf(0.975, kept + 1, failure.rows - kept))
    assert sum(region.rows for region in regions) == n // 2


def place(box, kept, rows, p_value, verdict="overconfident"):
    return _Place(box, kept, rows, 0.9 * rows, p_value, verdict)


def test_a_union_has_the_sums_and_the_larger_p_value():
    low, top = (
        place({0: (0.0, 1.0), 1: (-np.inf, 5.0)}, 10, 20, 0.001),
        place({0: (0.0, 1.0), 1: (5.0, 9.0)}, 30, 60, 0.02),
    )
    (both,) = _united([low, top])
    assert both == _Place({0: (0.0, 1.0), 1: (-np.inf, 9.0)}, 40, 80, pytest.approx(72.0), 0.02, "overconfident")
    region = both.region(("a", "b"))
    assert region.bounds == {"a": (0.0, 1.0), "b": (-np.inf, 9.0)}
    assert (region.where, region.promised, region.coverage) == ("0 < a ≤ 1 and b ≤ 9", pytest.approx(0.9), 0.5)


def test_all_of_a_line_is_anywhere_and_only_equal_failures_are_united():
    inf = np.inf
    thirds = [(-inf, 1.0), (1.0, 2.0), (2.0, inf)]
    (whole,) = _united([place({0: bounds}, 1, 10, 0.01) for bounds in thirds])
    assert (whole.box, whole.rows, whole.region(("a",)).where) == ({}, 30, "anywhere")
    ends = [place({0: bounds}, 1, 10, 0.01) for bounds in (thirds[0], thirds[2])]
    assert _united(ends) == ends  # they do not touch
    for verdict in ("honest", "timid"):
        three = [ends[0], place({0: thirds[1]}, 9, 10, 0.01, verdict), ends[1]]
        assert _united(three) == three
    honest = [place({0: bounds}, 9, 10, 0.5, "honest") for bounds in thirds]
    assert _united(honest) == honest
    corners = [place({0: (-inf, 1.0), 1: (-inf, 1.0)}, 1, 10, 0.01), place({0: (1.0, inf), 1: (1.0, inf)}, 1, 10, 0.01)]
    assert _united(corners) == corners  # and these touch in a corner, which makes no box


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

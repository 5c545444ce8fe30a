"""What a column becomes, by its scale."""

import datetime as dt

import numpy as np
import polars as pl

from credo.represent.table.blocks import block_of
from credo.represent.table.guess import guessed_column
from credo.represent.table.said import known_column, said_column


def made(name, values, new=None, scale=None):
    column = (
        guessed_column(name, pl.Series(name, values)) if scale is None else said_column(name, pl.Series(values), scale)
    )
    block = block_of(column)
    other = column if new is None else said_column(name, pl.Series(name, new), column.scale)
    return block.names(), block.encode(other)


def test_names_are_zeros_and_ones_and_what_is_new_is_none_of_them():
    names, numbers = made("lot", ["a", "b", "a"], ["b", "z"])
    assert names == ["lot=a", "lot=b"]
    assert numbers.tolist() == [[0.0, 1.0], [0.0, 0.0]]
    names, numbers = made("lot", ["a", None, "b"])
    assert names[-1] == "lot missing"
    assert numbers[1].tolist() == [0.0, 0.0, 1.0]


def test_many_names_share_a_column():
    words = [f"w{i % 40:02d}" for i in range(35)] + ["w00", "w01"] * 20
    names, numbers = made("w", words)
    assert len(names) == 31
    assert names[-1] == "w=(other)"
    np.testing.assert_array_equal(numbers.sum(axis=1), 1.0)


def test_numbers_are_centered_and_scaled_and_wide_ones_in_logarithms():
    names, numbers = made("x", [-1.0, 0.0, 4.0])
    assert names == ["x"]
    assert np.mean(numbers) == 0.0 or abs(np.mean(numbers)) < 1e-15
    np.testing.assert_allclose(np.std(numbers), 1.0)
    names, numbers = made("dose", [0.001, 0.1, 10.0])
    assert names == ["log dose"]
    np.testing.assert_allclose(np.diff(numbers[:, 0]), np.log(100.0) / np.std(np.log([0.001, 0.1, 10.0])))
    names, numbers = made("visits", [0, 12, 50_000])
    assert names == ["log(1 + visits)"]
    assert np.all(np.isfinite(numbers))


def test_a_missing_number_is_said_and_the_middle_stands_for_it():
    names, numbers = made("x", [1.5, None, 3.5, 9.5])
    assert names == ["x", "x missing"]
    assert numbers[:, 1].tolist() == [0.0, 1.0, 0.0, 0.0]
    assert numbers[1, 0] == numbers[2, 0]


def test_orders_are_places():
    names, numbers = made("size", ["S", "L", "M"], scale=["S", "M", "L"])
    assert names == ["size"]
    assert numbers[:, 0].tolist() == [0.0, 1.0, 0.5]


def test_parts_of_moments_that_come_again_are_on_circles():
    hours = [dt.datetime(2024, 1, 1) + dt.timedelta(hours=5 * i) for i in range(100)]
    names, numbers = made("at", hours)
    assert names == ["at", "sin hour of at", "cos hour of at", "sin weekday of at", "cos weekday of at"]
    np.testing.assert_allclose(numbers[:, 1] ** 2 + numbers[:, 2] ** 2, 1.0)
    same = [i for i, when in enumerate(hours) if when.hour == 0]
    assert np.ptp(numbers[same, 1]) < 1e-9


def test_levels_that_the_rows_lack_keep_their_places():
    stated = ["low", "medium", "high", "max"]
    declared = pl.Series("size", ["low", "medium"], dtype=pl.Enum(stated))
    for column in (said_column("size", pl.Series(["low", "medium"]), stated), guessed_column("size", declared)):
        block = block_of(column)
        new = known_column("size", pl.Series(["low", "medium", "high", "max"]), "ordinal", block.levels)
        np.testing.assert_allclose(block.encode(new)[:, 0], [0.0, 1.0 / 3.0, 2.0 / 3.0, 1.0])
        assert not block.unknown(new).any()


def test_equal_numbers_have_no_scale_that_rounding_made():
    """The standard deviation of 0.1 in many rows is not zero but 1e-17."""
    for values in ([0.1] * 10, [0.1 + 0.2, 0.3] * 10):
        block = block_of(said_column("x", pl.Series(values), "interval"))
        new = said_column("x", pl.Series([values[0], 0.5]), "interval")
        np.testing.assert_allclose(block.encode(new)[:, 0], [0.0, 0.5 - values[0]], atol=1e-12)


def unknown(values, new, scale=None):
    column = guessed_column("x", pl.Series(values)) if scale is None else said_column("x", pl.Series(values), scale)
    block = block_of(column)
    return block.unknown(known_column("x", pl.Series(new), column.scale, getattr(block, "levels", ()))).tolist()


def test_gaps_are_unknown_where_there_were_none():
    day = dt.datetime(2024, 5, 31)
    for value, scale in ((1.5, "interval"), ("a", "nominal"), ("a", ["a", "b"]), (day, "time")):
        assert unknown([value, value], [value, None], scale) == [False, True]
        assert unknown([value, None], [value, None], scale) == [False, False]


def test_levels_that_fit_has_not_seen_are_unknown():
    assert unknown(["a", "b"], ["b", "c"]) == [False, True]
    assert unknown(["a", "b", None], ["c", None]) == [True, False]
    assert unknown(["a", "b", None], ["c", None], ["a", "b"]) == [True, False]
    assert unknown([None, None], ["a", None], "nominal") == [True, False]
    many = [f"w{i:02d}" for i in range(40)]
    assert unknown(many, ["w00", "new"]) == [False, False]  # as rare as those that share a column


def test_numbers_without_a_logarithm_are_unknown_where_it_is_taken():
    for values in ([0.001, 0.1, 10.0], [0.001, 0.1, 10.0, None]):
        assert unknown(values, [0.0, -1.0, 5.0], "ratio") == [True, True, False]


def test_a_tick_is_a_column():
    names, numbers = made("tick", ["x", None, "x"])
    assert names == ["tick=x", "tick missing"]
    assert numbers.tolist() == [[1.0, 0.0], [0.0, 1.0], [1.0, 0.0]]
    names, numbers = made("tick", [2.5, None, 2.5])
    assert names == ["tick", "tick missing"]
    assert numbers[:, 1].tolist() == [0.0, 1.0, 0.0]

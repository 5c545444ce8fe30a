"""What a column becomes, by its scale."""

import datetime as dt

import numpy as np
import polars as pl

from credo.represent.table.blocks import block_of
from credo.represent.table.guess import guessed_column, said_column


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

"""Copies are found where no other row has their values, and nowhere else."""

import numpy as np
import polars as pl
import pytest

from credo.decide.learning.copies import copies_of


@pytest.mark.parametrize("times", [2, 3])
@pytest.mark.parametrize("classes", [False, True])
def test_a_table_that_was_pasted_again(times, classes):
    rng = np.random.default_rng(0)
    x, y = rng.normal(size=40), rng.choice(["no", "yes"], 40) if classes else rng.normal(size=40)
    found = copies_of(pl.DataFrame({"x": np.tile(x, times), "lot": ["a"] * 40 * times}), np.tile(y, times))
    np.testing.assert_array_equal(found, np.arange(40 * times) >= 40)


def test_some_rows_twice():
    rng = np.random.default_rng(1)
    at = np.array([*range(30), 3, 7, 7])
    x, y = rng.normal(size=30), rng.normal(size=30)
    assert np.flatnonzero(copies_of(pl.DataFrame({"x": x[at]}), y[at])).tolist() == [30, 31, 32]


def survey(rng):
    """Twenty symptoms that go together: most people have none."""
    ill = rng.random(500) < 0.1
    symptoms = rng.random((500, 20)) < np.where(ill, 0.5, 0.01)[:, None]
    return pl.DataFrame({f"s{j}": column for j, column in enumerate(symptoms.T)}), np.where(ill, "ill", "well")


def passengers(rng):
    sex, group, age = rng.integers(0, 2, 1000), rng.choice(["a", "b", "c"], 1000), rng.integers(0, 80, 1000)
    survived = np.where(rng.random(1000) < 0.2 + 0.5 * sex, "yes", "no")
    return pl.DataFrame({"sex": sex, "group": group, "age": age}), survived


def design(rng):
    """Each of three settings five times, with an outcome that follows from it."""
    heat = np.repeat([20.0, 30.0, 40.0], 5)
    return pl.DataFrame({"heat": heat}), heat / 10.0


def numbers(rng):
    return pl.DataFrame({"x": rng.normal(size=300)}), rng.normal(size=300)


@pytest.mark.parametrize("table", [survey, passengers, design, numbers])
def test_rows_that_are_equal_because_that_is_how_the_table_is(table):
    rng = np.random.default_rng(2)
    assert np.mean(copies_of(*table(rng))) < 0.02

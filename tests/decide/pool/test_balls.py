"""Who is in which ball, against all distances at once."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from credo.decide.pool import balls as module
from credo.decide.pool.balls import Balls, blocks, squared_distances


def by_hand(X, delta):
    difference = X[:, None, :] - X[None, :, :]
    return np.sum(difference * difference, axis=2) <= delta**2


POOLS = {
    "normal": lambda rng: rng.normal(size=(90, 5)),
    "far from zero": lambda rng: 1e7 + rng.normal(size=(90, 5)),
    "an outlier": lambda rng: np.vstack([rng.normal(size=(90, 5)), np.full((1, 5), 1e9)]),
    "whole numbers": lambda rng: rng.integers(0, 4, size=(90, 5)).astype(np.float64),
    "tenths, which are rounded": lambda rng: rng.integers(0, 4, size=(90, 5)) / 10.0,
    "large whole numbers": lambda rng: 2.0**40 + rng.integers(0, 4, size=(90, 5)).astype(np.float64),
    "sixteenths": lambda rng: rng.integers(0, 20, size=(90, 5)) / 16.0,
}


@pytest.mark.parametrize("pool", POOLS)
def test_balls_are_those_of_all_distances(pool):
    rng = np.random.default_rng(1)
    X = POOLS[pool](rng)
    everything = np.arange(len(X))
    squares = squared_distances(X, rng.integers(90, size=40), rng.integers(90, size=40))
    # Distances that occur are borders on which rows lie.
    for delta in [*np.sqrt(squares[squares > 0.0])[:20], 2.0, 0.2, np.sqrt(5.0), 1e10]:
        inside = by_hand(X, delta)
        balls = Balls(X, float(delta))
        np.testing.assert_array_equal(np.stack([balls.around(int(row)) for row in everything]), inside)
        np.testing.assert_array_equal(balls.counts(everything), inside.sum(axis=1))
        np.testing.assert_array_equal(balls.counts(everything[::3]), inside[:, ::3].sum(axis=1))
        np.testing.assert_array_equal(balls.around(7), inside[7])
    assert not balls.counts(everything[:0]).any()


def test_many_blocks_on_all_cores(monkeypatch):
    monkeypatch.setattr(module, "TALL", 16)
    monkeypatch.setattr(module, "WIDE", 24)
    monkeypatch.setattr(module, "_SMALL", 0)
    monkeypatch.setattr(module, "_PAIRS", 7)
    X = np.random.default_rng(0).integers(0, 3, size=(101, 4)) / 10.0
    np.testing.assert_array_equal(Balls(X, 0.2).counts(np.arange(101)), by_hand(X, 0.2).sum(axis=1))


@given(st.integers(0, 40), st.integers(1, 9))
def test_blocks_are_a_partition(stop, size):
    found = [row for block in blocks(0, stop, size) for row in range(*block)]
    assert found == list(range(stop))

"""Ascents against SciPy's, against corners that are known, and on functions with holes."""

import numpy as np
from scipy.optimize import minimize

from credo.numerics.ascent import ascended

RNG = np.random.default_rng(0)


def box(rows):
    return np.zeros(rows.shape), np.ones(rows.shape), np.ones(rows.shape[1])


def wavy(x):
    """Several hills, curved differently."""
    value = np.sin(7.0 * x[:, 0]) * np.cos(5.0 * x[:, 1]) - 3.0 * (x[:, 2] - 0.4) ** 2 * (1.0 + x[:, 0])
    slope = np.stack(
        [
            7.0 * np.cos(7.0 * x[:, 0]) * np.cos(5.0 * x[:, 1]) - 3.0 * (x[:, 2] - 0.4) ** 2,
            -5.0 * np.sin(7.0 * x[:, 0]) * np.sin(5.0 * x[:, 1]),
            -6.0 * (x[:, 2] - 0.4) * (1.0 + x[:, 0]),
        ],
        axis=1,
    )
    return value, slope


def test_comes_to_the_highest_hill_that_scipy_finds():
    starts = RNG.uniform(size=(12, 3))
    ends, heights = ascended(wavy, starts, *box(starts), rounds=100, gain=1e-10)
    best = max(
        -minimize(lambda x: -wavy(x[None])[0][0], start, bounds=[(0.0, 1.0)] * 3, method="L-BFGS-B").fun
        for start in starts
    )
    assert np.max(heights) == np.max(wavy(ends)[0])
    np.testing.assert_allclose(np.max(heights), best, atol=1e-6)
    assert np.all(heights >= wavy(starts)[0])


def test_bounds_hold_it_and_units_do_not_change_where_it_ends():
    target = np.array([1.7, 0.3, -0.4])
    curved = np.array([1.0, 400.0, 9.0])
    judge = lambda x: (-np.sum(curved * (x - target) ** 2, axis=1), -2.0 * curved * (x - target))  # noqa: E731
    starts = RNG.uniform(size=(5, 3))
    low, high, units = box(starts)
    for scale in (units, np.array([1.0, 0.05, 0.3])):
        ends, _ = ascended(judge, starts, low, high, scale, rounds=60, gain=1e-12)
        np.testing.assert_allclose(ends, np.broadcast_to([1.0, 0.3, 0.0], ends.shape), atol=1e-5)


def test_columns_whose_bounds_meet_stay():
    starts = RNG.uniform(size=(4, 3))
    low, high, units = box(starts)
    low[:, 1] = high[:, 1] = starts[:, 1]
    ends, _ = ascended(wavy, starts, low, high, units, rounds=40, gain=1e-9)
    np.testing.assert_array_equal(ends[:, 1], starts[:, 1])
    assert np.all(ends[:, 2] != starts[:, 2])


def test_a_place_without_a_value_is_not_entered_and_not_left():
    def holed(x):
        value, slope = wavy(x)
        gone = x[:, 0] > 0.5
        return np.where(gone, np.nan, value), np.where(gone[:, None], np.nan, slope)

    starts = np.array([[0.45, 0.2, 0.9], [0.8, 0.2, 0.9]])
    ends, heights = ascended(holed, starts, *box(starts), rounds=40, gain=1e-9)
    assert ends[0, 0] <= 0.5
    assert heights[0] > wavy(starts)[0][0]
    np.testing.assert_array_equal(ends[1], starts[1])
    assert heights[1] == -np.inf


def test_one_that_lags_behind_gives_up():
    seen = []

    def judge(x):
        seen.append(len(x))
        flat = x[:, 0] < 0.5  # a slope that hardly rises, far below the other side
        value = np.where(flat, -100.0 + 1e-2 * x[:, 1], -((x[:, 1] - 0.5) ** 4))
        by = np.where(flat, 1e-2, -4.0 * (x[:, 1] - 0.5) ** 3)
        return value, np.stack([np.zeros(len(x)), by], axis=1)

    starts = np.array([[0.2, 0.1], [0.8, 0.1]])
    ascended(judge, starts, *box(starts), rounds=60, gain=1e-12)
    assert seen[0] == 2
    assert sum(count == 2 for count in seen) <= 4

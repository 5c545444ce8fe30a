"""Samples: as even as Sobol points are, always allowed, also where little is allowed, and what nobody can meet."""

import numpy as np
import pytest
from scipy import stats
from scipy.stats import qmc

from credo.errors import InputError
from credo.represent.space import Choice, Integer, Real, Space, sampling

MIXED = Space({"x": Real(0, 1), "n": Integer(1, 6), "z": Choice("a", "b", "c"), "lr": Real(1e-4, 1, log=True)})


def test_more_even_than_by_chance():
    rows = MIXED.sample_rows(256, random_state=0)
    by_chance = np.random.default_rng(0).random((256, 2))
    assert qmc.discrepancy(rows[:, [0, 3]]) < 0.2 * qmc.discrepancy(by_chance)
    for column, levels in [(rows[:, 1], 6), (rows[:, 2], 3)]:
        counts = np.unique(column, return_counts=True)[1]
        assert len(counts) == levels
        assert np.max(np.abs(counts - 256 / levels)) <= 2
    pairs = np.unique(rows[:, 1:3], axis=0, return_counts=True)[1]
    assert len(pairs) == 18
    assert np.max(np.abs(pairs - 256 / 18)) <= 8


@pytest.mark.parametrize("n", [1, 2, 3, 100])
def test_the_number_and_the_seed(n):
    points = MIXED.sample(n, random_state=3)
    assert len(points) == n
    assert all(MIXED.contains(point) for point in points)
    assert points == MIXED.sample(n, random_state=3)
    assert points != MIXED.sample(n, random_state=4)
    generator = np.random.default_rng(0)
    assert MIXED.sample(n, generator) != MIXED.sample(n, generator)


def test_rejection_keeps_the_distribution():
    space = Space({"a": Real(0, 1), "b": Real(0, 1)}, [lambda point: point["a"] * point["b"] <= 0.25])
    a = np.array([point["a"] for point in space.sample(1000, random_state=0)])
    # P(a ≤ t) of the even distribution under ab ≤ 1/4
    total = 0.25 + 0.25 * np.log(4.0)
    cdf = lambda t: np.where(t < 0.25, t, 0.25 + 0.25 * np.log(np.maximum(t, 0.25) * 4.0)) / total  # noqa: E731
    assert stats.kstest(a, cdf).pvalue > 0.01


@pytest.mark.parametrize("share", [1e-4, 1e-7])
def test_a_small_share_of_linear_constraints(share):
    """Four numbers in the corner where their sum is small: the share of the unit cube is s⁴/24."""
    s = (24.0 * share) ** 0.25
    names = list("abcd")
    space = Space({n: Real(0, 1) for n in names} | {"z": Choice(1, 2, 3)}, [f"a + b + c + d <= {s}"])
    points = space.sample(400, random_state=0)
    assert all(space.contains(point) for point in points)
    for name in names:  # s times a Beta(1, 4)
        assert stats.kstest([point[name] / s for point in points], stats.beta(1, 4).cdf).pvalue > 1e-3
    counts = np.bincount([point["z"] for point in points])[1:]
    assert np.max(np.abs(counts - 400 / 3)) < 40


def test_a_small_share_with_a_function_besides():
    space = Space(
        {"a": Real(0, 1), "b": Real(0, 1), "n": Integer(0, 9)},
        ["a + b <= 0.014", lambda point: point["n"] % 3 == 0 and point["a"] < point["b"]],
    )
    points = space.sample(50, random_state=0)
    assert all(space.contains(point) for point in points)
    assert {point["n"] for point in points} == {0, 3, 6, 9}


def test_a_function_nobody_meets_is_named(monkeypatch):
    monkeypatch.setattr(sampling, "_EARLY", 2**13)

    def never_true(point):
        return point["a"] > 1.0

    def sometimes(point):
        return point["a"] > 0.5

    with pytest.raises(InputError, match=r"never_true allows none of 8192 points"):
        Space({"a": Real(0, 1)}, [sometimes, never_true])
    with pytest.raises(InputError, match=r"sometimes and .*lambda> allow none of 8192 .*together"):
        Space({"a": Real(0, 1)}, [sometimes, lambda point: point["a"] < 0.5])


def test_too_few_are_said_to_be_too_few(monkeypatch):
    monkeypatch.setattr(sampling, "_MOST", 2**14)
    space = Space({"a": Real(0, 1), "b": Real(0, 1)}, [lambda point: point["a"] + point["b"] < 0.02])
    with pytest.raises(InputError, match=r"only \d of 20 points"):
        space.sample(20, random_state=0)


@pytest.mark.parametrize("n", [0, -1, 2.0, True, "3"])
def test_bad_numbers(n):
    with pytest.raises(InputError, match="number of points"):
        MIXED.sample(n)

"""Searches that keep step ask for the function at the same time, and a hopeless one is known by its rate."""

import numpy as np
import pytest

from credo.numerics.certificate import CONVERGED, FAILED, STOPPED
from credo.numerics.lockstep import Limits, Race, Search, run_together

LIMITS = Limits(tolerance=1e-8, max_iterations=200)


def bowl(center, x):
    return float(np.sum((x - center) ** 2 + 0.1 * (x - center) ** 4)), 2.0 * (x - center) + 0.4 * (x - center) ** 3


CENTERS = np.array([[0.0, 1.0], [5.0, -2.0], [3.0, 3.0]])


def searches():
    return [Search(np.full(2, 10.0 * (i + 1)), None, LIMITS) for i in range(3)]


def test_requests_come_together_until_each_search_ends():
    rounds, ended = [], []

    def evaluate(indices, points):
        rounds.append(list(indices))
        values, gradients = zip(*(bowl(CENTERS[i], x) for i, x in zip(indices, points, strict=True)), strict=True)
        return np.array(values), np.array(gradients)

    together = searches()
    run_together(together, evaluate, lambda: ended.append(1))
    assert rounds[0] == [0, 1, 2]
    assert len(ended) == 3
    assert len(rounds) == max(s.evaluations for s in together)
    assert sum(map(len, rounds)) == sum(s.evaluations for s in together)
    alone = searches()
    rounds.clear()
    run_together(alone, evaluate, lambda: None, at_once=1)
    assert {len(indices) for indices in rounds} == {1}
    assert [indices[0] for indices in rounds] == sorted(indices[0] for indices in rounds)
    for one, other, center in zip(together, alone, CENTERS, strict=True):
        assert one.status == other.status == CONVERGED
        assert (one.evaluations, one.value) == (other.evaluations, other.value)
        np.testing.assert_array_equal(one.x, other.x)
        np.testing.assert_allclose(one.x, center, atol=1e-6)


def test_an_error_of_the_caller_ends_all_searches():
    def broken(indices, points):
        raise KeyError("mine")

    with pytest.raises(KeyError, match="mine"):
        run_together(searches(), broken, lambda: None)


def test_a_search_without_a_finite_start_fails_and_keeps_no_point():
    search = Search(np.ones(2), None, LIMITS)
    search.run(lambda x: (np.nan, x))
    assert search.status == FAILED
    assert np.all(np.isnan(search.x))
    finite_value_only = Search(np.ones(2), None, LIMITS)
    finite_value_only.run(lambda x: (1.0, np.full(2, np.inf)))
    assert finite_value_only.status == FAILED


def test_the_wall_rises_from_the_last_iterate():
    """Infinite beyond 3, lowest at 2.9: the first steps overshoot and must come back, again and again."""
    search = Search(np.array([-50.0]), None, LIMITS)
    search.run(lambda x: (float((x[0] - 2.9) ** 2), 2 * (x - 2.9)) if x[0] < 3.0 else (np.inf, np.array([np.nan])))
    assert search.status == CONVERGED
    np.testing.assert_allclose(search.x, 2.9, atol=1e-6)


def test_projected_gradient_is_zero_at_an_active_bound():
    search = Search(np.array([0.5]), np.array([[0.0, 1.0]]), LIMITS)
    search.run(lambda x: (float(-x[0]), -np.ones(1)))
    assert search.x.tolist() == [1.0]
    assert search.gradient_norm == 0.0


@pytest.mark.parametrize(("grid", "status"), [(1e-7, CONVERGED), (1e-2, STOPPED)], ids=["fine", "coarse"])
def test_a_value_on_a_grid_blocks_the_search_which_converged_only_where_the_gradient_is_small(grid, status):
    """The value is rounded up to a multiple of the grid, the gradient is that of the function itself."""
    slopes = np.array([1.0, 1.7, 4.0])
    search = Search(np.array([3.0, -2.0, 1.0]), None, Limits(tolerance=1e-5, max_iterations=200))

    def rounded(x):
        value = float(np.sum(np.cosh(slopes * x) - 1.0))
        return grid * np.ceil(value / grid), slopes * np.sinh(slopes * x)

    search.run(rounded)
    assert search.blocked
    assert search.status == status
    assert 1e-5 < search.gradient_norm
    assert (search.gradient_norm <= 1e-3) == (status == CONVERGED)


def test_a_search_that_reached_its_tolerance_was_not_blocked():
    search = Search(np.full(2, 10.0), None, LIMITS)
    search.run(lambda x: bowl(CENTERS[0], x))
    assert not search.blocked


@pytest.mark.parametrize(
    ("history", "best", "hopeless"),
    [
        ([100.0 - 0.01 * k for k in range(20)], 0.0, True),  # 0.05 in 5 iterations, 99.8 behind
        ([100.0 - 5.0 * k for k in range(15)], 0.0, False),  # 25 in 5 iterations, 30 behind
        ([100.0] * 8, 0.0, False),  # too early to say
        ([1.0] * 20, 1.0, False),  # the best itself, at rest
        ([1.0] * 20, np.inf, False),
    ],
)
def test_hopeless_means_too_far_behind_for_its_rate(history, best, hopeless):
    assert Race(best=best).hopeless(history) is hopeless
    assert not Race(best=best, drops=False).hopeless(history)


def test_a_search_looks_only_at_minima_below_it_and_within_reach():
    def ended(value):
        search = Search(np.zeros(1), None, LIMITS)
        search.value = value
        return search

    race = Race(reach=3.0, minima=[ended(0.0), ended(1.0), ended(5.0)])
    assert race.within_reach(2.0).value == 1.0
    assert race.within_reach(0.5).value == 0.0
    assert race.within_reach(4.5) is None
    assert race.within_reach(-1.0) is None
    assert Race(minima=race.minima).within_reach(1.5) is None

"""Trust regions of histories made by hand, and what holds of any history."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from credo.decide.study.trust_region import candidates_in, trust_region
from credo.errors import InputError


def after(values, d=2, initial=2, **settings):
    rows = np.random.default_rng(0).random((len(values), d))
    return trust_region(rows, np.asarray(values, dtype=np.float64), np.ones(d), initial=initial, **settings)


def test_trials_of_the_design_do_not_count():
    region = after([5.0, 4.0])
    assert (region.length, region.successes, region.failures, region.restarts) == (0.8, 0, 0, 0)
    assert not region.designing
    assert after([5.0]).designing


def test_three_successes_double_the_side_and_a_failure_between_starts_the_count_again():
    assert after([5.0, 4.0, 3.0, 2.0]).successes == 2
    region = after([5.0, 4.0, 3.0, 2.0, 1.0])
    assert (region.length, region.successes) == (1.6, 0)
    assert after([5.0, 4.0, 3.0, 2.0, 1.0, 0.0, -1.0, -2.0]).length == 1.6  # and not more
    assert after([5.0, 4.0, 3.0, 2.0, 9.0, 1.0, 0.0]).length == 0.8


def test_four_failures_halve_the_side_and_in_many_columns_as_many_as_there_are():
    assert after([1.0, 2.0] + [3.0] * 3).failures == 3
    region = after([1.0, 2.0] + [3.0] * 4)
    assert (region.length, region.failures) == (0.4, 0)
    assert after([1.0, 2.0] + [3.0] * 29, d=30).length == 0.8
    assert after([1.0, 2.0] + [3.0] * 30, d=30).length == 0.4
    assert after([1.0, 2.0] + [np.nan] * 4).length == 0.4  # failed trials too


def test_an_improvement_in_the_last_digits_is_none():
    assert after([1.0, 2.0, 1.0 - 1e-6]).failures == 1
    assert after([1.0, 2.0, 1.0 - 1e-2]).successes == 1


def test_a_region_that_is_too_small_starts_again_with_nothing_of_what_was_before():
    halvings = 7  # 0.8 to 0.00625, below one half to the seventh
    history = [0.0, 1.0] + [2.0] * (4 * halvings)
    region = after(history)
    assert (region.restarts, region.length, region.designing) == (1, 0.8, True)
    assert not np.any(region.members)
    assert after(history[:-1]).restarts == 0
    region = after([*history, 9.0, 8.0, 7.0])
    assert region.members.tolist() == [False] * len(history) + [True] * 3
    assert (region.successes, region.designing) == (1, False)
    rows = np.random.default_rng(0).random((len(history) + 3, 2))
    np.testing.assert_array_equal(region.center, rows[-1])  # the best since, and not of all


def test_sides_are_as_long_scales_have_it():
    rows, values = np.array([[0.5, 0.5, 0.5]]), np.array([0.0])
    region = trust_region(rows, values, np.array([0.5, 1.0, 2.0]), initial=1)
    np.testing.assert_allclose(region.high - region.low, [0.4, 0.8, 1.0])
    bounded = np.array([True, True, False])
    region = trust_region(rows, values, np.array([0.5, 2.0, 7.0]), initial=1, bounded=bounded)
    np.testing.assert_allclose((region.high - region.low)[:2], [0.4, 1.0])
    assert np.isinf(region.low[2])
    assert np.isinf(region.high[2])


@given(st.lists(st.floats(-5, 5) | st.just(float("nan")), min_size=1, max_size=200), st.integers(1, 6))
def test_what_holds_of_any_history(values, initial):
    region = after(values, initial=initial, d=3)
    assert 0.5**7 <= region.length <= 1.6
    assert 0 <= region.successes < 3
    assert 0 <= region.failures < 4
    assert np.all(region.members[np.argmax(region.members) :] == region.members[-1])
    assert np.all((region.low <= region.center) & (region.center <= region.high))
    assert np.all((region.low >= 0.0) & (region.high <= 1.0))
    assert region.designing or np.isfinite(np.nanmin(np.asarray(values)[region.members]))


@given(st.lists(st.integers(-5, 5), min_size=1, max_size=100), st.floats(-100, 100), st.floats(0.1, 10))
def test_units_of_the_values_do_not_matter(values, shift, scale):
    plain, moved = after(values), after(shift + scale * np.asarray(values))
    assert plain[3:7] == moved[3:7]
    np.testing.assert_array_equal(plain.center, moved.center)


def test_a_history_that_goes_on_has_the_same_past():
    """The state after n trials is that of the walk, whatever comes later."""
    values = np.random.default_rng(3).normal(size=120)
    restarts = [after(values[:n]).restarts for n in range(1, 121)]
    assert np.all(np.diff(restarts) >= 0)
    assert restarts[-1] >= 1


@pytest.mark.parametrize("d", [3, 60])
def test_candidates_are_in_the_box_and_differ_from_the_center_in_some_columns(d):
    rng = np.random.default_rng(0)
    region = after(rng.normal(size=10), d=d, bounded=np.arange(d) != d - 1)
    rows = rng.random((400, d))
    found = candidates_in(region, rows, rng)
    assert np.all((found >= region.low) & (found <= region.high))
    moved = found != region.center
    assert np.all(np.any(moved, axis=1))
    assert np.mean(moved) == pytest.approx(min(1.0, 20 / d), abs=0.02)
    assert np.all(np.isin(found[moved[:, -1], -1], rows[:, -1]))  # a column without bounds is as it was


def test_nonsense_is_refused():
    with pytest.raises(InputError, match="initial=0"):
        after([1.0], initial=0)

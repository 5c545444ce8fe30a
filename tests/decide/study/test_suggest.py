"""A suggestion is a function of what is known and of a seed, and a good one."""

import time

import numpy as np
import pytest

from credo.decide.study.goal import Goal
from credo.decide.study.known import Known
from credo.decide.study.setup import ACQUISITIONS, Setup
from credo.decide.study.suggest import suggest
from credo.errors import InputError
from credo.represent.space import Choice, Integer, Real, Space

BOX = Space({"a": Real(0, 1), "b": Real(0, 1)})
ONE = Goal.of("minimize")


def bowl(rows):
    return np.sum((rows - [0.3, 0.7]) ** 2, axis=1)


def known(n=12, **more):
    rows = BOX.sample_rows(n, 0)
    return Known.of(rows, bowl(rows), **more)


def suggested(what, acquisition="log_ei", seed=0):
    return suggest(Setup(BOX, ONE, acquisition, initial=4), what, seed=seed)[0]


@pytest.mark.parametrize("acquisition", ACQUISITIONS)
def test_the_same_in_the_same_out(acquisition):
    a, b = (suggested(known(), acquisition, 3) for _ in range(2))
    np.testing.assert_array_equal(a.row, b.row)
    assert a.why == b.why
    assert np.all((a.row >= 0.0) & (a.row <= 1.0))
    assert (a.why.reason == "random") == (acquisition == "random")


@pytest.mark.parametrize("acquisition", ["log_ei", "log_nei", "pi", "lcb", "kg", "mes"])
def test_goes_to_the_bottom_of_a_bowl(acquisition):
    rows = BOX.sample_rows(8, 0)
    for step in range(10):
        found = suggested(Known.of(rows, bowl(rows)), acquisition, step)
        rows = np.concatenate([rows, found.row[None]])
    assert np.min(bowl(rows)) < 2e-3


@pytest.mark.parametrize("acquisition", ["log_ei", "log_nei", "kg"])
def test_what_is_under_way_is_not_asked_again(acquisition):
    rows = BOX.sample_rows(12, 0)
    waves = np.sin(9.0 * rows[:, 0]) + np.cos(7.0 * rows[:, 1])
    first = suggested(Known.of(rows, waves), acquisition).row
    second = suggested(Known.of(rows, waves, pending=first[None]), acquisition).row
    assert np.linalg.norm(first - second) > 0.01


def test_where_trials_failed_it_does_not_go():
    """The best half fails: suggestions stay on the other side."""
    rows = BOX.sample_rows(40, 0)
    fails = rows[:, 0] < 0.5
    for seed in range(3):
        found = suggested(Known.of(rows[~fails], bowl(rows[~fails]), failed=rows[fails]), seed=seed)
        assert found.row[0] > 0.4
        assert found.why.feasible is not None


def test_an_even_design_comes_first_and_does_not_repeat():
    space = Space({"n": Integer(1, 3), "kind": Choice("x", "y")})
    setup, taken = Setup(space, ONE, initial=20), np.empty((0, 2))
    for _ in range(6):
        row = suggest(setup, Known.of(taken[:0], np.empty(0), failed=taken), seed=1)[0].row
        taken = np.concatenate([taken, row[None]])
    assert len(np.unique(taken, axis=0)) == 6
    with pytest.raises(InputError, match="finite"):
        suggest(setup, Known.of(taken[:0], np.empty(0), failed=taken), seed=1)


def test_a_design_in_a_context_holds_it():
    setup = Setup(BOX, ONE, context=("b",))
    row = suggest(setup, Known.of(np.empty((0, 2)), np.empty(0)), context={"b": 0.25})[0].row
    assert row[1] == 0.25


@pytest.mark.slow
def test_no_number_of_past_runs_makes_an_ask_leap():
    """Six columns, a little noise; CPU seconds, so that others on the machine hardly count."""
    space = Space({f"x{j}": Real(0, 1) for j in range(6)})
    rows = space.sample_rows(2000, 0)
    values = np.sum((rows - 0.4) ** 2, axis=1) + 0.01 * np.random.default_rng(0).normal(size=2000)
    seconds = {}
    for n in (1000, 1000, 1100, 2000):  # the first time counts for nothing: imports, and what little is compiled
        start = time.process_time()
        suggest(Setup(space, ONE), Known.of(rows[:n], values[:n]))
        seconds[n] = time.process_time() - start
    assert seconds[1100] < 2.0 * seconds[1000]
    assert seconds[2000] < 6.0 * seconds[1000]


def test_what_is_under_way_and_likely_meets_its_bounds_counts_as_the_best():
    """A bound is met on one half. A gain is measured from what is under way there, so the next is not beside it."""
    rows = BOX.sample_rows(20, 0)
    noisy = bowl(rows) + 0.1 * np.random.default_rng(0).normal(size=20)
    setup = Setup(BOX, Goal.of("minimize", ["heat <= 1"]), initial=4)
    known = Known.of(rows, noisy, excess=rows[:, :1] - 0.5)
    for seed in range(2):
        first = suggest(setup, known, seed=seed)[0].row
        second = suggest(setup, known._replace(pending=first[None], pending_numbers=(20,)), seed=seed)[0].row
        assert np.max(np.abs(first - second)) > 0.03

"""The note of a suggestion that is nearly a setting of another trial, and when refinements are in vain."""

import numpy as np
import pytest

from credo.decide.study.believing import learn_beliefs
from credo.decide.study.goal import Goal
from credo.decide.study.known import Known
from credo.decide.study.repeats import refines_in_vain, with_repeat
from credo.decide.study.setup import Setup
from credo.decide.study.why import Why
from credo.represent.space import Real, Space

BOX = Space({"a": Real(0, 1), "b": Real(0, 1)})
ROWS = BOX.sample_rows(24, 0)
WHY = Why("explore", 1.0, 0.1)


def noted(row, noise=0.0, why=WHY, pending=None):
    values = np.sin(4.0 * ROWS[:, 0]) + ROWS[:, 1] + noise * np.random.default_rng(0).normal(size=24)
    known = Known.of(ROWS, values, pending=pending)
    beliefs = learn_beliefs(Setup(BOX, Goal.of("minimize")), Known.of(ROWS, values))
    return with_repeat(why, known, beliefs, np.asarray(row)).note


def test_a_new_setting_has_no_note():
    grid = BOX.sample_rows(256, 1)
    distances = np.max(np.abs(grid[:, None] - ROWS), axis=2).min(axis=1)
    assert noted(grid[np.argmax(distances)], noise=0.5) == ""


@pytest.mark.parametrize(
    ("noise", "shift", "begins"),
    [
        (0.5, 0.0, "repeats #7: measurements are noisy"),
        (0.5, 0.004, "nearly repeats #7: measurements are noisy"),
        (0.0, 0.004, "refines #7"),
    ],
)
def test_a_measured_setting_is_named_with_the_reason(noise, shift, begins):
    assert noted(ROWS[7] + shift, noise).startswith(begins)


def test_a_setting_under_way_comes_first_and_a_note_stays():
    under_way = np.concatenate([BOX.sample_rows(1, 3), ROWS[7:8] + 0.002])
    note = noted(ROWS[7], 0.5, Why("explore", note="in a trust region"), under_way)
    assert note.startswith("in a trust region; nearly repeats pending trial #25")


def in_vain(gain=1e-9, latest=0.002, row=0.004, noise=0.0):
    """A suggestion near the best setting of a slope, after a trial that is as near as told."""
    best = ROWS[np.argmin(ROWS[:, 0])]
    rows = np.concatenate([ROWS, [best + latest]])
    values = rows[:, 0] + noise * np.random.default_rng(0).normal(size=25)
    known = Known.of(rows, values)
    beliefs = learn_beliefs(Setup(BOX, Goal.of("minimize")), known)
    return refines_in_vain(Why("explore", gain=gain), known, beliefs, best + row)


def test_a_second_refinement_for_almost_no_gain_is_in_vain():
    assert in_vain()
    assert not in_vain(gain=0.01)  # something is left to gain
    assert not in_vain(latest=-0.008)  # the latest one gained much
    assert not in_vain(latest=0.2)  # the latest one was elsewhere
    assert not in_vain(row=0.05)  # this one is elsewhere
    assert not in_vain(noise=0.3)  # another measurement of the same tells more


def test_settings_that_were_refined_count_once():
    """Thirty refinements of the best make no other setting unusual."""
    best = ROWS[np.argmin(ROWS[:, 0])]
    refined = best + 1e-4 * np.random.default_rng(1).uniform(size=(30, 2))
    known = Known.of(np.concatenate([ROWS, refined]), np.concatenate([ROWS, refined])[:, 0])
    beliefs = learn_beliefs(Setup(BOX, Goal.of("minimize")), known)
    assert refines_in_vain(Why("explore", gain=1e-6), known, beliefs, best)

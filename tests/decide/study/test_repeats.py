"""The note of a suggestion that is nearly a setting of another trial."""

import numpy as np
import pytest

from credo.decide.study.believing import learn_beliefs
from credo.decide.study.goal import Goal
from credo.decide.study.known import Known
from credo.decide.study.repeats import with_repeat
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

"""When a suggestion is replaced by another one, and where that is."""

import numpy as np
import pytest

from credo.decide.study.goal import Goal
from credo.decide.study.known import Known
from credo.decide.study.prepare import prepare
from credo.decide.study.second_look import AS_IT_IS, ELSEWHERE, second_look
from credo.decide.study.setup import Setup
from credo.decide.study.suggest import suggest
from credo.decide.study.why import Why
from credo.represent.space import Real, Space

BOX = Space({"a": Real(0, 1), "b": Real(0, 1)})
ROWS = BOX.sample_rows(23, 0)
BEST = ROWS[np.argmin(ROWS[:, 0])]
SETUP = Setup(BOX, Goal.of("minimize"), initial=4)


def looked(gain=1e-9, latest=0.002, row=0.004, noise=0.0, setup=SETUP, refined=0, pending=None):
    """At a suggestion near the best setting of a slope, after a trial that is as near as told."""
    refinements = BEST + 1e-4 * np.random.default_rng(1).uniform(size=(refined, 2))
    rows = np.concatenate([ROWS, refinements, [BEST + latest]])
    values = rows[:, 0] + noise * np.random.default_rng(0).normal(size=len(rows))
    known = Known.of(rows, values, pending=pending)
    prepared = prepare(setup, known, np.random.default_rng(0), warped=True)
    generator = np.random.default_rng(0)
    return second_look(setup, known, prepared, BEST + row, Why("explore", 0.0, 0.1, gain=gain), generator)


def distance(row):
    return np.min(np.max(np.abs(ROWS - row), axis=1))


def test_a_refinement_for_almost_no_gain_is_replaced_by_a_setting_that_is_far_from_all():
    row, why = looked()
    usual = np.median([distance(each) for each in BOX.sample_rows(512, 7)])
    assert distance(row) > 0.8 * usual
    assert why.note == ELSEWHERE


@pytest.mark.parametrize(
    "more",
    [
        {"gain": 0.1},  # something is left to gain
        {"latest": -0.008},  # the latest trial gained much
        {"row": 0.05},  # it is a new setting
        {"noise": 0.3},  # another measurement of the same tells more
        {"pending": BOX.sample_rows(1, 5)},  # only every second suggestion is another one
        {"setup": Setup(BOX, Goal.of("minimize"), "log_nei", initial=4)},  # somebody chose what a gain is
        {"setup": Setup(BOX, Goal.of("minimize"), initial=4, robust={"a": 0.1})},  # a gain is that of an average
    ],
)
def test_otherwise_the_suggestion_stays(more):
    assert looked(**more) is None


def test_settings_that_were_refined_count_once():
    """Thirty refinements of the best make no other setting unusual."""
    found = looked(refined=30)
    assert found is not None
    assert found[1].note == ELSEWHERE


def test_where_a_logarithm_leads_to_almost_no_gain_the_objective_itself_decides():
    """A funnel whose values span many orders of magnitude, beside a slope where the objective may still be lower."""
    rows = BOX.sample_rows(24, 0)
    values = np.exp(12.0 * np.linalg.norm(rows - [0.2, 0.3], axis=1)) - 30.0 * np.sin(9.0 * rows[:, 1])
    known = Known.of(rows, values)
    prepared = prepare(SETUP, known, np.random.default_rng(0), warped=True)
    assert prepared.beliefs.objectives[0].bent
    first = Why("explore", 0.0, 0.1, gain=1e-6)
    row, why = second_look(SETUP, known, prepared, rows[np.argmin(values)] + 0.02, first, np.random.default_rng(0))
    plain = prepare(SETUP, known, np.random.default_rng(0))
    assert why.note == AS_IT_IS
    assert why.gain > 1e-5
    assert why.parameters == prepared.beliefs.parameters != plain.beliefs.parameters
    assert np.all((row >= 0.0) & (row <= 1.0))


def test_another_setting_that_is_near_a_measured_one_names_it():
    """The bottom of a bowl, eight thousandths of a range from a setting; the first suggestion is taken to be bent."""
    rows = np.concatenate([BOX.sample_rows(23, 0), [[0.3, 0.7]]])
    known = Known.of(rows, np.sum((rows - [0.308, 0.708]) ** 2, axis=1))
    plain = prepare(SETUP, known, np.random.default_rng(0))
    bent = plain.beliefs._replace(objectives=(plain.beliefs.objectives[0]._replace(bent=True),))
    first = Why("explore", 0.0, 0.1, gain=1e-12)
    row, why = second_look(
        SETUP, known, plain._replace(beliefs=bent), np.array([0.9, 0.1]), first, np.random.default_rng(0)
    )
    assert np.max(np.abs(row - rows[-1])) < 0.01
    assert why.note.startswith(f"{AS_IT_IS}; refines #23")


def test_a_bottom_that_was_found_is_left_for_another_basin():
    """A wide basin, and a deeper one that is narrow: the surrogate, sure of the first, would refine it for ever."""
    found = 0
    for seed in (2, 3, 4):
        rng = np.random.default_rng(seed)
        wide, narrow = rng.uniform(0.15, 0.4, 2), rng.uniform(0.65, 0.9, 2)

        def basins(rows, wide=wide, narrow=narrow):
            squares = [np.sum((rows - center) ** 2, axis=1) for center in (wide, narrow)]
            return -0.8 * np.exp(-0.5 * squares[0] / 0.25**2) - np.exp(-0.5 * squares[1] / 0.13**2)

        rows, notes = BOX.sample_rows(6, seed), [""]
        for step in range(34):
            next_one = suggest(SETUP, Known.of(rows, basins(rows)), seed=step)[0]
            notes.append(next_one.why.note)
            rows = np.concatenate([rows, next_one.row[None]])
        left = [i for i, note in enumerate(notes) if ELSEWHERE in note]
        assert left
        assert all(ELSEWHERE not in notes[i - 1] for i in left)  # at most every second one
        found += bool(np.min(basins(rows)) < -0.95)
    assert found >= 2  # none without it

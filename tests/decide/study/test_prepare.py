"""The acquisition of a study is the gain, times the probability of being feasible, per cost."""

import numpy as np

from credo.decide.acquisitions.maximize import evaluated, moments_at
from credo.decide.study.believing import Rescaled
from credo.decide.study.goal import Goal
from credo.decide.study.known import Known
from credo.decide.study.prepare import prepare
from credo.decide.study.reasons import reason_of
from credo.decide.study.setup import Setup
from credo.represent.space import Real, Space

BOX = Space({"a": Real(0, 1), "b": Real(0, 1)})
ROWS, NEW = BOX.sample_rows(14, 0), BOX.sample_rows(7, 1)


def prepared(excess, goal=None, **settings):
    goal = goal or Goal.of("minimize", ["c <= 0"])
    known = Known.of(ROWS, np.sum((ROWS - 0.4) ** 2, axis=1), excess=excess)
    return prepare(Setup(BOX, goal, **settings), known, np.random.default_rng(0))


def test_logarithms_of_the_parts_add_up():
    whole = prepared(ROWS[:, :1] - 0.5, cost=lambda point: 1.0 + point["b"])
    parts = evaluated(whole.gain, NEW) + evaluated(whole.beliefs.feasible, NEW)
    parts -= moments_at(Rescaled.of(whole.beliefs.log_cost), NEW)[0][:, 0]
    np.testing.assert_allclose(evaluated(whole.acquisition, NEW), parts, rtol=1e-9)


def test_where_nothing_meets_its_bounds_only_that_counts():
    whole = prepared(ROWS[:, :1] + 0.5)
    assert whole.gain is None
    assert whole.incumbents is None
    np.testing.assert_allclose(evaluated(whole.acquisition, NEW), evaluated(whole.beliefs.feasible, NEW))


def test_the_incumbent_is_of_what_met_its_bounds():
    whole = prepared(ROWS[:, :1] - 0.5)
    met = ROWS[ROWS[:, 0] <= 0.5]
    best = np.argsort(moments_at(whole.surfaces[0], met)[0][:, 0], kind="stable")[: len(whole.incumbents)]
    np.testing.assert_allclose(whole.incumbents, met[best])
    assert np.all(whole.near[:, 0] <= 0.5)


def test_what_counts_is_in_the_context():
    setup = Setup(BOX, Goal.of("minimize"), context=("b",))
    known = Known.of(ROWS, np.sum((ROWS - 0.4) ** 2, axis=1))
    found = prepare(setup, known, np.random.default_rng(0), context={"b": 0.75})
    np.testing.assert_array_equal(found.near[:, 1], 0.75)
    assert found.space.held == {"b": 0.75}


def failing(**settings):
    """Trials that fail to the right of 0.6, towards which the objective falls."""
    fails = ROWS[:, 0] > 0.6
    known = Known.of(ROWS[~fails], -ROWS[~fails, 0], failed=ROWS[fails])
    setup = Setup(BOX, Goal.of("minimize"), **settings)
    return setup, prepare(setup, known, np.random.default_rng(0))


def test_a_gain_is_for_each_trial_where_successes_make_up_for_crashes():
    _, whole = failing(crash_cost=3.0)
    chance = np.exp(evaluated(whole.beliefs.feasible, NEW))
    wanted = evaluated(whole.gain, NEW) + np.log(chance / (chance + 3.0 * (1.0 - chance)))
    wanted -= 1e3 * np.maximum(np.log(0.75 / chance), 0.0)
    np.testing.assert_allclose(evaluated(whole.acquisition, NEW), wanted, rtol=1e-6)


def test_without_a_price_or_a_crash_a_gain_counts_by_the_probability_of_success():
    _, free = failing(crash_cost=0.0)
    assert free.priced is None
    parts = evaluated(free.gain, NEW) + evaluated(free.beliefs.feasible, NEW)
    np.testing.assert_allclose(evaluated(free.acquisition, NEW), parts, rtol=1e-9)
    assert prepared(ROWS[:, :1] - 0.5).priced is None


def test_a_suggestion_that_is_likely_to_fail_has_its_reason():
    setup, whole = failing()
    notes = [reason_of(setup, whole, row).note for row in np.array([[0.1, 0.5], [0.99, 0.5]])]
    assert notes[0] == ""
    assert notes[1] == "no setting was found that succeeds with the required probability, 50%"

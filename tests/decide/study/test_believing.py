"""Beliefs put together: probabilities multiply, costs are positive, what is under way is imagined."""

import numpy as np
import pytest
from scipy import stats

from credo.decide.acquisitions.maximize import evaluated, moments_at
from credo.decide.study.believing import Rescaled, learn_beliefs
from credo.decide.study.goal import Goal
from credo.decide.study.known import Known
from credo.decide.study.setup import Setup
from credo.errors import InputError
from credo.represent.space import Real, Space

BOX = Space({"a": Real(0, 1), "b": Real(0, 1)})
ROWS = BOX.sample_rows(16, 0)
NEW = BOX.sample_rows(9, 1)


def known(**more):
    values = 5.0 + np.sum((ROWS - 0.4) ** 2, axis=1)
    excess = np.stack([ROWS[:, 0] - 0.6, 0.3 - ROWS[:, 1]], axis=1)
    return Known.of(ROWS, values, excess=excess, **more)


def test_bounds_are_met_with_the_product_of_their_probabilities():
    beliefs = learn_beliefs(Setup(BOX, Goal.of("minimize", ["c <= 0.6", "d >= 0.3"])), known())
    chance = np.ones(len(NEW))
    for learned in beliefs.bounds:
        mean, variance = (part[:, 0] for part in moments_at(Rescaled.of(learned), NEW))
        chance *= stats.norm.cdf(0.0, mean, np.sqrt(variance))
    np.testing.assert_allclose(np.exp(evaluated(beliefs.feasible, NEW)), chance, rtol=1e-8)
    assert len(beliefs.parameters) == 3


def test_nothing_stands_against_what_is_not_bounded():
    assert learn_beliefs(Setup(BOX, Goal.of("minimize")), Known.of(ROWS, ROWS[:, 0])).feasible is None


def test_what_is_under_way_is_known_afterwards():
    setup = Setup(BOX, Goal.of("minimize"))
    what = Known.of(ROWS, np.sin(5.0 * ROWS[:, 0]) + ROWS[:, 1], pending=np.array([[0.95, 0.95]]))
    before, after = (learn_beliefs(setup, what, imagine=imagine).objectives[0] for imagine in (False, True))
    at = what.pending
    assert moments_at(after.surface, at)[1][0, 0] < 0.5 * moments_at(before.surface, at)[1][0, 0]
    means = [one.center + one.scale * moments_at(one.surface, at)[0][0, 0] for one in (before, after)]
    assert means[0] == pytest.approx(means[1], abs=0.05)


def test_a_cost_that_is_a_function_is_learnt_from_the_whole_space():
    setup = Setup(BOX, Goal.of("minimize"), cost=lambda point: 1.0 + 9.0 * point["a"])
    log_cost = learn_beliefs(setup, Known.of(ROWS, ROWS[:, 0])).log_cost
    mean, _ = moments_at(Rescaled.of(log_cost), NEW)
    np.testing.assert_allclose(np.exp(mean[:, 0]), 1.0 + 9.0 * NEW[:, 0], rtol=0.02)
    with pytest.raises(InputError, match="A cost is positive"):
        learn_beliefs(Setup(BOX, Goal.of("minimize"), cost=lambda point: -1.0), Known.of(ROWS, ROWS[:, 0]))

"""Probabilities that are too timid or too sure become what happens; few rows change little."""

import numpy as np
import pytest

from credo.beliefs import Categorical, UncertaintyBudget
from credo.decide.learning.sharpness import Sharpness, cross_sharpened, sharpness_of


def classes(rng, n, power):
    """Probabilities that were raised to a power, and classes as the true ones make them."""
    truth = rng.dirichlet(np.ones(3), size=n)
    codes = (truth.cumsum(axis=1) < rng.random((n, 1))).sum(axis=1)
    stated = truth**power
    return truth, stated / stated.sum(axis=1, keepdims=True), codes


@pytest.mark.parametrize("power", [0.4, 1.0, 2.5])
def test_what_was_done_to_probabilities_is_undone(power):
    truth, stated, codes = classes(np.random.default_rng(0), 6000, power)
    found = sharpness_of(stated, codes)
    assert found.power * power == pytest.approx(1.0, rel=0.08)
    np.testing.assert_allclose(found.at(stated), truth, atol=0.03)
    np.testing.assert_allclose(cross_sharpened(stated, codes, 5, np.random.default_rng(1)), truth, atol=0.03)


def test_few_rows_change_little():
    _, stated, codes = classes(np.random.default_rng(1), 10, 0.2)
    assert sharpness_of(stated, codes).power < 1.5
    assert sharpness_of(np.tile(stated, (100, 1)), np.tile(codes, 100)).power > 1.5


def test_a_row_that_is_its_own_part_is_judged_by_others():
    """Where one row says the opposite of all others, what the others say is done to it."""
    stated = np.tile([0.7, 0.3], (40, 1))
    codes = np.r_[np.zeros(39, dtype=int), 1]
    decided = cross_sharpened(stated, codes, 40, np.random.default_rng(0))
    assert decided[-1, 0] > decided[0, 0] > 0.7


def test_the_budget_keeps_its_shares_and_zeros_stay_zero():
    p = np.array([[0.5, 0.3, 0.2], [1.0, 0.0, 0.0]])
    total = p * (1.0 - p)
    belief = Categorical(p).with_budget(UncertaintyBudget(noise=0.75 * total, parameter=0.25 * total))
    sharper = Sharpness(2.0).of(belief)
    np.testing.assert_allclose(sharper.mean[0], [25 / 38, 9 / 38, 4 / 38])
    np.testing.assert_array_equal(sharper.mean[1], [1.0, 0.0, 0.0])
    np.testing.assert_allclose(sharper.budget.total, sharper.variance, atol=1e-12)
    np.testing.assert_allclose(sharper.budget.noise[0], 0.75 * sharper.variance[0])


def test_it_says_what_it_did():
    assert str(Sharpness(1.25)) == "more decided than the model says, log odds times 1.2"
    assert str(Sharpness(0.8)) == "less decided than the model says, log odds times 0.8"
    assert str(Sharpness(1.001)) == "as decided as the model says"

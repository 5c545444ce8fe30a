"""Objectives, bounds and costs: read from words, told by name or in order, turned so that less is better."""

from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest

from credo.decide.study.goal import Bound, Goal
from credo.errors import InputError

GOAL = Goal.of({"yield": "maximize", "waste": "minimize"}, ["impurity (%) <= 0.5", "yield >= 60"], "seconds")


def test_outcomes_are_in_one_order_whatever_was_told():
    assert GOAL.outcomes == ("yield", "waste", "impurity (%)", "seconds")
    told = GOAL.told("tell", {"seconds": 3, "impurity (%)": 0.25, "waste": 2.0, "yield": 63})
    assert told == (63.0, 2.0, 0.25, 3.0)
    assert GOAL.told("tell", [63, 2.0, 0.25, 3]) == told
    assert Goal.of("minimize").told("tell", np.float32(0.5)) == (0.5,)


@pytest.mark.parametrize("told", ["1.5", b"1.5", True, np.bool_(False), np.array("1.5"), np.array(True)])
def test_texts_and_truth_values_are_no_outcomes(told):
    with pytest.raises(
        InputError, match=r"was told\. An outcome is a number, not text and not True or False\. Convert"
    ):
        Goal.of("minimize").told("tell", told)


@pytest.mark.parametrize(
    "told", [1.5, np.float64(1.5), np.float16(1.5), np.array(1.5), np.array([1.5]), Fraction(3, 2), Decimal("1.5")]
)
def test_numbers_of_every_kind_are_outcomes(told):
    assert Goal.of("minimize").told("tell", told) == (1.5,)


def test_less_is_better_and_zero_is_the_bound():
    values = np.array([[63.0, 2.0, 0.25, 3.0], [55.0, 1.0, 0.75, 9.0]])
    np.testing.assert_array_equal(GOAL.turned(values), [[-63.0, 2.0], [-55.0, 1.0]])
    np.testing.assert_array_equal(GOAL.excess(values), [[-0.25, -3.0], [0.25, 5.0]])
    np.testing.assert_array_equal(GOAL.met(values), [True, False])
    np.testing.assert_array_equal(GOAL.costs(values), [3.0, 9.0])
    assert Goal.of("minimize").excess(np.ones((2, 1))).shape == (2, 0)


@pytest.mark.parametrize("text", ["impurity < 3", "<= 3", "impurity <= much", "impurity <= inf", 3])
def test_a_bound_that_cannot_be_read_is_refused(text):
    with pytest.raises(InputError, match="cannot be read"):
        Bound.parse(text)


def test_a_bound_reads_back_as_it_prints():
    for text in ("impurity (%) <= 0.5", "a >= -3", "pressure <= 1234567.8"):
        assert str(Bound.parse(text)) == text


@pytest.mark.parametrize(
    ("told", "what"),
    [
        ({"yield": 1.0}, "'waste' is in one only"),
        ({"yield": 1, "waste": 1, "impurity (%)": 1, "seconds": 1, "odd": 1}, "odd"),
        ([1.0, 2.0], "2 numbers"),
        (3.0, "1 numbers"),
        ([1.0, np.nan, 1.0, 1.0], "'waste' is nan"),
        ([1.0, 1.0, 1.0, 0.0], "A cost is positive"),
        (["a", 1.0, 1.0, 1.0], "An outcome is a number"),
        (["1.5", 1.0, 1.0, 1.0], "not text"),
        ([True, 1.0, 1.0, 1.0], "not True or False"),
        ({"yield": np.bool_(True), "waste": 1, "impurity (%)": 1, "seconds": 1}, "not True or False"),
    ],
)
def test_what_cannot_be_told_is_refused_by_name(told, what):
    with pytest.raises(InputError) as error:
        GOAL.told("tell", told)
    assert what in str(error.value)


@pytest.mark.parametrize(
    ("direction", "constraints", "cost"),
    [
        ("up", (), None),
        ({}, (), None),
        ({"": "minimize"}, (), None),
        ("minimize", "a <= 1", None),
        ("minimize", (), "value"),
    ],
)
def test_goals_that_make_no_sense_are_refused(direction, constraints, cost):
    with pytest.raises(InputError):
        Goal.of(direction, constraints, cost)


def test_in_words_and_which_bounds_one_trial_breaks():
    assert str(GOAL) == "maximize yield, minimize waste, impurity (%) <= 0.5, yield >= 60"
    told = {"yield": 55.0, "waste": 1.0, "impurity (%)": 0.5, "seconds": 3.0}
    assert [str(bound) for bound in GOAL.broken(told)] == ["yield >= 60"]
    assert GOAL.broken({**told, "yield": 60.0}) == ()

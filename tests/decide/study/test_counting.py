"""Which trials count for the best: those with a value, within their bounds, at the fidelity that counts."""

import pytest

from credo.decide.study.counting import counting
from credo.decide.study.goal import Goal
from credo.decide.study.setup import Setup
from credo.decide.study.trial import Trial
from credo.errors import InputError
from credo.represent.space import Integer, Real, Space

SPACE = Space({"x": Real(0, 1), "epochs": Integer(1, 10)})
SETUP = Setup(
    SPACE, Goal.of("minimize", ["heat <= 5"]), fidelity={"epochs": 10}, cost=lambda point: float(point["epochs"])
)


def trial(number, epochs, values):
    """One that is done, or failed where there are no values."""
    return Trial(number, {"x": 0.5, "epochs": epochs}, None, "failed" if values is None else "done", values)


def test_only_what_is_measured_within_bounds_at_the_full_fidelity_counts():
    trials = [
        trial(0, 10, {"value": 1.0, "heat": 4.0}),
        trial(1, 10, {"value": 0.5, "heat": 6.0}),
        trial(2, 5, {"value": 0.2, "heat": 4.0}),
        trial(3, 10, None),
    ]
    assert [each.number for each in counting(SETUP, trials)] == [0]
    with pytest.raises(InputError, match="none of 2 trials meets the bounds"):
        counting(SETUP, trials[1:])
    with pytest.raises(InputError, match="no trial has a value yet"):
        counting(SETUP, trials[3:])

"""Losses that are functions, and names of actions."""

import numpy as np
import pytest

from credo.beliefs import Normal
from credo.decide.actions.loss import FunctionLoss, names_of
from credo.errors import InputError


def test_a_function_is_called_with_all_y():
    seen = []
    loss = FunctionLoss(lambda action, y: seen.append((action, y.shape)) or y + action)
    np.testing.assert_array_equal(loss.of(2.0, np.array([1.0, 3.0])), [3.0, 5.0])
    assert seen == [(2.0, (2,))]
    assert loss.listed(Normal(0.0, 1.0), ["a", "b"]) == ("a", "b")
    assert loss.risks(Normal(0.0, 1.0), [1.0]) is None
    assert loss.risk_of_best(Normal(0.0, 1.0)) is None
    with pytest.raises(InputError, match="no actions"):
        loss.listed(Normal(0.0, 1.0), None)


def test_names():
    assert names_of(None, 3) == (0, 1, 2)
    assert names_of(["a", "b"], 2) == ("a", "b")
    with pytest.raises(InputError, match="3 actions, but 2 rows"):
        names_of(["a", "b", "c"], 2)

"""Costs of classes: by hand, and the rule of rejecting."""

import numpy as np
import pytest

from credo.beliefs import Bernoulli, Categorical, Normal
from credo.decide.actions import Costs, ZeroOne
from credo.errors import InputError, UndefinedError

COSTS = [[0.0, 10.0], [1.0, 0.0], [2.0, 2.0]]  # wait, treat, refer, at healthy and ill


def test_expected_costs_by_hand():
    belief = Categorical([[0.8, 0.2], [0.95, 0.05]])
    np.testing.assert_allclose(Costs(COSTS).risks(belief, (0, 1, 2)), [[2.0, 0.8, 2.0], [0.5, 0.95, 2.0]])
    np.testing.assert_allclose(Costs(COSTS).risks(Bernoulli(0.2), (0, 1, 2)), [2.0, 0.8, 2.0])
    np.testing.assert_allclose(ZeroOne(reject=0.3).risks(belief, (0, 1, 2)), [[0.2, 0.8, 0.3], [0.05, 0.95, 0.3]])
    np.testing.assert_array_equal(Costs(COSTS).of("any", np.array([0, 1, 1]), 1), [1.0, 0.0, 0.0])


def test_actions_are_rows():
    assert ZeroOne().listed(Categorical([0.2, 0.3, 0.5]), None) == (0, 1, 2)
    assert ZeroOne(0.1).listed(Bernoulli(0.5), ["no", "yes"]) == ("no", "yes", "reject")
    assert Costs(COSTS).listed(Bernoulli(0.5), None) == (0, 1, 2)
    assert Costs(COSTS) == Costs(np.array(COSTS))


@pytest.mark.parametrize("matrix", [[1.0, 2.0], [[np.nan, 1.0]], np.zeros((0, 2)), [[np.inf, 1.0]]])
def test_bad_tables(matrix):
    with pytest.raises(InputError, match="Costs"):
        Costs(matrix)


def test_bad_beliefs_and_costs_of_rejecting():
    with pytest.raises(InputError, match="2 columns, but the belief 3 classes"):
        Costs(COSTS).listed(Categorical([0.2, 0.3, 0.5]), None)
    with pytest.raises(UndefinedError, match="no belief over classes"):
        ZeroOne().listed(Normal(0.0, 1.0), None)
    for reject in (np.nan, "0.1"):
        with pytest.raises(InputError, match="reject"):
            ZeroOne(reject)


def test_costs_of_rejecting_may_be_numpys():
    belief = Categorical([0.5, 0.5])
    np.testing.assert_allclose(ZeroOne(reject=np.float32(0.25)).risks(belief, (0, 1, 2)), [0.5, 0.5, 0.25])
    np.testing.assert_allclose(Costs([[0.0, 1.0]], reject=np.int64(2)).risks(belief, (0, 1)), [0.5, 2.0])

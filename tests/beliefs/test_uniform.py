"""Uniform: both ends belong to it."""

import numpy as np
import pytest

from credo.beliefs import Uniform
from credo.errors import InputError


def test_both_ends_belong_to_it():
    np.testing.assert_allclose(Uniform(1.0, 3.0).log_prob(np.array([1.0, 3.0])), -np.log(2.0))
    np.testing.assert_array_equal(Uniform(1.0, 3.0).quantile(np.array([0.0, 1.0])), [1.0, 3.0])


def test_far_from_zero_draws_stay_inside():
    draws = Uniform(1e9, 1e9 + 1.0).sample(1000, random_state=0)
    assert np.all((draws >= 1e9) & (draws <= 1e9 + 1.0))


@pytest.mark.parametrize(("low", "high"), [(1.0, 1.0), (2.0, 1.0)])
def test_ends_out_of_order_are_refused(low, high):
    with pytest.raises(InputError, match="not below"):
        Uniform(low, high)

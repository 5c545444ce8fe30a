"""The kernels that ignore where points are."""

import numpy as np
import pytest

from credo.errors import InputError
from credo.kernels import Constant, White
from credo.numerics import Fixed, flatten

X = np.array([[0.0, 1.0], [2.0, 1.0], [0.0, 1.0]])


def test_constant_is_one_number_and_white_noise_is_of_the_point():
    np.testing.assert_array_equal(Constant(0.3)(X, X[:2]), np.full((3, 2), 0.3))
    np.testing.assert_array_equal(White(0.3)(X, X[:2]), 0.3 * np.array([[1, 0], [0, 1], [1, 0]]))
    np.testing.assert_array_equal(White(0.3)(X), 0.3 * np.array([[1, 0, 1], [0, 1, 0], [1, 0, 1]]))


def test_a_held_constant_is_a_number_in_text_and_nothing_to_learn():
    assert Constant(Fixed(2.0)).held_text() == "2"
    assert Constant(2.0).held_text() == ""
    assert flatten(Constant(Fixed(2.0))).vector.size == 0


def test_a_negative_variance_is_refused():
    with pytest.raises(InputError, match="variance is -1"):
        White(-1.0)

"""Hamming distance of category codes, counted one by one."""

import numpy as np
import pytest

from credo.errors import InputError
from credo.kernels import Hamming

RNG = np.random.default_rng(0)
X, Z = RNG.integers(0, 3, size=(7, 3)), RNG.integers(0, 3, size=(4, 3))


def test_every_difference_is_a_factor():
    scales = [0.5, 1.0, 2.0]
    expected = [[0.8 * np.exp(-np.sum((x != z) / np.array(scales))) for z in Z] for x in X]
    np.testing.assert_allclose(Hamming(0.8, scales)(X, Z), expected, rtol=1e-13)


def test_codes_are_names():
    renamed = np.array([17.0, -3.0, 40.0])
    np.testing.assert_array_equal(Hamming()(renamed[X], renamed[Z]), Hamming()(X, Z))


def test_what_is_not_a_code_is_refused():
    with pytest.raises(InputError, match=r"Hamming: 0\.5 is not the code of a category.*Pass codes as whole numbers"):
        Hamming()([[0.0, 1.0], [0.5, 1.0]])


def test_length_scales_that_do_not_fit():
    with pytest.raises(InputError, match="2 length-scales"):
        Hamming(lengthscale=np.ones(2))(X)

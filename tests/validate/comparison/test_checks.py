"""Losses that cannot be compared are refused, with what is wrong with them."""

import numpy as np
import pytest

from credo.errors import InputError, UndefinedError
from credo.validate.comparison import checks


def test_losses_become_a_vector_of_doubles():
    losses = checks.checked_losses("w", "losses", [1, 2, True])
    assert losses.dtype == np.float64
    assert losses.tolist() == [1.0, 2.0, 1.0]


@pytest.mark.parametrize(
    ("values", "words"),
    [
        ([], "shape"),
        ([1.0], "at least 2"),
        ([[1.0, 2.0]], r"shape \(1, 2\)"),
        (3.0, "shape"),
        ([1.0, np.nan, 2.0], "nan at row 1"),
        ([1.0, 2.0, -np.inf], "inf at row 2"),
        (["a", "b"], "not made of numbers"),
    ],
)
def test_bad_losses_are_refused(values, words):
    with pytest.raises(InputError, match=words):
        checks.checked_losses("who", "losses", values)


def test_pairs_have_equal_length():
    with pytest.raises(InputError, match="3 losses of a and 2 of b"):
        checks.checked_pair("who", [1, 2, 3], [1, 2])
    a, b = checks.checked_pair("who", [1], [2], least=1)
    assert (a[0], b[0]) == (1.0, 2.0)


@pytest.mark.parametrize("value", [0.0, 1.0, -0.1, 5, np.nan])
def test_probabilities_are_strictly_inside(value):
    with pytest.raises(InputError, match="level is"):
        checks.checked_probability("who", "level", value)


def test_sizes_are_counts():
    assert checks.checked_sizes("who", 90, 10) == pytest.approx(1 / 9)
    for sizes in ((0, 10), (10, 0), (np.nan, 1), (np.inf, 1)):
        with pytest.raises(InputError, match="train_size"):
            checks.checked_sizes("who", *sizes)


def test_constant_means_constant_to_rounding():
    steps = np.array([0.3, 0.6, 0.9, 1.2])
    with pytest.raises(UndefinedError, match="all 4 differences are"):
        checks.refuse_constant("who", (steps + 0.1) - steps, 1.3, "Try more")
    checks.refuse_constant("who", np.array([0.1, 0.1, 0.1 + 1e-9]), 0.1, "Try more")

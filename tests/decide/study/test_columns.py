"""Units of columns that do not depend on the points, and kernels over numbers and codes."""

import numpy as np
import pytest

from credo.decide.study.columns import codes_and_numbers, in_units, over_columns, units_of
from credo.kernels import Hamming, Matern52
from credo.represent.space import Choice, Integer, Real, Space

MIXED = Space({"a": Real(0, 1), "kind": Choice("x", "y", "z"), "n": Integer(1, 5)})


def test_numbers_that_are_spread_evenly_have_a_standard_deviation_of_one_and_codes_stay():
    rows = MIXED.sample_rows(4096, 0)
    scaled = in_units(MIXED, rows)
    assert abs(np.std(scaled[:, 0]) - 1.0) < 0.01
    assert abs(np.mean(scaled[:, 0])) < 0.01
    np.testing.assert_array_equal(scaled[:, 1], rows[:, 1])
    shift, scale = units_of(MIXED)
    np.testing.assert_allclose(shift + scale * scaled, rows, atol=1e-15)


def test_codes_and_numbers_have_kernels_of_their_own():
    assert codes_and_numbers(MIXED) == ((1,), (0, 2))
    kernel = over_columns(MIXED, lambda p: Matern52(lengthscale=np.ones(p)), lambda c: Hamming(lengthscale=np.ones(c)))
    rows = np.array([[0.1, 0.0, 0.5], [0.1, 2.0, 0.5], [0.4, 0.0, 0.5]])
    k = np.asarray(kernel(rows))
    assert k[0, 1] == pytest.approx(np.exp(-1.0))
    assert k[0, 2] == pytest.approx(float(Matern52()([[0.1]], [[0.4]])[0, 0]))
    only = Space({"kind": Choice("x", "y")})
    alone = over_columns(only, lambda p: Matern52(), lambda c: Hamming(lengthscale=np.ones(c)))
    assert float(alone([[0.0]], [[1.0]])[0, 0]) == pytest.approx(np.exp(-1.0))

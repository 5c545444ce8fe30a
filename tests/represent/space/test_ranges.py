"""Ranges of numbers: the formulas of the column by hand, whole numbers by counting, and every bad bound."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from credo.errors import InputError
from credo.represent.space import Integer, Real


def test_columns_by_hand():
    np.testing.assert_allclose(Real(2, 10).encode([2, 4, 10]), [0.0, 0.25, 1.0])
    np.testing.assert_allclose(Real(1e-4, 1, log=True).encode([1e-4, 1e-3, 1e-2, 1.0]), [0, 0.25, 0.5, 1], atol=1e-15)
    np.testing.assert_allclose(Integer(0, 10).encode([0, 3, np.int64(10)]), [0.0, 0.3, 1.0])
    np.testing.assert_allclose(Integer(1, 16, log=True).encode([1, 2, 4, 16]), [0.0, 0.25, 0.5, 1.0])
    assert Integer(0, 10).column("k") == ("k", "integer", 11, 0.1, None)
    assert Integer(1, 16, log=True).column("k").step is None
    assert Real(0, 1).column("x")[:3] == ("x", "continuous", None)


@given(
    st.floats(-1e12, 1e12),
    st.floats(1e-6, 1e12),
    st.lists(st.floats(0.0, 1.0), min_size=1, max_size=9),
)
def test_numbers_stay_between_the_bounds_and_come_back(low, width, places):
    parameter = Real(low, low + width) if low + width > low else Real(0, 1)
    values = parameter.decode(np.array([0.0, *places, 1.0]))
    assert values[0] == parameter.low
    assert values[-1] == parameter.high
    assert all(parameter.why_not(value) is None and type(value) is float for value in values)
    again = parameter.decode(parameter.encode(values))
    np.testing.assert_allclose(again, values, rtol=1e-12, atol=1e-12 * max(abs(low), width))


@given(st.integers(1, 2**40 - 2), st.integers(1, 2**39), st.booleans(), st.data())
def test_whole_numbers_come_back_exactly(low, width, log, data):
    parameter = Integer(low, min(low + width, 2**40), log=log)
    values = data.draw(st.lists(st.integers(parameter.low, parameter.high), max_size=9))
    values += [parameter.low, parameter.high]
    back = parameter.decode(parameter.encode(values))
    assert back == values
    assert all(type(value) is int for value in back)


def test_whole_numbers_come_up_equally_often_or_by_their_share_of_the_log():
    unit = (np.arange(30_000) + 0.5) / 30_000
    counts = np.bincount(Integer(3, 8).decode(Integer(3, 8).place(unit)))[3:]
    np.testing.assert_array_equal(counts, 5000)
    parameter = Integer(1, 50, log=True)
    counts = np.bincount(parameter.decode(parameter.place(unit)), minlength=51)[1:]
    share = np.log((np.arange(1, 51) + 0.5) / (np.arange(1, 51) - 0.5)) / np.log(50.5 / 0.5)
    np.testing.assert_allclose(counts / 30_000, share, atol=1e-4)
    assert stats.entropy(counts, share) < 1e-4


@pytest.mark.parametrize("kind", [Real, Integer])
@pytest.mark.parametrize(
    ("bounds", "says"),
    [
        ((5, 1), "swapped"),
        ((2, 2), "nothing to choose"),
        ((0, math.inf), "finite"),
        ((math.nan, 1), "finite"),
        (("0", 1), "finite"),
        ((False, 1), "finite"),
        ((0, 10, True), "log scale"),
        ((-1, 10, True), "log scale"),
        ((1, 10, "yes"), "neither True nor False"),
    ],
)
def test_bad_bounds(kind, bounds, says):
    with pytest.raises(InputError, match=says):
        kind(*bounds)


def test_more_bad_bounds():
    with pytest.raises(InputError, match="whole number"):
        Integer(0.5, 3)
    with pytest.raises(InputError, match=r"2\*\*40"):
        Integer(0, 2**41)
    with pytest.raises(InputError, match="too far"):
        Real(-1.7e308, 1.7e308)


@pytest.mark.parametrize(
    ("parameter", "value", "says"),
    [
        (Real(0, 5), 7, "is 7, above 5"),
        (Real(0, 5), -0.1, "is -0.1, below 0"),
        (Real(0, 5), "7", "is '7', which is no finite number"),
        (Real(0, 5), True, "is True, which is no finite number"),
        (Real(0, 5), math.nan, "is nan"),
        (Real(0, 5), None, "is None"),
        (Integer(0, 5), 2.5, "not whole"),
        (Integer(0, 5), 6, "above 5"),
        (Real(1, 5, log=True), -1, "log scale"),
    ],
)
def test_a_reason_for_each_bad_value(parameter, value, says):
    assert says in parameter.why_not(value)
    assert parameter.first_refused([3, 3.0, value]) == (2, parameter.why_not(value))
    assert parameter.first_refused([]) is None


def test_outside_only_the_bounds_are_let_go():
    assert Real(0, 5).why_not(7.0, outside=True) is None
    assert Integer(0, 5).first_refused([7, 2], outside=True) is None
    np.testing.assert_allclose(Real(0, 5).encode([7.5]), [1.5])
    assert "log scale" in Real(1, 5, log=True).why_not(0.0, outside=True)
    assert "not whole" in Integer(0, 5).why_not(7.5, outside=True)

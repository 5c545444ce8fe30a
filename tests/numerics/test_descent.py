"""Descents against SciPy's from the same places, and what they do where a function has no value."""

import numpy as np
import pytest
from scipy.optimize import minimize, rosen, rosen_der

from credo.numerics.descent import descended

RNG = np.random.default_rng(0)
BOWL = np.array([[3.0, 0.4, 0.0], [0.4, 30.0, -2.0], [0.0, -2.0, 0.7]])
BOTTOM = np.array([0.3, -1.0, 2.0])


def bowl(x):
    away = x - BOTTOM
    return 0.5 * float(away @ BOWL @ away), BOWL @ away


def banana(x):
    return float(rosen(x)), rosen_der(x)


def test_one_step_ends_at_the_bottom_of_a_bowl_whose_curvature_is_known():
    seen = []

    def counted(x):
        seen.append(x)
        return bowl(x)

    end = descended(counted, np.zeros(3), np.linalg.inv(BOWL), left=1e-12, longest=10.0, steps=20)
    np.testing.assert_allclose(end.x, BOTTOM, atol=1e-10)
    assert len(seen) == 2
    np.testing.assert_allclose(end.inverse, np.linalg.inv(BOWL), rtol=1e-6)


@pytest.mark.parametrize("start", [[-1.2, 1.0], [2.0, -1.0], [0.0, 3.0]])
def test_comes_to_the_minimum_that_scipy_finds_and_learns_its_curvature(start):
    end = descended(banana, np.array(start), np.eye(2), left=1e-14, longest=0.5, steps=200)
    wanted = minimize(rosen, start, jac=rosen_der, method="BFGS", options={"gtol": 1e-10})
    np.testing.assert_allclose(end.x, wanted.x, atol=1e-5)
    assert end.loss == banana(end.x)[0]
    np.testing.assert_allclose(end.inverse, wanted.hess_inv, rtol=0.3)


def test_it_stops_where_no_more_than_that_is_left():
    inverse = np.linalg.inv(BOWL)
    near = BOTTOM + 0.01 * RNG.normal(size=3)
    assert bowl(near)[0] < 0.1
    end = descended(bowl, near, inverse, left=0.1, longest=1.0, steps=20)
    np.testing.assert_array_equal(end.x, near)


def test_no_step_is_longer_than_the_longest():
    seen = [np.zeros(3)]

    def watched(x):
        seen.append(x)
        return bowl(x)

    descended(watched, np.zeros(3), 100.0 * np.eye(3), left=1e-9, longest=0.25, steps=300)
    assert np.max(np.abs(np.diff(seen, axis=0))) < 0.5  # from one trial of a step to the next
    assert np.max(np.abs(seen[2] - seen[1])) == pytest.approx(0.25)


def test_places_without_a_value_are_not_entered():
    def holed(x):
        value, slope = bowl(x)
        return (value, slope) if x[2] < 1.0 else (float("nan"), np.full(3, np.nan))

    end = descended(holed, np.zeros(3), np.linalg.inv(BOWL), left=1e-9, longest=10.0, steps=60)
    assert end.x[2] < 1.0
    assert end.loss < bowl(np.zeros(3))[0]
    assert np.all(np.isfinite(end.inverse))

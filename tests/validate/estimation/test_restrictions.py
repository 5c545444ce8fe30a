"""Restrictions: their equations, the points that satisfy them, and the search along a curved one."""

import jax.numpy as jnp
import numpy as np
import pytest

from credo.errors import InputError, NumericalError
from credo.validate.estimation.restrictions import Linear, Nonlinear, as_restriction, search_nonlinear

START = jnp.array([1.0, 2.0, 3.0])


def test_linear_ones_and_their_solutions():
    H = np.array([[1.0, 1.0, 0.0], [0.0, 1.0, -1.0]])
    restriction = as_restriction("t", H, [2.0, 0.5], START)
    assert isinstance(restriction, Linear)
    np.testing.assert_allclose(restriction.at(START), [1.0, -1.5])
    np.testing.assert_allclose(restriction.jacobian(START), H)
    origin, basis = restriction.solutions(np.asarray(START))
    assert basis.shape == (3, 1)
    np.testing.assert_allclose(H @ (origin + 7.0 * basis[:, 0]), [2.0, 0.5], atol=1e-12)
    # The nearest point: what is left of the way to the start has no part along the solutions.
    np.testing.assert_allclose(basis.T @ (origin - np.asarray(START)), 0.0, atol=1e-12)


def test_curved_ones():
    restriction = as_restriction("t", lambda t: t[0] * t[1], 6.0, START)
    assert isinstance(restriction, Nonlinear)
    np.testing.assert_allclose(restriction.at(START), [-4.0])
    np.testing.assert_allclose(restriction.jacobian(START), [[2.0, 1.0, 0.0]])


def _distance(u, shared, own):
    origin, basis, target = shared
    return jnp.sum((origin + basis @ u - target) ** 2)


def test_the_point_of_a_circle_nearest_to_another():
    circle = as_restriction("t", lambda t: jnp.sum(t**2), 1.0, START[:2])
    found, _ = search_nonlinear("t", _distance, jnp.array([3.0, 4.0]), START[:2], circle)
    np.testing.assert_allclose(found, [0.6, 0.8], atol=1e-5)


def test_what_is_refused():
    with pytest.raises(InputError, match="combination of 3 parameters"):
        as_restriction("t", np.eye(2), 0.0, START)
    with pytest.raises(InputError, match="not independent"):
        as_restriction("t", np.ones((2, 3)), 0.0, START)
    with pytest.raises(InputError, match="values for 1 rows"):
        as_restriction("t", np.ones((1, 3)), [1.0, 2.0], START)
    with pytest.raises(InputError, match="not independent"):
        as_restriction("t", lambda t: jnp.array(1.0), 0.0, START)
    never = as_restriction("t", lambda t: jnp.sum(t**2), -1.0, START)
    with pytest.raises(NumericalError, match="no maximum under the hypothesis"):
        search_nonlinear("t", _distance, jnp.zeros(3), START, never)

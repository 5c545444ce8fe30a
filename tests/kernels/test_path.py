"""Brownian motion: its covariance by increments, on both sides of zero."""

import jax
import numpy as np
import pytest

from credo.errors import InputError
from credo.kernels import Brownian

T = np.array([-2.0, -0.5, 0.0, 0.7, 1.5, 3.0])


def test_increments_have_variance_in_proportion_to_time():
    """The covariance follows from B(0) = 0 and Var(B(s) - B(t)) = σ² |s - t|."""
    expected = 0.7 * 0.5 * (np.abs(T)[:, None] + np.abs(T)[None, :] - np.abs(T[:, None] - T[None, :]))
    np.testing.assert_allclose(Brownian(0.7)(T[:, None]), expected, atol=1e-15)


def test_increments_are_independent():
    kernel = np.asarray(Brownian(0.7)(T[:, None]))
    changes = np.diff(np.eye(len(T)), axis=0)
    np.testing.assert_allclose(changes @ kernel @ changes.T, 0.7 * np.diag(np.diff(T)), atol=1e-15)


def test_derivative_is_the_mean_of_both_sides_where_points_coincide():
    slope = jax.grad(lambda s: Brownian(0.7).of(s, 1.5))
    np.testing.assert_allclose([slope(1.4), slope(1.5), slope(1.6)], [0.7, 0.35, 0.0])


def test_time_is_one_column():
    with pytest.raises(InputError, match="X has 2 columns, but Brownian is on one, time"):
        Brownian()(np.zeros((3, 2)))

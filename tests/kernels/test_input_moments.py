"""Moments of covariances over uncertain inputs, and the noise they add, against quadrature in NumPy."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from credo.kernels import RBF, Constant, Expected, Hamming, Linear, On, Periodic, input_moments
from kernels.uncertain_inputs import GRID, ROW, WEIGHT, Z, over

RNG = np.random.default_rng(1)


def covariance_over_input(kernel, row, rows):
    return input_moments.covariance_over_input(kernel, jnp.asarray(row), jnp.asarray(rows))


CLOSED = {
    "RBF": RBF(0.8, [0.7, 1.5]),
    "lines": Linear([0.5, 2.0], [0.3, -0.2]) + 0.5,
    "sums": 2.0 * (RBF(0.8, 1.1) + On(RBF(0.5, 0.9), [-1])) + Constant(0.1) + Linear(0.3),
    "separate columns": On(RBF(0.8, 0.7), [0]) * On(Linear(0.5, 1.2) + 0.3, [1]) * 2.0,
}


@pytest.mark.parametrize("kernel", CLOSED.values(), ids=CLOSED.keys())
def test_closed_forms_equal_a_fine_quadrature(kernel):
    """Of points z that are uncertain themselves, half of them."""
    cross = lambda x: np.stack([over(z, lambda other, x=x: np.asarray(kernel(other, x))) for z in Z], axis=1)  # noqa: E731
    q = cross(ROW[:2] + np.sqrt(ROW[2:]) * GRID)
    mean = WEIGHT @ q
    expected = (WEIGHT[:, None] * q).T @ q - np.outer(mean, mean)
    found = jax.jit(lambda row: covariance_over_input(Expected(kernel, nodes=1), row, jnp.asarray(Z)))(ROW)
    np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-12)


def test_quadrature_where_there_is_no_closed_form():
    kernel = Periodic(0.8, 2.5, 6.0)
    q = np.asarray(kernel(ROW[:2] + np.sqrt(ROW[2:]) * GRID, Z[::2, :2]))
    expected = (WEIGHT[:, None] * q).T @ q - np.outer(WEIGHT @ q, WEIGHT @ q)
    np.testing.assert_allclose(covariance_over_input(Expected(kernel, nodes=10), ROW, Z[::2]), expected, atol=1e-6)


def test_quadrature_with_uncertain_points_beside_other_kernels():
    """As a sum of Expected and a factor on a category, of points that are uncertain themselves."""
    rows = np.hstack([Z[:, [0, 2]], RNG.integers(0, 2, size=(6, 1))])
    row, kernel = np.array([0.3, 0.5, 1.0]), RBF(0.8, 1.3) * RBF(1.0, 2.0)
    factor = np.asarray(Hamming(1.3)(row[None, 2:], rows[:, 2:]))[0]
    merged = RBF(0.8, (1.3**-2 + 2.0**-2) ** -0.5)  # the same product, which has a closed form
    alone = np.asarray(covariance_over_input(Expected(merged), row[:2], rows[:, :2]))
    whole = On(Expected(kernel, nodes=20), [0, 1]) * On(Hamming(1.3), [2]) + On(Hamming(), [2])
    found = covariance_over_input(whole, row, rows)
    np.testing.assert_allclose(found, np.outer(factor, factor) * alone, atol=1e-8)


def test_other_kernels_beside_it_and_exact_rows():
    """A category beside the uncertain number: a factor, known exactly."""
    rows = np.hstack([Z[:, [0, 2]], RNG.integers(0, 2, size=(6, 1))])
    kernel = On(Expected(RBF(0.8, 0.7)), [0, 1]) * On(Hamming(1.3), [2]) + On(Hamming(), [2])
    row = np.array([0.3, 0.5, 1.0])
    factor = np.asarray(Hamming(1.3)(row[None, 2:], rows[:, 2:]))[0]
    alone = np.asarray(covariance_over_input(Expected(RBF(0.8, 0.7)), row[:2], rows[:, :2]))
    np.testing.assert_allclose(covariance_over_input(kernel, row, rows), np.outer(factor, factor) * alone, rtol=1e-9)
    exact = covariance_over_input(kernel, row * [1.0, 0.0, 1.0], rows)
    np.testing.assert_allclose(exact, np.zeros((6, 6)), atol=1e-15)

"""Means over Gaussian inputs against quadrature in NumPy: the variance of f, and the noise that an input adds."""

import jax.numpy as jnp
import numpy as np
import pytest

from credo.errors import InputError, UndefinedError
from credo.kernels import RBF, Constant, Expected, Linear, Matern32, On, Polynomial, White
from credo.kernels.gaussian_inputs import Gaussians, are_independent, normal_grid
from kernels.uncertain_inputs import ROW, Z, over


@pytest.mark.parametrize(
    "kernel",
    [
        RBF(0.8, [0.7, 1.5]) + Constant(0.1),
        Linear([0.5, 2.0], [0.3, -0.2]) + 0.5,
        On(RBF(0.8, 0.7), [0]) * On(Linear(0.5, 1.2) + 0.3, [1]) * 2.0,
        Polynomial(2, 0.4, 0.7),
        RBF() * Matern32() + White(0.3),
        On(RBF(), [0]) * On(Matern32(0.5), [1]),
    ],
)
def test_input_noise_is_the_mean_variance_less_that_of_the_mean(kernel):
    rows = jnp.asarray(np.vstack([ROW, Z]))
    within = np.array([over(row, lambda x: kernel.diagonal(jnp.asarray(x))) for row in np.asarray(rows)])
    expected = Expected(kernel, nodes=8)
    np.testing.assert_allclose(expected.input_noise(rows), within - np.asarray(expected.diagonal(rows)), atol=1e-12)
    assert np.all(np.asarray(expected.input_noise(jnp.asarray(Z[::2]))) == 0.0)
    assert np.all(np.asarray(Expected(kernel, averages=True).input_noise(rows)) == 0.0)


def test_what_is_not_an_average_of_one_function_is_refused():
    """E k₁ E k₂ and exp E k are kernels, but not the covariance of an average."""
    with pytest.raises(UndefinedError, match="two factors average over the uncertain column 0"):
        (Expected(RBF()) * Expected(Linear())).input_noise(jnp.asarray(Z))
    with pytest.raises(UndefinedError, match="Expected as the outermost kernel"):
        Expected(RBF()).exp().input_noise(jnp.asarray(Z))
    with pytest.raises(InputError, match="needs a grid"):
        Expected(Polynomial(2)).input_noise(jnp.ones((2, 8)))


def test_the_grid_has_the_moments_of_the_distributions():
    x = Gaussians.of_rows(jnp.asarray(np.vstack([ROW, Z])))
    standard, weights = normal_grid(RBF(), 2, 3)
    points = np.asarray(x.at(standard))
    mean = np.einsum("q,nqd->nd", weights, points)
    np.testing.assert_allclose(mean, x.mean, atol=1e-14)
    np.testing.assert_allclose(np.einsum("q,nqd->nd", weights, (points - mean[:, None]) ** 2), x.variance, atol=1e-14)


def test_factors_that_share_a_column_are_dependent():
    assert are_independent((On(RBF(), [0]), On(Linear(), [-1]), Constant(), White()), 2)
    assert not are_independent((On(RBF(), [1]), On(Linear(), [-1])), 2)
    assert not are_independent((RBF(), On(Linear(), [0])), 2)

"""Expected covariances against quadrature, simulation and their limits."""

import equinox as eqx
import jax
import numpy as np
import pytest

from credo.errors import InputError
from credo.kernels import (
    RBF,
    Constant,
    Diffusion,
    Expected,
    Hamming,
    Linear,
    Matern12,
    Matern52,
    On,
    Periodic,
    White,
)

RNG = np.random.default_rng(0)
MEANS, VARIANCES = RNG.normal(size=(5, 2)), RNG.uniform(0.1, 0.8, size=(5, 2))
NOISY = np.hstack([MEANS, VARIANCES])
EXACT = np.hstack([MEANS, np.zeros((5, 2))])


def by_quadrature(kernel, rows, nodes=20):
    """The mean over two grids of Gauss–Hermite nodes, in NumPy."""
    z, w = np.polynomial.hermite_e.hermegauss(nodes)
    grid = np.stack(np.meshgrid(z, z, indexing="ij"), -1).reshape(-1, 2)
    weight = np.outer(w, w).ravel() / (2.0 * np.pi)
    at = [row[:2] + np.sqrt(row[2:]) * grid for row in rows]
    return np.array([[weight @ np.asarray(kernel(a, b)) @ weight for b in at] for a in at])


@pytest.mark.parametrize(
    "kernel",
    [
        RBF(0.8, [0.7, 1.5]),
        Linear([0.5, 2.0], [0.3, -0.2]) + 0.5,
        2.0 * (RBF(0.8, 1.1) + On(RBF(0.5, 0.9), [-1])) + Constant(0.1),
        On(RBF(0.8, 0.7), [0]) * On(RBF(0.5, 1.2) + 0.3, [1]) * 2.0,
        Periodic(0.8, 1.5, 3.0),
    ],
    ids=["RBF", "lines", "sums", "separate columns", "periodic"],
)
def test_equals_a_fine_quadrature(kernel):
    nodes = 20 if isinstance(kernel, Periodic) else 2  # closed forms use none
    np.testing.assert_allclose(Expected(kernel, nodes=nodes)(NOISY), by_quadrature(kernel, NOISY), rtol=1e-9)


@pytest.mark.parametrize("kernel", [RBF(0.8, [0.7, 1.5]), Matern52(0.8) * RBF()], ids=["closed form", "quadrature"])
def test_without_variances_it_is_the_kernel(kernel):
    np.testing.assert_allclose(Expected(kernel, nodes=3)(EXACT), kernel(MEANS), rtol=1e-12)


def test_equals_a_simulation():
    """A kink, which quadrature rounds off: 2e5 draws have an error of 1e-3."""
    draws = np.random.default_rng(1).normal(size=(2, 200_000, 2))
    x, z = (row[:2] + np.sqrt(row[2:]) * side for row, side in zip(NOISY[:2], draws, strict=True))
    mean = np.mean(np.exp(-np.linalg.norm(x - z, axis=1)))
    np.testing.assert_allclose(Expected(Matern12(), nodes=20)(NOISY[:2])[0, 1], mean, atol=4e-3)


def test_white_noise_stays_only_with_points_that_are_known():
    rows = np.vstack([EXACT[:2], EXACT[:1], NOISY[:2], NOISY[:1]])
    found = np.asarray(Expected(White(0.3) * RBF() + White(0.2))(rows))
    expected = np.zeros((6, 6))
    expected[np.ix_([0, 2], [0, 2])] = expected[1, 1] = 0.5
    np.testing.assert_allclose(found, expected, atol=1e-15)


def test_derivative_in_a_variance_that_is_zero_in_closed_form():
    kernel = Expected(RBF())
    row = np.array([0.5, 0.0])
    found = jax.jit(jax.grad(lambda v: kernel.of(np.array([0.0, 1.0]) * v, row)))(0.0)
    curvature = np.exp(-0.125) * (0.25 - 1.0)  # of the RBF at distance 1/2: half of it a unit of variance
    np.testing.assert_allclose(found, 0.5 * curvature, rtol=1e-12)


def test_names_must_be_known():
    mixed = On(RBF(), [0]) * On(Hamming(), [1])
    rows = np.array([[0.3, 1.0, 0.5, 0.0], [0.1, 2.0, 0.5, 0.0]])
    expected = Expected(RBF())(rows[:, [0, 2]]) * Hamming()(rows[:, [1]])
    np.testing.assert_allclose(Expected(mixed)(rows), expected, rtol=1e-13)
    rows[0, 3] = 0.1
    with pytest.raises(InputError, match="column 1 is a code, but a row has a variance for it"):
        Expected(mixed)(rows)
    assert np.all(np.isnan(eqx.filter_jit(Expected(mixed).cross)(rows, rows)[0]))
    with pytest.raises(InputError, match="5 is no node"):
        Expected(On(Diffusion(np.eye(2)), [0]))([[5.0, 0.0]])


def test_what_is_refused():
    with pytest.raises(InputError, match="X has 3 columns, but Expected takes the means and the variances"):
        Expected(RBF())(np.zeros((2, 3)))
    with pytest.raises(InputError, match=r"variance -0\.5"):
        Expected(RBF())([[0.0, -0.5]])
    with pytest.raises(InputError, match=r"Matern52 in 4 columns needs a grid of 10\^4 nodes"):
        Expected(Matern52())(np.zeros((2, 8)))
    with pytest.raises(InputError, match="nodes=0"):
        Expected(RBF(), nodes=0)
    with pytest.raises(InputError, match="3 length-scales"):
        Expected(RBF(1.0, np.ones(3)))(NOISY)

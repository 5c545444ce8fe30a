"""Periodic kernels against scikit-learn, the plain formula and a numerical Fourier transform."""

import numpy as np
import pytest
from scipy import stats
from sklearn.gaussian_process.kernels import ExpSineSquared

from credo.errors import InputError
from credo.kernels import Cosine, Periodic, SpectralMixture

X = np.random.default_rng(0).normal(size=(6, 2))
Z = np.random.default_rng(1).normal(size=(4, 2))
GAPS = X[:, None, :] - Z[None, :, :]


def test_periodic_equals_scikit_learn_in_one_column():
    peer = 1.5 * ExpSineSquared(length_scale=0.8, periodicity=2.5)
    np.testing.assert_allclose(Periodic(1.5, 0.8, 2.5)(X[:, :1], Z[:, :1]), peer(X[:, :1], Z[:, :1]), rtol=1e-12)


def test_periodic_in_several_columns_is_the_product():
    scales, periods = np.array([0.8, 1.3]), np.array([2.5, 0.7])
    expected = 1.5 * np.exp(-2.0 * np.sum(np.sin(np.pi * GAPS / periods) ** 2 / scales**2, axis=-1))
    np.testing.assert_allclose(Periodic(1.5, scales, periods)(X, Z), expected, rtol=1e-12)


def test_a_period_further_the_function_is_the_same():
    kernel = Periodic(1.5, 0.8, [2.5, 0.7])
    np.testing.assert_allclose(kernel(X + np.array([2.5, -3 * 0.7]), Z), kernel(X, Z), rtol=1e-12)


def test_cosine_is_a_plane_wave():
    periods = np.array([2.5, 0.7])
    expected = 0.5 * np.cos(2.0 * np.pi * np.sum(GAPS / periods, axis=-1))
    np.testing.assert_allclose(Cosine(0.5, periods)(X, Z), expected, atol=1e-14)


def test_spectral_mixture_is_the_fourier_transform_of_its_gaussians():
    weights, means, scales = (
        np.array([0.5, 1.2]),
        np.array([[0.3, -0.4], [0.0, 0.2]]),
        np.array([[0.1, 0.3], [0.2, 0.1]]),
    )
    grid = np.linspace(-3.0, 3.0, 241)
    first, second = np.meshgrid(grid, grid, indexing="ij")
    density = sum(
        w * stats.norm.pdf(first, m[0], s[0]) * stats.norm.pdf(second, m[1], s[1])
        for w, m, s in zip(weights, means, scales, strict=True)
    )
    gap = GAPS[2, 1]
    phase = 2.0 * np.pi * (first * gap[0] + second * gap[1])
    expected = np.sum(density * np.cos(phase)) * (grid[1] - grid[0]) ** 2
    np.testing.assert_allclose(SpectralMixture(weights, means, scales)(X, Z)[2, 1], expected, rtol=1e-10)


def test_what_is_refused():
    with pytest.raises(InputError, match=r"shapes \(2,\), \(2,\) and \(2, 1\)"):
        SpectralMixture([1.0, 1.0], [0.0, 1.0], [[1.0], [1.0]])
    with pytest.raises(InputError, match=r"Try means and scales of shape \(1, 2\)"):
        SpectralMixture([1.0], [[0.0]], [[1.0]])(X)
    with pytest.raises(InputError, match="3 periods"):
        Cosine(period=np.ones(3))(X)
    with pytest.raises(InputError, match="3 length-scales"):
        Periodic(lengthscale=np.ones(3))(X)

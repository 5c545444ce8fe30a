"""Spectral densities against numerical Fourier transforms of textbook covariances, and their mass against k(0)."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from scipy.integrate import quad
from scipy.special import gamma, ive, j0, kv, kve

from credo.errors import InputError, UndefinedError
from credo.kernels import (
    RBF,
    Constant,
    Cosine,
    Linear,
    Matern12,
    Matern32,
    Matern52,
    On,
    Periodic,
    PolynomialOf,
    RationalQuadratic,
    SpectralMixture,
    White,
)
from credo.kernels.spectral import HARMONICS, periodic_weights, spectral_density, spectral_lines

OMEGA = np.array([0.0, 0.4, 1.7, 6.0])


def matern(nu):
    """Rasmussen and Williams (2006), eq. 4.14, for any ν."""

    def correlation(r):
        a = np.sqrt(2.0 * nu) * max(r, 1e-12)
        return 2.0 ** (1.0 - nu) / gamma(nu) * a**nu * kv(nu, a)

    return correlation


def rational(alpha):
    return lambda r: (1.0 + r**2 / (2.0 * alpha)) ** -alpha


# A kernel of variance 2 and length-scale 0.7, and its correlation as a function of the scaled distance.
RADIAL = {
    "rbf": (RBF(2.0, 0.7), lambda r: np.exp(-0.5 * r**2)),
    "matern12": (Matern12(2.0, 0.7), matern(0.5)),
    "matern32": (Matern32(2.0, 0.7), matern(1.5)),
    "matern52": (Matern52(2.0, 0.7), matern(2.5)),
    "rq": (RationalQuadratic(2.0, 0.7, alpha=1.6), rational(1.6)),
    "rq long": (RationalQuadratic(2.0, 0.7, alpha=3.0), rational(3.0)),
}
on_radial = pytest.mark.parametrize("name", RADIAL)


@on_radial
def test_is_the_fourier_transform_on_a_line(name):
    kernel, correlation = RADIAL[name]

    def transform(omega):
        return 4.0 * quad(lambda r: correlation(r / 0.7), 0.0, np.inf, weight="cos", wvar=omega, limlst=200)[0]

    expected = [transform(omega) for omega in OMEGA[1:]]
    np.testing.assert_allclose(spectral_density(kernel, OMEGA[1:, None]), expected, rtol=1e-6)
    at_zero = 4.0 * quad(lambda r: correlation(r / 0.7), 0.0, np.inf)[0]
    np.testing.assert_allclose(spectral_density(kernel, [[0.0]]), at_zero, rtol=1e-7)


@pytest.mark.parametrize("name", [name for name in RADIAL if name != "rq"])  # which falls off too slowly
def test_is_the_fourier_transform_in_the_plane(name):
    """By the Hankel transform 2π ∫ r k(r) J₀(ωr) dr."""
    kernel, correlation = RADIAL[name]
    rows = np.stack([0.6 * OMEGA, 0.8 * OMEGA], axis=1)
    reach = 100.0 if name.startswith("rq") else 30.0

    def transform(omega):
        panels = np.linspace(0.0, reach, 300)
        nodes, weights = np.polynomial.legendre.leggauss(12)
        r = (panels[:-1, None] + 0.5 * np.diff(panels)[:, None] * (nodes + 1.0)).ravel()
        w = (0.5 * np.diff(panels)[:, None] * weights).ravel()
        values = np.array([correlation(x / 0.7) for x in r])
        return 2.0 * 2.0 * np.pi * np.sum(w * r * values * j0(omega * r))

    expected = [transform(omega) for omega in OMEGA]
    np.testing.assert_allclose(spectral_density(kernel, rows), expected, rtol=1e-6, atol=1e-6)


@on_radial
def test_the_mass_is_the_variance(name):
    kernel, _ = RADIAL[name]
    density = jax.jit(lambda omega: spectral_density(kernel, omega))
    # ω = sinh t makes any power of ω fall off exponentially in t
    t, step = np.linspace(-18.0, 18.0, 1801, retstep=True)
    line = np.asarray(density(np.sinh(t)[:, None])) * np.cosh(t)
    np.testing.assert_allclose(np.sum(line) * step / (2.0 * np.pi), 2.0, rtol=1e-6)
    radius = np.exp(t)
    plane = np.asarray(density(np.stack([radius, np.zeros_like(t)], axis=1))) * radius**2
    np.testing.assert_allclose(np.sum(plane) * step / (2.0 * np.pi), 2.0, rtol=1e-6)


def test_length_scales_by_column():
    """Σ over a grid of k cos(ωᵀr), which is exact to round-off for a smooth k that dies out."""
    kernel = RBF(1.5, [0.5, 1.2])
    axis = np.arange(-12.0, 12.0, 0.1)
    grid = np.stack(np.meshgrid(axis, axis, indexing="ij"), axis=-1).reshape(-1, 2)
    values = 1.5 * np.exp(-0.5 * np.sum((grid / [0.5, 1.2]) ** 2, axis=1))
    omega = np.array([[0.0, 0.0], [1.0, -0.5], [2.5, 1.0]])
    expected = [0.01 * values @ np.cos(grid @ row) for row in omega]
    np.testing.assert_allclose(spectral_density(kernel, omega), expected, rtol=1e-10)


COMPOSED = {
    "mixture": SpectralMixture([1.0, 0.5], [[0.0], [0.3]], [[0.1], [0.2]]),
    "sum": RBF(2.0) + 0.5 * Matern52() + Constant(3.0) * RBF(lengthscale=0.3),
    "product of rbf": RBF(2.0) * RBF(lengthscale=0.5),
    "power": 2.0 * RBF(1.5) ** 3 + Matern32(),
    "wave": Cosine(2.0, period=3.0) * Matern52(),
    "waves": Cosine(period=3.0) * Cosine(period=0.7) * RBF(),
    "season": Periodic(2.0, lengthscale=0.7, period=1.3) * RBF(lengthscale=2.0),
}


@pytest.mark.parametrize("name", COMPOSED)
def test_composed_kernels_on_a_line(name):
    kernel = COMPOSED[name]
    r = np.linspace(-40.0, 40.0, 40001)
    values = np.asarray(kernel(r[:, None], np.zeros((1, 1))))[:, 0]
    expected = [np.trapezoid(values * np.cos(omega * r), r) for omega in OMEGA]
    np.testing.assert_allclose(spectral_density(kernel, OMEGA[:, None]), expected, rtol=1e-5, atol=1e-6)


def test_a_power_inside_jit():
    """Its coefficients are unknown there; a constant term that is zero is none, and one that is not has no density."""
    squared = jax.jit(lambda c: spectral_density(PolynomialOf(RBF(), jnp.array([c, 0.0, 1.0])), jnp.zeros((1, 1)))[0])
    np.testing.assert_allclose(squared(0.0), spectral_density(RBF(lengthscale=2.0**-0.5), np.zeros((1, 1)))[0])
    assert np.isnan(squared(1.0))
    with pytest.raises(UndefinedError, match="does not change along column 0"):
        spectral_density(PolynomialOf(RBF(), jnp.array([1.0, 0.0, 1.0])), np.zeros((1, 1)))


def test_separate_columns_multiply():
    kernel = On(RBF(lengthscale=0.5), [1]) * On(Matern32(2.0), [0]) + RBF(lengthscale=[1.0, 2.0])
    omega = np.array([[0.3, 1.0], [2.0, -0.5]])
    product = spectral_density(RBF(lengthscale=0.5), omega[:, 1:]) * spectral_density(Matern32(2.0), omega[:, :1])
    expected = product + spectral_density(RBF(lengthscale=[1.0, 2.0]), omega)
    np.testing.assert_allclose(spectral_density(kernel, omega), expected, rtol=1e-12)


@pytest.mark.parametrize("d", [1, 2, 3])
@pytest.mark.parametrize("alpha", [0.05, 0.5, 1.5, 30.0])
def test_rational_quadratic_against_the_bessel_function(alpha, d):
    omega = np.array([1e-8, 1e-3, 1.0, 30.0])
    x, order = np.sqrt(2.0 * alpha) * omega, alpha - 0.5 * d
    bessel = 2.0 * kve(abs(order), x) * np.exp(-x) * (omega**2 / (2.0 * alpha)) ** (0.5 * order)
    expected = (2.0 * np.pi) ** (0.5 * d) * alpha**alpha / gamma(alpha) * bessel
    rows = np.zeros((4, d))
    rows[:, 0] = omega
    np.testing.assert_allclose(spectral_density(RationalQuadratic(alpha=alpha), rows), expected, rtol=1e-11)


def test_rational_quadratic_at_its_limits():
    assert np.isinf(spectral_density(RationalQuadratic(alpha=0.5), [[0.0]])[0])
    assert np.isfinite(spectral_density(RationalQuadratic(alpha=0.51), [[0.0]])[0])
    near_gaussian = spectral_density(RationalQuadratic(alpha=1e6), OMEGA[:3, None])
    np.testing.assert_allclose(near_gaussian, spectral_density(RBF(), OMEGA[:3, None]), rtol=1e-5)


@pytest.mark.parametrize("at", [pytest.param(0.0, marks=pytest.mark.slow), 1.0])
def test_gradient_of_the_rational_quadratic(at):
    def of(alpha, lengthscale):
        return spectral_density(RationalQuadratic(1.0, lengthscale, alpha=alpha), jnp.array([[at]]))[0]

    slopes = jax.grad(of, argnums=(0, 1))(2.0, 0.7)
    step = 1e-5
    np.testing.assert_allclose(slopes[0], (of(2.0 + step, 0.7) - of(2.0 - step, 0.7)) / (2 * step), rtol=1e-7)
    np.testing.assert_allclose(slopes[1], (of(2.0, 0.7 + step) - of(2.0, 0.7 - step)) / (2 * step), rtol=1e-7)


def test_lines_of_a_periodic_kernel_are_bessel_functions():
    weights = np.asarray(periodic_weights(jnp.array([0.03, 0.7])))
    expected = ive(np.abs(HARMONICS), 1.0 / np.array([[0.03], [0.7]]) ** 2)
    np.testing.assert_allclose(weights, expected, atol=1e-12)
    frequencies, masses = spectral_lines(Periodic(2.0, lengthscale=0.7, period=1.3), 1)
    r = np.array([[0.0, 0.2, 0.9]])
    expected = Periodic(2.0, lengthscale=0.7, period=1.3)(r.T, np.zeros((1, 1)))[:, 0]
    np.testing.assert_allclose(masses @ np.cos(frequencies @ r), expected, rtol=1e-12)


@pytest.mark.parametrize(
    "kernel",
    [
        Constant(2.0),
        Cosine(),
        Periodic(),
        White(),
        Linear(),
        RBF() + 1.0,
        On(RBF(), [0]),
        Matern12() * Matern32(),
        Cosine() * 2.0,
    ],
    ids=str,
)
def test_no_density(kernel):
    with pytest.raises(UndefinedError, match=r"spectral_density: .* has no spectral density\. .*\. Try"):
        spectral_density(kernel, np.zeros((1, 2)))


def test_refuses_what_does_not_fit():
    with pytest.raises(InputError, match=r"omega has shape \(4,\)"):
        spectral_density(RBF(), OMEGA)
    with pytest.raises(InputError, match="3 length-scales"):
        spectral_density(RBF(lengthscale=[1.0, 2.0, 3.0]), np.zeros((1, 2)))

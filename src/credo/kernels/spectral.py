r"""The spectral density of a stationary kernel (Bochner's theorem), in angular frequency.

One convention throughout, that of Rasmussen and Williams (2006, section 4.2.1) with $\omega = 2\pi s$:

$$k(r) = \int S(\omega)\,e^{i\omega^\top r}\,\frac{d\omega}{(2\pi)^d}, \qquad
S(\omega) = \int k(r)\,e^{-i\omega^\top r}\,dr,$$

so that $\int S\,d\omega/(2\pi)^d = k(0)$, the variance. A kernel that repeats itself for ever (constant, periodic,
cosine) has spectral lines in place of a density; a product with one copies the density of the other factor to every
line.
"""

from functools import singledispatch
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array, lax
from jax.scipy.special import gammaln, logsumexp
from jaxtyping import Float

from credo.errors import InputError, UndefinedError
from credo.kernels.algebra import On, PolynomialOf, Product, Sum
from credo.kernels.base import Kernel
from credo.kernels.constant import Constant
from credo.kernels.periodic import Cosine, Periodic, SpectralMixture
from credo.kernels.stationary import RBF, Matern12, Matern32, Matern52, RationalQuadratic, Stationary
from credo.kernels.terms import Group, Term, grouped, written_out
from credo.numerics.concrete import is_known
from credo.numerics.scalar import LOG_2PI

__all__ = ["HARMONICS", "Lines", "periodic_weights", "spectral_density", "spectral_lines"]

_LOG_PI = float(np.log(np.pi))
_STEPS = 256
_FAR = 40.0  # exp(-40) is below the round-off of one

#: Multiples of the base frequency that the spectral lines of a periodic kernel are computed at.
HARMONICS = np.arange(-256.0, 256.0)


@singledispatch
def spectral_density(kernel: Kernel, omega: Any) -> Float[Array, " m"]:
    r"""$S(\omega) = \int k(r)\,e^{-i\omega^\top r}\,dr$ at every row of `omega`, m angular frequencies of d entries.

    The other way, $k(r) = \int S(\omega)\,e^{i\omega^\top r}\,d\omega/(2\pi)^d$. Closed forms for squared exponential,
    Matérn, rational quadratic and spectral mixture kernels, for their sums and multiples, for products over different
    columns, and for products in which no two factors on a column have a density of their own but squared exponentials.
    Everything else raises `UndefinedError`. Infinite at zero where the kernel falls off too slowly to be integrated:
    the rational quadratic with $\alpha \le d/2$.

    >>> density = spectral_density(RBF(lengthscale=2.0), [[0.0], [1.0]])
    >>> [f"{value:.4f}" for value in density]
    ['5.0133', '0.6785']
    """
    raise _undefined(kernel, "the spectral density has no closed form, or it is not stationary, or is white")


@spectral_density.register(Constant)
@spectral_density.register(Cosine)
@spectral_density.register(Periodic)
def _(kernel: Kernel, omega: Any) -> Array:
    raise _undefined(kernel, "the spectral measure is on lines, since it repeats itself for ever")


class Lines(NamedTuple):
    """A spectral measure on finitely many points: Σ weights · cos(ωᵀr)."""

    frequencies: Float[Array, "q d"]
    weights: Float[Array, " q"]


@singledispatch
def spectral_lines(kernel: Kernel, d: int) -> Lines | None:
    """The spectral measure where it is a sum of points, at both ω and −ω; None where it is not."""
    return None


def _undefined(kernel: Kernel, why: str) -> UndefinedError:
    return UndefinedError(
        "spectral_density",
        f"{kernel} has no spectral density",
        f"Of this kernel, {why}",
        "Try sample_frequencies(kernel, key, count, d), which needs no density, or fourier_features",
    )


def _rows(kernel: Kernel, omega: Any) -> Array:
    omega = jnp.asarray(omega, dtype=jnp.float64)
    if omega.ndim != 2:
        raise InputError(
            "spectral_density",
            f"omega has shape {omega.shape}",
            "Frequencies are rows, with an entry for each column of X",
            "Try omega.reshape(-1, 1) for points on a line",
        )
    kernel.require_columns(omega.shape[1], "spectral_density")
    return omega


def _scaled(kernel: Stationary, omega: Any) -> tuple[Array, Array, int]:
    """ω in units of 1/ℓ, squared; log σ²Πℓ, by which the density of the standard kernel is multiplied; d."""
    omega = _rows(kernel, omega)
    d = omega.shape[1]
    lengthscale = jnp.broadcast_to(kernel.lengthscale, (d,))
    volume = jnp.log(kernel.variance) + jnp.sum(jnp.log(lengthscale))
    return jnp.sum((lengthscale * omega) ** 2, axis=1), volume, d


@spectral_density.register
def _(kernel: RBF, omega: Any) -> Array:
    square, log_volume, d = _scaled(kernel, omega)
    return jnp.exp(log_volume + 0.5 * d * LOG_2PI - 0.5 * square)


@spectral_density.register
def _(kernel: Matern12, omega: Any) -> Array:
    return _matern(kernel, omega, 0.5)


@spectral_density.register
def _(kernel: Matern32, omega: Any) -> Array:
    return _matern(kernel, omega, 1.5)


@spectral_density.register
def _(kernel: Matern52, omega: Any) -> Array:
    return _matern(kernel, omega, 2.5)


def _matern(kernel: Stationary, omega: Any, nu: float) -> Array:
    """Rasmussen and Williams (2006), eq. 4.15."""
    square, log_volume, d = _scaled(kernel, omega)
    power = nu + 0.5 * d
    constant = d * np.log(2.0) + 0.5 * d * _LOG_PI + gammaln(power) - gammaln(nu) + nu * np.log(2.0 * nu)
    return jnp.exp(log_volume + constant - power * jnp.log(2.0 * nu + square))


@spectral_density.register
def _(kernel: RationalQuadratic, omega: Any) -> Array:
    r"""A mixture of squared exponentials, $\rho = \mathbb{E}\,e^{-\tau r^2/2}$ with $\tau \sim G(\alpha, \alpha)$.

    $S = (2\pi)^{d/2}\frac{\alpha^\alpha}{\Gamma(\alpha)}\int \tau^{\alpha - d/2 - 1} e^{-\alpha\tau - \omega^2/2\tau}
    d\tau$, a Bessel function K of real order. With $\tau = \omega e^t/\sqrt{2\alpha}$ the integrand is
    $e^{(\alpha - d/2)t - x\cosh t}$, $x = \sqrt{2\alpha}\,\omega$, for which equal steps converge geometrically.
    """
    square, log_volume, d = _scaled(kernel, omega)
    order = kernel.alpha - 0.5 * d
    at_zero = square == 0.0
    square = jnp.where(at_zero, 1.0, square)
    away = 0.5 * order * jnp.log(square / (2.0 * kernel.alpha)) + _log_bessel(
        order, jnp.sqrt(2.0 * kernel.alpha * square)
    )
    there = jnp.where(order > 0.0, gammaln(jnp.where(order > 0.0, order, 1.0)) - order * jnp.log(kernel.alpha), jnp.inf)
    constant = log_volume + 0.5 * d * LOG_2PI + kernel.alpha * jnp.log(kernel.alpha) - gammaln(kernel.alpha)
    return jnp.exp(constant + jnp.where(at_zero, there, away))


def _log_bessel(order: Array, x: Float[Array, " m"]) -> Float[Array, " m"]:
    r"""$\log \int_{-\infty}^\infty e^{\nu t - x\cosh t}\,dt = \log 2K_\nu(x)$, by equal steps around the peak."""
    size = jnp.maximum(jnp.abs(order), 1e-6)
    peak = jnp.arcsinh(size / x)
    # How far either side of the peak the integrand stays above e^-40 of it. Inwards from bounds on the exponent,
    # ν(1 - s - e^-s) <= -ν s²/(2 + s) and -x cosh t; outwards from -c (cosh s - 1), c the curvature at the peak.
    ratio = _FAR / size
    inwards = jnp.minimum(0.5 * (ratio + jnp.sqrt(ratio**2 + 8.0 * ratio)), peak + jnp.arccosh(1.0 + _FAR / x))
    outwards = jnp.arccosh(1.0 + _FAR / jnp.hypot(size, x))
    step = ((inwards + outwards) / _STEPS)[:, None]
    nodes = lax.stop_gradient((peak - inwards)[:, None] + step * jnp.arange(_STEPS + 1))
    nodes = jnp.where(order < 0.0, -nodes, nodes)
    return logsumexp(order * nodes - x[:, None] * jnp.cosh(nodes), axis=1) + jnp.log(lax.stop_gradient(step[:, 0]))


@spectral_density.register
def _(kernel: SpectralMixture, omega: Any) -> Array:
    """Wilson and Adams (2013), eqs. 8 and 10, in angular frequency."""
    turns = _rows(kernel, omega)[:, None, :] / (2.0 * np.pi)
    normalizer = kernel.weights / jnp.prod(jnp.sqrt(2.0 * np.pi) * kernel.scales, axis=1)
    peaks = [jnp.exp(-0.5 * jnp.sum(((turns - mean) / kernel.scales) ** 2, axis=2)) for mean in _mirrored(kernel.means)]
    return 0.5 * sum(peaks) @ normalizer


def _mirrored(means: Array) -> tuple[Array, Array]:
    return means, -means


@spectral_lines.register
def _(kernel: Cosine, d: int) -> Lines:
    line = 2.0 * np.pi / jnp.broadcast_to(kernel.period, (1, d))
    return Lines(jnp.concatenate([line, -line]), jnp.full(2, 0.5 * kernel.variance))


@spectral_lines.register
def _(kernel: Periodic, d: int) -> Lines | None:
    if d != 1:
        return None
    weights = periodic_weights(jnp.reshape(kernel.lengthscale, (1,)))[0]
    return Lines(2.0 * np.pi / jnp.reshape(kernel.period, (1, 1)) * HARMONICS[:, None], kernel.variance * weights)


def periodic_weights(lengthscale: Float[Array, " d"]) -> Float[Array, "d q"]:
    r"""The weights of the harmonics of $e^{-2\sin^2(t/2)/\ell^2}$: $e^{-1/\ell^2} I_j(1/\ell^2)$, which sum to one.

    By discrete Fourier transform of one period; what is left out is below 1e-12 for $\ell \ge 0.03$.
    """
    angle = 2.0 * np.pi * np.arange(HARMONICS.size) / HARMONICS.size
    values = jnp.exp(-2.0 * np.sin(0.5 * angle) ** 2 / lengthscale[:, None] ** 2)
    weights = jnp.maximum(jnp.fft.fft(values, axis=1).real, 0.0)
    return jnp.fft.fftshift(weights / jnp.sum(weights, axis=1, keepdims=True), axes=1)


@spectral_density.register(Sum)
@spectral_density.register(Product)
@spectral_density.register(PolynomialOf)
@spectral_density.register(On)
def _(kernel: Kernel, omega: Any) -> Array:
    """Written out as a sum of products, each a product over groups of columns."""
    omega = _rows(kernel, omega)
    total = jnp.zeros(omega.shape[0])
    for term in written_out(kernel):
        try:
            total = total + _density_of_term(kernel, term, omega)
        except UndefinedError:
            if not term.may_vanish or (is_known(term.scale) and float(term.scale) > 0.0):
                raise
            total = total + jnp.where(term.scale == 0.0, 0.0, jnp.nan)  # known to be zero, or inside jit
    return total


def _density_of_term(kernel: Kernel, term: Term, omega: Array) -> Array:
    density, groups = grouped(term, omega.shape[1])
    still = set(range(omega.shape[1])).difference(*(group.columns for group in groups))
    if still:
        raise _undefined(kernel, f"a term does not change along column {min(still)}, so its measure is concentrated")
    for group in groups:
        density = density * _density_of_group(kernel, group, omega[:, jnp.asarray(group.columns)])
    return density


def _density_of_group(kernel: Kernel, group: Group, omega: Array) -> Array:
    """The density of the one factor that has one, copied to every line of the others."""
    d = omega.shape[1]
    found = [(factor, spectral_lines(factor, d)) for factor in group.factors]
    smooth = [factor for factor, lines in found if lines is None]
    if len(smooth) != 1:
        raise _undefined(kernel, f"{' * '.join(map(str, group.factors))} has none, or none that is known")
    frequencies, weights = jnp.zeros((1, d)), jnp.ones(1)
    for _, lines in found:
        if lines is not None:
            frequencies = (frequencies[:, None, :] + lines.frequencies[None, :, :]).reshape(-1, d)
            weights = (weights[:, None] * lines.weights[None, :]).reshape(-1)
    copies = jax.vmap(lambda line: spectral_density(smooth[0], omega - line))(frequencies)
    return weights @ copies

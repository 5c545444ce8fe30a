r"""Averages of everything that is made of Gaussians: $\sum_q w_q\,e^{-|p_q\circ r|^2/2}\cos(\omega_q^\top r)$.

A squared exponential is one Gaussian window, a spectral mixture waves seen through windows, cosine and periodic kernels
waves without a window. Matérn and rational quadratic kernels are mixtures of squared exponentials over length-scales,
so their average is a one-dimensional integral of a closed form in any number of columns: equal steps in the logarithm
of the length-scale converge geometrically, and every second step gives the error. Products are of the same kind.
"""

from collections.abc import Callable
from functools import reduce, singledispatch
from typing import NamedTuple

import jax.numpy as jnp
import numpy as np
from jax import Array, lax
from jaxtyping import Float

from credo.beliefs.uniform import Uniform
from credo.kernels.algebra import On
from credo.kernels.base import Kernel
from credo.kernels.expectations_interval import interval_double_mean, interval_mean
from credo.kernels.expectations_quadrature import Expectation, compared
from credo.kernels.measures import Measure, columns_of, mean_and_covariance
from credo.kernels.periodic import Cosine, Periodic, SpectralMixture
from credo.kernels.spectral import spectral_lines
from credo.kernels.stationary import RBF, Matern12, Matern32, Matern52, RationalQuadratic, Stationary
from credo.numerics.batched_lapack import factor_lower, solve_lower
from credo.numerics.scalar import safe_sqrt

__all__ = ["Windows", "windowed_double_mean", "windowed_mean", "windows"]

_MOST = 4096  # windows of a product; above, ordinary quadrature is cheaper
_STEPS = 512
_FAR = 36.0  # exp(-36) is below the round-off of one
_BLOCK = 2**21  # numbers held at once for a batch of rows
_TURN = 2.0 * np.pi
_UNIT = RBF()


class Windows(NamedTuple):
    """Weights, one column where they are exact and two of a finer and a coarser rule; 1/ℓ; frequencies, if any."""

    weights: Float[Array, "q r"]
    roots: Float[Array, "q d"]
    omega: Float[Array, "q d"] | None


@singledispatch
def windows(kernel: Kernel, d: int) -> Windows | None:
    """The kernel as windows, or None."""
    return None


@windows.register
def _(kernel: RBF, d: int) -> Windows:
    return Windows(kernel.variance[None, None], jnp.broadcast_to(1.0 / kernel.lengthscale, (1, d)), None)


@windows.register(Cosine)
@windows.register(Periodic)
def _(kernel: Kernel, d: int) -> Windows | None:
    lines = spectral_lines(kernel, d)
    if lines is None:
        return None
    return Windows(lines.weights[:, None], jnp.zeros_like(lines.frequencies), lines.frequencies)


@windows.register
def _(kernel: SpectralMixture, d: int) -> Windows:
    """Every wave in both directions, as the lines of a cosine are: then products need no other formula."""
    weights, means = jnp.tile(0.5 * kernel.weights, 2), jnp.concatenate([kernel.means, -kernel.means])
    return Windows(weights[:, None], _TURN * jnp.tile(kernel.scales, (2, 1)), _TURN * means)


@windows.register
def _(kernel: Matern12, d: int) -> Windows:
    return _mixture(kernel, jnp.asarray(0.5), -1.0, d)


@windows.register
def _(kernel: Matern32, d: int) -> Windows:
    return _mixture(kernel, jnp.asarray(1.5), -1.0, d)


@windows.register
def _(kernel: Matern52, d: int) -> Windows:
    return _mixture(kernel, jnp.asarray(2.5), -1.0, d)


@windows.register
def _(kernel: RationalQuadratic, d: int) -> Windows:
    return _mixture(kernel, kernel.alpha, 1.0, d)


def _mixture(kernel: Stationary, shape: Array, sign: float, d: int) -> Windows:
    r"""$\rho = \mathbb{E}\,e^{-\tau r^2/2}$ with $\tau^{\pm1} \sim G(a, a)$: + rational quadratic, − Matérn.

    The density of $s = \log\tau^{\pm1}$ is $e^{a(s + 1 - e^s)}$ of its peak. The ends are from $e^{-u} - 1 + u \ge
    u^2/(2 + u)$ below and $e^s - 1 - s \ge s^2/2$, or half of $e^s$, above.
    """
    ratio = _FAR / shape
    below = 0.5 * (ratio + jnp.sqrt(ratio**2 + 8.0 * ratio))
    above = jnp.minimum(jnp.sqrt(2.0 * ratio), 1.0 + jnp.log1p(2.0 * ratio))
    s = lax.stop_gradient(-below + (below + above) / _STEPS * jnp.arange(_STEPS + 1))
    mass = jnp.exp(shape * (s + 1.0 - jnp.exp(s)))
    coarse = jnp.where(jnp.arange(_STEPS + 1) % 2 == 0, mass, 0.0)
    weights = kernel.variance * jnp.stack([mass / jnp.sum(mass), coarse / jnp.sum(coarse)], axis=1)
    return Windows(weights, jnp.exp(0.5 * sign * s)[:, None] / jnp.broadcast_to(kernel.lengthscale, (1, d)), None)


@windows.register
def _(kernel: On, d: int) -> Windows | None:
    """Along the other columns there is no edge and no wave."""
    own = windows(kernel.kernel, len(kernel.columns))
    if own is None or len(set(kernel.columns)) < len(kernel.columns):
        return None
    nothing, columns = jnp.zeros((own.weights.shape[0], d)), jnp.asarray(kernel.columns)
    omega = None if own.omega is None else nothing.at[:, columns].set(own.omega)
    return Windows(own.weights, nothing.at[:, columns].set(own.roots), omega)


def _windows_of(factors: tuple[Kernel, ...], d: int) -> Windows | None:
    return reduce(_product, [windows(factor, d) for factor in factors])


def _product(left: Windows | None, right: Windows | None) -> Windows | None:
    """Every wave of one through every window of the other."""
    if left is None or right is None or left.weights.shape[0] * right.weights.shape[0] > _MOST:
        return None
    d = left.roots.shape[1]
    weights = left.weights[:, None, :] * right.weights[None, :, :]
    roots = safe_sqrt(left.roots[:, None, :] ** 2 + right.roots[None, :, :] ** 2)
    omega = None
    if left.omega is not None or right.omega is not None:
        a, b = (jnp.zeros_like(x.roots) if x.omega is None else x.omega for x in (left, right))
        omega = (a[:, None, :] + b[None, :, :]).reshape(-1, d)
    return Windows(weights.reshape(-1, weights.shape[2]), roots.reshape(-1, d), omega)


def windowed_mean(factors: tuple[Kernel, ...], X: Float[Array, "n d"], measure: Measure) -> Expectation | None:
    """E of a product of kernels for every row of X; None where a factor has no windows, or there are waves in a box.

    O(q n d²) for q windows: 1 for squared exponentials, 513 for Matérn and rational quadratic kernels.
    """
    found = _windows_of(factors, X.shape[1])
    if found is None or (isinstance(measure, Uniform) and found.omega is not None):
        return None
    if isinstance(measure, Uniform):
        low, high = found.roots * measure.low, found.roots * measure.high

        def in_box(x: Array) -> Array:
            return jnp.prod(interval_mean(_UNIT, found.roots * x, low, high), axis=1)

        return _summed(found, in_box, X, 12)
    mean, covariance = mean_and_covariance(measure)
    return _summed(found, _through(found, covariance), X - mean, 2)


def windowed_double_mean(factors: tuple[Kernel, ...], measure: Measure, other: Measure) -> Expectation | None:
    """The same for two independent points: of two boxes, or of two Gaussians, whose difference is one Gaussian."""
    found = _windows_of(factors, columns_of(measure))
    boxes = isinstance(measure, Uniform), isinstance(other, Uniform)
    if found is None or any(boxes) != all(boxes) or (all(boxes) and found.omega is not None):
        return None
    if isinstance(measure, Uniform) and isinstance(other, Uniform):
        first, second = ((found.roots * box.low, found.roots * box.high) for box in (measure, other))
        sizes = jnp.prod(interval_double_mean(_UNIT, first, second), axis=1)
    else:
        (mean, covariance), (other_mean, other_covariance) = mean_and_covariance(measure), mean_and_covariance(other)
        sizes = _through(found, covariance + other_covariance)(mean - other_mean)
    value, error = compared((sizes @ found.weights)[None])
    return Expectation(value[0], error[0])


def _summed(found: Windows, sizes: Callable[[Array], Array], rows: Float[Array, "n d"], width: int) -> Expectation:
    batch = max(1, min(rows.shape[0], _BLOCK // (width * found.roots.size)))
    return compared(lax.map(lambda row: sizes(row) @ found.weights, rows, batch_size=batch))


def _through(found: Windows, covariance: Float[Array, "d d"]) -> Callable[[Array], Array]:
    r"""E over $r \sim \mathcal{N}(m, \Sigma)$ of every window and wave, as a function of m.

    With $P = \operatorname{diag} p^2$ and $A = I + \Sigma P$ it is $|A|^{-1/2}\exp(-\tfrac12 m^\top P A^{-1} m -
    \tfrac12\omega^\top A^{-1}\Sigma\,\omega)\cos(\omega^\top A^{-1} m)$, here with the factor of $I + p\Sigma p$.
    """
    d = covariance.shape[0]
    roots = found.roots
    lower = factor_lower(jnp.eye(d) + roots[:, :, None] * covariance * roots[:, None, :])
    half = solve_lower(lower, jnp.eye(d) * roots[:, None, :])
    log_size = -jnp.sum(jnp.log(jnp.diagonal(lower, axis1=1, axis2=2)), axis=1)

    def still(mean: Array) -> Array:
        return jnp.exp(log_size - 0.5 * jnp.sum((half @ mean) ** 2, axis=1))

    if found.omega is None:
        return still
    omega = found.omega
    turned = omega @ covariance
    half_wave = jnp.einsum("qij,qj->qi", half, turned)
    loss = 0.5 * (jnp.sum(turned * omega, axis=1) - jnp.sum(half_wave**2, axis=1))

    def waving(mean: Array) -> Array:
        return still(mean) * jnp.exp(-loss) * jnp.cos(omega @ mean - jnp.sum(half_wave * (half @ mean), axis=1))

    return waving

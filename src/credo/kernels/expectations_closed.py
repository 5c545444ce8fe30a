r"""Averages of kernels over measures in closed form, by kernel.

Two functions, each returning None where no closed form is known: `closed_mean` of $\mathbb{E}_z k(x, z)$ and
`closed_double_mean` of $\mathbb{E}_{z,z'} k(z, z')$ with z and z' independent. A kernel that brings its own formulas
registers them here. What is made of Gaussian windows, squared exponentials first of all, has one formula for all and is
in `expectations_windows`.
"""

from functools import singledispatch

import jax.numpy as jnp
from jax import Array
from jaxtyping import Float

from credo.beliefs.normal import Normal
from credo.beliefs.uniform import Uniform
from credo.kernels.algebra import On
from credo.kernels.base import Kernel
from credo.kernels.constant import White
from credo.kernels.dot import Linear, Polynomial
from credo.kernels.expectations_interval import gaussian_mean, interval_double_mean, interval_mean
from credo.kernels.expectations_polynomial import polynomial_double_mean, polynomial_mean
from credo.kernels.measures import Measure, columns_of, damping, marginal
from credo.kernels.periodic import Cosine, Periodic
from credo.kernels.spectral import spectral_lines
from credo.kernels.stationary import Matern12, Matern32, Matern52, Stationary

__all__ = ["closed_double_mean", "closed_mean"]


@singledispatch
def closed_mean(kernel: Kernel, X: Float[Array, "n d"], measure: Measure) -> Float[Array, " n"] | None:
    """E k(x, z) for every row x of X, or None."""
    return None


@singledispatch
def closed_double_mean(kernel: Kernel, measure: Measure, other: Measure) -> Float[Array, ""] | None:
    """E k(z, z') with z from one measure and z', independently, from the other; or None."""
    return None


@closed_mean.register
def _(kernel: On, X: Float[Array, "n d"], measure: Measure) -> Float[Array, " n"] | None:
    if len(set(kernel.columns)) < len(kernel.columns):
        return None
    return closed_mean(kernel.kernel, kernel.chosen(X), marginal(measure, kernel.columns))


@closed_double_mean.register
def _(kernel: On, measure: Measure, other: Measure) -> Float[Array, ""] | None:
    if len(set(kernel.columns)) < len(kernel.columns):
        return None
    return closed_double_mean(kernel.kernel, marginal(measure, kernel.columns), marginal(other, kernel.columns))


@closed_mean.register
def _(kernel: White, X: Float[Array, "n d"], measure: Measure) -> Float[Array, " n"]:
    return jnp.zeros(X.shape[0])  # two points of a continuous measure never meet


@closed_double_mean.register
def _(kernel: White, measure: Measure, other: Measure) -> Float[Array, ""]:
    return jnp.zeros(())


@closed_mean.register
def _(kernel: Linear, X: Float[Array, "n d"], measure: Measure) -> Float[Array, " n"]:
    return ((X - kernel.center) * kernel.variance) @ (measure.mean - kernel.center)


@closed_double_mean.register
def _(kernel: Linear, measure: Measure, other: Measure) -> Float[Array, ""]:
    return jnp.sum((measure.mean - kernel.center) * kernel.variance * (other.mean - kernel.center))


closed_mean.register(Polynomial, polynomial_mean)
closed_double_mean.register(Polynomial, polynomial_double_mean)


def _over_intervals(kernel: Stationary, measure: Uniform, other: Uniform) -> Float[Array, " d"]:
    scale = kernel.lengthscale
    return interval_double_mean(
        kernel, (measure.low / scale, measure.high / scale), (other.low / scale, other.high / scale)
    )


@closed_mean.register(Matern12)
@closed_mean.register(Matern32)
@closed_mean.register(Matern52)
def _(kernel: Stationary, X: Float[Array, "n d"], measure: Measure) -> Float[Array, " n"] | None:
    """In one column."""
    if X.shape[1] != 1:
        return None
    scale = jnp.reshape(kernel.lengthscale, ())
    if isinstance(measure, Uniform):
        return kernel.variance * interval_mean(kernel, X[:, 0] / scale, measure.low / scale, measure.high / scale)
    return kernel.variance * gaussian_mean(kernel, (X[:, 0] - measure.mean) / scale, measure.std / scale)


@closed_double_mean.register(Matern12)
@closed_double_mean.register(Matern32)
@closed_double_mean.register(Matern52)
def _(kernel: Stationary, measure: Measure, other: Measure) -> Float[Array, ""] | None:
    """In one column; the difference of two normals is normal."""
    if columns_of(measure) != 1:
        return None
    if isinstance(measure, Uniform) and isinstance(other, Uniform):
        return kernel.variance * _over_intervals(kernel, measure, other)[0]
    if isinstance(measure, Normal) and isinstance(other, Normal):
        scale = jnp.reshape(kernel.lengthscale, ())
        distance, spread = (measure.loc - other.loc) / scale, jnp.hypot(measure.scale, other.scale) / scale
        return kernel.variance * gaussian_mean(kernel, distance, spread)[0]
    return None


@closed_mean.register(Cosine)
@closed_mean.register(Periodic)
def _(kernel: Kernel, X: Float[Array, "n d"], measure: Measure) -> Float[Array, " n"] | None:
    """Over any measure that is symmetric around its mean: waves are damped and keep their phase."""
    lines = spectral_lines(kernel, X.shape[1])
    if lines is None:
        return None
    return jnp.cos((X - measure.mean) @ lines.frequencies.T) @ (lines.weights * damping(measure, lines.frequencies))


@closed_double_mean.register(Cosine)
@closed_double_mean.register(Periodic)
def _(kernel: Kernel, measure: Measure, other: Measure) -> Float[Array, ""] | None:
    lines = spectral_lines(kernel, columns_of(measure))
    if lines is None:
        return None
    damped = lines.weights * damping(measure, lines.frequencies) * damping(other, lines.frequencies)
    return jnp.cos(lines.frequencies @ (measure.mean - other.mean)) @ damped

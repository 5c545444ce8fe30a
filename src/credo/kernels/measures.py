r"""Distributions of points over which a kernel is averaged: Gaussians and boxes.

A [](#credo.beliefs.Normal) or [](#credo.beliefs.Uniform) of batch shape (d,) has d independent columns; the uniform one
is a box. A [](#credo.beliefs.MultivariateNormal) has columns that depend on each other. All are symmetric around their
mean, so $\mathbb{E}\,e^{i\omega^\top z} = A(\omega)\,e^{i\omega^\top\mathbb{E}z}$ with a real damping A.
"""

from typing import Any, TypeAlias

import jax.numpy as jnp
from jax import Array
from jaxtyping import Float

from credo.beliefs.multivariate_normal import MultivariateNormal
from credo.beliefs.normal import Normal
from credo.beliefs.uniform import Uniform
from credo.errors import InputError

__all__ = [
    "Measure",
    "as_measure",
    "columns_of",
    "damping",
    "gaussian_moments",
    "has_independent_columns",
    "marginal",
    "mean_and_covariance",
    "raw_moments",
]

#: What a kernel can be averaged over: `Normal` or `Uniform` with a column for each entry of the batch, or one
#: `MultivariateNormal`.
Measure: TypeAlias = Normal | Uniform | MultivariateNormal


def as_measure(measure: Any, who: str) -> Measure:
    """The measure with one batch axis, its columns; refused where it is no single distribution of points.

    >>> as_measure(Normal(0.0, 1.0), "example").batch_shape
    (1,)
    """
    if not isinstance(measure, (Normal, Uniform, MultivariateNormal)):
        raise InputError(
            who,
            f"{type(measure).__name__} is no measure over points",
            "Kernels are averaged over Gaussians and boxes",
            "Pass Normal or Uniform with a column for each entry, or a MultivariateNormal",
        )
    if isinstance(measure, MultivariateNormal):
        if not measure.batch_shape:
            return measure if measure.event_shape[0] > 1 else marginal(measure, (0,))
    elif len(measure.batch_shape) < 2:
        return type(measure)(*(jnp.reshape(value, (-1,)) for value in _ends(measure)))
    raise InputError(
        who,
        f"the batch shape of the measure is {measure.batch_shape}",
        "It is many measures at once",
        "Pass one, or map over them with jax.vmap",
    )


def _ends(measure: Normal | Uniform) -> tuple[Array, Array]:
    return (measure.loc, measure.scale) if isinstance(measure, Normal) else (measure.low, measure.high)


def columns_of(measure: Measure) -> int:
    """The number of columns of the points."""
    return measure.mean.shape[0]


def has_independent_columns(measure: Measure) -> bool:
    """Whether the measure is a product over columns."""
    return not isinstance(measure, MultivariateNormal)


def marginal(measure: Measure, columns: tuple[int, ...]) -> Measure:
    """The measure of some columns; a single one is always a Normal or Uniform."""
    chosen = jnp.asarray(columns)
    if not isinstance(measure, MultivariateNormal):
        return type(measure)(*(value[chosen] for value in _ends(measure)))
    loc, covariance = measure.loc[chosen], measure.covariance[chosen[:, None], chosen]
    return MultivariateNormal(loc, covariance) if len(columns) > 1 else Normal(loc, jnp.sqrt(covariance[0]))


def mean_and_covariance(measure: Measure) -> tuple[Float[Array, " d"], Float[Array, "d d"]]:
    """The first two moments, which are all there is to a Gaussian."""
    if isinstance(measure, MultivariateNormal):
        return measure.loc, measure.covariance
    return measure.mean, jnp.diag(measure.variance)


def raw_moments(measure: Normal | Uniform, order: int) -> Float[Array, "p d"]:
    r"""$\mathbb{E} z_j^k$ for k = 0 … `order`, for each column.

    >>> raw_moments(Normal([0.0], [2.0]), 4)[:, 0].tolist()
    [1.0, 0.0, 4.0, 0.0, 48.0]
    """
    if isinstance(measure, Normal):
        return gaussian_moments(measure.loc, measure.variance, order)
    # The mean of z^k over an interval is the mean of low^i high^(k-i): no difference of powers, so nothing cancels.
    low, high = measure.low, measure.high
    return jnp.stack([sum(low**i * high ** (k - i) for i in range(k + 1)) / (k + 1.0) for k in range(order + 1)])


def gaussian_moments(loc: Array, variance: Array, order: int) -> Float[Array, "p *batch"]:
    r"""$\mathbb{E} z^k$ for k = 0 … `order` of normal z: $M_k = \mu M_{k-1} + (k - 1)\sigma^2 M_{k-2}$."""
    moments = [jnp.ones_like(loc), loc]
    for k in range(2, order + 1):
        moments.append(loc * moments[-1] + (k - 1.0) * variance * moments[-2])
    return jnp.stack(moments[: order + 1])


def damping(measure: Measure, omega: Float[Array, "q d"]) -> Float[Array, " q"]:
    r"""$A(\omega)$: the characteristic function with the mean taken out.

    >>> damping(Uniform([0.0], [2.0]), jnp.array([[0.0], [jnp.pi]])).round(12).tolist()
    [1.0, 0.0]
    """
    if isinstance(measure, Uniform):
        return jnp.prod(jnp.sinc(omega * measure.width / (2.0 * jnp.pi)), axis=1)
    if isinstance(measure, Normal):
        return jnp.exp(-0.5 * omega**2 @ measure.variance)
    return jnp.exp(-0.5 * jnp.sum((omega @ measure.covariance) * omega, axis=1))

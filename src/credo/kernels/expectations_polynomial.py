r"""Averages of polynomial kernels, from moments.

$\mathbb{E}(\sum_j v_j x_j z_j + c)^p$ needs the moments of a sum. Under independent columns they are built up column by
column, $\mathbb{E}(S + Y)^k = \sum_i \binom{k}{i}\,\mathbb{E}S^i\,\mathbb{E}Y^{k-i}$; under Gaussians they come from
cumulants, in any covariance and without a term for each monomial.
"""

import math

import jax.numpy as jnp
from jax import Array, lax
from jaxtyping import Float

from credo.beliefs.multivariate_normal import MultivariateNormal
from credo.beliefs.uniform import Uniform
from credo.kernels.dot import Polynomial
from credo.kernels.measures import Measure, gaussian_moments, mean_and_covariance, raw_moments

__all__ = ["polynomial_double_mean", "polynomial_mean"]


def polynomial_mean(kernel: Polynomial, X: Float[Array, "n d"], measure: Measure) -> Float[Array, " n"]:
    """E (Σ v x z + c)^p for every row x. O(n d p²) over a box, O(n d² + n p) over a Gaussian."""
    slopes = kernel.variance * X
    if isinstance(measure, Uniform):
        powers = jnp.stack([slopes**k for k in range(kernel.degree + 1)])
        each = powers * raw_moments(measure, kernel.degree)[:, None, :]
        return _shifted(_moments_of_sum(each), kernel.offset)
    mean, covariance = mean_and_covariance(measure)
    variance = jnp.sum((slopes @ covariance) * slopes, axis=1)
    return gaussian_moments(slopes @ mean + kernel.offset, variance, kernel.degree)[kernel.degree]


def polynomial_double_mean(kernel: Polynomial, measure: Measure, other: Measure) -> Float[Array, ""] | None:
    """E (Σ v z z' + c)^p with independent z and z'; None for a box and a Gaussian with dependent columns."""
    if isinstance(measure, Uniform) or isinstance(other, Uniform):
        if isinstance(measure, MultivariateNormal) or isinstance(other, MultivariateNormal):
            return None
        degree, slope = kernel.degree, jnp.broadcast_to(kernel.variance, measure.mean.shape)
        powers = jnp.stack([slope**k for k in range(degree + 1)])
        return _shifted(
            _moments_of_sum(powers * raw_moments(measure, degree) * raw_moments(other, degree)), kernel.offset
        )
    return _moments(_cumulants(kernel, measure, other))[kernel.degree]


def _moments_of_sum(each: Float[Array, "p *batch d"]) -> Float[Array, "p *batch"]:
    """Moments 0 … p of Σ_j Y_j from those of the independent Y_j, which lie along the last axis."""
    orders = range(each.shape[0])

    def add(total: Array, own: Array) -> tuple[Array, None]:
        mixed = [sum(math.comb(k, i) * total[i] * own[k - i] for i in range(k + 1)) for k in orders]
        return jnp.stack(mixed), None

    nothing = jnp.zeros(each.shape[:-1]).at[0].set(1.0)
    return lax.scan(add, nothing, jnp.moveaxis(each, -1, 0))[0]


def _shifted(moments: Float[Array, "p *batch"], offset: Array) -> Float[Array, "*batch"]:
    """E (S + c)^p from the moments of S."""
    p = moments.shape[0] - 1
    weights = jnp.stack([math.comb(p, k) * offset ** (p - k) for k in range(p + 1)])
    return jnp.tensordot(weights, moments, axes=1)


def _cumulants(kernel: Polynomial, measure: Measure, other: Measure) -> list[Array]:
    r"""Cumulants 1 … p of $z^\top V z' + c$ for independent Gaussians.

    With $\mu', \Sigma'$ of $V z'$ the logarithm of $\mathbb{E}\,e^{s z^\top V z'}$ is $-\tfrac12\log|I -
    s^2\Sigma\Sigma'| + s\,\mu^\top\mu' + \tfrac12 s^2\mu^\top\Sigma'\mu + \tfrac12 s^2 v^\top\Sigma\,(I -
    s^2\Sigma'\Sigma)^{-1} v$ with $v = \mu' + s\Sigma'\mu$; in its power series in s the k-th coefficient is the k-th
    cumulant over k!.
    """
    p = kernel.degree
    (mean, covariance), (other_mean, other_covariance) = mean_and_covariance(measure), mean_and_covariance(other)
    slope = jnp.broadcast_to(kernel.variance, mean.shape)
    other_mean, other_covariance = slope * other_mean, slope[:, None] * other_covariance * slope[None, :]
    series = [jnp.zeros(()) for _ in range(p + 4)]
    series[1] = mean @ other_mean + kernel.offset
    series[2] = 0.5 * mean @ other_covariance @ mean
    turned, power, chained = other_covariance @ mean, jnp.eye(mean.shape[0]), covariance
    for j in range(p // 2 + 1):  # power = (ΣΣ')^j, chained = Σ(Σ'Σ)^j
        if j > 0:
            series[2 * j] = series[2 * j] + 0.5 * jnp.trace(power) / j
        ends = other_mean @ chained @ other_mean, other_mean @ chained @ turned, turned @ chained @ turned
        for k, (weight, term) in enumerate(zip((0.5, 1.0, 0.5), ends, strict=True)):
            if 2 * j + 2 + k <= p:
                series[2 * j + 2 + k] = series[2 * j + 2 + k] + weight * term
        power, chained = power @ covariance @ other_covariance, chained @ other_covariance @ covariance
    return [math.factorial(k) * series[k] for k in range(1, p + 1)]


def _moments(cumulants: list[Array]) -> list[Array]:
    """Moments 0, 1, … from cumulants 1, 2, …"""
    moments = [jnp.ones(())]
    for k in range(1, len(cumulants) + 1):
        terms = [math.comb(k - 1, i - 1) * cumulants[i - 1] * moments[k - i] for i in range(1, k + 1)]
        moments.append(jnp.sum(jnp.stack(terms)))
    return moments

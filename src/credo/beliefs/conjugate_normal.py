"""Conjugate pairs for normal data: the mean, the mean and the variance, the mean and the covariance.

The statistics are kept about their mean and merged as such (Chan, Golub and LeVeque 1983), so that data far from zero
lose no digits.
"""

from typing import Any

import jax.numpy as jnp
from jax import Array
from jaxtyping import Float

from credo.beliefs.conjugate import ConjugatePair, Statistics, split_budget, weighted
from credo.beliefs.matrices import finite_array
from credo.beliefs.multivariate_student import MultivariateStudentT
from credo.beliefs.normal import Normal
from credo.beliefs.normal_inverse import NormalInverseGamma, NormalInverseWishart, outer
from credo.beliefs.student_t import StudentT
from credo.numerics.constraints import Positive
from credo.numerics.parameters import Parameterized, parameter
from credo.numerics.scalar import LOG_2PI, safe_divide

__all__ = [
    "MomentStatistics",
    "NormalKnownVariance",
    "NormalUnknownCovariance",
    "NormalUnknownVariance",
    "VectorStatistics",
]


class MomentStatistics(Statistics):
    """Σw, the weighted mean, and Σw (x − mean)² of numbers."""

    count: Float[Array, "*batch"]
    mean: Float[Array, "*batch"]
    scatter: Float[Array, "*batch"]

    def __add__(self, other: "MomentStatistics") -> "MomentStatistics":
        count = self.count + other.count
        gap = other.mean - self.mean
        mean = self.mean + safe_divide(other.count, count) * gap
        between = safe_divide(self.count * other.count, count) * gap**2
        return MomentStatistics(*jnp.broadcast_arrays(count, mean, self.scatter + other.scatter + between))


class VectorStatistics(Statistics):
    """Σw, the weighted mean, and the scatter matrix Σw (x − mean)(x − mean)ᵀ of vectors."""

    count: Float[Array, "*batch"]
    mean: Float[Array, "*batch d"]
    scatter: Float[Array, "*batch d d"]

    def __add__(self, other: "VectorStatistics") -> "VectorStatistics":
        count = self.count + other.count
        gap = other.mean - self.mean
        mean = self.mean + safe_divide(other.count, count)[..., None] * gap
        between = safe_divide(self.count * other.count, count)[..., None, None] * outer(gap)
        return VectorStatistics(count, mean, self.scatter + other.scatter + between)


def _moments(who: str, x: Any, weights: Any) -> MomentStatistics:
    x, weights = weighted(who, x, weights)
    count = jnp.sum(weights, axis=-1)
    mean = safe_divide(jnp.sum(weights * x, axis=-1), count)
    scatter = jnp.sum(weights * (x - mean[..., None]) ** 2, axis=-1)
    return MomentStatistics(*jnp.broadcast_arrays(count, mean, scatter))


class NormalKnownVariance(Parameterized, ConjugatePair[Normal, MomentStatistics]):
    r"""Numbers $x \sim \mathcal{N}(\mu, \sigma^2)$ with known `noise` σ and $\mu \sim \mathcal{N}(m, s^2)$.

    Precisions add: $1/s'^2 = 1/s^2 + n/\sigma^2$ (Bishop 2006, eqs. 2.141, 2.142).

    >>> pair = NormalKnownVariance(noise=1.0)
    >>> pair.posterior(Normal(0.0, 1.0), pair.statistics([2.0])).mean.item()
    1.0
    """

    noise: Float[Array, "*batch"] = parameter(Positive())

    def statistics(self, x: Any, weights: Any = None) -> MomentStatistics:
        return _moments("NormalKnownVariance", x, weights)

    def posterior(self, prior: Normal, statistics: MomentStatistics) -> Normal:
        variance, s = self.noise**2, statistics
        pull = s.count * prior.variance / (variance + s.count * prior.variance)
        scale = jnp.sqrt(prior.variance * variance / (variance + s.count * prior.variance))
        return Normal(prior.loc + pull * (s.mean - prior.loc), scale)

    def predictive(self, prior: Normal) -> Normal:
        scale = jnp.sqrt(prior.variance + self.noise**2)
        return Normal(prior.loc, scale, budget=split_budget(self.noise**2, prior.variance))

    def log_evidence(self, prior: Normal, statistics: MomentStatistics) -> Array:
        variance, s = self.noise**2, statistics
        together = variance + s.count * prior.variance  # n times the variance of the mean of the data
        determinant = s.count * (LOG_2PI + jnp.log(variance)) + jnp.log(together / variance)
        return -0.5 * (determinant + s.scatter / variance + s.count * (s.mean - prior.loc) ** 2 / together)


class NormalUnknownVariance(ConjugatePair[NormalInverseGamma, MomentStatistics]):
    r"""Numbers $x \sim \mathcal{N}(\mu, \sigma^2)$ with $(\mu, \sigma^2)$ Normal–Inverse-Gamma.

    The predictive is Student. κ' = κ + n, a' = a + n/2, b' = b + ½ Σ(x − x̄)² + ½ κn/κ' (x̄ − m)² (Murphy 2007, eqs.
    197 to 200).

    >>> pair = NormalUnknownVariance()
    >>> posterior = pair.posterior(NormalInverseGamma(0.0, 1.0, 2.0, 1.0), pair.statistics([1.0, 3.0]))
    >>> round(posterior.loc.item(), 4), posterior.shape.item()
    (1.3333, 3.0)
    """

    def statistics(self, x: Any, weights: Any = None) -> MomentStatistics:
        return _moments("NormalUnknownVariance", x, weights)

    def posterior(self, prior: NormalInverseGamma, statistics: MomentStatistics) -> NormalInverseGamma:
        s = statistics
        count, gap = prior.count + s.count, s.mean - prior.loc
        scale = prior.scale + 0.5 * (s.scatter + prior.count * s.count / count * gap**2)
        return NormalInverseGamma(prior.loc + s.count / count * gap, count, prior.shape + 0.5 * s.count, scale)

    def predictive(self, prior: NormalInverseGamma) -> StudentT:
        noise = prior.marginal_variance().mean
        scale = jnp.sqrt(prior.scale * (1.0 + 1.0 / prior.count) / prior.shape)
        return StudentT(2.0 * prior.shape, prior.loc, scale, budget=split_budget(noise, noise / prior.count))

    def log_evidence(self, prior: NormalInverseGamma, statistics: MomentStatistics) -> Array:
        posterior = self.posterior(prior, statistics)
        return posterior.log_normalizer - prior.log_normalizer - 0.5 * statistics.count * LOG_2PI


class NormalUnknownCovariance(ConjugatePair[NormalInverseWishart, VectorStatistics]):
    r"""Vectors $x \sim \mathcal{N}(\mu, \Sigma)$ with $(\mu, \Sigma)$ Normal–Inverse-Wishart.

    The predictive is multivariate Student. κ' = κ + n, ν' = ν + n, Ψ' = Ψ + Σ(x − x̄)(x − x̄)ᵀ + κn/κ' (x̄ − m)(x̄ −
    m)ᵀ (Murphy 2007, eqs. 250 to 253).

    >>> pair = NormalUnknownCovariance()
    >>> prior = NormalInverseWishart([0.0, 0.0], 1.0, 4.0, [[1.0, 0.0], [0.0, 1.0]])
    >>> pair.predictive(pair.posterior(prior, pair.statistics([[1.0, 2.0]]))).mean.tolist()
    [0.5, 1.0]
    """

    def statistics(self, x: Any, weights: Any = None) -> VectorStatistics:
        x, weights = weighted("NormalUnknownCovariance", x, weights, event_ndim=1)
        count = jnp.broadcast_to(jnp.sum(weights, axis=-1), jnp.broadcast_shapes(weights.shape[:-1], x.shape[:-2]))
        mean = safe_divide(jnp.einsum("...n,...nd->...d", weights, x), count[..., None])
        centered = x - mean[..., None, :]
        return VectorStatistics(count, mean, jnp.einsum("...n,...ni,...nj->...ij", weights, centered, centered))

    def posterior(self, prior: NormalInverseWishart, statistics: VectorStatistics) -> NormalInverseWishart:
        s = statistics
        finite_array("NormalUnknownCovariance", "the mean of the data", s.mean, (prior.dimension,))
        count, gap = prior.count + s.count, s.mean - prior.loc
        scatter = prior.scatter + s.scatter + (prior.count * s.count / count)[..., None, None] * outer(gap)
        return NormalInverseWishart(prior.loc + (s.count / count)[..., None] * gap, count, prior.df + s.count, scatter)

    def predictive(self, prior: NormalInverseWishart) -> MultivariateStudentT:
        df = prior.df - prior.dimension + 1.0
        shape = prior.scatter * ((1.0 + 1.0 / prior.count) / df)[..., None, None]
        noise = jnp.diagonal(prior.marginal_covariance().mean, axis1=-2, axis2=-1)
        return MultivariateStudentT(df, prior.loc, shape, budget=split_budget(noise, noise / prior.count[..., None]))

    def log_evidence(self, prior: NormalInverseWishart, statistics: VectorStatistics) -> Array:
        posterior = self.posterior(prior, statistics)
        return posterior.log_normalizer - prior.log_normalizer - 0.5 * prior.dimension * statistics.count * LOG_2PI

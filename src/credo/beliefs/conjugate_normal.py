"""Conjugate pairs for normal data: the mean, the mean and the variance, the mean and the covariance.

The statistics are [](#credo.numerics.Moments), numbers being vectors of length one. A prior that is worth κ
observations is the moments of κ rows, so what data do to it is the sum of moments.
"""

from typing import Any

import jax.numpy as jnp
from jax import Array
from jaxtyping import Float

from credo.beliefs.conjugate import ConjugatePair, split_budget, weighted
from credo.beliefs.matrices import finite_array
from credo.beliefs.multivariate_student import MultivariateStudentT
from credo.beliefs.normal import Normal
from credo.beliefs.normal_inverse import NormalInverseGamma, NormalInverseWishart
from credo.beliefs.student_t import StudentT
from credo.numerics.constraints import Positive
from credo.numerics.moments import Moments, moments
from credo.numerics.parameters import Parameterized, parameter
from credo.numerics.scalar import LOG_2PI

__all__ = ["NormalKnownVariance", "NormalUnknownCovariance", "NormalUnknownVariance"]


class NormalKnownVariance(Parameterized, ConjugatePair[Normal, Moments]):
    r"""Numbers $x \sim \mathcal{N}(\mu, \sigma^2)$ with known `noise` σ and $\mu \sim \mathcal{N}(m, s^2)$.

    Precisions add: $1/s'^2 = 1/s^2 + n/\sigma^2$ (Bishop 2006, eqs. 2.141, 2.142).

    >>> pair = NormalKnownVariance(noise=1.0)
    >>> pair.posterior(Normal(0.0, 1.0), pair.statistics([2.0])).mean.item()
    1.0
    """

    noise: Float[Array, "*batch"] = parameter(Positive())

    def statistics(self, x: Any, weights: Any = None) -> Moments:
        return _of_numbers("NormalKnownVariance", x, weights)

    def posterior(self, prior: Normal, statistics: Moments) -> Normal:
        variance, weight = self.noise**2, statistics.weight
        together = variance + weight * prior.variance
        scale = jnp.sqrt(prior.variance * variance / together)
        return Normal(prior.loc + weight * prior.variance / together * (statistics.mean[..., 0] - prior.loc), scale)

    def predictive(self, prior: Normal) -> Normal:
        scale = jnp.sqrt(prior.variance + self.noise**2)
        return Normal(prior.loc, scale, budget=split_budget(self.noise**2, prior.variance))

    def log_evidence(self, prior: Normal, statistics: Moments) -> Array:
        variance, weight = self.noise**2, statistics.weight
        together = variance + weight * prior.variance  # n times the variance of the mean of the data
        determinant = weight * (LOG_2PI + jnp.log(variance)) + jnp.log(together / variance)
        misfit = weight * (statistics.mean[..., 0] - prior.loc) ** 2 / together
        return -0.5 * (determinant + statistics.scatter[..., 0, 0] / variance + misfit)


class NormalUnknownVariance(ConjugatePair[NormalInverseGamma, Moments]):
    r"""Numbers $x \sim \mathcal{N}(\mu, \sigma^2)$ with $(\mu, \sigma^2)$ Normal–Inverse-Gamma.

    The predictive is Student. κ' = κ + n, a' = a + n/2, b' = b + ½ Σ(x − x̄)² + ½ κn/κ' (x̄ − m)² (Murphy 2007, eqs.
    197 to 200).

    >>> pair = NormalUnknownVariance()
    >>> posterior = pair.posterior(NormalInverseGamma(0.0, 1.0, 2.0, 1.0), pair.statistics([1.0, 3.0]))
    >>> round(posterior.loc.item(), 4), posterior.shape.item()
    (1.3333, 3.0)
    """

    def statistics(self, x: Any, weights: Any = None) -> Moments:
        return _of_numbers("NormalUnknownVariance", x, weights)

    def posterior(self, prior: NormalInverseGamma, statistics: Moments) -> NormalInverseGamma:
        both = Moments(prior.count, prior.loc[..., None], 2.0 * prior.scale[..., None, None]) + statistics
        shape = prior.shape + 0.5 * statistics.weight
        return NormalInverseGamma(both.mean[..., 0], both.weight, shape, 0.5 * both.scatter[..., 0, 0])

    def predictive(self, prior: NormalInverseGamma) -> StudentT:
        noise = prior.marginal_variance().mean
        scale = jnp.sqrt(prior.scale * (1.0 + 1.0 / prior.count) / prior.shape)
        return StudentT(2.0 * prior.shape, prior.loc, scale, budget=split_budget(noise, noise / prior.count))

    def log_evidence(self, prior: NormalInverseGamma, statistics: Moments) -> Array:
        posterior = self.posterior(prior, statistics)
        return posterior.log_normalizer - prior.log_normalizer - 0.5 * statistics.weight * LOG_2PI


class NormalUnknownCovariance(ConjugatePair[NormalInverseWishart, Moments]):
    r"""Vectors $x \sim \mathcal{N}(\mu, \Sigma)$ with $(\mu, \Sigma)$ Normal–Inverse-Wishart.

    The predictive is multivariate Student. κ' = κ + n, ν' = ν + n, Ψ' = Ψ + Σ(x − x̄)(x − x̄)ᵀ + κn/κ' (x̄ − m)(x̄ −
    m)ᵀ (Murphy 2007, eqs. 250 to 253).

    >>> pair = NormalUnknownCovariance()
    >>> prior = NormalInverseWishart([0.0, 0.0], 1.0, 4.0, [[1.0, 0.0], [0.0, 1.0]])
    >>> pair.predictive(pair.posterior(prior, pair.statistics([[1.0, 2.0]]))).mean.tolist()
    [0.5, 1.0]
    """

    def statistics(self, x: Any, weights: Any = None) -> Moments:
        x, weights = weighted("NormalUnknownCovariance", x, weights, event_ndim=1)
        return moments(x, weights)

    def posterior(self, prior: NormalInverseWishart, statistics: Moments) -> NormalInverseWishart:
        finite_array("NormalUnknownCovariance", "the mean of the data", statistics.mean, (prior.dimension,))
        both = Moments(prior.count, prior.loc, prior.scatter) + statistics
        return NormalInverseWishart(both.mean, both.weight, prior.df + statistics.weight, both.scatter)

    def predictive(self, prior: NormalInverseWishart) -> MultivariateStudentT:
        df = prior.df - prior.dimension + 1.0
        shape = prior.scatter * ((1.0 + 1.0 / prior.count) / df)[..., None, None]
        noise = jnp.diagonal(prior.marginal_covariance().mean, axis1=-2, axis2=-1)
        return MultivariateStudentT(df, prior.loc, shape, budget=split_budget(noise, noise / prior.count[..., None]))

    def log_evidence(self, prior: NormalInverseWishart, statistics: Moments) -> Array:
        posterior = self.posterior(prior, statistics)
        return posterior.log_normalizer - prior.log_normalizer - 0.5 * prior.dimension * statistics.weight * LOG_2PI


def _of_numbers(who: str, x: Any, weights: Any) -> Moments:
    x, weights = weighted(who, x, weights)
    return moments(x[..., None], weights)

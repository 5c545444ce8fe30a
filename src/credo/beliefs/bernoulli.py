"""Yes or no, and the number of yeses in a fixed number of trials."""

import jax
import jax.numpy as jnp
from jax import Array
from jax.scipy.special import expit, logit, xlog1py
from jaxtyping import ArrayLike, Float

from credo.beliefs.exponential import ExponentialFamily
from credo.beliefs.incomplete_beta import incomplete_beta
from credo.beliefs.inverse import first_integer
from credo.beliefs.log_gamma import log_choose
from credo.numerics.constraints import Probability, Whole
from credo.numerics.parameters import parameter
from credo.numerics.scalar import xlogy

__all__ = ["Bernoulli", "Binomial"]


class Bernoulli(ExponentialFamily):
    r"""1 with `probability` $p$, else 0; certainty ($p$ = 0 or 1) is allowed.

    Natural form: $T(x) = x$, $\eta = \operatorname{logit} p$, $A(\eta) = \log(1 + e^\eta)$.

    >>> f"{Bernoulli(0.25).variance:.4f}"
    '0.1875'
    """

    probability: Float[Array, "*batch"] = parameter(Probability())

    is_discrete = True

    @property
    def mean(self) -> Array:
        return self.probability

    @property
    def variance(self) -> Array:
        return self.probability * (1.0 - self.probability)

    def log_prob(self, x: ArrayLike) -> Array:
        x, outside = _count(x, 1.0)
        return jnp.where(outside, -jnp.inf, xlogy(x, self.probability) + xlogy(1.0 - x, 1.0 - self.probability))

    def cdf(self, x: ArrayLike) -> Array:
        x = jnp.asarray(x, dtype=jnp.float64)
        steps = jnp.where(x < 0.0, 0.0, jnp.where(x < 1.0, 1.0 - self.probability, 1.0))
        return jnp.where(jnp.isnan(x), jnp.nan, steps)

    def quantile(self, p: ArrayLike) -> Array:
        return first_integer(self.cdf, self._checked(p) + jnp.zeros(self.batch_shape), 0.0, 1.0)

    def draw(self, key: Array, shape: tuple[int, ...]) -> Array:
        return jax.random.bernoulli(key, self.probability, shape + self.batch_shape).astype(jnp.float64)

    @property
    def natural(self) -> Array:
        return logit(self.probability)[..., None]

    def with_natural(self, natural: Array) -> "Bernoulli":
        return Bernoulli(expit(natural[..., 0]))

    def statistics(self, x: ArrayLike) -> Array:
        return jnp.asarray(x, dtype=jnp.float64)[..., None]

    def log_partition(self, natural: Array) -> Array:
        return jnp.logaddexp(0.0, natural[..., 0])

    def log_base(self, x: ArrayLike) -> Array:
        return jnp.where(_count(x, 1.0)[1], -jnp.inf, 0.0)

    def kl(self, other: "Bernoulli") -> Array:
        """p log(p/p') + (1 − p) log((1 − p)/(1 − p')), right for certain beliefs too."""
        return _kl_of_one_trial(self.probability, other.probability)

    def maximum_likelihood(self, mean_statistics: Array) -> "Bernoulli":
        return Bernoulli(mean_statistics[..., 0])


class Binomial(ExponentialFamily):
    r"""The number of successes in `trials` $n$ independent trials of `probability` $p$.

    The trials are known, not learnt: the family is that of one $n$, with $T(x) = x$, $\eta = \operatorname{logit} p$,
    $A(\eta) = n\log(1 + e^\eta)$, $h(x) = \binom{n}{x}$. `cdf` is as accurate as that of [](#credo.beliefs.Beta).

    >>> low, high = Binomial(10, 0.5).interval(0.9)
    >>> int(low), int(high)
    (2, 8)
    """

    trials: Float[Array, "*batch"] = parameter(Whole())
    probability: Float[Array, "*batch"] = parameter(Probability())

    is_discrete = True

    @property
    def mean(self) -> Array:
        return self.trials * self.probability

    @property
    def variance(self) -> Array:
        return self.mean * (1.0 - self.probability)

    def log_prob(self, x: ArrayLike) -> Array:
        x, outside = _count(x, self.trials)
        inside = xlogy(x, self.probability) + xlog1py(self.trials - x, -self.probability) + log_choose(self.trials, x)
        return jnp.where(outside, -jnp.inf, inside)

    def cdf(self, x: ArrayLike) -> Array:
        return _binomial_cdf(self.trials, self.probability, jnp.asarray(x, dtype=jnp.float64))

    def quantile(self, p: ArrayLike) -> Array:
        return _binomial_quantile(self.trials, self.probability, self._checked(p))

    def draw(self, key: Array, shape: tuple[int, ...]) -> Array:
        return jax.random.binomial(key, self.trials, self.probability, shape + self.batch_shape, dtype=jnp.float64)

    @property
    def natural(self) -> Array:
        return logit(self.probability)[..., None]

    def with_natural(self, natural: Array) -> "Binomial":
        return Binomial(self.trials, expit(natural[..., 0]))

    def statistics(self, x: ArrayLike) -> Array:
        return jnp.asarray(x, dtype=jnp.float64)[..., None]

    def log_partition(self, natural: Array) -> Array:
        return self.trials * jnp.logaddexp(0.0, natural[..., 0])

    def log_base(self, x: ArrayLike) -> Array:
        x, outside = _count(x, self.trials)
        return jnp.where(outside, -jnp.inf, log_choose(self.trials, x))

    def kl(self, other: "Binomial") -> Array:
        """n times the divergence of one trial; both have the same number of trials."""
        self._check_same_family(other)
        return self.trials * _kl_of_one_trial(self.probability, other.probability)

    def maximum_likelihood(self, mean_statistics: Array) -> "Binomial":
        return Binomial(self.trials, mean_statistics[..., 0] / self.trials)


def _count(x: ArrayLike, most: ArrayLike) -> tuple[Array, Array]:
    """x with zeros where it is not one of 0 to `most`, so that gradients stay finite, and where that is. NaN stays."""
    x = jnp.asarray(x, dtype=jnp.float64)
    outside = (x < 0.0) | (x > most) | ((x != jnp.floor(x)) & ~jnp.isnan(x))
    return jnp.where(outside, 0.0, x), outside


def _kl_of_one_trial(p: Array, q: Array) -> Array:
    yes = xlogy(p, p) - xlogy(p, q)
    no = xlogy(1.0 - p, 1.0 - p) - xlogy(1.0 - p, 1.0 - q)
    return yes + no


def _binomial_cdf(trials: Array, probability: Array, x: Array) -> Array:
    """I_{1−p}(n − k, k + 1) for k = ⌊x⌋ (Johnson, Kemp and Kotz 2005, eq. 3.37)."""
    trials, probability, k = jnp.broadcast_arrays(trials, probability, jnp.floor(x))
    between = (k >= 0) & (k < trials)
    failures, successes = jnp.where(between, trials - k, 1.0), jnp.where(between, k, 0.0) + 1.0
    inner = incomplete_beta(failures, successes, 1.0 - probability, probability)
    return jnp.where(jnp.isnan(k), jnp.nan, jnp.where(k < 0, 0.0, jnp.where(between, inner, 1.0)))


@jax.jit
def _binomial_quantile(trials: Array, probability: Array, p: Array) -> Array:
    trials, probability, p = jnp.broadcast_arrays(trials, probability, p)
    return first_integer(lambda k: _binomial_cdf(trials, probability, k), p, 0.0, trials)

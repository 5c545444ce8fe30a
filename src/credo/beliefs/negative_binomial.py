"""The negative binomial distribution of a count that varies more than a Poisson."""

import jax
import jax.numpy as jnp
from jax import Array
from jax.scipy.special import gammaln
from jaxtyping import ArrayLike, Float

from credo.beliefs.exponential import ExponentialFamily
from credo.beliefs.incomplete_beta import incomplete_beta
from credo.beliefs.inverse import first_integer
from credo.beliefs.log_gamma import log_gamma_ratio
from credo.beliefs.poisson import whole_part
from credo.numerics.constraints import Bounded, Positive
from credo.numerics.parameters import parameter
from credo.numerics.scalar import log1m, log1mexp

__all__ = ["NegativeBinomial"]


class NegativeBinomial(ExponentialFamily):
    r"""The number of failures before the $r$-th success: $P(x) = \binom{x+r-1}{x} p^r (1-p)^x$.

    `successes` $r$ is any positive number, `probability` $p$ that of a success, strictly between 0 and 1. scipy:
    ``nbinom(n=successes, p=probability)``. A Poisson whose rate is Gamma(shape $r$, rate $b$) is this with $p =
    b/(b+1)$. The mean is $m = r(1-p)/p$ and the variance $m + m^2/r$; [](#credo.beliefs.NegativeBinomial.from_mean)
    takes these. As an exponential family $r$ is known, not learnt: $T(x) = x$, $\eta = \log(1-p)$, $A(\eta) =
    -r\log(1 - e^\eta)$. `cdf` is as accurate as that of [](#credo.beliefs.Beta).

    >>> f"{NegativeBinomial(3.0, 0.25).mean:.1f}"
    '9.0'
    """

    successes: Float[Array, "*batch"] = parameter(Positive())
    probability: Float[Array, "*batch"] = parameter(Bounded())

    is_discrete = True

    @classmethod
    def from_mean(cls, mean: ArrayLike, dispersion: ArrayLike) -> "NegativeBinomial":
        """The member of this mean m and of variance m + dispersion · m²: the convention of count regression.

        >>> f"{NegativeBinomial.from_mean(4.0, 0.5).variance:.1f}"
        '12.0'
        """
        successes = 1.0 / jnp.asarray(dispersion, dtype=jnp.float64)
        return cls(successes, successes / (successes + mean))

    @property
    def mean(self) -> Array:
        return self.successes * (1.0 - self.probability) / self.probability

    @property
    def variance(self) -> Array:
        return self.mean / self.probability

    def log_prob(self, x: ArrayLike) -> Array:
        x, outside = whole_part(x)
        inside = self._log_choose(x) + self.successes * jnp.log(self.probability) + x * log1m(self.probability)
        return jnp.where(outside, -jnp.inf, inside)

    def cdf(self, x: ArrayLike) -> Array:
        return _cdf(self.successes, self.probability, jnp.asarray(x, dtype=jnp.float64))

    def quantile(self, p: ArrayLike) -> Array:
        return _quantile(self.successes, self.probability, self._checked(p))

    def draw(self, key: Array, shape: tuple[int, ...]) -> Array:
        rates, counts = jax.random.split(key)
        odds = (1.0 - self.probability) / self.probability
        rate = odds * jax.random.gamma(rates, self.successes, shape + self.batch_shape, dtype=jnp.float64)
        return jax.random.poisson(counts, rate, shape + self.batch_shape).astype(jnp.float64)

    @property
    def natural(self) -> Array:
        return log1m(self.probability)[..., None]

    def with_natural(self, natural: Array) -> "NegativeBinomial":
        return NegativeBinomial(self.successes, -jnp.expm1(natural[..., 0]))

    def statistics(self, x: ArrayLike) -> Array:
        return jnp.asarray(x, dtype=jnp.float64)[..., None]

    def log_partition(self, natural: Array) -> Array:
        eta = natural[..., 0]
        inside = eta < 0
        return jnp.where(inside, -self.successes * log1mexp(jnp.where(inside, eta, -1.0)), jnp.inf)

    def log_base(self, x: ArrayLike) -> Array:
        x, outside = whole_part(x)
        return jnp.where(outside, -jnp.inf, self._log_choose(x))

    def maximum_likelihood(self, mean_statistics: Array) -> "NegativeBinomial":
        return NegativeBinomial(self.successes, self.successes / (self.successes + mean_statistics[..., 0]))

    def _log_choose(self, x: Array) -> Array:
        """log Γ(x + r) − log Γ(r) − log x!, from the larger of x and r, where the difference does not cancel."""
        x, r = jnp.broadcast_arrays(x, self.successes)
        many = x > r
        by_count = log_gamma_ratio(jnp.where(many, x, 1.0), r) - gammaln(r) - jnp.log(jnp.where(many, x, 1.0))
        by_successes = log_gamma_ratio(r, jnp.where(many, 1.0, x)) - gammaln(x + 1.0)
        return jnp.where(many, by_count, by_successes)


def _cdf(successes: Array, probability: Array, x: Array) -> Array:
    """I_p(r, k + 1) for k = ⌊x⌋ (Johnson, Kemp and Kotz 2005, eq. 5.31)."""
    successes, probability, k = jnp.broadcast_arrays(successes, probability, jnp.floor(x))
    usable = (k >= 0) & jnp.isfinite(k)
    inner = incomplete_beta(successes, jnp.where(usable, k, 0.0) + 1.0, probability, 1.0 - probability)
    return jnp.where(jnp.isnan(k), jnp.nan, jnp.where(usable, inner, jnp.where(k < 0, 0.0, 1.0)))


@jax.jit
def _quantile(successes: Array, probability: Array, p: Array) -> Array:
    successes, probability, p = jnp.broadcast_arrays(successes, probability, p)
    return first_integer(lambda k: _cdf(successes, probability, k), p, 0.0, jnp.inf)

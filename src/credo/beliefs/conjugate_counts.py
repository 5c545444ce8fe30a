"""Conjugate pairs for successes, counts and classes: their statistics are totals."""

from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
from jax import Array
from jax.scipy.special import gammaln
from jaxtyping import Float

from credo.beliefs.bernoulli import Bernoulli
from credo.beliefs.beta import Beta
from credo.beliefs.beta_binomial import BetaBinomial
from credo.beliefs.categorical import Categorical
from credo.beliefs.conjugate import ConjugatePair, gain, shifted, split_budget, weighted
from credo.beliefs.dirichlet import Dirichlet
from credo.beliefs.gamma import Gamma
from credo.beliefs.log_gamma import log_choose
from credo.beliefs.matrices import finite_array, require
from credo.beliefs.negative_binomial import NegativeBinomial

__all__ = ["BetaBernoulli", "CountStatistics", "DirichletCategorical", "GammaPoisson"]


class CountStatistics(eqx.Module):
    """Totals along the last axis (successes and failures, events and exposure, or one a class), and Σ log h."""

    totals: Float[Array, "*batch p"]
    log_base: Float[Array, "*batch"]

    def __add__(self, other: "CountStatistics") -> "CountStatistics":
        return CountStatistics(self.totals + other.totals, self.log_base + other.log_base)


class BetaBernoulli(ConjugatePair[Beta, CountStatistics]):
    r"""Successes with an unknown probability $\theta \sim \mathrm{Beta}(a, b)$.

    The posterior is Beta(a + successes, b + failures). Data are 0 and 1; `counts` takes numbers of successes among
    numbers of trials instead (Binomial), and `predictive_counts` predicts such a number (Bishop 2006, eq. 2.18).

    >>> pair = BetaBernoulli()
    >>> posterior = pair.posterior(Beta(1.0, 1.0), pair.statistics([1, 1, 0]))
    >>> posterior.a.item(), posterior.b.item(), round(pair.predictive(posterior).probability.item(), 3)
    (3.0, 2.0, 0.6)
    """

    def statistics(self, x: Any, weights: Any = None) -> CountStatistics:
        x, weights = weighted("BetaBernoulli", x, weights)
        require(
            (x == 0.0) | (x == 1.0),
            "BetaBernoulli",
            "x has values other than 0 and 1",
            "Counts were given",
            "Try .counts(...)",
        )
        return self._totals(x, 1.0 - x, weights, jnp.zeros(()))

    def counts(self, successes: Any, trials: Any, weights: Any = None) -> CountStatistics:
        """The statistics of rows of Binomial data: `successes` among `trials`."""
        successes, weights = weighted("BetaBernoulli", successes, weights)
        trials = finite_array("BetaBernoulli", "trials", trials)
        _require_whole("BetaBernoulli", "successes", successes)
        _require_whole("BetaBernoulli", "trials", trials)
        require(
            successes <= trials, "BetaBernoulli", "successes exceed trials", "The arguments are swapped", "Swap them"
        )
        return self._totals(successes, trials - successes, weights, log_choose(trials, successes))

    def _totals(self, successes: Array, failures: Array, weights: Array, log_base: Array) -> CountStatistics:
        totals = jnp.stack([jnp.sum(weights * successes, axis=-1), jnp.sum(weights * failures, axis=-1)], axis=-1)
        return CountStatistics(totals, jnp.sum(weights * log_base, axis=-1))

    def posterior(self, prior: Beta, statistics: CountStatistics) -> Beta:
        return shifted(prior, statistics.totals)

    def predictive(self, prior: Beta) -> Bernoulli:
        total = prior.a + prior.b
        noise = prior.a * prior.b / (total * (total + 1.0))  # E θ(1 − θ)
        return Bernoulli(prior.mean, budget=split_budget(noise, prior.variance))

    def predictive_counts(self, prior: Beta, trials: Any) -> BetaBinomial:
        """The belief about the number of successes in `trials` further trials."""
        trials = finite_array("BetaBernoulli", "trials", trials)
        total = prior.a + prior.b
        noise = trials * prior.a * prior.b / (total * (total + 1.0))
        return BetaBinomial(trials, prior.a, prior.b, budget=split_budget(noise, trials**2 * prior.variance))

    def log_evidence(self, prior: Beta, statistics: CountStatistics) -> Array:
        return gain(prior, self.posterior(prior, statistics)) + statistics.log_base


class GammaPoisson(ConjugatePair[Gamma, CountStatistics]):
    r"""Counts with an unknown rate $\lambda \sim \mathrm{Gamma}(a, b)$: the posterior is Gamma(a + Σx, b + exposure).

    A row is $x \sim \mathrm{Poisson}(\lambda t)$ with `exposure` t, one unless told. The predictive is a
    NegativeBinomial (Gelman et al. 2013, section 2.6).

    >>> pair = GammaPoisson()
    >>> posterior = pair.posterior(Gamma(2.0, 1.0), pair.statistics([3, 4]))
    >>> posterior.shape.item(), posterior.rate.item(), pair.predictive(posterior).mean.item()
    (9.0, 3.0, 3.0)
    """

    def statistics(self, x: Any, weights: Any = None, exposure: Any = 1.0) -> CountStatistics:
        x, weights = weighted("GammaPoisson", x, weights)
        _require_whole("GammaPoisson", "x", x)
        exposure = finite_array("GammaPoisson", "exposure", exposure)
        require(
            exposure > 0.0,
            "GammaPoisson",
            "exposure is not positive",
            "It is time or area observed",
            "Pass it above zero",
        )
        log_base = x * jnp.log(exposure) - gammaln(x + 1.0)
        parts = (weights * x, weights * exposure, weights * log_base)
        events, exposures, bases = (jnp.sum(part, axis=-1) for part in parts)
        return CountStatistics(jnp.stack([events, jnp.broadcast_to(exposures, events.shape)], axis=-1), bases)

    def posterior(self, prior: Gamma, statistics: CountStatistics) -> Gamma:
        return shifted(prior, statistics.totals * jnp.array([1.0, -1.0]))

    def predictive(self, prior: Gamma, exposure: Any = 1.0) -> NegativeBinomial:
        exposure = finite_array("GammaPoisson", "exposure", exposure)
        budget = split_budget(exposure * prior.mean, exposure**2 * prior.variance)
        return NegativeBinomial(prior.shape, prior.rate / (prior.rate + exposure), budget=budget)

    def log_evidence(self, prior: Gamma, statistics: CountStatistics) -> Array:
        return gain(prior, self.posterior(prior, statistics)) + statistics.log_base


class DirichletCategorical(ConjugatePair[Dirichlet, CountStatistics]):
    r"""Classes $0, \dots, k - 1$ with unknown probabilities $p \sim \mathrm{Dirichlet}(\alpha)$.

    The posterior is Dirichlet(α + counts). Data are class codes; `counts` takes rows of counts instead (Multinomial)
    (Bishop 2006, eq. 2.41).

    >>> pair = DirichletCategorical(classes=2)
    >>> pair.posterior(Dirichlet([1.0, 1.0]), pair.statistics([0, 1, 1])).concentration.tolist()
    [2.0, 3.0]
    """

    classes: int

    def statistics(self, x: Any, weights: Any = None) -> CountStatistics:
        x, weights = weighted("DirichletCategorical", x, weights)
        valid = (x >= 0.0) & (x < self.classes) & (x == jnp.floor(x))
        what = f"x has values that are no class codes from 0 to {self.classes - 1}"
        require(valid, "DirichletCategorical", what, "Labels were not encoded", "Encode them as 0, 1, 2, …")
        one_hot = jax.nn.one_hot(x.astype(jnp.int64), self.classes, dtype=jnp.float64)
        totals = jnp.sum(weights[..., None] * one_hot, axis=-2)
        return CountStatistics(totals, jnp.zeros(totals.shape[:-1]))

    def counts(self, x: Any, weights: Any = None) -> CountStatistics:
        """The statistics of rows of Multinomial data: each a vector of counts."""
        x, weights = weighted("DirichletCategorical", x, weights, event_ndim=1)
        finite_array("DirichletCategorical", "x", x, (self.classes,))
        _require_whole("DirichletCategorical", "x", x)
        log_base = gammaln(jnp.sum(x, axis=-1) + 1.0) - jnp.sum(gammaln(x + 1.0), axis=-1)
        return CountStatistics(jnp.sum(weights[..., None] * x, axis=-2), jnp.sum(weights * log_base, axis=-1))

    def posterior(self, prior: Dirichlet, statistics: CountStatistics) -> Dirichlet:
        return shifted(prior, statistics.totals)

    def predictive(self, prior: Dirichlet) -> Categorical:
        mean = prior.mean
        return Categorical(mean, budget=split_budget(mean * (1.0 - mean) - prior.variance, prior.variance))

    def log_evidence(self, prior: Dirichlet, statistics: CountStatistics) -> Array:
        return gain(prior, self.posterior(prior, statistics)) + statistics.log_base


def _require_whole(who: str, name: str, x: Array) -> None:
    whole = (x >= 0.0) & (x == jnp.floor(x))
    require(
        whole, who, f"{name} has values that are not 0, 1, 2, …", "Counts are whole", "Pass counts, and weights apart"
    )

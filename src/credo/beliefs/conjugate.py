r"""Conjugate pairs as one idea: sufficient statistics add, and shift the prior's natural parameters.

For a likelihood $\prod_i h(x_i)\exp(\theta^\top T(x_i) - A(\theta))$ and a prior that is an exponential family in
$(\theta, A(\theta))$ with log-partition $A_0$, the posterior has $\eta' = \eta + (\sum T(x_i), n)$ and the evidence is
$\sum \log h(x_i) + A_0(\eta') - A_0(\eta)$ (Bishop 2006, section 2.4.2; Diaconis and Ylvisaker 1979). Weights are
frequencies: weight 2 equals the row twice.
"""

from abc import abstractmethod
from typing import Any, Generic, Protocol, Self, TypeVar, runtime_checkable

import equinox as eqx
import jax.numpy as jnp
from jax import Array

from credo.beliefs.base import Belief
from credo.beliefs.budget import UncertaintyBudget
from credo.beliefs.exponential import ExponentialFamily
from credo.beliefs.matrices import finite_array, require
from credo.errors import InputError
from credo.numerics.concrete import known_not_finite

__all__ = ["ConjugatePair", "Statistics", "split_budget", "weighted"]


@runtime_checkable
class Statistics(Protocol):
    """What a pair needs to know of some data. Two add up to those of the data put together."""

    def __add__(self, other: Self) -> Self:
        """The statistics of both data sets together."""


P = TypeVar("P", bound=ExponentialFamily)
S = TypeVar("S", bound=Statistics)


class ConjugatePair(eqx.Module, Generic[P, S]):
    """A likelihood and the family of priors that it maps into itself.

    ``pair.posterior(prior, pair.statistics(x))`` equals, to round-off, the same in parts one after the other; a
    posterior is a prior, so ``pair.predictive(posterior)`` is the posterior predictive of one new observation, with
    its budget. Everything is pure and batches over the leading axes of data, weights and prior.
    """

    @abstractmethod
    def statistics(self, x: Any, weights: Any = None) -> S:
        """The sufficient statistics of the rows of x, each counted as often as its weight says."""

    @abstractmethod
    def posterior(self, prior: P, statistics: S) -> P:
        """The belief about the parameter after the data."""

    @abstractmethod
    def predictive(self, prior: P) -> Belief:
        """The belief about one new observation under a prior or posterior; the budget splits noise from ignorance."""

    @abstractmethod
    def log_evidence(self, prior: P, statistics: S) -> Array:
        """The logarithm of the density (or probability) of the data, in their order, under the prior."""


def weighted(who: str, x: Any, weights: Any, event_ndim: int = 0) -> tuple[Array, Array]:
    """Data of shape ``(*batch, n, *event)`` and frequency weights of shape ``(*batch, n)``, checked."""
    x = finite_array(who, "x", x)
    if x.ndim < 1 + event_ndim:
        raise InputError(who, f"x has shape {x.shape}", "There is no axis of rows", "Pass one row or more, as an array")
    rows = x.shape[: x.ndim - event_ndim]
    if weights is None:
        return x, jnp.ones(rows)
    weights = finite_array(who, "weights", weights, rows[-1:])
    require(
        weights >= 0.0, who, "weights has negative entries", "Weights say how often a row occurred", "Pass zero or more"
    )
    try:
        jnp.broadcast_shapes(weights.shape, rows)
    except ValueError as error:
        raise InputError(
            who, f"weights have shape {weights.shape}, rows {rows}", "", "Pass one weight a row"
        ) from error
    return x, weights


def split_budget(noise: Array, parameter: Array) -> UncertaintyBudget:
    """The two parts of a predictive's variance; unsplit where it is infinite (inside jit the parts are infinite)."""
    total = noise + parameter
    if known_not_finite(total):
        return UncertaintyBudget.unsplit("the variance of the predictive is infinite")
    return UncertaintyBudget(noise=noise, parameter=parameter)


def shifted(prior: P, shift: Array) -> P:
    """The posterior: the member of the prior's family at η + shift."""
    return prior.with_natural(prior.natural + shift)


def gain(prior: P, posterior: P) -> Array:
    """A(η') − A(η): the log evidence up to the base measure of the data."""
    return posterior.log_partition(posterior.natural) - prior.log_partition(prior.natural)

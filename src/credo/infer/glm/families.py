r"""Response families: how a target varies about its mean.

$\operatorname{Var} y = \phi\,V(\mu)/m$ with the variance function $V$, the dispersion $\phi$ (known to be one, or
estimated) and a known size $m$ of each row (trials of a binomial). The belief about a target is one of
[](#credo.beliefs), and so is its density; what is here is what Newton's method wants, in NumPy.
"""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import ClassVar

import jax.numpy as jnp
import numpy as np
from scipy import special

from credo.beliefs import Belief, Bernoulli, Binomial, Gamma, NegativeBinomial, Normal, Poisson
from credo.beliefs.inverse_gaussian import InverseGaussian
from credo.errors import InputError
from credo.infer.glm.links import IdentityLink, Link, LogitLink, LogLink
from credo.infer.linear_predictive import SMALLEST

__all__ = [
    "FAMILIES",
    "BernoulliFamily",
    "BinomialFamily",
    "Family",
    "GammaFamily",
    "GaussianFamily",
    "InverseGaussianFamily",
    "NegativeBinomialFamily",
    "PoissonFamily",
    "as_family",
]


@dataclass(frozen=True)
class Family(ABC):
    """A variance function with its deviance and density.

    `deviance` is of each row, twice the log likelihood ratio to a mean equal to the target, times the dispersion.
    """

    support: ClassVar[str]
    known_dispersion: ClassVar[bool] = False

    @property
    @abstractmethod
    def link(self) -> Link:
        """The link that is taken when none is named."""

    @abstractmethod
    def variance(self, mean: np.ndarray) -> np.ndarray:
        """V(μ)."""

    @abstractmethod
    def deviance(self, y: np.ndarray, mean: np.ndarray) -> np.ndarray:
        """Of each row."""

    @abstractmethod
    def holds(self, y: np.ndarray) -> np.ndarray:
        """Which targets the family can produce."""

    @abstractmethod
    def allows(self, mean: np.ndarray) -> np.ndarray:
        """Which means it can have; a step that leaves them is shortened."""

    @abstractmethod
    def start(self, y: np.ndarray, mean: float) -> np.ndarray:
        """Means to begin with: between each target and the mean of all, where the link is finite."""

    @abstractmethod
    def log_density(self, y: np.ndarray, mean: np.ndarray, dispersion: float, size: np.ndarray) -> np.ndarray:
        """Of each row, normalized."""

    @abstractmethod
    def belief(self, mean: np.ndarray, dispersion: float | np.ndarray, size: np.ndarray) -> Belief:
        """About a target of this mean."""


@dataclass(frozen=True)
class GaussianFamily(Family):
    """Normal: V = 1, the dispersion is the variance."""

    support = "any number"

    @property
    def link(self) -> Link:
        return IdentityLink()

    def variance(self, mean: np.ndarray) -> np.ndarray:
        return np.ones_like(mean)

    def deviance(self, y: np.ndarray, mean: np.ndarray) -> np.ndarray:
        return (y - mean) ** 2

    def holds(self, y: np.ndarray) -> np.ndarray:
        return np.isfinite(y)

    def allows(self, mean: np.ndarray) -> np.ndarray:
        return np.isfinite(mean)

    def start(self, y: np.ndarray, mean: float) -> np.ndarray:
        return y

    def log_density(self, y: np.ndarray, mean: np.ndarray, dispersion: float, size: np.ndarray) -> np.ndarray:
        variance = max(dispersion, SMALLEST)  # an exact fit leaves none
        return -0.5 * ((y - mean) ** 2 / variance + np.log(2.0 * np.pi * variance))

    def belief(self, mean: np.ndarray, dispersion: float | np.ndarray, size: np.ndarray) -> Belief:
        return Normal(jnp.asarray(mean), jnp.sqrt(dispersion))


@dataclass(frozen=True)
class _Fractions(Family):
    """V = μ(1 − μ)."""

    known_dispersion = True

    @property
    def link(self) -> Link:
        return LogitLink()

    def variance(self, mean: np.ndarray) -> np.ndarray:
        return mean * (1.0 - mean)

    def deviance(self, y: np.ndarray, mean: np.ndarray) -> np.ndarray:
        return 2.0 * (special.rel_entr(y, mean) + special.rel_entr(1.0 - y, 1.0 - mean))

    def allows(self, mean: np.ndarray) -> np.ndarray:
        return (mean > 0.0) & (mean < 1.0)

    def start(self, y: np.ndarray, mean: float) -> np.ndarray:
        return 0.5 * (y + 0.5)

    def log_density(self, y: np.ndarray, mean: np.ndarray, dispersion: float, size: np.ndarray) -> np.ndarray:
        successes, failures = size * y, size * (1.0 - y)
        choose = special.gammaln(size + 1.0) - special.gammaln(successes + 1.0) - special.gammaln(failures + 1.0)
        return choose + special.xlogy(successes, mean) + special.xlog1py(failures, -mean)


@dataclass(frozen=True)
class BernoulliFamily(_Fractions):
    """Yes or no."""

    support = "0 or 1"

    def holds(self, y: np.ndarray) -> np.ndarray:
        return (y == 0.0) | (y == 1.0)

    def log_density(self, y: np.ndarray, mean: np.ndarray, dispersion: float, size: np.ndarray) -> np.ndarray:
        with np.errstate(divide="ignore"):
            return size * np.log(np.where(y > 0.5, mean, 1.0 - mean))

    def belief(self, mean: np.ndarray, dispersion: float | np.ndarray, size: np.ndarray) -> Belief:
        return Bernoulli(jnp.asarray(mean))


@dataclass(frozen=True)
class BinomialFamily(_Fractions):
    """The fraction of m trials that succeed. The belief is about their number."""

    support = "a fraction between 0 and 1"

    def holds(self, y: np.ndarray) -> np.ndarray:
        return (y >= 0.0) & (y <= 1.0)

    def belief(self, mean: np.ndarray, dispersion: float | np.ndarray, size: np.ndarray) -> Belief:
        return Binomial(jnp.asarray(size), jnp.asarray(mean))


@dataclass(frozen=True)
class _Counts(Family):
    support = "a count: 0, 1, 2, …, or another number that is not negative"
    known_dispersion = True

    @property
    def link(self) -> Link:
        return LogLink()

    def holds(self, y: np.ndarray) -> np.ndarray:
        return (y >= 0.0) & np.isfinite(y)

    def allows(self, mean: np.ndarray) -> np.ndarray:
        return (mean > 0.0) & np.isfinite(mean)

    def start(self, y: np.ndarray, mean: float) -> np.ndarray:
        return 0.5 * (y + max(mean, 0.1))


@dataclass(frozen=True)
class PoissonFamily(_Counts):
    """Counts with V = μ."""

    def variance(self, mean: np.ndarray) -> np.ndarray:
        return mean

    def deviance(self, y: np.ndarray, mean: np.ndarray) -> np.ndarray:
        return 2.0 * special.kl_div(y, mean)

    def log_density(self, y: np.ndarray, mean: np.ndarray, dispersion: float, size: np.ndarray) -> np.ndarray:
        return special.xlogy(y, mean) - mean - special.gammaln(y + 1.0)

    def belief(self, mean: np.ndarray, dispersion: float | np.ndarray, size: np.ndarray) -> Belief:
        return Poisson(jnp.asarray(mean))


@dataclass(frozen=True)
class NegativeBinomialFamily(_Counts):
    """Counts that vary more than a Poisson's: V = μ + aμ² with known excess a."""

    excess: float = 1.0

    def __post_init__(self) -> None:
        if not self.excess > 0.0:
            what = f"excess is {self.excess}"
            raise InputError("NegativeBinomialFamily", what, "It is positive; zero is a Poisson", "Try excess=1.0")

    def variance(self, mean: np.ndarray) -> np.ndarray:
        return mean * (1.0 + self.excess * mean)

    def deviance(self, y: np.ndarray, mean: np.ndarray) -> np.ndarray:
        size = 1.0 / self.excess
        return 2.0 * (
            special.xlogy(y, np.where(y > 0.0, y, 1.0) / mean) - (y + size) * np.log((y + size) / (mean + size))
        )

    def log_density(self, y: np.ndarray, mean: np.ndarray, dispersion: float, size: np.ndarray) -> np.ndarray:
        r = 1.0 / self.excess
        choose = special.gammaln(y + r) - special.gammaln(r) - special.gammaln(y + 1.0)
        return choose + special.xlogy(y, mean / (mean + r)) - r * np.log1p(mean / r)

    def belief(self, mean: np.ndarray, dispersion: float | np.ndarray, size: np.ndarray) -> Belief:
        return NegativeBinomial.from_mean(jnp.asarray(mean), self.excess)


@dataclass(frozen=True)
class _Positive(Family):
    support = "a positive number"

    @property
    def link(self) -> Link:
        return LogLink()

    def holds(self, y: np.ndarray) -> np.ndarray:
        return (y > 0.0) & np.isfinite(y)

    def allows(self, mean: np.ndarray) -> np.ndarray:
        return (mean > 0.0) & np.isfinite(mean)

    def start(self, y: np.ndarray, mean: float) -> np.ndarray:
        return 0.5 * (y + mean)


@dataclass(frozen=True)
class GammaFamily(_Positive):
    """Positive numbers of a constant relative error: V = μ², the dispersion is the squared relative error."""

    def variance(self, mean: np.ndarray) -> np.ndarray:
        return mean**2

    def deviance(self, y: np.ndarray, mean: np.ndarray) -> np.ndarray:
        return 2.0 * (y / mean - 1.0 - np.log(y / mean))

    def log_density(self, y: np.ndarray, mean: np.ndarray, dispersion: float, size: np.ndarray) -> np.ndarray:
        shape = 1.0 / dispersion
        return shape * np.log(shape * y / mean) - shape * y / mean - np.log(y) - special.gammaln(shape)

    def belief(self, mean: np.ndarray, dispersion: float | np.ndarray, size: np.ndarray) -> Belief:
        return Gamma(jnp.asarray(1.0 / dispersion), jnp.asarray(1.0 / (dispersion * mean)))


@dataclass(frozen=True)
class InverseGaussianFamily(_Positive):
    """Positive numbers with a heavier tail: V = μ³, the dispersion is one over the shape."""

    def variance(self, mean: np.ndarray) -> np.ndarray:
        return mean**3

    def deviance(self, y: np.ndarray, mean: np.ndarray) -> np.ndarray:
        return (y - mean) ** 2 / (y * mean**2)

    def log_density(self, y: np.ndarray, mean: np.ndarray, dispersion: float, size: np.ndarray) -> np.ndarray:
        return -0.5 * (self.deviance(y, mean) / dispersion + np.log(2.0 * np.pi * dispersion * y**3))

    def belief(self, mean: np.ndarray, dispersion: float | np.ndarray, size: np.ndarray) -> Belief:
        return InverseGaussian(jnp.asarray(mean), jnp.asarray(1.0 / dispersion))


#: By the name that a user gives.
FAMILIES: dict[str, Family] = {
    "gaussian": GaussianFamily(),
    "bernoulli": BernoulliFamily(),
    "binomial": BinomialFamily(),
    "poisson": PoissonFamily(),
    "gamma": GammaFamily(),
    "inverse gaussian": InverseGaussianFamily(),
    "negative binomial": NegativeBinomialFamily(),
}


def as_family(family: str | Family) -> Family:
    """The family of a name, or the family itself."""
    if isinstance(family, Family):
        return family
    if family == "multinomial":
        what = "a multinomial has one mean a class, and a GLM one a row"
        raise InputError("GLM", what, "", "Try SoftmaxRegression: fit takes labels, fit_counts a table of counts")
    if family not in FAMILIES:
        raise InputError("GLM", f"family is {family!r}", "It is not known", f"Try one of {', '.join(FAMILIES)}")
    return FAMILIES[family]

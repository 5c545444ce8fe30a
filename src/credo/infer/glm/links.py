r"""Links between a mean and a linear predictor: $g(\mu) = \eta = x^\top\beta$.

On the host, in NumPy: a Newton step of a generalized linear model is a few matrix products, for which nothing need be
compiled.
"""

from abc import ABC, abstractmethod
from dataclasses import dataclass

import numpy as np
from scipy import special

from credo.errors import InputError
from credo.numerics import array_expit

__all__ = [
    "LINKS",
    "CLogLogLink",
    "IdentityLink",
    "InverseLink",
    "InverseSquaredLink",
    "Link",
    "LogLink",
    "LogitLink",
    "ProbitLink",
    "as_link",
]


@dataclass(frozen=True)
class Link(ABC):
    """A monotone function of the mean, its inverse, and the slope of the inverse."""

    @abstractmethod
    def predictor(self, mean: np.ndarray) -> np.ndarray:
        """η of μ."""

    @abstractmethod
    def mean(self, eta: np.ndarray) -> np.ndarray:
        """μ of η."""

    @abstractmethod
    def slope(self, eta: np.ndarray) -> np.ndarray:
        """dμ/dη."""


@dataclass(frozen=True)
class IdentityLink(Link):
    """μ = η."""

    def predictor(self, mean: np.ndarray) -> np.ndarray:
        return mean

    def mean(self, eta: np.ndarray) -> np.ndarray:
        return eta

    def slope(self, eta: np.ndarray) -> np.ndarray:
        return np.ones_like(eta)


@dataclass(frozen=True)
class LogLink(Link):
    """μ = exp η."""

    def predictor(self, mean: np.ndarray) -> np.ndarray:
        return np.log(mean)

    def mean(self, eta: np.ndarray) -> np.ndarray:
        return np.exp(eta)

    def slope(self, eta: np.ndarray) -> np.ndarray:
        return np.exp(eta)


@dataclass(frozen=True)
class LogitLink(Link):
    """μ = 1/(1 + exp −η)."""

    def predictor(self, mean: np.ndarray) -> np.ndarray:
        return special.logit(mean)

    def mean(self, eta: np.ndarray) -> np.ndarray:
        return array_expit(eta)

    def slope(self, eta: np.ndarray) -> np.ndarray:
        p = array_expit(-np.abs(eta))  # the smaller of the two probabilities keeps its digits
        return p * (1.0 - p)


@dataclass(frozen=True)
class ProbitLink(Link):
    """μ = Φ(η)."""

    def predictor(self, mean: np.ndarray) -> np.ndarray:
        return special.ndtri(mean)

    def mean(self, eta: np.ndarray) -> np.ndarray:
        return special.ndtr(eta)

    def slope(self, eta: np.ndarray) -> np.ndarray:
        return np.exp(-0.5 * eta**2) / np.sqrt(2.0 * np.pi)


@dataclass(frozen=True)
class CLogLogLink(Link):
    """μ = 1 − exp(−exp η): whether a Poisson count of rate exp η is positive."""

    def predictor(self, mean: np.ndarray) -> np.ndarray:
        return np.log(-np.log1p(-mean))

    def mean(self, eta: np.ndarray) -> np.ndarray:
        return -np.expm1(-np.exp(eta))

    def slope(self, eta: np.ndarray) -> np.ndarray:
        return np.exp(eta - np.exp(eta))


@dataclass(frozen=True)
class InverseLink(Link):
    """μ = 1/η."""

    def predictor(self, mean: np.ndarray) -> np.ndarray:
        return 1.0 / mean

    def mean(self, eta: np.ndarray) -> np.ndarray:
        return 1.0 / eta

    def slope(self, eta: np.ndarray) -> np.ndarray:
        return -1.0 / eta**2


@dataclass(frozen=True)
class InverseSquaredLink(Link):
    """μ = 1/√η."""

    def predictor(self, mean: np.ndarray) -> np.ndarray:
        return mean**-2.0

    def mean(self, eta: np.ndarray) -> np.ndarray:
        return 1.0 / np.sqrt(eta)

    def slope(self, eta: np.ndarray) -> np.ndarray:
        return -0.5 * eta**-1.5


#: By the name that a user gives.
LINKS: dict[str, Link] = {
    "identity": IdentityLink(),
    "log": LogLink(),
    "logit": LogitLink(),
    "probit": ProbitLink(),
    "cloglog": CLogLogLink(),
    "inverse": InverseLink(),
    "inverse squared": InverseSquaredLink(),
}


def as_link(link: str | Link) -> Link:
    """The link of a name, or the link itself."""
    if isinstance(link, Link):
        return link
    if link not in LINKS:
        raise InputError("GLM", f"link is {link!r}", "It is not known", f"Try one of {', '.join(LINKS)}")
    return LINKS[link]

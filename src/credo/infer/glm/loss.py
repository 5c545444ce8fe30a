r"""What Newton's method wants of each row: half its deviance, and the score and expected curvature in $\eta$.

In general $u = (y - \mu)\,\mu'(\eta)/V(\mu)$ and $c = \mu'(\eta)^2/V(\mu)$ (McCullagh & Nelder 1989, §2.5). The pairs
of family and link that are common have forms that are quicker and that keep their digits where a mean reaches the end
of its range.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from scipy import special

from credo.infer.glm.families import BernoulliFamily, BinomialFamily, Family, GammaFamily, PoissonFamily
from credo.infer.glm.links import Link, LogitLink, LogLink

__all__ = ["Loss", "loss_of"]


class Loss(NamedTuple):
    """Functions of (y, η), of each row. Where a mean is not allowed the value is infinite."""

    value: Callable[[np.ndarray, np.ndarray], np.ndarray]
    derivatives: Callable[[np.ndarray, np.ndarray], tuple[np.ndarray, np.ndarray]]


def loss_of(family: Family, link: Link) -> Loss:
    """In closed form for the common pairs, from variance function and link for the others."""
    special_pair = _PAIRS.get((type(family), type(link)))
    return special_pair if special_pair is not None else _general(family, link)


def _general(family: Family, link: Link) -> Loss:
    def value(y: np.ndarray, eta: np.ndarray) -> np.ndarray:
        with np.errstate(all="ignore"):
            mean = link.mean(eta)
            allowed = family.allows(mean)
            return np.where(allowed, 0.5 * family.deviance(y, np.where(allowed, mean, 0.5)), np.inf)

    def derivatives(y: np.ndarray, eta: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        mean, slope = link.mean(eta), link.slope(eta)
        ratio = slope / family.variance(mean)
        return (y - mean) * ratio, slope * ratio

    return Loss(value, derivatives)


def _logistic_value(y: np.ndarray, eta: np.ndarray) -> np.ndarray:
    return _bernoulli_value(y, eta) + special.xlogy(y, y) + special.xlog1py(1.0 - y, -y)


def _bernoulli_value(y: np.ndarray, eta: np.ndarray) -> np.ndarray:
    return np.log1p(np.exp(-np.abs(eta))) + np.maximum(eta, 0.0) - y * eta


def _logistic_derivatives(y: np.ndarray, eta: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    small = np.exp(-np.abs(eta))
    share = 1.0 / (1.0 + small)
    return y - np.where(eta >= 0.0, share, small * share), small * share**2


def _poisson_value(y: np.ndarray, eta: np.ndarray) -> np.ndarray:
    with np.errstate(over="ignore"):
        return np.exp(eta) - y * eta + special.xlogy(y, y) - y


def _poisson_derivatives(y: np.ndarray, eta: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    mean = np.exp(eta)
    return y - mean, mean


def _gamma_value(y: np.ndarray, eta: np.ndarray) -> np.ndarray:
    with np.errstate(over="ignore"):
        return y * np.exp(-eta) - 1.0 - np.log(y) + eta


def _gamma_derivatives(y: np.ndarray, eta: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    return y * np.exp(-eta) - 1.0, np.ones_like(eta)


_PAIRS = {
    (BernoulliFamily, LogitLink): Loss(_bernoulli_value, _logistic_derivatives),
    (BinomialFamily, LogitLink): Loss(_logistic_value, _logistic_derivatives),
    (PoissonFamily, LogLink): Loss(_poisson_value, _poisson_derivatives),
    (GammaFamily, LogLink): Loss(_gamma_value, _gamma_derivatives),
}

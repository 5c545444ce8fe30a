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

__all__ = ["Loss", "RowLoss", "loss_of"]


class RowLoss(NamedTuple):
    """Half the deviance of each row, infinite where its mean is not allowed; its score and expected curvature in η."""

    value: np.ndarray
    score: np.ndarray
    curvature: np.ndarray


Loss = Callable[[np.ndarray, np.ndarray], RowLoss]
"""A function of y and η."""


def loss_of(family: Family, link: Link) -> Loss:
    """In closed form for the common pairs, from variance function and link for the others."""
    special_pair = _PAIRS.get((type(family), type(link)))
    return special_pair if special_pair is not None else _general(family, link)


def _general(family: Family, link: Link) -> Loss:
    def loss(y: np.ndarray, eta: np.ndarray) -> RowLoss:
        with np.errstate(all="ignore"):
            mean, slope = link.mean(eta), link.slope(eta)
            allowed = family.allows(mean)
            value = np.where(allowed, 0.5 * family.deviance(y, np.where(allowed, mean, 0.5)), np.inf)
            ratio = slope / family.variance(mean)
            return RowLoss(value, (y - mean) * ratio, slope * ratio)

    return loss


def _bernoulli(y: np.ndarray, eta: np.ndarray) -> RowLoss:
    small = np.exp(-np.abs(eta))
    share = 1.0 / (1.0 + small)
    # As part of a sum of terms of about one, the logarithm of one and a small number need not keep all its digits.
    value = np.maximum(eta, 0.0) - y * eta - np.log(share)
    rest = small * share
    return RowLoss(value, y - np.where(eta >= 0.0, share, rest), rest * share)


def _binomial(y: np.ndarray, eta: np.ndarray) -> RowLoss:
    found = _bernoulli(y, eta)
    return found._replace(value=found.value + special.xlogy(y, y) + special.xlog1py(1.0 - y, -y))


def _poisson(y: np.ndarray, eta: np.ndarray) -> RowLoss:
    with np.errstate(over="ignore"):
        mean = np.exp(eta)
        saturated = y * np.log(np.where(y > 0.0, y, 1.0)) - y
        return RowLoss(mean - y * eta + saturated, y - mean, mean)


def _gamma(y: np.ndarray, eta: np.ndarray) -> RowLoss:
    with np.errstate(over="ignore"):
        ratio = y * np.exp(-eta)
        return RowLoss(ratio - 1.0 - np.log(y) + eta, ratio - 1.0, np.ones_like(eta))


_PAIRS: dict[tuple[type, type], Loss] = {
    (BernoulliFamily, LogitLink): _bernoulli,
    (BinomialFamily, LogitLink): _binomial,
    (PoissonFamily, LogLink): _poisson,
    (GammaFamily, LogLink): _gamma,
}

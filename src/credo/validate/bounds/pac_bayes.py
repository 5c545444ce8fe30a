r"""The risk of a function drawn from a posterior, from its risk on n rows and how far the posterior is from the prior.

Losses are in [0, 1]; the prior was fixed before the rows were seen. KL is the relative entropy of posterior to prior.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from credo.validate.bounds.base import Bound, Number, checked_number
from credo.validate.bounds.means import kl_upper

__all__ = ["Maurer", "McAllester"]


def _complexity(divergence: Number, n: np.ndarray, delta: np.ndarray) -> Any:
    """(KL + log(2√n/δ))/n."""
    return (divergence + np.log(2.0 * np.sqrt(n) / delta)) / n


@dataclass(frozen=True)
class McAllester(Bound):
    r"""$R \le \hat R + \sqrt{(\mathrm{KL} + \log(2\sqrt n/\delta))/2n}$ (McAllester 1999, with Maurer's constant).

    >>> float(McAllester(5.0).error(1000).round(4))
    0.0779
    """

    divergence: Number

    def __post_init__(self) -> None:
        checked_number("McAllester", "divergence", self.divergence, 0.0)

    def _error(self, n: np.ndarray, delta: np.ndarray) -> Any:
        """By how much the risk may be above that on the rows."""
        return np.sqrt(0.5 * _complexity(self.divergence, n, delta))


@dataclass(frozen=True)
class Maurer(Bound):
    r"""$\mathrm{kl}(\hat R, R) \le (\mathrm{KL} + \log(2\sqrt n/\delta))/n$, for a risk `seen` on the rows (Maurer
    2004, for n ≥ 8). Never above McAllester's, and far below where the risk is small.
    """

    divergence: Number
    seen: Number = 0.0

    def __post_init__(self) -> None:
        checked_number("Maurer", "divergence", self.divergence, 0.0)
        checked_number("Maurer", "seen", self.seen, 0.0, 1.0)

    def _error(self, n: np.ndarray, delta: np.ndarray) -> Any:
        """By how much the risk may be above that on the rows; one for fewer than eight rows."""
        above = kl_upper(self.seen, _complexity(self.divergence, n, delta)) - self.seen
        return np.where(n >= 8.0, above, 1.0)

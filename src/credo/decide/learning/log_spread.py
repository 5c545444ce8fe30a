r"""How wide intervals of positive numbers have to be, by rows that the models of their logarithm have not seen.

With $\mu_i$ and $\sigma_i$ of the logarithm as they were stated of rows held out, a new observation is believed to be
log-normal with $\mu(x)$ and $\lambda\,\sigma(x)$, where $\lambda$ makes the 90 % interval hold 90 % of the rows, as in
`spread`. Tails are the normal's: a Student t of the logarithm would have no mean.
"""

from typing import Any, NamedTuple

import numpy as np
from jaxtyping import Float
from scipy import stats

from credo.beliefs import Belief, LogNormal
from credo.decide.learning.spread import LEAST, LEVEL, factor_in_words, factor_of, scaled_budget
from credo.models.positive.logarithm import LARGEST_SCALE

__all__ = ["LogSpread", "log_spread_of"]


class LogSpread(NamedTuple):
    """The factor λ on the standard deviation of the logarithm that a model states."""

    factor: float

    def of(self, belief: Belief) -> LogNormal:
        """The log-normal belief with this factor and the same median; the parts of its budget keep their shares."""
        assert isinstance(belief, LogNormal)
        wider = LogNormal(belief.loc, self._scale(belief.scale))
        return wider.with_budget(scaled_budget(belief.budget, wider.variance / belief.variance))

    def point(self, mean: np.ndarray, std: np.ndarray) -> Float[np.ndarray, " n"]:
        """The means of the beliefs of these moments: medians stay, so that wider ones have larger means."""
        loc, scale = _of_logarithm(mean, std)
        return np.exp(loc + 0.5 * self._scale(scale) ** 2)

    def place(self, mean: np.ndarray, std: np.ndarray, y: np.ndarray, thrown: np.ndarray) -> Float[np.ndarray, " n"]:
        """Where each truth lies in the belief of these moments, from 0 to 1; it has no jumps to throw dice in."""
        loc, scale = _of_logarithm(mean, std)
        return stats.norm.cdf((np.log(y) - loc) / np.maximum(self._scale(scale), LEAST))

    def ends(self, mean: np.ndarray, std: np.ndarray, level: float = LEVEL) -> tuple[np.ndarray, np.ndarray]:
        """``(low, high)`` of the beliefs of these moments."""
        loc, scale = _of_logarithm(mean, std)
        reach = float(stats.norm.ppf(0.5 + 0.5 * level)) * self._scale(scale)
        return np.exp(loc - reach), np.exp(loc + reach)

    def _scale(self, stated: Any) -> Any:
        """λσ, up to where nothing is known any more."""
        return (self.factor * stated).clip(max=LARGEST_SCALE)

    def __str__(self) -> str:
        return f"of logarithms {factor_in_words(self.factor)}"


def log_spread_of(mean: Float[np.ndarray, " n"], std: Float[np.ndarray, " n"], y: Float[np.ndarray, " n"]) -> LogSpread:
    """From what was stated of rows that were held out, and what came out; all are positive.

    >>> y = np.exp(np.random.default_rng(0).normal(size=5000))
    >>> stated = LogNormal(0.0, 0.5)
    >>> round(log_spread_of(np.full(5000, stated.mean), np.full(5000, stated.std), y).factor, 1)
    2.0
    """
    loc, scale = _of_logarithm(mean, std)
    z = (np.log(y) - loc) / np.maximum(scale, LEAST)
    return LogSpread(factor_of(z, float(stats.norm.ppf(0.5 + 0.5 * LEVEL))))


def _of_logarithm(mean: np.ndarray, std: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """µ and σ of the log-normal with these moments."""
    variance = np.log1p((std / mean) ** 2)
    return np.log(mean) - 0.5 * variance, np.sqrt(variance)

r"""How wide intervals of counts have to be, by rows that the models behind them have not seen.

With mean $m_i$ and variance $v_i$ as they were stated of rows held out, a new count is believed to be negative binomial
with this mean and the variance $\phi v(x)$. $\phi \ge 1$ is the most likely one at these rows: counts that vary more
than a Poisson does are the rule, and those that vary less are left what they are said to be.
"""

from typing import Any, NamedTuple

import numpy as np
from jax.typing import ArrayLike
from jaxtyping import Float
from scipy import optimize, stats

from credo.beliefs import Belief, NegativeBinomial
from credo.decide.learning.spread import LEVEL, scaled_budget

__all__ = ["CountSpread", "count_spread_of"]

_FEWEST = 1e-9  # a mean; none at all has no variance to be times
_EXCESS = 1e-6  # of the variance over the mean, over the mean squared: a negative binomial that is a Poisson
_MOST = 1e4


class CountSpread(NamedTuple):
    """The factor φ on the variance that a model of counts states."""

    dispersion: float

    def of(self, belief: Belief) -> NegativeBinomial:
        """The belief with this variance; the parts of its budget keep their shares."""
        wider = NegativeBinomial.from_mean(*_mean_and_excess(self.dispersion, belief.mean, belief.variance))
        return wider.with_budget(scaled_budget(belief.budget, wider.variance / belief.variance))

    def point(self, mean: np.ndarray, std: np.ndarray) -> Float[np.ndarray, " n"]:
        """The means, which stay."""
        return mean

    def place(self, mean: np.ndarray, std: np.ndarray, y: np.ndarray, thrown: np.ndarray) -> Float[np.ndarray, " n"]:
        """Where each count lies in the belief of these moments, from 0 to 1, in its jump where the dice say."""
        law = _law(self.dispersion, mean, std)
        below = law.cdf(y - 1.0)
        return below + thrown * (law.cdf(y) - below)

    def ends(self, mean: np.ndarray, std: np.ndarray, level: float = LEVEL) -> tuple[np.ndarray, np.ndarray]:
        """``(low, high)`` of the beliefs of these moments."""
        law = _law(self.dispersion, mean, std)
        return law.ppf(0.5 - 0.5 * level), law.ppf(0.5 + 0.5 * level)

    def __str__(self) -> str:
        wider = np.sqrt(self.dispersion) - 1.0
        return "as wide as the model says" if wider < 0.01 else f"{wider:.0%} wider than the model says"


def count_spread_of(
    mean: Float[np.ndarray, " n"], std: Float[np.ndarray, " n"], y: Float[np.ndarray, " n"]
) -> CountSpread:
    """From what was stated of rows that were held out, and what came out.

    >>> rng = np.random.default_rng(0)
    >>> y = rng.poisson(5.0 * rng.gamma(2.0, 0.5, size=4000)).astype(float)
    >>> round(count_spread_of(np.full(4000, 5.0), np.full(4000, np.sqrt(5.0)), y).dispersion, 1)
    3.5
    """

    def loss(log_dispersion: float) -> float:
        return -float(np.mean(_law(np.exp(log_dispersion), mean, std).logpmf(y)))

    best = optimize.minimize_scalar(loss, bounds=(0.0, np.log(_MOST)), method="bounded", options={"xatol": 1e-4})
    return CountSpread(1.0 if loss(0.0) <= best.fun else float(np.exp(best.x)))


def _law(dispersion: float, mean: np.ndarray, std: np.ndarray) -> Any:
    """As SciPy has it: of r and p, the mean r(1 − p)/p and the variance m + m²/r."""
    mean, excess = _mean_and_excess(dispersion, mean, std**2)
    successes = 1.0 / excess
    return stats.nbinom(successes, successes / (successes + mean))


def _mean_and_excess(dispersion: float, mean: ArrayLike, variance: ArrayLike) -> tuple[np.ndarray, np.ndarray]:
    """The mean m, and a of the variance m + a m² that is φ times what was stated."""
    m = np.maximum(np.asarray(mean), _FEWEST)
    return m, np.maximum((dispersion * np.asarray(variance) - m) / m**2, _EXCESS)

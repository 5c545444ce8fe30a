r"""How wide intervals have to be, by rows that the models behind them have not seen.

With $z_i = (y_i - m_i)/s_i$, mean and standard deviation as they were stated of rows held out, a new observation is
believed to be $m(x) + \lambda\,s(x)\,t_\nu$, scaled to a variance of one: $\nu$ is the most likely shape of the z, and
$\lambda$ makes the 90 % interval hold 90 % of the rows (the $\lceil 0.9(n + 1)\rceil$-th of the $|z_i|$, as in
conformal prediction: Lei et al. 2018). Few rows say little about that: $\log\lambda$ is taken times $n/(n + 50)$.
"""

from typing import NamedTuple

import jax.numpy as jnp
import numpy as np
from jaxtyping import Float
from scipy import stats

from credo.beliefs import Belief, StudentT, UncertaintyBudget
from credo.infer.boosting import student_tails

__all__ = ["LEVEL", "Spread", "cross_spread", "spread_of"]

#: The level of the intervals that are made to hold.
LEVEL = 0.9

_DOUBT = 50.0  # rows, at which what held rows say counts half


class Spread(NamedTuple):
    """Degrees of freedom ν, and the factor λ on the standard deviation that a model states."""

    degrees: float
    factor: float

    def of(self, belief: Belief) -> StudentT:
        """The belief with this shape; the parts of its budget keep their shares."""
        unit = np.sqrt((self.degrees - 2.0) / self.degrees)
        wider = StudentT(jnp.asarray(self.degrees), belief.mean, self.factor * unit * belief.std)
        budget = belief.budget
        if not budget.is_split:
            return wider.with_budget(budget)
        squared = self.factor**2
        noise, parameter, computation = (
            squared * jnp.asarray(part) for part in (budget.noise, budget.parameter, budget.computation)
        )
        return wider.with_budget(UncertaintyBudget(noise, parameter, computation))

    def __str__(self) -> str:
        if abs(self.factor - 1.0) < 0.01:
            return "as wide as the model says"
        return f"{abs(self.factor - 1.0):.0%} {'wider' if self.factor > 1.0 else 'narrower'} than the model says"


def spread_of(z: Float[np.ndarray, " n"]) -> Spread:
    """From the errors at held rows, each over the standard deviation that was stated.

    >>> z = 2.0 * np.random.default_rng(0).normal(size=5000)
    >>> spread = spread_of(z)
    >>> round(spread.factor, 1)
    2.0
    """
    n = len(z)
    degrees = student_tails(z, np.ones(n)).degrees
    rank = min(int(np.ceil(LEVEL * (n + 1))), n)
    reach = float(np.sort(np.abs(z))[rank - 1])
    stated = float(stats.t.ppf(0.5 + 0.5 * LEVEL, degrees)) * np.sqrt((degrees - 2.0) / degrees)
    factor = np.exp(np.log(max(reach, 1e-100) / stated) * n / (n + _DOUBT))
    return Spread(degrees, float(factor))


def cross_spread(
    z: Float[np.ndarray, " n"], parts: int, generator: np.random.Generator
) -> tuple[Float[np.ndarray, " n"], Float[np.ndarray, " n"]]:
    """Where each error lies in a belief whose spread was learnt without it, from 0 to 1, and the factor it had."""
    part_of = generator.permutation(len(z)) % parts
    pit, factors = np.empty(len(z)), np.empty(len(z))
    for part in range(parts):
        there = part_of == part
        spread = spread_of(z[~there])
        unit = np.sqrt((spread.degrees - 2.0) / spread.degrees)
        pit[there] = stats.t.cdf(z[there] / (spread.factor * unit), spread.degrees)
        factors[there] = spread.factor
    return pit, factors

r"""How wide intervals have to be, by rows that the models behind them have not seen.

With $z_i = (y_i - m_i)/s_i$, mean and standard deviation as they were stated of rows held out, a new observation is
believed to be $m(x) + \lambda\,s(x)\,t_\nu$, scaled to a variance of one: $\nu$ is the most likely shape of the z, and
$\lambda$ makes the 90 % interval hold 90 % of the rows (the $\lceil 0.9(n + 1)\rceil$-th of the $|z_i|$, as in
conformal prediction: Lei et al. 2018). Few rows say little about that: $\log\lambda$ is taken times $n/(n + 50)$.
"""

from collections.abc import Callable, Iterator
from typing import NamedTuple, Protocol, runtime_checkable

import jax.numpy as jnp
import numpy as np
from jax import Array
from jaxtyping import Bool, Float
from scipy import stats

from credo.beliefs import Belief, StudentT, UncertaintyBudget
from credo.infer.boosting import student_tails
from credo.validate.entries import dice

__all__ = [
    "DOUBT",
    "LEAST",
    "LEVEL",
    "Spread",
    "Width",
    "cross_places",
    "factor_in_words",
    "factor_of",
    "parts_in_turn",
    "scaled_budget",
    "spread_of",
]

#: The level of the intervals that are made to hold.
LEVEL = 0.9

#: Rows, at which what held rows say counts half.
DOUBT = 50.0
#: Of a standard deviation, so that it divides.
LEAST = 1e-300


@runtime_checkable
class Width(Protocol):
    """What held rows make of the beliefs of a model about numbers: of one belief, or of its mean and standard
    deviation."""

    def of(self, belief: Belief) -> Belief:
        """The belief with this width; the parts of its budget keep their shares."""

    def point(self, mean: np.ndarray, std: np.ndarray) -> Float[np.ndarray, " n"]:
        """The means of the beliefs of these moments."""

    def place(self, mean: np.ndarray, std: np.ndarray, y: np.ndarray, thrown: np.ndarray) -> Float[np.ndarray, " n"]:
        """Where each truth lies in the belief of these moments, from 0 to 1, in its jump where the dice say."""

    def ends(self, mean: np.ndarray, std: np.ndarray, level: float = LEVEL) -> tuple[np.ndarray, np.ndarray]:
        """``(low, high)`` of the beliefs of these moments."""


class Spread(NamedTuple):
    """Degrees of freedom ν, and the factor λ on the standard deviation that a model states."""

    degrees: float
    factor: float

    def of(self, belief: Belief) -> StudentT:
        """The belief with this shape; the parts of its budget keep their shares."""
        wider = StudentT(jnp.asarray(self.degrees), belief.mean, self._unit * belief.std)
        return wider.with_budget(scaled_budget(belief.budget, self.factor**2))

    def point(self, mean: np.ndarray, std: np.ndarray) -> Float[np.ndarray, " n"]:
        """The means, which stay."""
        return mean

    def place(self, mean: np.ndarray, std: np.ndarray, y: np.ndarray, thrown: np.ndarray) -> Float[np.ndarray, " n"]:
        """Where each truth lies in the belief of these moments, from 0 to 1; it has no jumps to throw dice in."""
        return stats.t.cdf((y - mean) / np.maximum(self._unit * std, LEAST), self.degrees)

    def ends(self, mean: np.ndarray, std: np.ndarray, level: float = LEVEL) -> tuple[np.ndarray, np.ndarray]:
        """``(low, high)`` of the beliefs of these moments."""
        reach = float(stats.t.ppf(0.5 + 0.5 * level, self.degrees)) * self._unit * std
        return mean - reach, mean + reach

    @property
    def _unit(self) -> float:
        """What a Student t is times, for a standard deviation of λ."""
        return self.factor * float(np.sqrt((self.degrees - 2.0) / self.degrees))

    def __str__(self) -> str:
        return factor_in_words(self.factor)


def factor_in_words(factor: float) -> str:
    """How much wider intervals are than a model says."""
    if abs(factor - 1.0) < 0.01:
        return "as wide as the model says"
    return f"{abs(factor - 1.0):.0%} {'wider' if factor > 1.0 else 'narrower'} than the model says"


def scaled_budget(budget: UncertaintyBudget, by: float | Array) -> UncertaintyBudget:
    """A budget of so many times the variance, in the same shares."""
    if not budget.is_split:
        return budget
    noise, parameter, computation = (by * jnp.asarray(p) for p in (budget.noise, budget.parameter, budget.computation))
    return UncertaintyBudget(noise, parameter, computation)


def spread_of(mean: Float[np.ndarray, " n"], std: Float[np.ndarray, " n"], y: Float[np.ndarray, " n"]) -> Spread:
    """From what was stated of rows that were held out, and what came out.

    >>> y = 2.0 * np.random.default_rng(0).normal(size=5000)
    >>> spread = spread_of(np.zeros(5000), np.ones(5000), y)
    >>> round(spread.factor, 1)
    2.0
    """
    z = (y - mean) / np.maximum(std, LEAST)
    degrees = student_tails(z, np.ones(len(z))).degrees
    stated = float(stats.t.ppf(0.5 + 0.5 * LEVEL, degrees)) * float(np.sqrt((degrees - 2.0) / degrees))
    return Spread(degrees, factor_of(z, stated))


def factor_of(z: Float[np.ndarray, " n"], stated: float) -> float:
    """λ, of which 90 % intervals hold 90 % of the standardized errors z, where the model's reach so far as `stated`."""
    n = len(z)
    rank = min(int(np.ceil(LEVEL * (n + 1))), n)
    reach = float(np.sort(np.abs(z))[rank - 1])
    return float(np.exp(np.log(max(reach, 1e-100) / stated) * n / (n + DOUBT)))


def parts_in_turn(n: int, parts: int, generator: np.random.Generator) -> Iterator[Bool[np.ndarray, " n"]]:
    """Which rows are in each of some random parts of about equal size."""
    part_of = generator.permutation(n) % parts
    return (part_of == part for part in range(parts))


def cross_places(
    learnt: Callable[..., Width],
    mean: Float[np.ndarray, " n"],
    std: Float[np.ndarray, " n"],
    y: Float[np.ndarray, " n"],
    parts: int,
    generator: np.random.Generator,
) -> Float[np.ndarray, " n"]:
    """Where each truth lies in a belief whose spread was `learnt` without it, from 0 to 1."""
    pit, thrown = np.empty(len(y)), dice(len(y))
    for there in parts_in_turn(len(y), parts, generator):
        spread = learnt(mean[~there], std[~there], y[~there])
        pit[there] = spread.place(mean[there], std[there], y[there], thrown[there])
    return pit

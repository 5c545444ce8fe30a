r"""How decided probabilities of classes have to be, by rows that the models behind them have not seen.

A new row is believed to be of class k with probability $p_k(x)^\tau / \sum_j p_j(x)^\tau$, $p$ what the model says:
above one $\tau$ makes it more decided, below one less (Guo et al. 2017, §4.2, whose temperature is $1/\tau$). It is the
most likely one at rows held out. Few rows say little about that: $\log\tau$ is taken times $n/(n + 50)$.
"""

from typing import NamedTuple

import jax.numpy as jnp
import numpy as np
from jaxtyping import Float, Int
from scipy import optimize, special

from credo.beliefs import Belief, Categorical
from credo.decide.learning.spread import DOUBT, parts_in_turn, scaled_budget

__all__ = ["Sharpness", "cross_sharpened", "sharpness_of"]

_MOST = np.log(10.0)
_LEAST = 1e-300


class Sharpness(NamedTuple):
    """The power τ that probabilities are raised to."""

    power: float

    def of(self, belief: Belief) -> Categorical:
        """The belief so decided; the parts of its budget keep their shares."""
        mean = jnp.asarray(self.at(np.asarray(belief.mean)))
        before = jnp.maximum(belief.variance, _LEAST)
        return Categorical(mean).with_budget(scaled_budget(belief.budget, mean * (1.0 - mean) / before))

    def at(self, probabilities: Float[np.ndarray, "n k"]) -> Float[np.ndarray, "n k"]:
        """Probabilities so decided."""
        with np.errstate(divide="ignore"):
            return special.softmax(self.power * np.log(probabilities), axis=1)

    def __str__(self) -> str:
        if abs(self.power - 1.0) < 0.01:
            return "as decided as the model says"
        return f"{'more' if self.power > 1.0 else 'less'} decided than the model says, log odds times {self.power:.2g}"


def sharpness_of(probabilities: Float[np.ndarray, "n k"], codes: Int[np.ndarray, " n"]) -> Sharpness:
    """From what was said of rows that were held out, and their classes.

    >>> rng = np.random.default_rng(0)
    >>> truth = rng.dirichlet(np.ones(3), size=5000)
    >>> codes = (truth.cumsum(axis=1) < rng.random((5000, 1))).sum(axis=1)
    >>> timid = np.sqrt(truth) / np.sqrt(truth).sum(axis=1, keepdims=True)
    >>> round(sharpness_of(timid, codes).power, 1)
    2.0
    """
    n = len(codes)
    logs = np.log(np.maximum(probabilities, _LEAST))

    def loss(log_power: float) -> float:
        scaled = np.exp(log_power) * logs
        return float(np.mean(special.logsumexp(scaled, axis=1) - scaled[np.arange(n), codes]))

    best = optimize.minimize_scalar(loss, bounds=(-_MOST, _MOST), method="bounded", options={"xatol": 1e-4})
    return Sharpness(float(np.exp(best.x * n / (n + DOUBT))))


def cross_sharpened(
    probabilities: Float[np.ndarray, "n k"], codes: Int[np.ndarray, " n"], parts: int, generator: np.random.Generator
) -> Float[np.ndarray, "n k"]:
    """Probabilities of each row as decided as all parts of the rows but its own say."""
    decided = np.empty_like(probabilities)
    for there in parts_in_turn(len(codes), parts, generator):
        decided[there] = sharpness_of(probabilities[~there], codes[~there]).at(probabilities[there])
    return decided

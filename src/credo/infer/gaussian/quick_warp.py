r"""Values bent by a logarithm before a small process learns them, by as much as the evidence asks for.

An objective that grows by orders of magnitude away from its best is no function of one length-scale: what it does
there decides what is believed near the best. With $u = (y - \min y)/(\mathrm{median}\,y - \min y)$ the warp is
$\log(1 + \kappa u)$, standardized: a straight line for small κ, a logarithm for large ones. κ is a parameter as any
other, whose evidence contains the slope of the warp (Snelson, Rasmussen & Ghahramani 2004).
"""

from typing import NamedTuple

import numpy as np
from jaxtyping import Float

from credo.infer.gaussian.quick_mode import Evidence
from credo.infer.gaussian.quick_prior import LogPrior

__all__ = ["LogWarp", "Warped", "WarpedEvidence"]

_SAME = 1e-13  # of the largest value: a difference that is round-off


class Warped(NamedTuple):
    """Values after the warp, their derivatives by log κ, the sum of the logarithms of its slopes, and its derivative.

    A constant that κ does not change is left out of the sum.
    """

    values: Float[np.ndarray, " n"]
    by_strength: Float[np.ndarray, " n"]
    log_slopes: float
    log_slopes_by_strength: float


class LogWarp(NamedTuple):
    """`shares` are the u of the values: zero at the least one, one at the median."""

    shares: Float[np.ndarray, " n"]

    @classmethod
    def of(cls, values: Float[np.ndarray, " n"]) -> "LogWarp | None":
        """None where half of the values equal the least, or differ by round-off."""
        size = float(np.max(np.abs(values))) or 1.0
        scaled = values / size  # differences of which are numbers
        unit = float(np.median(scaled) - np.min(scaled))
        return None if unit <= _SAME else cls((scaled - np.min(scaled)) / unit)

    def at(self, strength: float) -> Warped:
        """With log κ = `strength`.

        >>> LogWarp.of(np.array([0.0, 1.0, 100.0])).at(-9.0).values.round(3).tolist()
        [-0.718, -0.696, 1.414]
        >>> LogWarp.of(np.array([0.0, 1.0, 100.0])).at(3.0).values.round(3).tolist()
        [-1.136, -0.161, 1.297]
        """
        n, bent = len(self.shares), np.exp(strength) * self.shares
        logs, grown = np.log1p(bent), bent / (1.0 + bent)
        total, rising = float(logs.sum()), float(grown.sum())
        away = logs - total / n
        spread = float(np.sqrt(away @ away / n))
        values, steeper = away / spread, grown - rising / n
        wider = float(values @ steeper) / n / spread  # by which the logarithm of the spread grows
        return Warped(
            values,
            steeper / spread - wider * values,
            n * strength - total - n * float(np.log(spread)),
            n - rising - n * wider,
        )


class WarpedEvidence:
    """Minus the log evidence and log prior of the values before the warp; log κ is the last parameter.

    `strength` is what is believed of it, as middle and spread.
    """

    def __init__(self, evidence: Evidence, warp: LogWarp, strength: tuple[float, float]) -> None:
        self.evidence, self.warp, self.strength = evidence, warp, strength
        plain = evidence.prior
        columns = np.broadcast_to(strength, (len(plain.shares), 2))
        middle = np.column_stack([plain.middle, columns[:, 0]])
        self.prior = LogPrior(middle, np.column_stack([plain.spread, columns[:, 1]]), plain.shares)

    def __call__(self, logs: Float[np.ndarray, " q"]) -> tuple[float, Float[np.ndarray, " q"]]:
        """As that of an [](#Evidence), and its gradient."""
        warped = self.warp.at(logs[-1])
        loss, gradient, weights = self.evidence.with_weights(logs[:-1], warped.values)
        away = (logs[-1] - self.strength[0]) / self.strength[1]
        slope = weights @ warped.by_strength - warped.log_slopes_by_strength + away / self.strength[1]
        return loss - warped.log_slopes + 0.5 * away**2, np.append(gradient, slope)

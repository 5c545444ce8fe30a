"""A small process averaged over its parameters by NumPy alone: nothing is compiled, and no chain is run."""

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
from jaxtyping import Float

from credo.infer.gaussian.importance import ModeShape, WeightedDraws, adaptive_draws, chosen_draws
from credo.infer.gaussian.quick import QuickProcess, QuickTerm
from credo.infer.gaussian.quick_mode import AtMany, Evidence, curvature_at, mode_of

__all__ = ["MOST_DRAWS", "QuickAverage", "average_at", "average_quickly"]

#: Draws of the parameters that are kept.
MOST_DRAWS = 128
_FEW = 20  # rows, up to which there are several modes to look for
_SIZE, _SMALLER = 256, 64  # draws of a round, with few rows and with more
_SAME = 0.1  # distance of two ends of a search, relative to the root of the number of parameters, that are one mode


class QuickAverage(NamedTuple):
    """Posteriors at draws of the parameters, their shares, and how many independent draws would average as well."""

    members: tuple[QuickProcess, ...]
    weights: Float[np.ndarray, " s"]
    effective: float

    def moments(self, rows: Float[np.ndarray, "m d"]) -> tuple[Float[np.ndarray, "m s"], Float[np.ndarray, "m s"]]:
        """Mean and variance of the function at each row, for each draw. O(s n²) per row."""
        means, variances = zip(*(member.moments(rows) for member in self.members), strict=True)
        return np.stack(means, axis=1), np.stack(variances, axis=1)


def average_quickly(evidence: Evidence, starts: Sequence[Float[np.ndarray, " q"]]) -> QuickAverage:
    """The average over the posterior of the parameters, whose modes are searched from `starts`. O(n³), some 300 times.

    Rows at which the average is evaluated have the units of the evidence's own rows.
    """
    draws = _draws(evidence, starts, lambda points: evidence.at_many(points).log_densities)
    kept, shares = chosen_draws(draws.weights, MOST_DRAWS)
    return QuickAverage(tuple(_member(evidence, logs) for logs in draws.free[kept]), shares, draws.effective)


def average_at(
    evidence: Evidence, starts: Sequence[Float[np.ndarray, " q"]], rows: Float[np.ndarray, "m d"]
) -> tuple[Float[np.ndarray, " s"], Float[np.ndarray, "m s"], Float[np.ndarray, "m s"]]:
    """Shares, means and variances of the same average at few rows: each draw is factorized once. O((n + m)³)."""
    seen: list[AtMany] = []

    def log_density(points: Float[np.ndarray, "s q"]) -> Float[np.ndarray, " s"]:
        seen.append(evidence.at_many(points, rows))
        return seen[-1].log_densities

    kept, shares = chosen_draws(_draws(evidence, starts, log_density).weights, MOST_DRAWS)
    _, means, variances = (np.concatenate(parts)[kept] for parts in zip(*seen, strict=True))
    return shares, means.T, variances.T


def _draws(
    evidence: Evidence,
    starts: Sequence[Float[np.ndarray, " q"]],
    log_density: Callable[[Float[np.ndarray, "s q"]], Float[np.ndarray, " s"]],
) -> WeightedDraws:
    """Draws around the modes. With more than few rows the first start leads to the one that matters."""
    few = len(evidence.y) <= _FEW
    modes: list[ModeShape] = []
    for start in starts if few else starts[:1]:
        logs, loss = mode_of(evidence, [start])
        if all(np.linalg.norm(logs - mode.center) > _SAME * len(logs) ** 0.5 for mode in modes):
            modes.append(ModeShape(logs, curvature_at(evidence, logs), -loss))
    prior = evidence.prior
    parts = [
        ModeShape(middle, np.diag(spread**-2.0), 0.0) for middle, spread in zip(prior.middle, prior.spread, strict=True)
    ]
    return adaptive_draws(log_density, modes, priors=parts, size=_SIZE if few else _SMALLER)


def _member(evidence: Evidence, logs: Float[np.ndarray, " q"]) -> QuickProcess:
    """The posterior at one draw, with the constant as a term that no column changes."""
    scales, none = np.exp(logs), np.zeros(0, dtype=np.int64)
    numbers, codes = np.flatnonzero(~evidence.codes), np.flatnonzero(evidence.codes)
    terms = [
        QuickTerm(
            evidence.profile,
            numbers,
            codes if term.unlike.stop > term.unlike.start else none,
            1.0 / scales[term.lengths],
            1.0 / scales[term.unlike],
            float(scales[term.variance]),
        )
        for term in evidence.terms
    ]
    constant = QuickTerm(evidence.profile, none, none, np.zeros(0), np.zeros(0), evidence.level)
    solved = evidence.solved(logs)
    return QuickProcess((*terms, constant), evidence.X, np.ascontiguousarray(solved.lower), solved.weights)

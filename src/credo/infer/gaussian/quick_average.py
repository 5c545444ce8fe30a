"""A small process averaged over its parameters by NumPy alone: nothing is compiled, and no chain is run."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from jaxtyping import Float

from credo.infer.gaussian.importance import ModeShape, adaptive_draws
from credo.infer.gaussian.quick import QuickProcess, QuickTerm
from credo.infer.gaussian.quick_mode import Evidence, curvature_at, mode_of

__all__ = ["QuickAverage", "average_quickly"]

_KEPT = 64  # draws of the parameters
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
    """The average over the posterior of the parameters, whose modes are searched from `starts`. O(n³), some 500 times.

    Rows at which the average is evaluated have the units of the evidence's own rows.
    """
    modes: list[ModeShape] = []
    for start in starts:
        logs, loss = mode_of(evidence, [start])
        if all(np.linalg.norm(logs - mode.center) > _SAME * len(logs) ** 0.5 for mode in modes):
            modes.append(ModeShape(logs, curvature_at(evidence, logs), -loss))
    prior = evidence.prior
    parts = [
        ModeShape(middle, np.diag(spread**-2.0), 0.0) for middle, spread in zip(prior.middle, prior.spread, strict=True)
    ]
    draws = adaptive_draws(evidence.log_densities, modes, kept=_KEPT, priors=parts)
    counting = draws.weights > 0.0
    members = tuple(_member(evidence, logs) for logs in draws.free[counting])
    return QuickAverage(members, draws.weights[counting], draws.effective)


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

"""Whether the intervals of a surrogate cover what was measured, and by how much they are widened where they do not.

Every measurement is predicted without it: before it was made, or from all others in closed form. Coverage below a
promise by more than chance is a failure, as in [](#credo.audit); the standardized errors then give the factor by which
the intervals were too narrow.
"""

from dataclasses import dataclass
from typing import final

import numpy as np
from jaxtyping import Float
from scipy import special, stats

from credo.validate.honesty import Verdict, holm, verdict_of

__all__ = ["IntervalAudit", "audited"]

_LEVELS = (0.5, 0.8, 0.9)
_FEWEST = 4  # measurements, below which nothing can be said


@final
@dataclass(frozen=True)
class IntervalAudit:
    """The coverage of intervals of `level` over `rows` measurements, and the factor that widens them (one: none).

    `level` is the one that departs most clearly from its promise, or where none does, the largest.
    """

    verdict: Verdict
    level: float
    coverage: float
    rows: int
    factor: float

    def __str__(self) -> str:
        if self.rows < _FEWEST:
            return f"not audited: {self.rows} predicted measurements are too few"
        covered = f"{self.level:.0%} intervals covered {self.coverage:.0%} of {self.rows} predicted measurements"
        if self.verdict != "overconfident":
            return f"{self.verdict}: {covered}"
        return f"overconfident: {covered}; all intervals are widened by a factor of {self.factor:.2g}"


def audited(errors: Float[np.ndarray, " n"], promise: float) -> IntervalAudit:
    r"""The audit of standardized errors of predictions, at 50, 80 and 90 % and at the promised central level.

    Exact one-sided binomial tests, corrected by Holm at 5 %; errors are treated as independent, which those of one
    surrogate are not quite. The factor is the largest over levels of $|z|_{(k)}/q$, where $q$ is the normal quantile of
    the level and $k = \lceil (n + 1)\,\mathrm{level} \rceil$, as in conformal prediction, at most n: so much wider, the
    intervals would have held. It repairs what shows where measurements are, not what is far from them.

    >>> print(audited(np.array([0.1, -4.0, 3.0, 0.2, -5.0, 6.0]), 0.95))
    overconfident: 95% intervals covered 33% of 6 predicted measurements; all intervals are widened by a factor of 5.9
    """
    n = len(errors)
    if n < _FEWEST:
        return IntervalAudit("honest", promise, 1.0, n, 1.0)
    levels = np.array(sorted({*_LEVELS, promise}))
    quantiles = special.ndtri(0.5 + 0.5 * levels)
    size = np.sort(np.abs(errors))
    inside = np.sum(size[None, :] <= quantiles[:, None], axis=1)
    coverage = inside / n
    # One-sided: a surrogate that is too timid is no danger.
    chances = stats.binom.cdf(inside, n, levels)
    below = coverage < levels
    worst = int(np.argmin(np.where(below, chances, np.inf))) if np.any(below) else len(levels) - 1
    verdict = verdict_of(float(coverage[worst]), float(levels[worst]), float(holm(chances)[worst]))
    factor = 1.0
    if verdict == "overconfident":
        at = np.minimum(np.ceil((n + 1) * levels).astype(int), n) - 1
        factor = max(1.0, float(np.max(size[at] / quantiles)))
    return IntervalAudit(verdict, float(levels[worst]), float(coverage[worst]), n, factor)

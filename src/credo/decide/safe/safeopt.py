r"""SafeOpt, the baseline: the most uncertain of the points that may be best or that may enlarge the safe set.

Of the points that are safe by their lower bounds it takes those that may be best (maximizers) and those whose
measurement, if it came out at the upper bound, would make a point safe that is not (expanders), and measures the one
with the widest interval (Sui et al. 2015, in the form without Lipschitz constants of Berkenkamp et al. 2016).
"""

from collections.abc import Mapping
from typing import Any

import numpy as np
from jaxtyping import Bool, Float
from scipy import special

from credo.decide.explore.covariances import covariances_of
from credo.decide.safe.outcomes import Outcome
from credo.decide.safe.plan import Candidates, Plan
from credo.decide.study.goal import Bound

__all__ = ["widest"]

_BLOCK = 64  # safe points that are looked at together


def widest(plan: Plan, outcomes: Mapping[str, Outcome], found: Candidates) -> tuple[Float[np.ndarray, " d"], float]:
    """The row with the widest interval, in standard units, among maximizers and expanders; and that width.

    Expanders are looked for from the widest interval down, and only above the widest maximizer. O(n |S| |U|) at most,
    U the points that are not safe.
    """
    width = float(special.ndtri(1.0 - (1.0 - plan.probability) / len(plan.bounds)))
    widths = found.widths
    safe = np.flatnonzero(found.safe)
    maximizers = safe[found.promising[safe]]
    best = maximizers[np.argmax(widths[maximizers])] if len(maximizers) else safe[np.argmax(widths[safe])]
    outside = found.rows[~found.safe & (found.unsafe < 1.0)]
    ahead = safe[np.argsort(-widths[safe], kind="stable")]
    ahead = ahead[widths[ahead] > widths[best]] if len(maximizers) else ahead
    for begin in range(0, len(ahead) if len(outside) else 0, _BLOCK):
        block = ahead[begin : begin + _BLOCK]
        expands = _expanding(plan.bounds, outcomes, found.rows[block], outside, width)
        if np.any(expands):
            best = block[np.argmax(expands)]
            break
    return found.rows[best], float(widths[best])


def _expanding(
    bounds: tuple[Bound, ...],
    outcomes: Mapping[str, Outcome],
    rows: Float[np.ndarray, "b d"],
    outside: Float[np.ndarray, "u d"],
    width: float,
) -> Bool[np.ndarray, " b"]:
    """Which rows, measured at the upper bound of every outcome, would make a point outside safe."""
    safe: Any = np.ones((len(rows), len(outside)), dtype=bool)
    for bound in bounds:
        outcome = outcomes[bound.name]
        here, there = outcome.at(rows), outcome.at(outside)
        covariances = covariances_of(outcome.surface)
        unit = outcome.scale * outcome.audit.factor
        cross = unit**2 * covariances.covariance(rows, outside)
        total = here.std**2 + unit**2 * covariances.noise(rows)
        hoped = -bound.sign * width * here.std  # by how much the measurement exceeds what is expected of it
        mean = there.mean[None] + cross * (hoped / total)[:, None]
        left = np.sqrt(np.maximum(there.std[None] ** 2 - cross**2 / total[:, None], 0.0))
        safe &= bound.margin(mean) - width * left >= 0.0
    return np.any(safe, axis=1)

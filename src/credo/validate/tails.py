"""Whether beliefs are too light in their tails: rows so far out that intervals of 99 % and more should hold them.

A belief with lighter tails than the errors, such as a Gaussian one about Student t errors, is too wide in the middle:
its standard deviation pays for the few rows far out, so that the others lie closer than promised. Coverage of the usual
levels alone cannot tell that from intervals that are too wide everywhere; the number of rows far out can.
"""

from dataclasses import dataclass
from typing import final

import numpy as np
from jaxtyping import Bool, Float
from scipy import stats

from credo.validate.honesty import share

__all__ = ["Tails", "light_tails"]

_SIGNIFICANCE = 0.05
_SHAPE = 0.01  # level of the test of the shape, which decides how a departure is called and not whether there is one
_LEVELS = np.array([0.99, 0.999, 0.9999, 0.99999])
_FEWEST = 20  # rows, from which the kurtosis test holds its level
_NEAREST = 1e-15  # of a place to 0 and 1, so that its normal score is finite


@final
@dataclass(frozen=True)
class Tails:
    """How many of some rows lay outside of intervals of a high level, and how many were expected there.

    With `narrowed` below one they are counted for intervals that are narrowed by this factor, of which those of 50 %
    hold half of the rows.
    """

    level: float
    missed: int
    expected: float
    rows: int
    narrowed: float = 1.0

    def __str__(self) -> str:
        missed = f"{share(self.level)} intervals missed {self.missed} of {self.rows} rows"
        if self.narrowed != 1.0:
            missed = f"narrowed until those of 50% hold half of the rows, {missed.replace('missed', 'would miss')}"
        return (
            f"Intervals are too wide in the middle and too narrow in the tails: {missed}, {self.expected:.2g} were "
            "expected. Check the rows furthest from their prediction, and whether the noise differs between places. If "
            "neither explains it, use a model with heavier tails (credo.learn fits a Student t to held-out errors), or "
            "learn the logarithm of the target"
        )


def light_tails(
    levels: Float[np.ndarray, " l"],
    coverage: Float[np.ndarray, " l"],
    corrected: Float[np.ndarray, " l"],
    rows: int,
    pit: Float[np.ndarray, " n"] | None,
) -> tuple[Tails, Bool[np.ndarray, " l"]] | None:
    """The finding that tails are too light, with the levels that hold too much; None where it is not made.

    Intervals of some level must hold more than promised, by more than chance (`corrected` are their p-values), so that
    honest beliefs stay as often honest as without it. And the tails must be too light for that, by one of these:

    - Intervals of a wider level of `levels` held less than promised.
    - Too many rows are far out: one-sided binomial tests of the rows outside of intervals of 99 to 99.999 %,
      Bonferroni-corrected at 5 %, where the place `pit` of each truth in its belief is known.
    - Intervals of 99 % miss at least half of the rows that they should, and the normal scores of the places have
      heavier tails than a normal distribution of any width (kurtosis test of Anscombe & Glynn 1983, one-sided at 1 %).

    >>> far_out = np.concatenate([np.linspace(0.3, 0.7, 197), [1e-7, 1e-6, 1.0 - 1e-7]])
    >>> tails, _ = light_tails(np.array([0.5]), np.array([0.985]), np.array([1e-9]), 200, far_out)
    >>> tails.level, tails.missed
    (0.99999, 3)
    """
    wide, narrow = ((corrected < _SIGNIFICANCE) & side for side in (coverage > levels, coverage < levels))
    if not np.any(wide):
        return None
    beyond = np.flatnonzero(narrow & (levels > np.min(levels[wide])))
    found = None if pit is None else _far_out(pit)
    if found is None and len(beyond):
        level = float(levels[beyond[-1]])
        found = Tails(level, round(float(1.0 - coverage[beyond[-1]]) * rows), (1.0 - level) * rows, rows)
    if found is None and pit is not None:
        found = _heavier_shape(pit)
    return None if found is None else (found, wide)


def _far_out(pit: Float[np.ndarray, " n"]) -> Tails | None:
    """At the level that shows it most clearly."""
    n, share_out = len(pit), 1.0 - _LEVELS
    missed = np.sum(2.0 * np.minimum(pit, 1.0 - pit) < share_out[:, None], axis=1)
    p_values = len(_LEVELS) * stats.binom.sf(missed - 1, n, share_out)
    at = int(np.argmin(p_values))
    if p_values[at] >= _SIGNIFICANCE:
        return None
    return Tails(float(_LEVELS[at]), int(missed[at]), float(share_out[at] * n), n)


def _heavier_shape(pit: Float[np.ndarray, " n"]) -> Tails | None:
    """Whether no factor on all widths repairs it: narrowed by what the middle asks for, they would miss the tails."""
    n, level = len(pit), float(_LEVELS[0])
    scores = stats.norm.ppf(np.clip(pit, _NEAREST, 1.0 - _NEAREST))
    end, expected = stats.norm.ppf(0.5 + 0.5 * level), (1.0 - level) * n
    if n < _FEWEST or np.sum(np.abs(scores) > end) < 0.5 * expected:
        return None
    if stats.kurtosistest(scores, alternative="greater").pvalue >= _SHAPE:
        return None
    factor = float(np.median(np.abs(scores)) / stats.norm.ppf(0.75))
    return Tails(level, int(np.sum(np.abs(scores) > factor * end)), expected, n, factor)

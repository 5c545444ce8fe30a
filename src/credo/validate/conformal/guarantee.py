r"""What conformal prediction proves: the least probability that a new observation is in its interval or set.

It is over draws of the rows and of the new one together. At one x, or for the rows at hand, coverage can be lower.
"""

import numpy as np
from jaxtyping import Int

from credo.numerics import Certificate

__all__ = ["conformal_certificate", "cv_plus_coverage", "jackknife_plus_coverage", "split_coverage"]

#: The level that `error` of a certificate is about: the one that predictions have unless told.
USUAL_LEVEL = 0.9


def split_coverage(level: float) -> float:
    """1 − α: calibration rows and the new one are exchangeable for the model, which saw none of them.

    >>> split_coverage(0.9)
    0.9
    """
    return float(level)


def jackknife_plus_coverage(level: float) -> float:
    """1 − 2α, for an algorithm that treats rows alike (Barber et al. 2021, theorem 1). Mostly it is near 1 − α.

    >>> round(jackknife_plus_coverage(0.9), 12)
    0.8
    """
    return max(0.0, 2.0 * level - 1.0)


def cv_plus_coverage(level: float, sizes: Int[np.ndarray, " k"], *, alone: bool = True) -> float:
    r"""1 − 2α less what is lost by folds: for n rows in K folds of these `sizes`, of which none may be in some.

    Each fold gives the new row a conformal p-value, at least $1/(m + 1)$ with m its size. Twice a weighted mean of
    p-values is one (Vovk & Wang 2020, on the arithmetic mean; the proof is also that for weights), here with weights
    $m + 1$, so that the new observation is outside with probability at most
    $2\alpha + 2(1 - \alpha)(K - 1)/(n + K)$. Where all folds have one size, and all rows are of one group (`alone`),
    it is also at most $2\alpha + (1 - K/n)/(K + 1)$ (Barber et al. 2021, theorem 4).

    >>> round(cv_plus_coverage(0.9, np.full(5, 20)), 3), cv_plus_coverage(0.9, np.ones(50, dtype=int)) < 0.81
    (0.731, True)
    """
    held = sizes[sizes > 0]
    folds, n = len(held), int(np.sum(held))
    lost = 2.0 * level * (folds - 1) / (n + folds)
    if alone and np.ptp(held) == 0:
        lost = min(lost, (1.0 - folds / n) / (folds + 1))
    return max(0.0, 2.0 * level - 1.0 - lost)


def conformal_certificate(statement: str, proven: float, rows: int, groups: int = 1) -> Certificate:
    """The guarantee in words, with how far coverage may be below the usual level of 90 % as its error.

    `proven` is the coverage at that level, `rows` the calibration rows (of the smallest group).
    """
    where = f"in each of {groups} groups, the smallest with " if groups > 1 else ""
    highest = rows / (rows + 1)
    return Certificate(
        "bounded",
        error=max(0.0, round(USUAL_LEVEL - proven, 12)),
        notes=(
            statement,
            f"{where}n = {rows} calibration rows: levels above n/(n + 1) = {highest:.4g} have no finite bound",
            "it is marginal: over draws of the rows and of the new one, not at each x",
            "rows are assumed to be exchangeable, as independent ones of one distribution are; the model may be wrong",
            f"error is how far coverage may be below the level of {USUAL_LEVEL:.0%}",
        ),
    )

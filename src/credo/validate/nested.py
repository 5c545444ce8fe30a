r"""The variance of a cross-validated risk, by nested cross-validation.

From one run of folds there is no unbiased estimate of it: refits share rows, and the rows that one is judged on are
those that others learn from. Nested folds measure it: without a fold, the other folds are cross-validated in turn, and
the fold left out says how far that estimate is from the truth for such a fit (Bates, Hastie & Tibshirani 2023).
"""

import numpy as np

from credo.validate.plans import NestedFolds
from credo.validate.risk import Claim
from credo.validate.tally import Tally

__all__ = ["nested_claim"]

_NOTE = (
    "standard error by nested cross-validation, {repeats} repeats, of the risk of the fit to these rows "
    "(Bates, Hastie & Tibshirani 2023); held between that of independent rows and √K times it"
)


def nested_claim(tally: Tally, plan: NestedFolds, rows: int) -> Claim:
    r"""The risk with its bias for smaller samples taken off, and a standard error that holds its level.

    With $a = (\bar e_{in} - \bar e_{out})^2$ and $b = \widehat{\mathrm{Var}}(e_{out})/|I|$ of each fold, the mean
    squared error is $\overline{a - b}$ over folds and repeats, brought from K − 1 folds to K; the bias is
    $(1 + (K-2)/K)(\hat E_{nested} - \hat E_{cv})$ (algorithm 1, §4.3, and their estimate of bias).
    """
    folds, repeats = plan.folds, plan.repeats
    a_minus_b, inner, outer, by_row = [], [], [], np.zeros(rows)
    per_repeat = folds + folds * (folds - 1) // 2
    for start in range(0, len(tally.losses), per_repeat):
        singles = tally.losses[start : start + folds]
        pairs = iter(tally.losses[start + folds : start + per_repeat])
        without = {(i, j): _as_map(next(pairs), rows) for i in range(folds) for j in range(i)}
        for k, (held, losses) in enumerate(singles):
            by_row[held] += losses / repeats
            inside = np.concatenate([without[max(k, j), min(k, j)][singles[j][0]] for j in range(folds) if j != k])
            a_minus_b.append((np.mean(inside) - np.mean(losses)) ** 2 - np.var(losses, ddof=1) / len(losses))
            inner.append(np.mean(inside))
            outer.append(np.mean(losses))
    naive = float(np.std(by_row, ddof=1) / np.sqrt(rows))
    error = float(np.sqrt(max((folds - 1.0) / folds * np.mean(a_minus_b), 0.0)))
    error = min(max(error, naive), np.sqrt(folds) * naive)
    bias = (1.0 + (folds - 2.0) / folds) * (np.mean(inner) - np.mean(outer))
    value = float(np.mean(inner) - bias)
    return Claim("nested cross-validation", value, error, _NOTE.format(repeats=repeats))


def _as_map(losses: tuple[np.ndarray, np.ndarray], rows: int) -> np.ndarray:
    """The losses of a refit at the rows it held out, in their places."""
    placed = np.zeros(rows)
    placed[losses[0]] = losses[1]
    return placed

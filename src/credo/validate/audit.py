"""Is the stated uncertainty honest? Coverage of cross-fitted intervals, judged in one verdict."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from scipy import stats
from sklearn.base import clone
from sklearn.model_selection import KFold
from sklearn.utils import _safe_indexing, check_consistent_length, column_or_1d

from credo.errors import InputError
from credo.numerics import Certificate, as_seed
from credo.represent.validation import in_credos_words

__all__ = ["Audit", "audit"]

Verdict = Literal["honest", "overconfident", "timid"]
_LEVELS = (0.5, 0.8, 0.9, 0.95)
_SIGNIFICANCE = 0.05


@dataclass(frozen=True)
class Audit:
    """How often intervals of each level held the truth, beside what they promised.

    `low` and `high` are exact 95 % binomial bands (Clopper–Pearson) for the coverage; `p_values` are Holm-corrected
    over the levels.
    """

    verdict: Verdict
    level: float
    levels: np.ndarray
    coverage: np.ndarray
    low: np.ndarray
    high: np.ndarray
    p_values: np.ndarray
    rows: int
    certificate: Certificate

    def __str__(self) -> str:
        at = int(np.flatnonzero(self.levels == self.level)[0])
        head = (
            f"{self.verdict}: intervals of level {self.level:.0%} held {self.coverage[at]:.1%} of {self.rows} rows "
            f"(95 % band {self.low[at]:.1%} to {self.high[at]:.1%}, corrected p = {self.p_values[at]:.2g})"
        )
        rows = [
            f"  promised {level:.0%}  held {held:.1%}  band {low:.1%} to {high:.1%}"
            for level, held, low, high in zip(self.levels, self.coverage, self.low, self.high, strict=True)
        ]
        return "\n".join([head, *rows])


def audit(
    estimator: Any,
    X: Any,
    y: Any,
    *,
    fitted: bool = False,
    levels: Sequence[float] = _LEVELS,
    folds: int = 5,
    random_state: Any = 0,
) -> Audit:
    """Hold the intervals of an estimator against rows it has not seen.

    By default the estimator is cloned and cross-fitted, because on its training rows a fitted model flatters itself;
    ``fitted=True`` takes it as it is, for rows it has not seen. The verdict is "honest" unless coverage departs from
    a promised level by more than chance (two-sided binomial tests, Holm-corrected at 5 %); then it says in which
    direction, at the level that departs most clearly. Errors of different folds are treated as independent. Marginal
    coverage only: it can hide places where the intervals fail. Cost: `folds` fits.

    >>> import numpy as np
    >>> from credo.models import BayesianLinearRegression
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(80, 2))
    >>> audit(BayesianLinearRegression(), X, X @ [1.0, -1.0] + rng.normal(size=80)).verdict
    'honest'
    """
    targets = _checked_targets(X, y)
    promised = _checked_levels(levels)
    if fitted:
        held = _held(estimator, X, targets, promised)
        note = "the fitted estimator was held against the rows given, which it must not have seen"
    else:
        held = _cross_fitted(estimator, X, targets, promised, folds, as_seed(random_state))
        note = f"cross-fitted in {folds} folds; errors of different folds are treated as independent"
    return _judge(promised, held, note)


def _checked_targets(X: Any, y: Any) -> np.ndarray:
    with in_credos_words("audit"):
        targets = np.asarray(column_or_1d(y), dtype=np.float64)
        check_consistent_length(X, targets)
    if targets.size == 0 or not np.all(np.isfinite(targets)):
        raise InputError(
            "audit", "y is empty or has NaN or infinite entries", "Results are missing", "Drop those rows first"
        )
    return targets


def _checked_levels(levels: Sequence[float]) -> np.ndarray:
    promised = np.sort(np.asarray(levels, dtype=np.float64))
    if promised.size == 0 or not np.all((promised > 0) & (promised < 1)):
        raise InputError(
            "audit", f"levels={levels} are not all between 0 and 1", "Percentages were probably meant", "Try (0.5, 0.9)"
        )
    return promised


def _held(estimator: Any, X: Any, y: np.ndarray, levels: np.ndarray) -> np.ndarray:
    """Whether each row lies in its interval, levels × rows."""
    if not hasattr(estimator, "predict_dist"):
        raise InputError(
            "audit",
            f"{type(estimator).__name__} has no predict_dist",
            "It states no distribution, so there is no uncertainty to audit",
            "Pass an estimator of credo.models",
        )
    belief = estimator.predict_dist(X)
    intervals = [belief.interval(float(level)) for level in levels]
    return np.stack([(np.asarray(low) <= y) & (y <= np.asarray(high)) for low, high in intervals])


def _cross_fitted(estimator: Any, X: Any, y: np.ndarray, levels: np.ndarray, folds: int, seed: int) -> np.ndarray:
    if not 2 <= folds <= len(y):
        raise InputError(
            "audit",
            f"folds={folds} with {len(y)} rows",
            "Each fold needs a row to hold out",
            "Try folds=5, or more rows",
        )
    held = np.zeros((len(levels), len(y)), dtype=bool)
    for train, test in KFold(folds, shuffle=True, random_state=seed).split(np.empty(len(y))):
        learned = clone(estimator).fit(_safe_indexing(X, train), y[train])
        held[:, test] = _held(learned, _safe_indexing(X, test), y[test], levels)
    return held


def _judge(levels: np.ndarray, held: np.ndarray, note: str) -> Audit:
    rows = held.shape[1]
    counts = held.sum(axis=1)
    tests = [stats.binomtest(int(k), rows, float(level)) for k, level in zip(counts, levels, strict=True)]
    bands = [test.proportion_ci(0.95, method="exact") for test in tests]
    p_values = _holm(np.array([test.pvalue for test in tests]))
    coverage = counts / rows
    # Without a departure the verdict speaks of the 90 % interval, or of the level nearest to it.
    worst = int(np.argmin(p_values))
    departs = p_values[worst] < _SIGNIFICANCE
    at = worst if departs else int(np.argmin(np.abs(levels - 0.9)))
    verdict: Verdict = "honest"
    if departs:
        verdict = "overconfident" if coverage[worst] < levels[worst] else "timid"
    return Audit(
        verdict=verdict,
        level=float(levels[at]),
        levels=levels,
        coverage=coverage,
        low=np.array([band.low for band in bands]),
        high=np.array([band.high for band in bands]),
        p_values=p_values,
        rows=rows,
        certificate=Certificate(
            "estimated",
            error=float(np.sqrt(0.25 / rows)),
            notes=(note, "error is the largest standard error of a coverage"),
        ),
    )


def _holm(p: np.ndarray) -> np.ndarray:
    """Holm's step-down correction: the probability of any false alarm stays below the level."""
    order = np.argsort(p)
    stepped = np.maximum.accumulate(p[order] * np.arange(len(p), 0, -1))
    corrected = np.empty_like(p)
    corrected[order] = np.minimum(stepped, 1.0)
    return corrected

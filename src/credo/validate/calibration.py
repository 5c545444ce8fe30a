"""Whether stated probabilities happen as often as stated: coverage, the place of the truth, reliability, sharpness."""

from typing import Any, NamedTuple

import numpy as np
from jaxtyping import Bool, Float, Int
from scipy import stats
from sklearn.isotonic import isotonic_regression

from credo.errors import InputError
from credo.numerics.random import as_seed
from credo.validate.evaluation import Evaluation
from credo.validate.honesty import clopper_pearson

__all__ = ["Calibration", "Reliability", "calibration", "pit_band", "reliability"]

_GRID = 99  # levels of a coverage curve, and points of a distribution function
_BINS = 10
_RESAMPLES = 500
_SIMULATED = 1000
_MOST = 2000  # rows, of as many as a band is simulated for; with more it scales with their root


class Calibration(NamedTuple):
    """Of numbers: how often central intervals held, and where in its belief each truth lay.

    `low` and `high` are 95 % binomial bands of the coverage at each level by itself. `pit` is the probability integral
    transform, uniform where beliefs are right; `ecdf` its distribution function at `at`, which leaves the band from
    `ecdf_low` to `ecdf_high` anywhere in 5 % of the cases where it is. `sharpness` is the mean standard deviation: of
    two honest models the sharper is better.
    """

    levels: Float[np.ndarray, " l"]
    coverage: Float[np.ndarray, " l"]
    low: Float[np.ndarray, " l"]
    high: Float[np.ndarray, " l"]
    pit: Float[np.ndarray, " n"]
    at: Float[np.ndarray, " l"]
    ecdf: Float[np.ndarray, " l"]
    ecdf_low: Float[np.ndarray, " l"]
    ecdf_high: Float[np.ndarray, " l"]
    sharpness: float

    @property
    def uniform(self) -> bool:
        """Whether the distribution function of the transform stays in its band everywhere."""
        return bool(np.all((self.ecdf >= self.ecdf_low) & (self.ecdf <= self.ecdf_high)))

    def histogram(self, bins: int = _BINS) -> tuple[Int[np.ndarray, " b"], float, float]:
        """How many transforms lie in each of equal bins, and the 95 % band of one bin by itself."""
        counts = np.histogram(self.pit, bins=bins, range=(0.0, 1.0))[0]
        low, high = stats.binom.ppf([0.025, 0.975], len(self.pit), 1.0 / bins)
        return counts, float(low), float(high)


class Reliability(NamedTuple):
    """Of classes: how often it happened, by the probability that was stated.

    `happened` is the isotonic regression of what happened on what was stated (Dimitriadis, Gneiting & Jordan 2021),
    with 95 % bands of where it would lie if the probabilities were right. `error` is the mean distance from what was
    stated, the expected calibration error without bins; `binned_error` the one of ten equal bins. `confidence` is the
    mean of the largest probability.
    """

    stated: Float[np.ndarray, " m"]
    happened: Float[np.ndarray, " m"]
    low: Float[np.ndarray, " m"]
    high: Float[np.ndarray, " m"]
    rows: Int[np.ndarray, " m"]
    error: float
    binned_error: float
    confidence: float


def calibration(evaluation: Evaluation, name: str | None = None, *, label: Any = None) -> Calibration | Reliability:
    """The calibration of an estimator on the rows that its refits held out.

    Of numbers a [](#credo.validate.Calibration). Of classes a [](#credo.validate.Reliability), of the probability of
    `label`, or by default of the second of two classes, of more of the class that is said. Every row counts once, by
    the first refit that held it out; they are treated as independent.

    >>> import numpy as np
    >>> from credo.models import LinearRegression
    >>> from credo.validate import evaluate
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(300, 2))
    >>> calibration(evaluate(LinearRegression(), X, X[:, 0] + rng.normal(size=300), random_state=0)).uniform
    True
    """
    result = evaluation.one(name)
    held, targets = result.held, evaluation.targets
    there = held.there
    if targets.classes is not None:
        if held.probabilities is None:
            raise _says_nothing(result.name)
        return _of_classes(held.probabilities[there], targets.values[there], targets.classes, label)
    if not held.has_belief:
        raise _says_nothing(result.name)
    return of_places(held.pit[there], held.std[there])


def _says_nothing(name: str) -> InputError:
    return InputError(
        "calibration",
        f"{name} stated no probabilities",
        "It has no predict_dist and no predict_proba, so that there is nothing to calibrate",
        "Try an estimator of credo.models, or a conformal one",
    )


def of_places(pit: Float[np.ndarray, " n"], std: Float[np.ndarray, " n"]) -> Calibration:
    """From where each truth lay in its belief, and how wide that was."""
    n = len(pit)
    levels = np.arange(1, _GRID + 1) / (_GRID + 1)
    out = np.abs(2.0 * pit - 1.0)
    counts = np.sum(out[None, :] <= levels[:, None], axis=1)
    low, high = clopper_pearson(counts, n)
    at = levels
    ecdf_low, ecdf_high = pit_band(n)
    ecdf = np.searchsorted(np.sort(pit), at, side="right") / n
    sharpness = float(np.mean(std))
    return Calibration(levels, counts / n, low, high, pit, at, ecdf, ecdf_low, ecdf_high, sharpness)


def pit_band(
    n: int, level: float = 0.95, random_state: Any = 0
) -> tuple[Float[np.ndarray, " l"], Float[np.ndarray, " l"]]:
    """The band in which the distribution function of n uniform numbers stays, at 1/100 to 99/100, at this level.

    Pointwise binomial quantiles, at a level that is found by simulation so that all of them hold together (Säilynoja,
    Bürkner & Vehtari 2022). O(1000 n) for up to 2000 rows; above, the level is that of 2000.
    """
    generator = np.random.default_rng(as_seed(random_state))
    at = np.arange(1, _GRID + 1) / (_GRID + 1)
    size = min(n, _MOST)
    counts = np.zeros((_SIMULATED, _GRID), dtype=int)
    left = np.full(_SIMULATED, size)
    # The counts of uniform numbers below each point are a binomial chain, which needs no sorting.
    for k in range(_GRID):
        before = at[k - 1] if k else 0.0
        new = generator.binomial(left, (at[k] - before) / (1.0 - before))
        counts[:, k] = (counts[:, k - 1] if k else 0) + new
        left = left - new
    tails = 2.0 * np.minimum(stats.binom.cdf(counts, size, at), stats.binom.sf(counts - 1, size, at))
    alpha = float(np.quantile(np.min(tails, axis=1), 1.0 - level))
    return stats.binom.ppf(alpha / 2.0, n, at) / n, stats.binom.isf(alpha / 2.0, n, at) / n


def _of_classes(
    probabilities: Float[np.ndarray, "n k"], codes: Int[np.ndarray, " n"], classes: np.ndarray, label: Any
) -> Reliability:
    confidence = float(np.mean(np.max(probabilities, axis=1)))
    if label is None and len(classes) > 2:
        said = np.argmax(probabilities, axis=1)
        return reliability(np.max(probabilities, axis=1), said == codes)._replace(confidence=confidence)
    at = len(classes) - 1 if label is None else np.flatnonzero(classes == label)
    if np.size(at) != 1:
        raise InputError("calibration", f"label={label!r}", "", f"Classes are: {', '.join(map(str, classes))}")
    column = int(np.ravel(at)[0])
    return reliability(probabilities[:, column], codes == column)._replace(confidence=confidence)


def reliability(
    stated: Float[np.ndarray, " n"], happened: Bool[np.ndarray, " n"], *, random_state: Any = 0
) -> Reliability:
    """The diagram of one probability a row: what was stated, and how often it happened. O(500 n) for the bands."""
    values, inverse, rows = np.unique(stated, return_inverse=True, return_counts=True)
    curve = _isotonic(np.bincount(inverse, weights=happened) / rows, rows)
    generator = np.random.default_rng(as_seed(random_state))
    simulated = generator.binomial(rows, values, size=(_RESAMPLES, len(values))) / rows
    curves = np.stack([_isotonic(each, rows) for each in simulated])
    low, high = np.quantile(curves, [0.025, 0.975], axis=0)
    error = float(np.sum(rows * np.abs(curve - values)) / len(stated))
    return Reliability(values, curve, low, high, rows, error, _binned_error(stated, happened), float(np.mean(stated)))


def _isotonic(shares: np.ndarray, rows: np.ndarray) -> np.ndarray:
    return isotonic_regression(shares, sample_weight=rows.astype(np.float64), y_min=0.0, y_max=1.0)


def _binned_error(stated: np.ndarray, happened: np.ndarray) -> float:
    """The expected calibration error of equal bins (Naeini, Cooper & Hauskrecht 2015)."""
    bins = np.minimum((stated * _BINS).astype(int), _BINS - 1)
    gaps = np.bincount(bins, weights=stated - happened, minlength=_BINS)
    return float(np.sum(np.abs(gaps)) / len(stated))

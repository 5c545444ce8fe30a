"""Is the stated uncertainty honest? What cross-fitted beliefs promised and what happened, judged in one verdict."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

import numpy as np
from jaxtyping import Bool, Float, Int
from sklearn.utils.validation import _num_samples

from credo.errors import InputError
from credo.numerics import Certificate, as_seed
from credo.numerics.progress import tracker
from credo.represent.validation import in_credos_words
from credo.validate.entries import LEVELS, dice
from credo.validate.honesty import (
    Region,
    Verdict,
    binomial_bands,
    holm,
    honesty_map,
    numeric_columns,
    share,
    verdict_of,
)
from credo.validate.plans import as_plan
from credo.validate.predictions import Targets, is_for_classes, prediction_of, states_intervals, targets_of
from credo.validate.refit import refit, said_at
from credo.validate.tails import Tails, light_tails

__all__ = ["Audit", "audit", "audit_places", "audit_probabilities"]

_GROUPS = 4  # of rows by how sure the classifier is
_GIVEN = "what was said of rows before they were seen, which are treated as independent"
_INTERVALS = "intervals of level"  # what a belief about numbers promises
_NEAR = 0.9  # the level that a map of honesty, and a verdict without a departure, speak of


@dataclass(frozen=True)
class Audit:
    """How often intervals of each level held the truth, beside what they promised.

    Of classes a level is how sure the classifier was of the class it said, on average over a quarter of the rows, and
    the coverage is how often it was right there. `low` and `high` are exact 95 % binomial bands (Clopper–Pearson) for
    the coverage; `p_values` are Holm-corrected over the levels. `regions` are places, found by a tree on one half of
    the rows and judged on the other: the surest first. `spans` are the least and the largest number of the
    columns that bound a place.

    The verdict is "honest", "overconfident" (intervals hold less than promised), "timid" (they hold more), or
    "light-tailed": they hold more in the middle, while too many rows lie far out. `tails` is then what was found there,
    with what to do; else None.
    """

    verdict: Verdict
    level: float
    levels: np.ndarray
    coverage: np.ndarray
    low: np.ndarray
    high: np.ndarray
    p_values: np.ndarray
    sizes: np.ndarray
    rows: int
    certificate: Certificate
    regions: tuple[Region, ...] = ()
    promise: str = _INTERVALS
    spans: dict[str, tuple[float, float]] = field(default_factory=dict, hash=False)
    tails: Tails | None = None

    @property
    def failures(self) -> tuple[Region, ...]:
        """The places where the promise is not kept, by more than chance."""
        return tuple(region for region in self.regions if region.verdict != "honest")

    def __str__(self) -> str:
        at = int(np.flatnonzero(self.levels == self.level)[0])
        head = (
            f"{self.verdict}: {self.promise} {share(self.level)} held {self.coverage[at]:.1%} of {self.sizes[at]} rows "
            f"(95 % band {self.low[at]:.1%} to {self.high[at]:.1%}, corrected p = {self.p_values[at]:.2g})"
        )
        rows = [
            f"  promised {share(level)}  held {held:.1%}  band {low:.1%} to {high:.1%}"
            for level, held, low, high in zip(self.levels, self.coverage, self.low, self.high, strict=True)
        ]
        tails = [] if self.tails is None else [f"{self.tails}."]
        return "\n".join([head, *rows, *tails, *map(str, self.failures)])


class _Promises(NamedTuple):
    """Of each row: which of several promises hold, how far out the truth lies, and the one promise of a map."""

    levels: Float[np.ndarray, " l"]
    counts: Float[np.ndarray, " l"]
    sizes: Float[np.ndarray, " l"]
    surprise: Float[np.ndarray, " n"]
    held: Bool[np.ndarray, " n"]
    promised: Float[np.ndarray, " n"]
    promise: str = _INTERVALS
    pit: Float[np.ndarray, " n"] | None = None


def audit(
    estimator: Any,
    X: Any,
    y: Any,
    *,
    fitted: bool = False,
    levels: Sequence[float] = LEVELS,
    folds: int = 5,
    random_state: Any = 0,
) -> Audit:
    """Hold what an estimator says of its uncertainty against rows it has not seen.

    By default the estimator is cloned and cross-fitted, because on its training rows a fitted model flatters itself;
    ``fitted=True`` takes it as it is, for rows it has not seen. The verdict is "honest" unless coverage departs from
    a promised level by more than chance (two-sided binomial tests, Holm-corrected at 5 %); then it says in which
    direction, at the level that departs most clearly: "overconfident" or "timid", or "light-tailed" where intervals
    are too wide in the middle while too many rows lie outside of intervals of 99 % and more, as with Gaussian beliefs
    about heavy-tailed errors. An estimator without a belief is held to its `predict_interval`,
    as a ConformalRegressor is. Of a classifier the promise is the probability of the class it
    says, in four groups of rows by that. Errors of different folds are treated as independent.

    Coverage over all rows can hide places where the promise fails: the map, ``regions``, looks for them with a tree
    over the columns, and judges them on other rows than those that found them. Cost: `folds` fits.

    >>> import numpy as np
    >>> from credo.models import BayesianLinearRegression
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(400, 2))
    >>> y = X @ [1.0, -1.0] + rng.normal(size=400)
    >>> audit(BayesianLinearRegression(), X, y).verdict
    'honest'
    >>> louder = y + np.where(X[:, 0] > 0.5, 4.0, 0.0) * rng.normal(size=400)
    >>> failure = audit(BayesianLinearRegression(), X, louder).failures[0]
    >>> failure.verdict, failure.where.startswith("x0 > 0.")
    ('overconfident', True)
    """
    seed, promised = as_seed(random_state), _checked_levels(levels)
    with in_credos_words("audit"):
        rows = _num_samples(X)
    classes = is_for_classes(estimator)
    _require_belief(estimator, classes=classes)
    known = getattr(estimator, "classes_", None) if fitted else None
    targets = targets_of(y, classes=classes, rows=rows, who="audit", known=known)
    if fitted:
        promises = _of_fitted(estimator, X, targets, promised)
        note = "the fitted estimator was held against the rows given, which it must not have seen"
    else:
        promises = _cross_fitted(estimator, X, targets, promised, folds, seed)
        note = f"cross-fitted in {folds} folds; errors of different folds are treated as independent"
    return _mapped(X, promises, note, seed)


def audit_places(X: Any, pit: Float[np.ndarray, " n"], *, random_state: Any = 0) -> Audit:
    """The audit of beliefs about rows that the models behind them had not seen, from where each truth lay in its own,
    from 0 to 1 (the probability integral transform).

    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> audit_places(rng.normal(size=(500, 2)), 0.5 + 0.3 * (rng.random(500) - 0.5)).verdict
    'timid'
    """
    inside = np.abs(2.0 * pit - 1.0) <= np.asarray(LEVELS)[:, None]
    return _mapped(X, _of_numbers(pit, inside, LEVELS), _GIVEN, as_seed(random_state))


def audit_probabilities(
    X: Any, probabilities: Float[np.ndarray, "n k"], codes: Int[np.ndarray, " n"], *, random_state: Any = 0
) -> Audit:
    """The audit of probabilities of classes at rows that the models behind them had not seen."""
    return _mapped(X, _of_classes(probabilities, codes), _GIVEN, as_seed(random_state))


def _mapped(X: Any, promises: _Promises, note: str, seed: int) -> Audit:
    """The verdict over all rows and in places."""
    columns, generator = numeric_columns(X), np.random.default_rng(seed)
    regions = honesty_map(columns, promises.surprise, promises.held, promises.promised, generator)
    bounding = {name for region in regions for name in region.bounds}
    spans = {name: span for name, span in columns.spans.items() if name in bounding}
    return replace(_judge(promises, regions, note), spans=spans)


def _checked_levels(levels: Sequence[float]) -> tuple[float, ...]:
    promised = sorted(float(level) for level in levels)
    if not promised or not all(0.0 < level < 1.0 for level in promised):
        raise InputError(
            "audit", f"levels={levels} are not all between 0 and 1", "Percentages were probably meant", "Try (0.5, 0.9)"
        )
    return tuple(promised)


def _require_belief(estimator: Any, *, classes: bool) -> None:
    if hasattr(estimator, "predict_dist") or (classes and hasattr(estimator, "predict_proba")):
        return
    if not classes and states_intervals(estimator):
        return
    raise InputError(
        "audit",
        f"{type(estimator).__name__} has no {'predict_proba' if classes else 'predict_dist'}",
        "It states no distribution, so there is no uncertainty to audit",
        "Pass an estimator of credo.models, or wrap it in a ConformalRegressor and audit that",
    )


def _cross_fitted(
    estimator: Any, X: Any, targets: Targets, levels: tuple[float, ...], folds: int, seed: int
) -> _Promises:
    plan = as_plan(f"{folds}-fold", len(targets), classes=targets.classes is not None, seed=seed)
    with tracker("audit", folds) as track:
        held = refit(estimator, X, targets, plan, (), levels=levels, track=track).held
    if held.probabilities is not None:
        return _of_classes(held.probabilities, targets.values)
    return _of_numbers(held.pit if held.has_belief else None, held.inside, levels)


def _of_fitted(estimator: Any, X: Any, targets: Targets, levels: tuple[float, ...]) -> _Promises:
    y = targets.values
    said = said_at(prediction_of(estimator, X, targets.classes, levels), slice(None), y, dice(len(y)), levels)
    if said.probabilities is not None:
        return _of_classes(said.probabilities, y)
    assert said.inside is not None
    return _of_numbers(said.pit, said.inside, levels)


def _of_numbers(pit: np.ndarray | None, inside: np.ndarray, levels: tuple[float, ...]) -> _Promises:
    """A surprise is how far out in its belief the truth lies, from 0 to 1; without one, how many intervals miss it."""
    near = int(np.argmin(np.abs(np.array(levels) - _NEAR)))
    n = inside.shape[1]
    return _Promises(
        np.array(levels),
        np.sum(inside, axis=1).astype(float),
        np.full(len(levels), float(n)),
        np.mean(~inside, axis=0) if pit is None else np.abs(2.0 * pit - 1.0),
        inside[near],
        np.full(n, levels[near]),
        pit=pit,
    )


def _of_classes(probabilities: np.ndarray, codes: np.ndarray) -> _Promises:
    sure, right = np.max(probabilities, axis=1), np.argmax(probabilities, axis=1) == codes
    groups = [rows for rows in np.array_split(np.argsort(sure, kind="stable"), _GROUPS) if len(rows)]
    return _Promises(
        np.array([np.mean(sure[rows]) for rows in groups]),
        np.array([float(np.sum(right[rows])) for rows in groups]),
        np.array([float(len(rows)) for rows in groups]),
        sure - right,
        right,
        sure,
        "classes said with probability",
    )


def _judge(promises: _Promises, regions: tuple[Region, ...], note: str) -> Audit:
    levels, coverage = promises.levels, promises.counts / promises.sizes
    p_values, low, high = binomial_bands(promises.counts, promises.sizes, levels)
    corrected = holm(p_values)
    # Without a departure the verdict speaks of the 90 % interval, or of the level nearest to it.
    worst = int(np.argmin(corrected))
    verdict = verdict_of(float(coverage[worst]), float(levels[worst]), float(corrected[worst]))
    at = int(np.argmin(np.abs(levels - _NEAR))) if verdict == "honest" else worst
    numbers = promises.promise == _INTERVALS  # groups of rows by how sure a classifier is have no tails
    light = light_tails(levels, coverage, corrected, len(promises.held), promises.pit) if numbers else None
    if light is not None:
        verdict, at = "light-tailed", int(np.argmin(np.where(light[1], corrected, np.inf)))
    return Audit(
        verdict=verdict,
        level=float(levels[at]),
        levels=levels,
        coverage=coverage,
        low=low,
        high=high,
        p_values=corrected,
        sizes=promises.sizes.astype(int),
        rows=len(promises.held),
        certificate=Certificate(
            "estimated",
            error=float(np.sqrt(0.25 / np.min(promises.sizes))),
            notes=(note, "error is the largest standard error of a coverage"),
        ),
        regions=regions,
        promise=promises.promise,
        tails=None if light is None else light[0],
    )

"""What a fitted estimator says about rows, in one form for all: numbers, probabilities, scores, a belief."""

from dataclasses import dataclass, replace
from inspect import signature
from typing import Any

import numpy as np
from jaxtyping import Float, Int
from sklearn.base import is_classifier
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import column_or_1d

from credo.beliefs import Belief
from credo.errors import InputError
from credo.numerics.padding import filled
from credo.represent.validation import in_credos_words

__all__ = [
    "Prediction",
    "Targets",
    "is_for_classes",
    "prediction_of",
    "replicated_prediction",
    "states_intervals",
    "targets_of",
]


@dataclass(frozen=True)
class Targets:
    """What was observed: numbers, or codes of classes."""

    values: Float[np.ndarray, " n"] | Int[np.ndarray, " n"]
    classes: np.ndarray | None

    def __len__(self) -> int:
        return len(self.values)

    def of(self, rows: Any) -> "Targets":
        """At some rows."""
        return replace(self, values=self.values[rows])

    @property
    def labels(self) -> np.ndarray:
        """As they came."""
        return self.values if self.classes is None else self.classes[self.values]


def targets_of(y: Any, *, classes: bool, rows: int, who: str = "evaluate", known: Any = None) -> Targets:
    """Checked: one a row, numbers finite, two classes or more. `known` are classes that need not be among them."""
    with in_credos_words(who):
        column = column_or_1d(y)
    if len(column) != rows:
        raise InputError(
            who, f"{len(column)} targets for {rows} rows", "X and y come from different tables", "Pass one y a row"
        )
    if classes:
        return _class_targets(column, who, known)
    try:
        numbers = np.asarray(column, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise InputError(who, "y is not numeric", "The estimator is no classifier", "Encode y as numbers") from error
    if not np.all(np.isfinite(numbers)):
        raise InputError(who, "y has NaN or infinite entries", "Results are missing", "Drop those rows first")
    return Targets(numbers, None)


def _class_targets(column: np.ndarray, who: str, known: Any) -> Targets:
    missing = np.array([label is None or label != label for label in column], dtype=bool)
    if np.any(missing):
        at = int(np.flatnonzero(missing)[0])
        raise InputError(
            who, f"y has no label at {int(np.sum(missing))} rows, first at row {at}", "", "Drop those rows first"
        )
    try:
        names = np.unique(column if known is None else np.concatenate([np.asarray(known), column]))
    except TypeError as error:
        kinds = ", ".join(sorted({type(label).__name__ for label in column}))
        raise InputError(who, f"labels of several kinds: {kinds}", "", "Make them all text, or all numbers") from error
    with in_credos_words(who):
        check_classification_targets(column)
    if len(names) < 2:
        raise InputError(
            who, f"y has one class only: {names!r}", "Rows were filtered", "Pass rows of two classes or more"
        )
    return Targets(np.searchsorted(names, column), names)


@dataclass(frozen=True)
class Prediction:
    """At rows, the last axis, for a batch of refits before it. What an estimator does not say is None.

    Of numbers `point` is the prediction; of classes it is the code of the class that is said, `probabilities` has an
    axis of classes behind the rows, and `decision` is the score of the second of two classes. `intervals` are those of
    an estimator that states them and no belief, for the levels asked.
    """

    point: np.ndarray
    probabilities: np.ndarray | None = None
    decision: np.ndarray | None = None
    belief: Belief | None = None
    intervals: Float[np.ndarray, "l 2 n"] | None = None

    def at(self, entries: Any) -> "Prediction":
        """At some of the entries of batch and rows."""
        parts = (self.point, self.probabilities, self.decision, self.belief)
        return Prediction(*(None if part is None else part[entries] for part in parts))  # type: ignore[arg-type]


def prediction_of(
    estimator: Any, X: Any, classes: np.ndarray | None, levels: tuple[float, ...] = (), *, with_belief: bool = True
) -> Prediction:
    """Ask a fitted estimator about the rows of X. Classes are those of all rows; one that it has not seen has none.

    Where it states no belief, but intervals, these of the `levels`. Of numbers the belief may be left out, if it can
    also say a number.
    """
    who = type(estimator).__name__
    needed = with_belief or classes is not None or not hasattr(estimator, "predict")
    belief = estimator.predict_dist(X) if needed and hasattr(estimator, "predict_dist") else None
    if classes is None:
        said = estimator.predict(X) if belief is None or hasattr(estimator, "predict") else belief.mean
        point = np.asarray(said, dtype=np.float64).reshape(-1)
        return Prediction(_finite(point, who), belief=belief, intervals=_intervals(estimator, X, belief, levels))
    labels = np.asarray(estimator.predict(X)).reshape(-1)
    codes = np.minimum(np.searchsorted(classes, labels), len(classes) - 1)
    if not np.array_equal(classes[codes], labels):
        raise InputError(who, "it predicts classes that y does not have", "", "Look at its predictions")
    seen = np.searchsorted(classes, np.asarray(estimator.classes_))
    probabilities = None
    if belief is not None or hasattr(estimator, "predict_proba"):
        said = np.asarray(belief.mean) if belief is not None else np.asarray(estimator.predict_proba(X))
        probabilities = np.zeros((len(labels), len(classes)))
        probabilities[:, seen] = _finite(said, who)
    decision = None
    if len(classes) == 2 and len(seen) == 2 and hasattr(estimator, "decision_function"):
        decision = _finite(np.asarray(estimator.decision_function(X), dtype=np.float64), who)
    return Prediction(codes, probabilities, decision, belief)


def states_intervals(estimator: Any) -> bool:
    """Whether it has ``predict_interval(X, level)``, as credo has it; others' have other arguments."""
    method = getattr(estimator, "predict_interval", None)
    return method is not None and "level" in signature(method).parameters


def _intervals(estimator: Any, X: Any, belief: Belief | None, levels: tuple[float, ...]) -> np.ndarray | None:
    if belief is not None or not levels or not states_intervals(estimator):
        return None
    return np.array([np.stack(estimator.predict_interval(X, level)) for level in levels], dtype=np.float64)


def replicated_prediction(
    models: Any, X: Any, classes: np.ndarray | None, who: str, *, with_belief: bool = True
) -> Prediction:
    """Ask a batch of refits, the module that `fit_many` returns, about the rows of X.

    Of classes, and of numbers if the belief is not needed, by the shorter way to its mean where the module has one.
    """
    rows = np.asarray(X, dtype=np.float64)
    if hasattr(models, "predictive_mean") and (classes is not None or not with_belief):
        mean = _finite(models.predictive_mean(rows), who)
        return Prediction(mean) if classes is None else Prediction(_likeliest(mean), mean)
    belief = models.predict_dist(filled(rows))
    mean = _finite(np.asarray(belief.mean)[:, : len(rows)], who)
    if classes is not None:
        return Prediction(_likeliest(mean), mean)
    return Prediction(mean, belief=belief[:, : len(rows)])


def _likeliest(probabilities: np.ndarray) -> np.ndarray:
    if probabilities.shape[-1] == 2:  # a comparison is a tenth of the search for the largest
        return (probabilities[..., 1] > probabilities[..., 0]).astype(np.intp)
    return np.argmax(probabilities, axis=-1)


def is_for_classes(estimator: Any) -> bool:
    """Whether it tells classes apart."""
    return is_classifier(estimator) if hasattr(estimator, "__sklearn_tags__") else hasattr(estimator, "classes_")


def _finite(said: np.ndarray, who: str) -> np.ndarray:
    if np.all(np.isfinite(said)):
        return said
    raise InputError(
        who,
        f"{int(np.sum(~np.isfinite(said)))} of {said.size} predictions are NaN or infinite",
        "The fit diverged, or rows lie where it has no answer",
        "Fit it alone on these rows and look at its predictions",
    )

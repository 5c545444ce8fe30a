"""Where to cut a probability: the threshold that maximizes F1, and what precision, recall and F1 are there."""

from typing import Any, NamedTuple

import numpy as np
from jaxtyping import Bool, Float

from credo.errors import InputError
from credo.numerics.random import as_seed
from credo.validate.evaluation import Evaluation
from credo.validate.predictions import Prediction
from credo.validate.risk import ratio, row_error
from credo.validate.scores import CLASS_SCORES

__all__ = ["Threshold", "best_threshold", "threshold_of"]

_FOLDS = 5


class Threshold(NamedTuple):
    """The threshold, and precision, recall and F1 there with their standard errors.

    The three are of thresholds that were chosen without the rows they are counted on.
    """

    value: float
    precision: float
    precision_error: float
    recall: float
    recall_error: float
    f1: float
    f1_error: float

    def __str__(self) -> str:
        parts = [("precision", self.precision, self.precision_error), ("recall", self.recall, self.recall_error)]
        said = ", ".join(f"{name} {v:.3f} ± {e:.3f}" for name, v, e in [*parts, ("F1", self.f1, self.f1_error)])
        return f"threshold {self.value:.3f}: {said}"


def best_threshold(evaluation: Evaluation, name: str | None = None, *, random_state: Any = 0) -> Threshold:
    """The probability of the second of two classes above which calling it maximizes F1, on rows that refits held out.

    A threshold that was chosen on rows flatters itself there. So precision, recall and F1 are counted crosswise: the
    rows are dealt into five parts, and each is judged with the threshold of the others. Standard errors by the delta
    method, over rows; that the threshold varies is not in them. O(n log n).

    >>> import numpy as np
    >>> from credo.models import LogisticRegression
    >>> from credo.validate import evaluate
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(400, 1))
    >>> rare = X[:, 0] + rng.normal(size=400) > 1.5
    >>> best_threshold(evaluate(LogisticRegression(), X, rare, random_state=0)).value < 0.5
    True
    """
    result = evaluation.one(name)
    targets, held = evaluation.targets, result.held
    if targets.classes is None or len(targets.classes) != 2 or held.probabilities is None:
        raise InputError(
            "best_threshold",
            f"{result.name} has no probability of the second of two classes",
            "A threshold cuts one probability",
            "Pass an evaluation of a classifier of two classes with predict_proba",
        )
    p, there = held.probabilities[held.there, 1], targets.values[held.there] == 1
    if not np.any(there):
        raise InputError("best_threshold", f"no row of class {targets.classes[1]!r} was held out", "", "Try '5-fold'")
    return threshold_of(p, there, random_state)


def threshold_of(p: Float[np.ndarray, " n"], there: Bool[np.ndarray, " n"], random_state: Any = 0) -> Threshold:
    """From the probability of each row, and whether the class was there."""
    parts = np.random.default_rng(as_seed(random_state)).permutation(len(p)) % _FOLDS
    said = np.zeros(len(p), dtype=bool)
    for part in range(_FOLDS):
        others = parts != part
        said[~others] = p[~others] >= maximizing_f1(p[others], there[others])
    numbers = []
    for name in ("precision", "recall", "F1"):
        above, below = CLASS_SCORES[name].parts(Prediction(said.astype(int)), there.astype(int))
        assert below is not None
        numbers += [ratio(float(np.sum(above)), float(np.sum(below))), row_error(above, below)]
    return Threshold(maximizing_f1(p, there), *numbers)


def maximizing_f1(p: Float[np.ndarray, " n"], there: np.ndarray) -> float:
    """The cut at which F1 is largest: half way between the probabilities on its two sides."""
    order = np.argsort(-p, kind="stable")
    ranked = p[order]
    hits = np.cumsum(there[order])
    f1 = 2.0 * hits / (np.arange(1, len(p) + 1) + max(int(np.sum(there)), 1))
    last = np.r_[ranked[1:] < ranked[:-1], True]  # rows of one probability are called together
    best = int(np.argmax(np.where(last, f1, -1.0)))
    below = ranked[best + 1] if best + 1 < len(p) else 0.0
    return float(0.5 * (ranked[best] + below))

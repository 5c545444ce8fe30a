r"""What a prediction costs at each row. Every score is a ratio of two sums over rows, $\sum a_i / \sum b_i$.

A mean has $b_i = 1$; precision has true positives over what was called positive. So one formula gives the standard
error of all: that of $\sum (a_i - r b_i)$ over $\sum b_i$ (the delta method; Cochran 1977, §6.3).
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from credo.beliefs import Belief
from credo.errors import InputError
from credo.validate.entries import each_crps, each_interval_score, each_log_score
from credo.validate.predictions import Prediction

__all__ = ["CLASS_SCORES", "NUMBER_SCORES", "Score", "as_scores", "gives", "no_information"]

Of = Literal["numbers", "classes", "two classes"]
Needs = Literal["point", "belief", "probabilities", "decision"]
_SHIFTS = 50  # of the targets against the predictions, where all pairs have no closed form


@dataclass(frozen=True)
class Score:
    """How a prediction at a row is judged, and what it needs of an estimator.

    `parts` gives the two numbers of each row, the second of which is None where it is one. `lower` says whether less is
    better, `span` the least and the most that it can be. `unrelated` is the mean over all pairs of a prediction and a
    target, as if one knew nothing of the other.
    """

    name: str
    of: Of
    needs: Needs
    parts: Callable[[Prediction, np.ndarray], tuple[np.ndarray, np.ndarray | None]]
    lower: bool = True
    unrelated: Callable[[Prediction, np.ndarray], float] | None = None
    span: tuple[float, float] = (0.0, np.inf)


_SHARE = (0.0, 1.0)


def _mean(loss: Callable[[Prediction, np.ndarray], Any]) -> Callable[[Prediction, np.ndarray], Any]:
    return lambda prediction, y: (np.asarray(loss(prediction, y), dtype=np.float64), None)


def _of_belief(score: Callable[[Belief, np.ndarray], Any]) -> Callable[[Prediction, np.ndarray], Any]:
    return _mean(lambda prediction, y: score(prediction.belief, y))  # type: ignore[arg-type]


def _own(prediction: Prediction, y: np.ndarray) -> np.ndarray:
    """The probability of the class that was seen."""
    assert prediction.probabilities is not None
    chance = prediction.probabilities
    if chance.shape[-1] == 2:  # as quick as a choice between two columns
        return np.where(y == 1, chance[..., 1], chance[..., 0])
    return np.take_along_axis(chance, np.broadcast_to(y, chance.shape[:-1])[..., None], axis=-1)[..., 0]


def _log_of_classes(prediction: Prediction, y: np.ndarray) -> np.ndarray:
    with np.errstate(divide="ignore"):
        return -np.log(_own(prediction, y))


def _brier(prediction: Prediction, y: np.ndarray) -> np.ndarray:
    assert prediction.probabilities is not None
    squares = np.einsum("...k,...k->...", prediction.probabilities, prediction.probabilities)
    return squares - 2.0 * _own(prediction, y) + 1.0


def _hinge(prediction: Prediction, y: np.ndarray) -> np.ndarray:
    assert prediction.decision is not None
    return np.maximum(0.0, 1.0 - (2.0 * y - 1.0) * prediction.decision)


def _hits(prediction: Prediction, y: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    said, there = (prediction.point == 1).astype(float), (y == 1).astype(float)
    return said * there, said, np.broadcast_to(there, said.shape)


def _precision(prediction: Prediction, y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    both, said, _ = _hits(prediction, y)
    return both, said


def _recall(prediction: Prediction, y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    both, _, there = _hits(prediction, y)
    return both, there


def _f1(prediction: Prediction, y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    both, said, there = _hits(prediction, y)
    return 2.0 * both, said + there


def _unrelated_squares(prediction: Prediction, y: np.ndarray) -> float:
    """The mean of (yᵢ − ŷⱼ)² over all pairs, from four means."""
    return float(np.var(y) + np.var(prediction.point) + (np.mean(y) - np.mean(prediction.point)) ** 2)


def _unrelated_distances(prediction: Prediction, y: np.ndarray) -> float:
    """The mean of |yᵢ − ŷⱼ| over all pairs, by sorting: a target lies above some predictions and below the others."""
    said = np.sort(prediction.point)
    below, n = np.searchsorted(said, y), len(said)
    sums = np.concatenate([[0.0], np.cumsum(said)])
    distances = y * below - sums[below] + (sums[-1] - sums[below]) - y * (n - below)
    return float(np.mean(distances)) / n


def _over_classes(
    loss: Callable[[Prediction, np.ndarray], np.ndarray],
) -> Callable[[Prediction, np.ndarray], float]:
    """The mean over all pairs, from the share of each class."""

    def unrelated(prediction: Prediction, y: np.ndarray) -> float:
        codes, counts = np.unique(y, return_counts=True)
        each = [np.mean(loss(prediction, np.full(len(y), code))) for code in codes]
        return float(np.dot(each, counts) / len(y))

    return unrelated


def _wrong(prediction: Prediction, y: np.ndarray) -> np.ndarray:
    return (prediction.point != y).astype(np.float64)


NUMBER_SCORES: dict[str, Score] = {
    score.name: score
    for score in (
        Score("squared", "numbers", "point", _mean(lambda p, y: (p.point - y) ** 2), unrelated=_unrelated_squares),
        Score("absolute", "numbers", "point", _mean(lambda p, y: np.abs(p.point - y)), unrelated=_unrelated_distances),
        Score("log", "numbers", "belief", _of_belief(each_log_score), span=(-np.inf, np.inf)),
        Score("crps", "numbers", "belief", _of_belief(each_crps)),
        Score("interval", "numbers", "belief", _of_belief(each_interval_score)),
    )
}
CLASS_SCORES: dict[str, Score] = {
    score.name: score
    for score in (
        Score("zero-one", "classes", "point", _mean(_wrong), unrelated=_over_classes(_wrong), span=_SHARE),
        Score("log", "classes", "probabilities", _mean(_log_of_classes), unrelated=_over_classes(_log_of_classes)),
        Score("brier", "classes", "probabilities", _mean(_brier), unrelated=_over_classes(_brier), span=(0.0, 2.0)),
        Score("hinge", "two classes", "decision", _mean(_hinge), unrelated=_over_classes(_hinge)),
        Score("precision", "two classes", "point", _precision, lower=False, span=_SHARE),
        Score("recall", "two classes", "point", _recall, lower=False, span=_SHARE),
        Score("F1", "two classes", "point", _f1, lower=False, span=_SHARE),
    )
}
_DEFAULT = ("squared", "absolute", "zero-one", "log", "brier", "crps")
_SOURCES: dict[Needs, tuple[str, ...]] = {
    "point": ("predict",),
    "belief": ("predict_dist",),
    "probabilities": ("predict_proba", "predict_dist"),
    "decision": ("decision_function",),
}


def gives(estimator: Any, score: Score) -> bool:
    """Whether the estimator says what the score needs."""
    return any(hasattr(estimator, method) for method in _SOURCES[score.needs])


def as_scores(
    scores: Sequence[str | Score] | str | Score | None, estimator: Any, classes: np.ndarray | None
) -> tuple[Score, ...]:
    """The scores that are meant: by name, one's own, or by default those of what the estimator says.

    By default squared and absolute error, logarithmic score and CRPS for numbers, 0–1, logarithmic and Brier score for
    classes, without those that need probabilities where an estimator has none.
    """
    known = NUMBER_SCORES if classes is None else CLASS_SCORES
    if scores is None:
        return tuple(known[name] for name in _DEFAULT if name in known and gives(estimator, known[name]))
    asked = [scores] if isinstance(scores, str | Score) else list(scores)
    return tuple(_asked(each, known, estimator, classes) for each in asked)


def _asked(asked: str | Score, known: dict[str, Score], estimator: Any, classes: np.ndarray | None) -> Score:
    who, target = type(estimator).__name__, "numbers" if classes is None else f"{len(classes)} classes"
    if isinstance(asked, Score) and (asked.of == "numbers") == (classes is None):
        known = {**known, asked.name: asked}
    name = asked.name if isinstance(asked, Score) else asked
    if name not in known or (known[name].of == "two classes" and classes is not None and len(classes) != 2):
        raise InputError(
            "evaluate",
            f"score {name!r} of {target}",
            "The name is misspelt, or the score is of another kind of target",
            f"Scores are: {', '.join(known)}",
        )
    score = known[name]
    if not gives(estimator, score):
        raise InputError(
            "evaluate",
            f"score {name!r} of {who}, which has no {' or '.join(_SOURCES[score.needs])}",
            "It states no distribution, so that there is no uncertainty to judge",
            "Leave the score out, or pass an estimator that states one, such as those of credo.models",
        )
    return score


def no_information(score: Score, prediction: Prediction, y: np.ndarray, generator: np.random.Generator) -> float:
    """The score if targets had nothing to do with predictions: its mean over all pairs of one and the other.

    In O(n log n) where there is a formula, as for most; else over 50 random cyclic shifts of the targets
    (the no-information rate of Efron & Tibshirani 1997).
    """
    if score.unrelated is not None:
        return score.unrelated(prediction, y)
    shifts = generator.integers(len(y), size=min(_SHIFTS, len(y)))
    parts = [score.parts(prediction, np.roll(y, shift)) for shift in shifts]
    above = sum(float(np.sum(a)) for a, _ in parts)
    below = sum(float(len(y) if b is None else np.sum(b)) for _, b in parts)
    return above / below if below else 0.0

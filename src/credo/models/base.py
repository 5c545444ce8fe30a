"""What estimators have in common: validation, prediction from a Belief where there is one, many refits in one call."""

from abc import ABC, abstractmethod
from typing import Any, Self

import equinox as eqx
import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin, is_regressor
from sklearn.utils import Tags
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import column_or_1d

from credo.beliefs import Belief
from credo.errors import InputError
from credo.numerics import Certificate
from credo.numerics.padding import filled
from credo.numerics.precision import require_float64
from credo.represent.validation import (
    AS_DENSE,
    checked_features,
    checked_parameters,
    checked_training,
    checked_weightings,
    in_credos_words,
    refuse_sparse,
    unchanged,
)

__all__ = [
    "Classifier",
    "Deciding",
    "Estimator",
    "InOrder",
    "Labeling",
    "Probabilistic",
    "Regressor",
    "Replicated",
    "certificate_of",
]


_UNKNOWN = Certificate("heuristic", notes=("an estimator that does not say how it was fitted",))


def certificate_of(estimator: Any) -> Certificate:
    """How a fitted estimator, of whatever library, was fitted, as far as it says."""
    return getattr(estimator, "certificate_", _UNKNOWN)


class Estimator(BaseEstimator, ABC):
    """A scikit-learn estimator, with or without a belief.

    A subclass has a keyword-only constructor that only stores, `_parameter_constraints`, and a method that wires an
    engine: `_learn`, which sets what fit learns, `certificate_` among it. `sample_weight` means frequency: weight 2 is
    the row twice.
    """

    _parameter_constraints: dict = {}  # noqa: RUF012  (scikit-learn's name for the constraints of a class, as data)
    _takes_sparse: bool | str = False  # whether rows may be sparse; AS_DENSE where a fit then makes them dense
    certificate_: Certificate

    @abstractmethod
    def _learn(self, X: np.ndarray, y: np.ndarray, w: np.ndarray) -> None:
        """Set the learned attributes from checked arrays."""

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = bool(self._takes_sparse)
        return tags

    def _targets(self, y: Any) -> np.ndarray:
        """The targets as the engine wants them."""
        return y

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Learn from rows X (n × d), targets y and frequency weights. A failed fit leaves the object as it was."""
        with unchanged(self, only_on_failure=True):
            X, y, w = self._checked(X, y, sample_weight, reset=True)
            there = w > 0  # a row of weight zero is not there: its class, if no other row has it, is none
            self._learn(X[there], self._targets(y[there]), w[there])
        return self

    def _checked(self, X: Any, y: Any, sample_weight: Any, *, reset: bool) -> tuple[Any, np.ndarray, np.ndarray]:
        require_float64(type(self).__name__)
        checked_parameters(self)
        return checked_training(self, X, y, sample_weight, numeric_y=is_regressor(self), reset=reset)


class Probabilistic(Estimator):
    """An estimator whose primary answer is a Belief. A subclass says in `_belief` which."""

    @abstractmethod
    def _belief(self, X: np.ndarray) -> Belief:
        """The belief about a new observation at each row of checked, padded features."""

    def predict_dist(self, X: Any) -> Belief:
        """The belief about a new observation at each row of X, with its uncertainty budget."""
        belief, rows = self._padded_belief(X)
        return belief[:rows]

    def _padded_belief(self, X: Any) -> tuple[Belief, int]:
        """The belief at the rows of X and the padding behind them, and the number of rows: a new n compiles nothing."""
        X = checked_features(self, X)
        return self._belief(filled(X)), X.shape[0]


class InOrder(Estimator):
    """An estimator that learns from one row at a time, sparse or not: order matters, and rows have no weights."""

    _takes_sparse = True

    def fit(self, X: Any, y: Any) -> Self:  # type: ignore[override]
        """Learn from rows X (n × d, sparse or not) and targets y, in order. A failed fit changes nothing."""
        return super().fit(X, y)


class Replicated(Probabilistic):
    """An estimator that fits many weightings of the same rows in one call."""

    @abstractmethod
    def _learn_many(self, X: np.ndarray, y: np.ndarray, W: np.ndarray) -> eqx.Module:
        """The fitted models for each row of W, as one batched module with `predict_dist`."""

    def fit_many(self, X: Any, y: Any, W: Any) -> eqx.Module:
        """B refits in one call: row b of W (B × n) is the sample weight of replicate b.

        Returns one batched module whose ``predict_dist(X)`` is a Belief of batch shape ``(B, n)``; this object stays
        as it was. Resampling is this: a bootstrap is multinomial weights, a fold is zeros.
        """
        if self._takes_sparse != AS_DENSE:
            refuse_sparse(type(self).__name__, X)
        with unchanged(self):
            X, y, _ = self._checked(X, y, None, reset=True)
            y = self._targets(y)
            W = checked_weightings(type(self).__name__, W, X)
            return self._learn_many(X, y, W)


class Regressor(RegressorMixin, Probabilistic):
    """An estimator of a number: `predict` is the mean of the belief, `predict_interval` its central interval."""

    def predict(self, X: Any) -> np.ndarray:
        """The mean of the belief at each row of X; its median where the mean does not exist (one degree of freedom)."""
        belief, rows = self._padded_belief(X)
        mean = np.asarray(belief.mean)
        exists = np.isfinite(mean)
        return (mean if np.all(exists) else np.where(exists, mean, np.asarray(belief.quantile(0.5))))[:rows]

    def predict_interval(self, X: Any, level: float = 0.9) -> tuple[np.ndarray, np.ndarray]:
        """``(low, high)``: where a new observation lies with probability `level`, at each row of X."""
        belief, rows = self._padded_belief(X)
        low, high = belief.interval(level)
        return np.asarray(low)[:rows], np.asarray(high)[:rows]


class Labeling(ClassifierMixin, Estimator):
    """An estimator of a class, one of ``classes_``."""

    classes_: np.ndarray

    def _targets(self, y: Any) -> np.ndarray:
        who = type(self).__name__
        with in_credos_words(who):
            check_classification_targets(y)
            labels = column_or_1d(y, warn=True)
            self.classes_ = np.unique(labels)
            codes = np.searchsorted(self.classes_, labels)  # quicker than the sorting that return_inverse does
        if len(self.classes_) < 2:
            raise InputError(
                who,
                f"y has one class only: {self.classes_[0]!r}",
                "Rows were filtered or sorted, or a fold holds one class: a classifier cannot train on one class",
                "Pass rows of at least two classes",
            )
        return codes

    @abstractmethod
    def predict(self, X: Any) -> np.ndarray:
        """The class at each row of X."""


class Classifier(Labeling, Probabilistic):
    """An estimator of a class: the belief is a Categorical over ``classes_``, whose mean are the probabilities."""

    def predict_proba(self, X: Any) -> np.ndarray:
        """The probability of each class, n × k, in the order of ``classes_``."""
        belief, rows = self._padded_belief(X)
        return np.asarray(belief.mean)[:rows]

    def predict(self, X: Any) -> np.ndarray:
        """The most probable class at each row of X."""
        winners = np.argmax(self.predict_proba(X), axis=1)
        return self.classes_[winners]


class Deciding(Labeling):
    """A classifier by scores that are no probabilities: the class of the largest, of two the second where it is > 0."""

    @abstractmethod
    def _scores(self, X: np.ndarray) -> np.ndarray:
        """The score of each class (n × k), or of the second of two (n), at each row of checked features."""

    def decision_function(self, X: Any) -> np.ndarray:
        """The score of each class at each row of X, n × k, or of the second of two, n. Scores are no probabilities."""
        return self._scores(checked_features(self, X))

    def predict(self, X: Any) -> np.ndarray:
        """The class of the largest score at each row of X."""
        scores = self.decision_function(X)
        return self.classes_[np.argmax(scores, axis=1) if scores.ndim == 2 else (scores > 0).astype(int)]

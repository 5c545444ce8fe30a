"""What conformal wrappers share: rows of any kind checked once, groups, a warning where a level takes more rows."""

import warnings
from abc import ABC, abstractmethod
from typing import Any, Self

import numpy as np
from jaxtyping import Float, Int
from sklearn.base import BaseEstimator
from sklearn.utils import Tags
from sklearn.utils.validation import _num_samples, check_consistent_length, check_is_fitted, indexable

from credo.errors import CredoWarning, InputError, message
from credo.numerics import Certificate
from credo.represent.validation import checked_parameters, in_credos_words, unchanged
from credo.validate.conformal.groups import coded_groups, codes_among
from credo.validate.conformal.scores import rows_needed

__all__ = ["Conformal"]


class Conformal(BaseEstimator, ABC):
    """A wrapper that learns from rows which its estimator has not seen how far that is off.

    Rows go to the estimator as they are, so that whatever it takes can be passed, a frame with text in it to a pipeline
    that encodes it. There are no weights: a row and its repetition would be on both sides of a split. A subclass has a
    constructor that only stores, and writes `_targets`, `_learn` and `guarantee`.
    """

    _parameter_constraints: dict = {}  # noqa: RUF012
    estimator: Any
    estimator_: Any
    certificate_: Certificate
    scores_: np.ndarray
    calibration_rows_: np.ndarray
    groups_: np.ndarray | None
    group_of_: np.ndarray

    @abstractmethod
    def _targets(self, y: Any) -> np.ndarray:
        """The targets, checked."""

    @abstractmethod
    def _learn(self, X: Any, y: np.ndarray, codes: Int[np.ndarray, " n"]) -> Int[np.ndarray, " m"]:
        """Set `estimator_`, `scores_` and what else predictions need; the calibration rows, in the order of scores."""

    @abstractmethod
    def guarantee(self, level: float = 0.9) -> float:
        """The coverage that is proven at a level, of each group where there are groups."""

    @abstractmethod
    def _certificate(self) -> Certificate:
        """The guarantee in words."""

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        if hasattr(self.estimator, "__sklearn_tags__"):
            inner = self.estimator.__sklearn_tags__().input_tags
            tags.input_tags.sparse, tags.input_tags.allow_nan = inner.sparse, inner.allow_nan
        return tags

    def fit(self, X: Any, y: Any, *, groups: Any = None) -> Self:
        """Learn from rows X (n × d), targets y and, for a guarantee in each group, the group of each row.

        A failed fit leaves the object as it was.
        """
        who = type(self).__name__
        with unchanged(self, only_on_failure=True):
            checked_parameters(self)
            self._check_estimator()
            with in_credos_words(who):
                rows, _ = indexable(X, None)
                targets = self._targets(y)
                check_consistent_length(rows, targets)
            _check_some(who, len(targets))
            self.groups_, codes = coded_groups(who, groups, len(targets))
            self.calibration_rows_ = self._learn(rows, targets, codes)
            self.group_of_ = codes[self.calibration_rows_]
            for name in ("n_features_in_", "feature_names_in_"):
                if hasattr(self.estimator_, name):
                    setattr(self, name, getattr(self.estimator_, name))
            self.certificate_ = self._certificate()
        return self

    def predict(self, X: Any) -> np.ndarray:
        """What the estimator predicts at each row of X."""
        check_is_fitted(self)
        return np.asarray(self.estimator_.predict(X))

    def _check_estimator(self) -> None:
        if isinstance(self.estimator, type):
            raise InputError(
                type(self).__name__,
                f"estimator is the class {self.estimator.__name__}",
                "An object is needed, which has its settings",
                f"Try estimator={self.estimator.__name__}()",
            )

    def _asked(self, X: Any, level: Any, groups: Any) -> tuple[float, Int[np.ndarray, " n"]]:
        """A checked level and the code of the group of each new row; warns where the level has no finite bound."""
        who = type(self).__name__
        check_is_fitted(self)
        if not np.ndim(level) == 0 or not 0.0 < level < 1.0:
            raise InputError(who, f"level={level} is not between 0 and 1", "A percentage was meant", "Try level=0.9")
        with in_credos_words(who):
            codes = codes_among(who, self.groups_, groups, _num_samples(X))
        self._warn_of_infinity(float(level), codes)
        return float(level), codes

    def _warn_of_infinity(self, level: float, codes: Int[np.ndarray, " n"]) -> None:
        """A level that the rows cannot give has an infinite bound, which is right, and is said."""
        sizes, needed = self._sizes(), rows_needed(level)
        short = [code for code in np.unique(codes) if sizes[code] < needed]
        if short:
            of = "" if self.groups_ is None else f" in group {self.groups_[short[0]]!r}"
            more = f" and {len(short) - 1} more groups" if len(short) > 1 else ""
            text = message(
                type(self).__name__,
                f"level={level:g} takes {needed} calibration rows, but there are {sizes[short[0]]}{of}{more}",
                "All values are then as likely, so that intervals are infinite and sets have every class",
                "Pass more rows, or a lower level",
            )
            warnings.warn(CredoWarning(text), stacklevel=4)

    def _sizes(self) -> Int[np.ndarray, " g"]:
        """The calibration rows of each group."""
        return np.bincount(self.group_of_, minlength=self._groups())

    def _groups(self) -> int:
        return 1 if self.groups_ is None else len(self.groups_)

    def _finite(self, values: Any, model: Any, method: str, shape: tuple[int, ...]) -> Float[np.ndarray, "..."]:
        """What a model answered, as numbers of this shape."""
        try:
            answer = np.asarray(values, dtype=np.float64)
        except (TypeError, ValueError):
            answer = np.full(1, np.nan)
        answer = answer[:, 0] if answer.shape == (*shape, 1) else answer
        if answer.shape != shape or not np.all(np.isfinite(answer)):
            what = f"has shape {answer.shape} for {shape}" if answer.shape != shape else "has NaN or infinite entries"
            raise InputError(
                type(self).__name__,
                f"{method} of {type(model).__name__} {what}",
                "The estimator failed, or is not of this kind",
                "Look at what it answers on its own",
            )
        return answer


def _check_some(who: str, rows: int) -> None:
    if rows < 2:
        raise InputError(
            who,
            f"n_samples = {rows} is too few",
            "A row is needed to learn from and another to calibrate with",
            "Pass at least ten rows",
        )

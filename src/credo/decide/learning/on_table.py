"""An estimator of numbers on a table of any columns: the encoder is fitted with it, inside every refit."""

from collections.abc import Mapping
from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator, clone, is_classifier
from sklearn.utils import Tags, get_tags
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from credo.beliefs import Belief
from credo.models.base import certificate_of
from credo.numerics import Certificate
from credo.represent import TableEncoder

__all__ = ["OnTable"]


class OnTable(BaseEstimator):
    """An estimator that takes the columns of a table as they are: text, orders, moments, missing values.

    A [](#credo.represent.TableEncoder) makes them numbers, learnt from the same rows as the estimator, so that nothing
    of the rows that a refit is judged on is in it.

    Parameters
    ----------
    estimator : estimator
        It is cloned.
    scales : mapping of names to scales or lists of levels

    Attributes
    ----------
    encoder\\_ : TableEncoder
    estimator\\_ : estimator
    classes\\_ : array
        Of a classifier.
    certificate\\_ : Certificate

    Examples
    --------
    >>> import polars as pl
    >>> from credo.models import BayesianLinearRegression
    >>> frame = pl.DataFrame({"lot": ["a", "b"] * 10, "t": [float(i) for i in range(20)]})
    >>> model = OnTable(estimator=BayesianLinearRegression()).fit(frame, [2.0, 5.0] * 10)
    >>> model.predict(frame[:2]).round().tolist()
    [2.0, 5.0]
    """

    encoder_: TableEncoder
    estimator_: Any
    classes_: np.ndarray
    certificate_: Certificate

    def __init__(self, *, estimator: Any, scales: Mapping[str, Any] | None = None) -> None:
        self.estimator = estimator
        self.scales = scales

    def __sklearn_tags__(self) -> Tags:
        tags, inner = super().__sklearn_tags__(), get_tags(self.estimator)
        tags.estimator_type, tags.classifier_tags = inner.estimator_type, inner.classifier_tags
        tags.regressor_tags, tags.target_tags = inner.regressor_tags, inner.target_tags
        return tags

    def fit(self, X: Any, y: Any) -> Self:
        """Learn from the rows of a frame and their targets."""
        encoder = TableEncoder(scales=self.scales).fit(X)
        learned = clone(self.estimator).fit(encoder.transform(X), y)
        self.encoder_, self.estimator_ = encoder, learned
        self.certificate_ = certificate_of(learned)
        self.feature_names_in_, self.n_features_in_ = encoder.feature_names_in_, encoder.n_features_in_
        if is_classifier(learned):
            self.classes_ = learned.classes_
        return self

    def predict_dist(self, X: Any) -> Belief:
        """The belief about a new observation at each row."""
        return self.estimator_.predict_dist(self._encoded(X))

    def predict(self, X: Any) -> np.ndarray:
        """The mean of the belief, or the most probable class, at each row."""
        return self.estimator_.predict(self._encoded(X))

    @available_if(lambda self: is_classifier(self.estimator))
    def predict_proba(self, X: Any) -> np.ndarray:
        """The probability of each class at each row."""
        return np.asarray(self.predict_dist(X).mean)

    def _encoded(self, X: Any) -> np.ndarray:
        check_is_fitted(self)
        return self.encoder_.transform(X)

"""The classifier's base, proved on a small real classifier: Gaussian classes with shared variances, plug-in."""

from typing import ClassVar

import numpy as np
import pytest
from sklearn.utils.estimator_checks import check_estimator

from credo.beliefs import Categorical
from credo.errors import InputError
from credo.models import Classifier
from credo.numerics import Certificate


class NearestMeans(Classifier):
    """Posterior class probabilities when each class is Gaussian with the pooled variance of every column."""

    _parameter_constraints: ClassVar[dict] = {}

    def _learn(self, X, y, w):
        counts = np.array([w[y == k].sum() for k in range(len(self.classes_))])
        self.means_ = np.stack([w[y == k] @ X[y == k] / max(counts[k], 1e-300) for k in range(len(counts))])
        residual = X - self.means_[y]
        self.variances_ = w @ residual**2 / w.sum() + 1e-9
        self.log_prior_ = np.log(np.maximum(counts / counts.sum(), 1e-300))
        self.certificate_ = Certificate("exact")

    def _belief(self, X):
        distances = ((X[:, None] - self.means_) ** 2 / self.variances_).sum(axis=-1)
        scores = self.log_prior_ - 0.5 * distances
        p = np.exp(scores - scores.max(axis=1, keepdims=True))
        return Categorical(p / p.sum(axis=1, keepdims=True))


def test_classifier_base_passes_every_check_of_scikit_learn():
    check_estimator(NearestMeans(), on_skip=None)


def test_probabilities_follow_the_order_of_the_classes():
    X = np.array([[0.0], [0.2], [5.0], [5.2]])
    learned = NearestMeans().fit(X, ["b", "b", "a", "a"])
    assert list(learned.classes_) == ["a", "b"]
    np.testing.assert_array_equal(learned.predict([[0.1], [5.1]]), ["b", "a"])
    np.testing.assert_allclose(learned.predict_proba(X).sum(axis=1), 1.0)
    assert learned.score(X, ["b", "b", "a", "a"]) == 1.0


def test_a_class_of_weight_zero_is_not_there():
    X = np.array([[0.0], [0.2], [5.0], [5.2], [9.0]])
    learned = NearestMeans().fit(X, ["a", "a", "b", "b", "c"], sample_weight=[1, 1, 1, 1, 0])
    assert list(learned.classes_) == ["a", "b"]


def test_one_class_is_refused_in_words():
    with pytest.raises(InputError, match=r"NearestMeans: y has one class only: .*Pass rows of at least two classes"):
        NearestMeans().fit([[0.0], [1.0]], ["a", "a"])

"""One form for what estimators say."""

import numpy as np
import pytest
from sklearn.dummy import DummyClassifier
from sklearn.linear_model import LinearRegression as PlainRegression
from sklearn.neighbors import KNeighborsClassifier
from sklearn.svm import LinearSVC

from credo.errors import InputError
from credo.models import LogisticRegression, Ridge
from credo.validate import ConformalRegressor
from credo.validate.predictions import is_for_classes, prediction_of, replicated_prediction, targets_of


@pytest.fixture(scope="module")
def table():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(40, 2))
    return X, X @ [1.0, -1.0] + rng.normal(size=40), np.where(X[:, 0] + 0.5 * rng.normal(size=40) > 0, "up", "low")


def test_targets_are_numbers_or_codes():
    codes = targets_of(["b", "a", "b"], classes=True, rows=3)
    assert codes.values.tolist() == [1, 0, 1]
    assert codes.labels.tolist() == ["b", "a", "b"]
    assert codes.of([0, 1]).labels.tolist() == ["b", "a"]
    numbers = targets_of([1, 2, 3], classes=False, rows=3)
    assert numbers.labels.tolist() == [1.0, 2.0, 3.0]


@pytest.mark.parametrize(
    ("y", "classes", "what"),
    [
        ([1.0, 2.0], False, "2 targets for 3 rows"),
        (["a", "a", "a"], True, "one class only"),
        (["a", "b", "c"], False, "not numeric"),
        ([1.0, np.nan, 2.0], False, "NaN"),
        ([[1.0, 2.0]] * 3, False, "1d array"),
        (["a", None, "b"], True, "no label at 1 rows, first at row 1"),
        ([0.0, np.nan, 1.0], True, "no label at 1 rows"),
        (np.array(["a", 1, "b"], dtype=object), True, "labels of several kinds: int, str"),
        ([0.1, 0.7, 1.3], True, "continuous"),
    ],
)
def test_targets_that_are_none_are_refused(y, classes, what):
    with pytest.raises(InputError, match=what):
        targets_of(y, classes=classes, rows=3)


def test_classes_that_a_fit_knows_need_not_be_there():
    targets = targets_of(["b", "b"], classes=True, rows=2, known=np.array(["a", "b", "c"]))
    assert targets.values.tolist() == [1, 1]
    assert targets.classes.tolist() == ["a", "b", "c"]


def test_intervals_are_asked_of_those_that_state_no_belief(table):
    X, y, _ = table
    wrapped = ConformalRegressor(estimator=PlainRegression(), random_state=0).fit(X, y)
    said = prediction_of(wrapped, X, None, (0.5, 0.8))
    np.testing.assert_array_equal(said.intervals[1], np.stack(wrapped.predict_interval(X, 0.8)))
    assert prediction_of(wrapped, X, None).intervals is None
    assert prediction_of(Ridge().fit(X, y), X, None, (0.5,)).intervals is None


def test_numbers_with_and_without_a_belief(table):
    X, y, _ = table
    plain = prediction_of(PlainRegression().fit(X, y), X, None)
    assert plain.belief is None
    ours = prediction_of(Ridge(alpha=1e-9).fit(X, y), X, None)
    np.testing.assert_allclose(ours.point, plain.point, atol=1e-6)
    np.testing.assert_allclose(ours.belief.mean, ours.point, rtol=1e-12)
    assert ours.at(slice(0, 3)).point.shape == (3,)


def test_classes_that_were_not_seen_have_no_probability(table):
    X, _, labels = table
    classes = np.array(["low", "middle", "up"])
    said = prediction_of(KNeighborsClassifier(3).fit(X, labels), X, classes)
    assert said.probabilities.shape == (40, 3)
    assert not np.any(said.probabilities[:, 1])
    np.testing.assert_allclose(np.sum(said.probabilities, axis=1), 1.0)
    assert set(said.point) == {0, 2}


def test_scores_of_a_border_have_no_probabilities(table):
    X, _, labels = table
    said = prediction_of(LinearSVC().fit(X, labels), X, np.array(["low", "up"]))
    assert said.probabilities is None
    np.testing.assert_array_equal(said.point, said.decision > 0)


def test_a_batch_of_refits_says_what_each_says(table):
    X, y, labels = table
    W = np.random.default_rng(1).integers(0, 3, size=(3, 40)).astype(float)
    numbers = replicated_prediction(Ridge(alpha=0.5).fit_many(X, y, W), X, None, "Ridge")
    codes = replicated_prediction(
        LogisticRegression(ridge=1.0).fit_many(X, labels, W), X, np.array(["low", "up"]), "Logistic"
    )
    assert numbers.belief.batch_shape == (3, 40)
    for b, w in enumerate(W):
        alone = prediction_of(Ridge(alpha=0.5).fit(X, y, sample_weight=w), X, None)
        np.testing.assert_allclose(numbers.point[b], alone.point, rtol=1e-8)
        alone = prediction_of(LogisticRegression(ridge=1.0).fit(X, labels, sample_weight=w), X, np.array(["low", "up"]))
        np.testing.assert_allclose(codes.probabilities[b], alone.probabilities, rtol=1e-6)
        np.testing.assert_array_equal(codes.point[b], alone.point)


def test_nan_and_strange_classes_are_refused(table):
    X, y, labels = table

    class Broken(PlainRegression):
        def predict(self, X):
            return np.full(len(X), np.nan)

    with pytest.raises(InputError, match="Broken: 40 of 40 predictions are NaN"):
        prediction_of(Broken().fit(X, y), X, None)
    with pytest.raises(InputError, match="classes that y does not have"):
        prediction_of(DummyClassifier().fit(X, labels), X, np.array(["a", "b"]))


def test_kinds():
    assert is_for_classes(LogisticRegression())
    assert not is_for_classes(Ridge())

"""Scores equal scikit-learn's, and no information is the mean over all pairs."""

import numpy as np
import pytest
from sklearn import metrics
from sklearn.linear_model import LinearRegression as PlainRegression
from sklearn.svm import LinearSVC

from credo.beliefs import Normal
from credo.errors import InputError
from credo.models import LogisticRegression, Ridge
from credo.validate.predictions import Prediction
from credo.validate.scores import CLASS_SCORES, NUMBER_SCORES, as_scores, gives, no_information

RNG = np.random.default_rng(0)
N = 60
Y, SAID = RNG.normal(size=N), RNG.normal(size=N)
CODES = RNG.integers(0, 2, size=N)
CHANCE = RNG.dirichlet([1.0, 1.0], size=N)
NUMBERS = Prediction(SAID, belief=Normal(SAID, np.full(N, 0.7)))
CLASSES = Prediction(np.argmax(CHANCE, axis=1), CHANCE, CHANCE[:, 1] - 0.5)


def value(score, prediction, y):
    above, below = score.parts(prediction, y)
    return np.sum(above) / (len(y) if below is None else np.sum(below))


@pytest.mark.parametrize(
    ("name", "prediction", "y", "theirs"),
    [
        ("squared", NUMBERS, Y, metrics.mean_squared_error(Y, SAID)),
        ("absolute", NUMBERS, Y, metrics.mean_absolute_error(Y, SAID)),
        ("zero-one", CLASSES, CODES, metrics.zero_one_loss(CODES, CLASSES.point)),
        ("log", CLASSES, CODES, metrics.log_loss(CODES, CHANCE)),
        ("brier", CLASSES, CODES, 2.0 * metrics.brier_score_loss(CODES, CHANCE[:, 1])),
        ("hinge", CLASSES, CODES, metrics.hinge_loss(CODES, CLASSES.decision)),
        ("precision", CLASSES, CODES, metrics.precision_score(CODES, CLASSES.point)),
        ("recall", CLASSES, CODES, metrics.recall_score(CODES, CLASSES.point)),
        ("F1", CLASSES, CODES, metrics.f1_score(CODES, CLASSES.point)),
    ],
)
def test_equal_scikit_learn(name, prediction, y, theirs):
    score = (NUMBER_SCORES if prediction is NUMBERS else CLASS_SCORES)[name]
    assert value(score, prediction, y) == pytest.approx(theirs, rel=1e-12)


@pytest.mark.parametrize(
    ("score", "prediction", "y"),
    [(score, NUMBERS, Y) for score in NUMBER_SCORES.values() if score.unrelated]
    + [(score, CLASSES, CODES) for score in CLASS_SCORES.values() if score.unrelated],
    ids=lambda thing: getattr(thing, "name", ""),
)
def test_no_information_is_the_mean_over_all_pairs(score, prediction, y):
    pairs = [np.mean(score.parts(prediction, np.roll(y, shift))[0]) for shift in range(N)]
    assert no_information(score, prediction, y, RNG) == pytest.approx(np.mean(pairs), rel=1e-10)


@pytest.mark.parametrize("name", ["log", "crps"])
def test_no_information_of_a_belief_is_close_to_it(name):
    score = NUMBER_SCORES[name]
    pairs = [np.mean(score.parts(NUMBERS, np.roll(Y, shift))[0]) for shift in range(N)]
    assert no_information(score, NUMBERS, Y, RNG) == pytest.approx(np.mean(pairs), rel=0.1)
    both = [np.sum(CLASS_SCORES["F1"].parts(CLASSES, np.roll(CODES, shift)), axis=1) for shift in range(N)]
    assert no_information(CLASS_SCORES["F1"], CLASSES, CODES, RNG) == pytest.approx(
        np.sum(both, axis=0)[0] / np.sum(both, axis=0)[1], rel=0.1
    )


def test_a_class_that_was_ruled_out_costs_infinitely_much():
    sure = Prediction(np.array([0]), np.array([[1.0, 0.0]]))
    assert CLASS_SCORES["log"].parts(sure, np.array([1]))[0].tolist() == [np.inf]


def test_defaults_are_what_the_estimator_can_say():
    names = lambda estimator, classes: [s.name for s in as_scores(None, estimator, classes)]  # noqa: E731
    two = np.array([0, 1])
    assert names(Ridge(), None) == ["squared", "absolute", "log", "crps"]
    assert names(PlainRegression(), None) == ["squared", "absolute"]
    assert names(LogisticRegression(), two) == ["zero-one", "log", "brier"]
    assert names(LinearSVC(), two) == ["zero-one"]
    assert gives(LinearSVC(), CLASS_SCORES["hinge"])


@pytest.mark.parametrize(
    ("scores", "estimator", "classes", "what"),
    [
        ("mse", Ridge(), None, "score 'mse' of numbers"),
        ("F1", LogisticRegression(), np.arange(3), "of 3 classes"),
        ("squared", LogisticRegression(), np.arange(2), "of 2 classes"),
        ("log", PlainRegression(), None, "LinearRegression, which has no predict_dist"),
        (["zero-one", "brier"], LinearSVC(), np.arange(2), "LinearSVC, which has no predict_proba"),
    ],
)
def test_scores_that_cannot_be_are_refused(scores, estimator, classes, what):
    with pytest.raises(InputError, match=what):
        as_scores(scores, estimator, classes)


def test_a_score_of_ones_own_is_taken():
    from sklearn.linear_model import LinearRegression

    from credo.validate import Score, evaluate

    far = Score("far", "numbers", "point", lambda said, y: ((np.abs(said.point - y) > 1.0).astype(float), None))
    X = np.random.default_rng(0).normal(size=(40, 1))
    result = evaluate(LinearRegression(), X, 3.0 * X[:, 0], scores=["squared", far], random_state=0)
    assert result.claim("far").value == 0.0
    with pytest.raises(InputError, match="score 'far'"):
        as_scores(far, LinearRegression(), np.array([0, 1]))

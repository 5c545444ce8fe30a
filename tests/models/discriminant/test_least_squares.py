"""Least squares on classes, against Fisher's direction, regressions of scikit-learn and the known failure."""

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer, load_iris, load_wine
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.linear_model import LinearRegression, Ridge

from credo.models import GaussianDiscriminant, LeastSquaresClassifier

X, Y = load_wine(return_X_y=True)
W = np.random.default_rng(0).integers(0, 4, len(Y))


@pytest.mark.parametrize("ridge", [0.0, 2.5])
@pytest.mark.parametrize("intercept", [True, False])
def test_each_class_is_a_regression(ridge, intercept):
    ours = LeastSquaresClassifier(ridge=ridge, fit_intercept=intercept).fit(X, Y, sample_weight=W)
    plain = Ridge(alpha=ridge, fit_intercept=intercept) if ridge else LinearRegression(fit_intercept=intercept)
    peer = plain.fit(X, np.eye(3)[Y], sample_weight=W)
    np.testing.assert_allclose(ours.decision_function(X), peer.predict(X), atol=1e-8)
    repeated = LeastSquaresClassifier(ridge=ridge, fit_intercept=intercept).fit(
        np.repeat(X, W, axis=0), np.repeat(Y, W)
    )
    np.testing.assert_allclose(ours.coef_, repeated.coef_, atol=1e-10)


@pytest.mark.parametrize("ridge", [0.0, 2.5])
def test_scores_sum_to_one(ridge):
    scores = LeastSquaresClassifier(ridge=ridge).fit(X, Y).decision_function(X + 3.0)
    np.testing.assert_allclose(scores.sum(axis=1), 1.0, rtol=1e-9)
    assert np.min(scores) < 0.0  # and are no probabilities


def test_of_two_classes_the_direction_is_fishers():
    rows, labels = load_breast_cancer(return_X_y=True)
    rows = rows[:, :8]
    ours = LeastSquaresClassifier().fit(rows, labels)
    direction = ours.coef_[1] - ours.coef_[0]
    fisher = LinearDiscriminantAnalysis(solver="lsqr").fit(rows, labels).coef_[0]
    np.testing.assert_allclose(direction / direction[0], fisher / fisher[0], rtol=1e-6)
    scores = ours.decision_function(rows)
    assert scores.shape == (len(rows),)
    assert np.array_equal(ours.predict(rows), (scores > 0).astype(int))


def test_a_class_between_others_is_masked():
    line = np.arange(30.0)[:, None]
    thirds = np.repeat(["left", "middle", "right"], 10)
    predicted = LeastSquaresClassifier().fit(line, thirds).predict(line)
    assert "middle" not in predicted
    assert GaussianDiscriminant().fit(line, thirds).score(line, thirds) == 1.0


def test_combinations_of_columns_have_the_least_coefficients():
    rows, labels = load_iris(return_X_y=True)
    double = LeastSquaresClassifier().fit(np.column_stack([rows, rows]), labels)
    single = LeastSquaresClassifier().fit(rows, labels)
    assert any("rank 5 of 9" in note for note in double.certificate_.notes)
    np.testing.assert_allclose(double.coef_, np.tile(single.coef_ / 2, 2), atol=1e-9)


def test_scores_are_no_probabilities():
    assert not hasattr(LeastSquaresClassifier().fit(X, Y), "predict_dist")
    assert not hasattr(LeastSquaresClassifier().fit(X, Y), "predict_proba")

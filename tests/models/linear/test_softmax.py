"""Softmax regression: probabilities, table, separation."""

import numpy as np
import pytest
from sklearn.datasets import load_iris, load_wine
from sklearn.linear_model import LogisticRegression as Peer

from credo.errors import ConvergenceWarning, UndefinedError
from credo.models import LogisticRegression, SoftmaxRegression

X, Y = load_iris(return_X_y=True)


def test_penalized_coefficients_are_those_of_scikit_learn():
    model = SoftmaxRegression(ridge=0.5).fit(X, Y)
    peer = Peer(C=2.0, tol=1e-12, max_iter=10_000, solver="newton-cg").fit(X, Y)
    np.testing.assert_allclose(model.coef_, peer.coef_, rtol=1e-5)
    np.testing.assert_array_equal(model.predict(X), peer.predict(X))


def test_two_classes_are_logistic_regression():
    two = Y > 0
    A, b = X[two, :2], Y[two]
    model, logistic = SoftmaxRegression(random_state=0).fit(A, b), LogisticRegression().fit(A, b)
    table, theirs = model.estimates()["1 against 2"], logistic.estimates()["y0"]
    np.testing.assert_allclose(-table.values, theirs.values, rtol=1e-5)
    np.testing.assert_allclose(table.standard_errors, theirs.standard_errors, rtol=1e-5)
    np.testing.assert_allclose(model.log_likelihood_, logistic.log_likelihood_, rtol=1e-9)
    belief = model.predict_dist(A[:20])
    error = 4 * np.sqrt(np.asarray(belief.budget.computation)) + 1e-6
    assert np.all(np.abs(np.asarray(belief.mean) - logistic.predict_proba(A[:20])) < error)
    np.testing.assert_allclose(belief.budget.total, belief.variance, rtol=1e-9, atol=1e-12)


def test_separated_classes_warn_and_do_not_speak():
    A, b = load_wine(return_X_y=True)
    with pytest.warns(ConvergenceWarning):
        model = SoftmaxRegression().fit(A, b)
    assert model.separated_ == "complete"
    assert model.score(A, b) == 1.0
    with pytest.raises(UndefinedError, match="complete separation"):
        model.summary()


def test_tables_name_the_classes():
    model = SoftmaxRegression().fit(X[:, :2] + np.random.default_rng(0).normal(size=(150, 2)), Y)
    assert list(model.summary().tables) == ["0 against 2", "1 against 2"]
    assert "output 1 against 2" in str(model.summary())

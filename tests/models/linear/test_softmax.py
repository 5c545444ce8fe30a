"""Softmax regression: probabilities, table, separation."""

import numpy as np
import pandas as pd
import pytest
import statsmodels.api as sm
from scipy import stats
from sklearn.datasets import load_iris, load_wine
from sklearn.linear_model import LogisticRegression as Peer

from credo.errors import ConvergenceWarning, InputError, UndefinedError
from credo.models import GLM, LogisticRegression, SoftmaxRegression

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


def counted(seed=0):
    rng = np.random.default_rng(seed)
    A = rng.normal(size=(60, 2))
    eta = A @ rng.normal(size=(2, 3)) * 0.5
    p = np.exp(eta) / np.sum(np.exp(eta), axis=1, keepdims=True)
    return A, np.array([rng.multinomial(m, q) for m, q in zip(rng.integers(1, 9, 60), p, strict=True)])


def test_counts_are_the_multinomial_regression_of_statsmodels():
    A, counts = counted()
    model = SoftmaxRegression().fit_counts(A, pd.DataFrame(counts, columns=["a", "b", "c"]))
    rows, labels = np.nonzero(counts)
    times = counts[rows, labels]
    peer = sm.MNLogit(np.repeat(2 - labels, times), sm.add_constant(np.repeat(A[rows], times, axis=0))).fit(
        method="newton", disp=False, tol=1e-12
    )
    assert model.classes_.tolist() == ["a", "b", "c"]
    ours = model.estimates()
    for name, column in (("b against c", 0), ("a against c", 1)):  # statsmodels' class 0 is "c"
        np.testing.assert_allclose(ours[name].values, peer.params[:, column], rtol=1e-6)
        np.testing.assert_allclose(ours[name].standard_errors, peer.bse[:, column], rtol=1e-6)
    np.testing.assert_allclose(model.log_likelihood_, peer.llf, rtol=1e-10)


def test_counts_weigh_as_they_repeat_and_nonsense_is_refused():
    A, counts = counted(1)
    w = np.random.default_rng(2).integers(0, 3, 60)
    weighted = SoftmaxRegression().fit_counts(A, counts, sample_weight=w)
    repeated = SoftmaxRegression().fit_counts(np.repeat(A, w, axis=0), np.repeat(counts, w, axis=0))
    np.testing.assert_allclose(weighted.coef_, repeated.coef_, rtol=1e-8)
    for wrong in (counts[:, 0], counts[:50], -counts, counts * [1, 0, 1]):
        with pytest.raises(InputError, match="SoftmaxRegression: counts of shape"):
            SoftmaxRegression().fit_counts(A, wrong)
    with pytest.raises(InputError, match="fit_counts a table"):
        GLM(family="multinomial").fit(A, counts[:, 0])


@pytest.mark.slow
def test_coefficients_are_covered_at_their_level():
    rng = np.random.default_rng(4)
    slopes = np.array([[0.6, -0.2, 0.0], [0.0, 0.4, 0.0]])
    inside = 0
    for _ in range(500):
        A = rng.normal(size=(200, 2))
        labels = np.argmax(A @ slopes + rng.gumbel(size=(200, 3)), axis=1)
        low, high = SoftmaxRegression().fit(A, labels).estimates()["0 against 2"].interval(0.9)
        inside += low[1] < 0.6 < high[1]
    assert stats.binomtest(int(inside), 500, 0.9).pvalue > 1e-3


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

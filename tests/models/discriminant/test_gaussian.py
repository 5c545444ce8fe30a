"""Linear and quadratic discriminants against scikit-learn, simulation and bad input."""

import numpy as np
import pytest
from scipy.special import expit, softmax
from sklearn.datasets import load_breast_cancer, load_iris, load_wine
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis, QuadraticDiscriminantAnalysis
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import check_estimator

import credo
from calibration import assert_calibrated
from credo.errors import ConvergenceWarning, InputError, UndefinedError
from credo.models import GaussianDiscriminant

DATA = {"iris": load_iris, "wine": load_wine, "cancer": load_breast_cancer}
every_table = pytest.mark.parametrize("name", DATA)
X, Y = load_wine(return_X_y=True)


def weighted(name):
    """The table, frequencies, and the rows so often."""
    rows, labels = DATA[name](return_X_y=True)
    w = np.random.default_rng(3).integers(0, 4, len(labels))
    return rows, labels, w, np.repeat(rows, w, axis=0), np.repeat(labels, w)


@every_table
def test_shared_covariance_is_scikit_learns_linear_discriminant(name):
    rows, labels, w, repeated, often = weighted(name)
    ours = GaussianDiscriminant().fit(rows, labels, sample_weight=w)
    peer = LinearDiscriminantAnalysis(tol=1e-12).fit(repeated, often)
    np.testing.assert_allclose(ours.predict_proba(rows), peer.predict_proba(rows), atol=1e-8)
    np.testing.assert_allclose(ours.means_, peer.means_, rtol=1e-10)


@every_table
def test_own_covariances_are_scikit_learns_quadratic_discriminant(name):
    rows, labels, w, repeated, often = weighted(name)
    rows, repeated = rows[:, :10], repeated[:, :10]
    ours = GaussianDiscriminant(covariance="own").fit(rows, labels, sample_weight=w)
    peer = QuadraticDiscriminantAnalysis(store_covariance=True, tol=0.0).fit(repeated, often)
    np.testing.assert_allclose(ours.predict_proba(rows), peer.predict_proba(rows), atol=1e-8)
    np.testing.assert_allclose(ours.covariance_, peer.covariance_, rtol=1e-8, atol=1e-12)


def test_given_shrinkage_is_scikit_learns_where_variances_are_one():
    inside = X - np.stack([X[Y == k].mean(axis=0) for k in range(3)])[Y]
    rows = X / inside.std(axis=0)
    ours = GaussianDiscriminant(shrinkage=0.3).fit(rows, Y)
    peer = LinearDiscriminantAnalysis(solver="lsqr", shrinkage=0.3).fit(rows, Y)
    np.testing.assert_allclose(ours.covariance_, peer.covariance_, rtol=1e-8, atol=1e-12)
    np.testing.assert_allclose(ours.predict_proba(rows), peer.predict_proba(rows), atol=1e-8)


def test_automatic_shrinkage_is_scikit_learns_for_each_class():
    ours = GaussianDiscriminant(covariance="own", shrinkage="auto").fit(X, Y)
    peer = QuadraticDiscriminantAnalysis(solver="eigen", shrinkage="auto", store_covariance=True).fit(X, Y)
    np.testing.assert_allclose(ours.covariance_, peer.covariance_, rtol=1e-8)
    np.testing.assert_allclose(ours.predict_proba(X), peer.predict_proba(X), atol=1e-8)
    assert np.all((ours.shrinkage_ > 0.0) & (ours.shrinkage_ < 1.0))
    assert 0.0 < GaussianDiscriminant(shrinkage="auto").fit(X, Y).shrinkage_ < np.min(ours.shrinkage_)


def test_weights_are_repetitions_to_the_last_digit_where_columns_are_near_rounding():
    rng = np.random.default_rng(5)
    for _ in range(20):
        base = rng.normal(size=(12, 1))
        rows = np.hstack([base, base * (1.0 + 1e-15 * rng.normal(size=(12, 1))), 1e8 + 1e-7 * rng.normal(size=(12, 1))])
        labels, w = np.arange(12) % 2, rng.integers(1, 5, 12)
        weighted = GaussianDiscriminant().fit(rows, labels, sample_weight=w)
        repeated = GaussianDiscriminant().fit(np.repeat(rows, w, axis=0), np.repeat(labels, w))
        np.testing.assert_array_equal(weighted.predict_proba(rows), repeated.predict_proba(rows))


@pytest.mark.parametrize("shrinkage", [0.0, 0.2, "auto"])
@pytest.mark.parametrize("covariance", ["shared", "own"])
def test_weights_are_repetitions(covariance, shrinkage):
    rows, labels, w, repeated, often = weighted("iris")
    make = lambda: GaussianDiscriminant(covariance=covariance, shrinkage=shrinkage)  # noqa: E731
    ours = make().fit(rows, labels, sample_weight=w)
    np.testing.assert_allclose(ours.predict_proba(rows), make().fit(repeated, often).predict_proba(rows), rtol=1e-9)


@pytest.mark.parametrize("shrinkage", [0.0, "auto"])
def test_logistic_form_has_the_probabilities(shrinkage):
    model = GaussianDiscriminant(shrinkage=shrinkage, priors=[0.2, 0.5, 0.3]).fit(X, Y)
    form = model.logistic_form()
    assert (form.coef.shape, form.intercept.shape) == ((3, X.shape[1]), (3,))
    np.testing.assert_allclose(softmax(X @ form.coef.T + form.intercept, axis=1), model.predict_proba(X), atol=1e-10)
    with pytest.raises(UndefinedError, match="quadratic"):
        GaussianDiscriminant(covariance="own").fit(X, Y).logistic_form()


@pytest.mark.parametrize("covariance", ["shared", "own"])
def test_probabilities_are_calibrated_on_normal_classes(covariance):
    """Of rows whose class has probability p, a share p is of it: within four standard errors in each tenth."""
    rng = np.random.default_rng(4)
    spreads = [np.array([[1.0, 0.0], [0.6, 0.8]]), np.array([[2.0, 0.0], [-0.5, 0.7]])]

    def draw(n):
        labels = rng.integers(0, 2, n)
        spread = np.stack([spreads[k if covariance == "own" else 0] for k in (0, 1)])[labels]
        return np.einsum("nij,nj->ni", spread, rng.normal(size=(n, 2))) + labels[:, None] * [1.0, -0.3], labels

    model = GaussianDiscriminant(covariance=covariance).fit(*draw(20_000))
    rows, labels = draw(20_000)
    assert_calibrated(labels, model.predict_proba(rows)[:, 1])


@pytest.mark.parametrize("covariance", ["shared", "own"])
def test_constant_and_duplicated_columns_are_left_out_and_noted(covariance):
    plain = GaussianDiscriminant(covariance=covariance).fit(X[:, :5], Y)
    more = np.column_stack([X[:, :5], np.full(len(Y), 0.1), X[:, 2]])
    model = GaussianDiscriminant(covariance=covariance).fit(more, Y)
    np.testing.assert_allclose(model.predict_proba(more), plain.predict_proba(X[:, :5]), atol=1e-9)
    assert any("rank 5 of 7 columns" in note for note in model.certificate_.notes)
    assert plain.certificate_.notes == ()
    assert plain.certificate_.kind == "exact"


def test_constant_columns_alone_leave_the_priors():
    model = GaussianDiscriminant().fit(np.ones((6, 2)), [0, 0, 1, 1, 1, 1])
    np.testing.assert_allclose(model.predict_proba([[5.0, 1.0]]), [[1 / 3, 2 / 3]])


def test_fewer_rows_than_columns():
    rows, labels = X[::15], Y[::15]
    with pytest.warns(ConvergenceWarning, match=r"separation.*Try shrinkage=0\.1"):
        model = GaussianDiscriminant().fit(rows, labels)
    assert model.score(rows, labels) == 1.0
    assert any("separation" in note for note in model.certificate_.notes)
    assert np.all(np.isfinite(model.predict_proba(X)))
    with pytest.raises(InputError, match=r"^GaussianDiscriminant: .*Try shrinkage=0\.1"):
        GaussianDiscriminant(covariance="own").fit(rows, labels)
    for covariance in ("shared", "own"):
        regular = GaussianDiscriminant(covariance=covariance, shrinkage=0.1).fit(rows, labels)
        assert regular.certificate_.notes == ()
        assert regular.score(X, Y) > 0.7


def test_a_column_that_tells_classes_apart():
    rows = np.column_stack([X[:, 0], Y == 2])
    with pytest.warns(ConvergenceWarning, match="separation.*Drop columns"):
        model = GaussianDiscriminant(shrinkage=0.1).fit(rows, Y)
    np.testing.assert_array_equal(model.predict(rows) == 2, Y == 2)
    with pytest.raises(InputError, match="column 1 varies, but not inside class 0"):
        GaussianDiscriminant(covariance="own", shrinkage=0.1).fit(rows, Y)


def test_shrinkage_does_not_mind_duplicates_beside_a_column_that_tells_apart():
    rows = np.column_stack([X[:, 0], X[:, 0], X[:, 1], Y == 2])
    with pytest.warns(ConvergenceWarning, match="in 1 of 4 directions"):
        model = GaussianDiscriminant(shrinkage=0.1).fit(rows, Y)
    np.testing.assert_array_equal(model.predict(rows) == 2, Y == 2)


def test_decision_function_is_the_log_odds():
    model = GaussianDiscriminant().fit(X, Y)
    np.testing.assert_allclose(model.decision_function(X), model.predict_log_proba(X))
    rows, labels = X[Y > 0, :2], Y[Y > 0]
    two = GaussianDiscriminant().fit(rows, labels)
    odds = two.decision_function(rows)
    assert odds.shape == (len(labels),)
    np.testing.assert_allclose(expit(odds), two.predict_proba(rows)[:, 1], rtol=1e-10)
    form = two.logistic_form()
    np.testing.assert_allclose(odds, rows @ np.diff(form.coef, axis=0)[0] + np.diff(form.intercept), rtol=1e-9)


def test_one_row_a_class_is_refused():
    with pytest.raises(InputError, match="no two rows of a class differ"):
        GaussianDiscriminant().fit(X[:3], ["a", "b", "c"])
    with pytest.raises(InputError, match=r"not inside class c \(1 row\)\..*Try covariance=\"shared\""):
        GaussianDiscriminant(covariance="own").fit(X[:9], ["a", "b"] * 4 + ["c"])


def test_probabilities_do_not_depend_on_units():
    model, scaled = GaussianDiscriminant().fit(X, Y), StandardScaler().fit_transform(X)
    np.testing.assert_allclose(
        GaussianDiscriminant().fit(scaled, Y).predict_proba(scaled), model.predict_proba(X), atol=1e-9
    )


@pytest.mark.parametrize("covariance", ["shared", "own"])
def test_save_and_load(covariance, tmp_path):
    model = GaussianDiscriminant(covariance=covariance, shrinkage="auto", priors=[0.2, 0.3, 0.5]).fit(X, Y)
    credo.save(model, tmp_path / "model.credo")
    again = credo.load(tmp_path / "model.credo")
    np.testing.assert_array_equal(again.predict_proba(X), model.predict_proba(X))
    np.testing.assert_array_equal(again.covariance_, model.covariance_)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:.*separation.*:credo.errors.ConvergenceWarning")
def test_every_check_of_scikit_learn():
    check_estimator(GaussianDiscriminant(shrinkage="auto"), on_skip=None)

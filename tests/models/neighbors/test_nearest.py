"""Nearest neighbors against scikit-learn and the textbook; weights as repetition; coverage."""

import numpy as np
import pytest
from scipy import stats
from sklearn import neighbors

import credo
from credo.errors import InputError, UndefinedError
from credo.models import NearestNeighborsClassifier, NearestNeighborsRegressor

RNG = np.random.default_rng(0)
X = RNG.normal(size=(80, 2))
Y = X[:, 0] + 0.3 * RNG.normal(size=80)
LABELS = np.array(["a", "b", "c"])[np.digitize(Y, [-0.5, 0.5])]
QUERIES = RNG.normal(size=(30, 2))


@pytest.mark.parametrize("metric", ["euclidean", "manhattan", "chebyshev"])
def test_predictions_are_those_of_scikit_learn(metric):
    model = NearestNeighborsRegressor(n_neighbors=7, metric=metric).fit(X, Y)
    peer = neighbors.KNeighborsRegressor(n_neighbors=7, metric=metric).fit(X, Y)
    np.testing.assert_allclose(model.predict(QUERIES), peer.predict(QUERIES), rtol=1e-12)
    model = NearestNeighborsClassifier(n_neighbors=7, concentration=1e-12, metric=metric).fit(X, LABELS)
    peer = neighbors.KNeighborsClassifier(n_neighbors=7, metric=metric).fit(X, LABELS)
    np.testing.assert_allclose(model.predict_proba(QUERIES), peer.predict_proba(QUERIES), atol=1e-11)
    np.testing.assert_array_equal(model.predict(QUERIES), peer.predict(QUERIES))


def test_belief_is_the_textbook_student_t():
    model = NearestNeighborsRegressor(n_neighbors=6).fit(X, Y)
    low, high = model.predict_interval(QUERIES, level=0.8)
    for i, query in enumerate(QUERIES):
        y = Y[np.argsort(np.linalg.norm(X - query, axis=1))[:6]]
        reference = stats.t(5, y.mean(), y.std(ddof=1) * np.sqrt(1 + 1 / 6))
        np.testing.assert_allclose((low[i], high[i]), reference.interval(0.8), rtol=1e-9)
    belief = model.predict_dist(QUERIES)
    np.testing.assert_allclose(belief.budget.parameter, belief.budget.noise / 6)


def test_class_budget_is_that_of_dirichlet_draws():
    model = NearestNeighborsClassifier(n_neighbors=5, concentration=0.5).fit(X, LABELS)
    belief = model.predict_dist(QUERIES[:1])
    near = LABELS[np.argsort(np.linalg.norm(X - QUERIES[0], axis=1))[:5]]
    posterior = stats.dirichlet(0.5 + np.array([np.sum(near == label) for label in "abc"]))
    np.testing.assert_allclose(belief.mean[0], posterior.mean(), rtol=1e-12)
    np.testing.assert_allclose(belief.budget.parameter[0], posterior.var(), rtol=1e-12)


@pytest.mark.parametrize("cls", [NearestNeighborsRegressor, NearestNeighborsClassifier])
def test_weights_are_repetition_also_with_ties(cls):
    grid = np.random.default_rng(1).integers(0, 4, size=(60, 2)).astype(float)
    w = np.random.default_rng(2).integers(0, 4, 60)
    y = Y[:60] if cls is NearestNeighborsRegressor else LABELS[:60]
    queries = np.array([[0.5, 0.5], [1.0, 2.0], [3.3, 0.1], [9.0, 9.0]])
    weighted = cls().fit(grid, y, sample_weight=w).predict_dist(queries)
    order = np.random.default_rng(3).permutation(w.sum())
    repeated = cls().fit(np.repeat(grid, w, axis=0)[order], np.repeat(y, w)[order]).predict_dist(queries)
    np.testing.assert_allclose(weighted.mean, repeated.mean, rtol=1e-12)
    np.testing.assert_allclose(weighted.variance, repeated.variance, rtol=1e-10)


def test_a_row_of_weight_two_is_two_neighbors():
    model = NearestNeighborsRegressor(n_neighbors=3).fit(
        [[0.0], [1.0], [5.0]], [1.0, 4.0, 9.0], sample_weight=[2, 1, 1]
    )
    assert model.predict([[0.1]])[0] == pytest.approx(2.0)


@pytest.mark.parametrize("cls", [NearestNeighborsRegressor, NearestNeighborsClassifier])
def test_more_neighbors_than_rows_are_refused(cls):
    with pytest.raises(InputError, match=r"n_neighbors=5, but n_samples = 4.*Try n_neighbors=2"):
        cls().fit(X[:4], [0, 1, 0, 1])
    assert len(cls().fit(X[:4], [0, 1, 0, 1], sample_weight=[2, 1, 1, 1]).predict(X[:4])) == 4


def test_one_neighbor_predicts_and_has_no_belief():
    model = NearestNeighborsRegressor(n_neighbors=1).fit(X, Y)
    np.testing.assert_array_equal(model.predict(X), Y)
    with pytest.raises(UndefinedError, match="One neighbor"):
        model.predict_dist(X)
    one = NearestNeighborsRegressor(n_neighbors=1).fit([[1.0]], [3.0])
    assert one.predict([[7.0]])[0] == 3.0


def test_three_neighbors_have_an_interval_and_no_split():
    model = NearestNeighborsRegressor(n_neighbors=3).fit(X, Y)
    assert not model.predict_dist(QUERIES).budget.is_split
    assert np.all(np.isfinite(model.predict_interval(QUERIES)))


def test_constant_columns_and_targets():
    model = NearestNeighborsRegressor().fit(np.ones((9, 2)), np.arange(9.0))
    assert model.predict([[5.0, 5.0]])[0] == pytest.approx(4.0)
    flat = NearestNeighborsRegressor().fit(X, np.full(80, 2.0))
    np.testing.assert_allclose(flat.predict_interval(QUERIES), 2.0)
    assert "same at every row" in str(flat.certificate_)


def test_tree_follows_a_refit_and_a_change_of_metric(tmp_path):
    model = NearestNeighborsRegressor().fit(X, Y)
    first = model.predict(QUERIES)
    credo.save(model, tmp_path / "model.credo")
    again = credo.load(tmp_path / "model.credo")
    model.fit(X[:40], Y[:40])
    np.testing.assert_array_equal(
        model.predict(QUERIES), NearestNeighborsRegressor().fit(X[:40], Y[:40]).predict(QUERIES)
    )
    np.testing.assert_array_equal(again.predict(QUERIES), first)
    other = again.set_params(metric="chebyshev").predict(QUERIES)
    np.testing.assert_array_equal(other, NearestNeighborsRegressor(metric="chebyshev").fit(X, Y).predict(QUERIES))


@pytest.mark.slow
def test_intervals_cover_where_the_mean_is_constant():
    rng = np.random.default_rng(4)
    inside = 0
    for _ in range(600):
        A, b = rng.uniform(size=(31, 1)), rng.normal(size=31)
        low, high = NearestNeighborsRegressor().fit(A[:30], b[:30]).predict_interval(A[30:])
        inside += low[0] < b[30] < high[0]
    assert stats.binomtest(int(inside), 600, 0.9).pvalue > 1e-3


@pytest.mark.slow
def test_class_probabilities_are_calibrated_under_the_prior():
    """Probabilities drawn from the uniform prior, the same everywhere: those predicted are right on average."""
    rng = np.random.default_rng(5)
    surplus = []
    for _ in range(600):
        b = rng.uniform(size=31) < rng.uniform()
        if 0 < b[:30].sum() < 30:
            A = rng.uniform(size=(31, 1))
            p = NearestNeighborsClassifier().fit(A[:30], b[:30]).predict_proba(A[30:])[0, 1]
            surplus.append((b[30] - p) / np.sqrt(p * (1 - p)))
    assert abs(np.mean(surplus)) < 4 / np.sqrt(len(surplus))
    assert np.std(surplus) == pytest.approx(1.0, abs=0.15)

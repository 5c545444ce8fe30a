"""Naive Bayes of three kinds against scikit-learn, simulation and bad input."""

import numpy as np
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer, load_digits, load_iris, load_wine
from sklearn.naive_bayes import BernoulliNB, GaussianNB, MultinomialNB
from sklearn.utils.estimator_checks import check_estimator

import credo
from calibration import assert_calibrated
from credo.errors import InputError
from credo.models import GaussianDiscriminant, NaiveBayes

X, Y = load_digits(return_X_y=True)
X, Y = X[:600], Y[:600]
W = np.random.default_rng(0).integers(0, 4, len(Y))
KINDS = {"gaussian": {}, "bernoulli": {"binarize": 7.0}, "multinomial": {}}
every_kind = pytest.mark.parametrize("kind", KINDS)


@pytest.mark.parametrize("table", [load_iris, load_wine, load_breast_cancer])
def test_gaussian_is_scikit_learns(table):
    """On columns of one unit: in others its smoothing, of the largest variance, drowns the columns of small ones."""
    rows, labels = table(return_X_y=True)
    w = np.random.default_rng(1).integers(0, 4, len(labels))
    rows = rows / np.std(np.repeat(rows, w, axis=0), axis=0)
    ours = NaiveBayes().fit(rows, labels, sample_weight=w)
    peer = GaussianNB().fit(np.repeat(rows, w, axis=0), np.repeat(labels, w))
    np.testing.assert_allclose(ours.predict_proba(rows), peer.predict_proba(rows), atol=1e-8)
    np.testing.assert_allclose(ours.columns_.variances, peer.var_, rtol=1e-8)


@pytest.mark.parametrize("smoothing", [1.0, 0.01])
def test_bernoulli_is_scikit_learns(smoothing):
    ours = NaiveBayes(kind="bernoulli", binarize=7.0, smoothing=smoothing).fit(X, Y, sample_weight=W)
    peer = BernoulliNB(binarize=7.0, alpha=smoothing).fit(X, Y, sample_weight=W)
    np.testing.assert_allclose(ours.predict_proba(X), peer.predict_proba(X), atol=1e-8)
    np.testing.assert_allclose(ours.columns_.log_one, peer.feature_log_prob_, rtol=1e-8)


@pytest.mark.parametrize("smoothing", [1.0, 0.01])
def test_multinomial_is_scikit_learns(smoothing):
    ours = NaiveBayes(kind="multinomial", smoothing=smoothing).fit(X, Y, sample_weight=W)
    peer = MultinomialNB(alpha=smoothing).fit(X, Y, sample_weight=W)
    np.testing.assert_allclose(ours.predict_proba(X), peer.predict_proba(X), atol=1e-8)
    np.testing.assert_allclose(ours.columns_.log_shares, peer.feature_log_prob_, rtol=1e-8)


@pytest.mark.parametrize(
    "model",
    [NaiveBayes(kind="multinomial"), *(NaiveBayes(kind="bernoulli", binarize=at) for at in (7.0, 0.0))],
    ids=str,
)
def test_sparse_rows_are_the_same(model):
    dense, thin = clone(model).fit(X, Y, sample_weight=W), clone(model).fit(sparse.csr_array(X), Y, sample_weight=W)
    np.testing.assert_allclose(thin.predict_proba(sparse.coo_array(X)), dense.predict_proba(X), rtol=1e-9)
    np.testing.assert_allclose(thin.predict_log_proba(sparse.csr_matrix(X)), dense.predict_log_proba(X), rtol=1e-9)


def test_sparse_rows_that_are_no_counts_are_refused():
    with pytest.raises(InputError, match="the smallest is -16"):
        NaiveBayes(kind="multinomial").fit(sparse.csr_array(-X), Y)
    with pytest.raises(InputError, match="other than 0 and 1"):
        NaiveBayes(kind="bernoulli").fit(sparse.csr_array(X), Y)
    with pytest.raises(InputError, match="makes ones of the zeros"):
        NaiveBayes(kind="bernoulli", binarize=-1.0).fit(sparse.csr_array(X), Y)
    with pytest.raises(InputError, match="dense data is required"):
        NaiveBayes().fit(sparse.csr_array(X), Y)


@every_kind
def test_weights_are_repetitions(kind):
    ours = NaiveBayes(kind=kind, **KINDS[kind]).fit(X, Y, sample_weight=W)
    again = NaiveBayes(kind=kind, **KINDS[kind]).fit(np.repeat(X, W, axis=0), np.repeat(Y, W))
    np.testing.assert_allclose(ours.predict_proba(X), again.predict_proba(X), rtol=1e-6, atol=1e-12)


def test_gaussian_is_the_discriminant_of_diagonal_covariances():
    rows, labels = load_iris(return_X_y=True)
    discriminant = GaussianDiscriminant(covariance="own", shrinkage=1.0).fit(rows, labels)
    bayes = NaiveBayes(var_smoothing=0.0).fit(rows, labels)
    np.testing.assert_allclose(bayes.columns_.variances, [np.diag(c) for c in discriminant.covariance_])
    np.testing.assert_allclose(bayes.predict_proba(rows), discriminant.predict_proba(rows), atol=1e-10)


@every_kind
def test_probabilities_are_calibrated_on_independent_columns(kind):
    """Of rows whose class has probability p, a share p is of it: within four standard errors in each tenth."""
    rng = np.random.default_rng(2)
    shares = np.array([[0.2, 0.3, 0.5], [0.3, 0.3, 0.4]])

    def draw(n):
        labels = rng.integers(0, 2, n)
        if kind == "gaussian":
            return rng.normal(size=(n, 3)) * (1.0 + labels[:, None]) + 0.5 * labels[:, None], labels
        if kind == "bernoulli":
            return (rng.uniform(size=(n, 3)) < shares[labels]).astype(float), labels
        return rng.multinomial(12, shares[labels]).astype(float), labels

    model = NaiveBayes(kind=kind).fit(*draw(20_000))
    rows, labels = draw(20_000)
    assert_calibrated(labels, model.predict_proba(rows)[:, 1])


@every_kind
def test_constant_columns_do_no_harm(kind):
    rows = np.column_stack([X[:, 18:22] > 7, np.zeros(len(Y)), np.ones(len(Y))]).astype(float)
    model = NaiveBayes(kind=kind).fit(rows, Y)
    assert np.all(np.isfinite(model.predict_proba(rows)))
    if kind == "gaussian":
        assert "constant columns, 2 of 6, are left out" in model.certificate_.notes
    if kind == "bernoulli":
        without = NaiveBayes(kind=kind).fit(rows[:, :4], Y)
        expected = without.predict_proba(rows[:, :4])
        np.testing.assert_allclose(model.predict_proba(rows), expected, atol=0.02)


def test_one_row_a_class():
    model = NaiveBayes().fit([[0.0, 1.0], [3.0, 5.0]], ["a", "b"])
    assert model.predict([[0.1, 1.2], [2.8, 5.0]]).tolist() == ["a", "b"]
    assert any("var_smoothing alone" in note for note in model.certificate_.notes)
    with pytest.raises(InputError, match=r"^NaiveBayes: .*Try var_smoothing=1e-9"):
        NaiveBayes(var_smoothing=0.0).fit([[0.0, 1.0], [3.0, 5.0]], ["a", "b"])


def test_negative_counts_are_refused():
    counts = NaiveBayes(kind="multinomial").fit(X, Y)
    with pytest.raises(InputError, match=r"Negative values in data: the smallest is -1\..*Try kind=\"gaussian\""):
        NaiveBayes(kind="multinomial").fit(X - 1.0, Y)
    with pytest.raises(InputError, match="Negative values in data"):
        counts.predict(X - 1.0)


def test_what_is_neither_zero_nor_one_is_refused():
    with pytest.raises(InputError, match=r"other than 0 and 1, such as 5\..*Try binarize=0\.0"):
        NaiveBayes(kind="bernoulli").fit(X, Y)
    ours = NaiveBayes(kind="bernoulli").fit(X > 7.0, Y)
    peer = NaiveBayes(kind="bernoulli", binarize=7.0).fit(X, Y)
    np.testing.assert_array_equal(ours.predict_proba(X > 7.0), peer.predict_proba(X))


def test_smoothing_is_positive():
    with pytest.raises(InputError, match="smoothing"):
        NaiveBayes(kind="multinomial", smoothing=0.0).fit(X, Y)


@every_kind
def test_save_and_load(kind, tmp_path):
    model = NaiveBayes(kind=kind, **KINDS[kind]).fit(X, Y)
    credo.save(model, tmp_path / "model.credo")
    again = credo.load(tmp_path / "model.credo")
    np.testing.assert_array_equal(again.predict_proba(X), model.predict_proba(X))
    assert again.certificate_ == model.certificate_


@pytest.mark.parametrize("kind", ["bernoulli", "multinomial"])
def test_every_check_of_scikit_learn(kind):
    check_estimator(NaiveBayes(kind=kind, binarize=0.0), on_skip=None)

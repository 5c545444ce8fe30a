"""Support vector classification: scikit-learn's machines, weights, and probabilities that never contradict them."""

import pickle

import numpy as np
import pytest
from sklearn.datasets import load_iris
from sklearn.svm import SVC as Peer
from tests.calibration import assert_calibrated

import credo
from credo.errors import InputError
from credo.kernels import RBF, Linear
from credo.models import SVC

X, Y = load_iris(return_X_y=True)
X = X[:, :2] + 1e-3 * np.random.default_rng(0).normal(size=(150, 2))  # no ties, and classes that overlap
NAMES = np.array(["setosa", "versicolor", "virginica"])[Y]


@pytest.mark.parametrize("C", [0.1, 10.0])
def test_two_classes_are_scikit_learns(C):
    rows = Y > 0
    ours = SVC(C=C, kernel=RBF(lengthscale=0.5), gap=1e-10).fit(X[rows], NAMES[rows])
    peer = Peer(C=C, gamma=2.0, tol=1e-8).fit(X[rows], NAMES[rows])
    np.testing.assert_allclose(ours.decision_function(X), peer.decision_function(X), atol=1e-5)
    machine = ours.machines_[0]
    np.testing.assert_allclose(np.sort(machine.coefficients), np.sort(peer.dual_coef_[0]), atol=1e-4 * C)
    assert ours.certificate_.kind == "bounded"
    assert ours.margin_ == pytest.approx(1.0 / np.sqrt(machine.square))
    ours = SVC(C=C, kernel=Linear(), gap=1e-10).fit(X[rows], NAMES[rows])
    peer = Peer(C=C, kernel="linear", tol=1e-8).fit(X[rows], NAMES[rows])
    np.testing.assert_allclose(ours.coef_, peer.coef_[0], atol=1e-3)
    assert ours.intercept_ == pytest.approx(peer.intercept_[0], abs=1e-2)
    sign = np.where(NAMES[rows] == ours.classes_[1], 1.0, -1.0)
    value = lambda w, b: 0.5 * w @ w + C * np.sum(np.maximum(0.0, 1.0 - sign * (X[rows] @ w + b)))  # noqa: E731
    assert value(ours.coef_, ours.intercept_) <= value(peer.coef_[0], peer.intercept_[0]) * (1.0 + 1e-9)


def test_pairs_vote_as_scikit_learns():
    ours = SVC(kernel=RBF(lengthscale=0.5), gap=1e-9).fit(X, NAMES)
    peer = Peer(gamma=2.0, tol=1e-8, decision_function_shape="ovo").fit(X, NAMES)
    np.testing.assert_array_equal(ours.predict(X), peer.predict(X))
    pairs = np.stack([machine.decision(X) for machine in ours.machines_], axis=1)
    np.testing.assert_allclose(-pairs, peer.decision_function(X), atol=1e-4)


def test_each_against_the_rest_is_that_machine():
    ours = SVC(kernel=RBF(lengthscale=0.5), many="ovr", gap=1e-9).fit(X, NAMES)
    one = [Peer(gamma=2.0, tol=1e-8).fit(X, Y == c).decision_function(X) for c in range(3)]
    np.testing.assert_allclose(ours.decision_function(X), np.stack(one, axis=1), atol=1e-4)


def test_a_weight_is_a_repetition():
    w = np.arange(150) % 3
    weighted = SVC(calibrated=False).fit(X, NAMES, sample_weight=w)
    repeated = SVC(calibrated=False).fit(np.repeat(X, w, axis=0), np.repeat(NAMES, w))
    np.testing.assert_array_equal(weighted.decision_function(X), repeated.decision_function(X))


@pytest.mark.parametrize("many", ["ovo", "ovr"])
@pytest.mark.parametrize("classes", [2, 3])
def test_the_most_probable_class_is_the_predicted_one(many, classes):
    rows = Y < classes
    model = SVC(calibrated=True, many=many, random_state=0, gap=1e-4).fit(X[rows], NAMES[rows])
    grid = np.random.default_rng(1).uniform(-30.0, 30.0, size=(500, 2))
    for points in (X, grid, 1e6 * grid):  # far away all scores tie
        p = model.predict_proba(points)
        np.testing.assert_array_equal(model.classes_[np.argmax(p, axis=1)], model.predict(points))
        np.testing.assert_allclose(p.sum(axis=1), 1.0, rtol=1e-12)
    np.testing.assert_allclose(np.asarray(model.predict_dist(X).mean), model.predict_proba(X), rtol=1e-12)


def test_no_probabilities_unless_asked_for(tmp_path):
    plain = SVC().fit(X, Y)
    assert not hasattr(plain, "predict_proba")
    assert not hasattr(plain, "predict_dist")
    one, same, other = (SVC(calibrated=True, random_state=s, gap=1e-4).fit(X, Y) for s in (0, 0, 1))
    np.testing.assert_array_equal(one.slopes_, same.slopes_)
    assert not np.array_equal(one.slopes_, other.slopes_)
    credo.save(one, tmp_path / "model.credo")
    for again in (credo.load(tmp_path / "model.credo"), pickle.loads(pickle.dumps(one))):
        np.testing.assert_array_equal(again.predict_proba(X), one.predict_proba(X))


def test_a_class_of_one_row_cannot_be_calibrated():
    with pytest.raises(InputError, match="SVC: a class has one row only"):
        SVC(calibrated=True).fit(X[:51], Y[:51])
    assert SVC().fit(X[:51], Y[:51]).predict(X[:1]) == [0]


@pytest.mark.slow
def test_probabilities_are_what_they_say():
    rng = np.random.default_rng(2)
    rows = rng.normal(size=(6000, 2))
    truth = 1.0 / (1.0 + np.exp(-3.0 * (rows[:, 0] + rows[:, 1] ** 2 - 0.8)))
    y = (rng.random(6000) < truth).astype(int)
    model = SVC(calibrated=True, random_state=0, gap=1e-3).fit(rows[:1500], y[:1500])
    assert_calibrated(y[1500:], np.clip(model.predict_proba(rows[1500:])[:, 1], 0.0, 1.0))


def test_hard_margins_and_their_refusal():
    with pytest.raises(InputError, match="SVC: no plane separates"):
        SVC(C=np.inf, kernel=Linear()).fit(X[Y > 0], Y[Y > 0])
    model = SVC(C=np.inf, kernel=RBF(lengthscale=0.05)).fit(X[Y > 0], Y[Y > 0])
    assert model.score(X[Y > 0], Y[Y > 0]) == 1.0

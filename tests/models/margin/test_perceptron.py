"""The perceptron as an estimator: many classes, orders, what it says of tables that no plane separates."""

import numpy as np
import pytest
from sklearn.datasets import load_iris
from sklearn.linear_model import Perceptron as Peer

import credo
from credo.errors import ConvergenceWarning
from credo.models import Perceptron

X, Y = load_iris(return_X_y=True)
NAMES = np.array(["setosa", "versicolor", "virginica"])[Y]


def test_planes_are_scikit_learns_in_the_given_order():
    rows = Y < 2
    ours = Perceptron().fit(X[rows], NAMES[rows])
    peer = Peer(shuffle=False, tol=None, max_iter=ours.certificate_.iterations).fit(X[rows], NAMES[rows])
    np.testing.assert_allclose(ours.coef_, peer.coef_[0], rtol=1e-12)
    np.testing.assert_allclose(ours.intercept_, peer.intercept_[0], rtol=1e-12)
    assert isinstance(ours.mistakes_, int)
    assert ours.mistakes_ <= ours.mistake_bound_
    assert "a plane separates the classes" in str(ours.certificate_)


@pytest.mark.parametrize(("many", "which"), [("ovr", "'versicolor' against the rest"), ("ovo", "'virginica' against")])
def test_of_many_classes_it_says_which_cannot_be_separated(many, which):
    with pytest.warns(ConvergenceWarning, match="cannot be separated by a plane") as caught:
        model = Perceptron(many=many).fit(X, NAMES)
    assert len(caught) == 1
    assert any("cannot be separated" in note and which in note for note in model.certificate_.notes)
    assert model.coef_.shape == (3, 4)
    assert model.intercept_.shape == model.mistakes_.shape == (3,)
    finite = np.isfinite(model.mistake_bound_)
    assert finite.tolist() == ([True, False, False] if many == "ovr" else [True, True, False])
    assert np.all(model.mistakes_[finite] <= model.mistake_bound_[finite])


def test_shuffled_orders_repeat_with_a_seed():
    rows = Y < 2
    X2 = X[rows] - 1.0
    one, same, other = (Perceptron(shuffle=True, random_state=s).fit(X2, Y[rows]) for s in (0, 0, 3))
    assert np.array_equal(one.coef_, same.coef_)
    assert not np.array_equal(one.coef_, other.coef_)
    assert one.score(X2, Y[rows]) == other.score(X2, Y[rows]) == 1.0


def test_no_weights_and_no_probabilities():
    model = Perceptron().fit(X[Y < 2], Y[Y < 2])
    with pytest.raises(TypeError, match="sample_weight"):
        model.fit(X, Y, sample_weight=np.ones(len(Y)))
    assert not hasattr(model, "predict_proba")
    assert not hasattr(model, "predict_dist")


def test_files_keep_the_mistakes(tmp_path):
    model = Perceptron().fit(X[Y < 2], Y[Y < 2])
    credo.save(model, tmp_path / "model.credo")
    again = credo.load(tmp_path / "model.credo")
    assert (again.mistakes_, again.mistake_bound_) == (model.mistakes_, model.mistake_bound_)

"""Many classes from a machine of two, against scikit-learn's meta-estimators around the same machine."""

import numpy as np
import pytest
from sklearn.datasets import load_digits, load_iris
from sklearn.linear_model import RidgeClassifier
from sklearn.multiclass import OneVsOneClassifier, OneVsRestClassifier

import credo
from credo.errors import ConvergenceWarning
from credo.infer import LinearMachine
from credo.models import BinaryDeciding
from credo.numerics import Certificate


class Signs(BinaryDeciding):
    """Ridge regression of the sign, which says that it stopped early where few rows are positive."""

    _parameter_constraints = {"many": [str], "fewest": [int]}  # noqa: RUF012

    def __init__(self, *, many="ovr", fewest=0):
        self.many = many
        self.fewest = fewest

    def _learn_two(self, X, sign, w):
        center, level = np.average(X, axis=0, weights=w), np.average(sign, weights=w)
        A = X - center
        coef = np.linalg.solve(A.T @ (w[:, None] * A) + 1e-3 * np.eye(X.shape[1]), A.T @ (w * (sign - level)))
        early = np.sum(sign > 0) < self.fewest
        certificate = Certificate("exact", status="stopped early" if early else "converged", notes=("of signs",))
        return LinearMachine(coef, float(level - center @ coef)), certificate


PEERS = {"ovr": OneVsRestClassifier, "ovo": OneVsOneClassifier}


@pytest.mark.parametrize("many", PEERS)
@pytest.mark.parametrize("table", [load_iris, load_digits])
def test_scores_are_those_of_scikit_learn(many, table):
    X, y = (part[::2] for part in table(return_X_y=True))
    peer = PEERS[many](RidgeClassifier(alpha=1e-3)).fit(X, y)
    ours = Signs(many=many).fit(X, y)
    np.testing.assert_allclose(ours.decision_function(X), peer.decision_function(X), atol=1e-6)
    assert np.mean(ours.predict(X) == peer.predict(X)) > 0.999
    classes = len(ours.classes_)
    assert len(ours.machines_) == (classes if many == "ovr" else classes * (classes - 1) // 2)


@pytest.mark.parametrize("many", PEERS)
def test_two_classes_are_one_machine(many):
    X, y = load_iris(return_X_y=True)
    X, y = X[y > 0], np.array(["", "b", "a"])[y[y > 0]]
    model = Signs(many=many).fit(X, y)
    assert len(model.machines_) == 1
    scores = model.decision_function(X)
    np.testing.assert_allclose(scores, RidgeClassifier(alpha=1e-3).fit(X, y).decision_function(X), atol=1e-8)
    assert np.array_equal(model.predict(X), np.where(scores > 0, "b", "a"))
    assert model.certificate_ == Certificate("exact", notes=("of signs",))


def test_the_certificate_names_the_part_that_was_worst():
    X, y = load_iris(return_X_y=True)
    names, few = np.array(["setosa", "versicolor", "virginica"])[y], np.r_[0:50, 50:100, 100:130]
    with pytest.warns(ConvergenceWarning, match="'virginica' against the rest: exact, stopped early"):
        model = Signs(fewest=40).fit(X[few], names[few])
    assert model.certificate_.status == "stopped early"
    assert model.certificate_.notes == ("of signs", "stopped early ('virginica' against the rest)")


def test_weights_are_frequencies():
    X, y = load_iris(return_X_y=True)
    w = np.random.default_rng(0).integers(0, 3, len(y))
    weighted = Signs(many="ovo").fit(X, y, sample_weight=w)
    repeated = Signs(many="ovo").fit(np.repeat(X, w, axis=0), np.repeat(y, w))
    np.testing.assert_allclose(weighted.decision_function(X), repeated.decision_function(X), atol=1e-9)


def test_machines_are_in_the_list_of_what_a_file_may_hold(tmp_path):
    X, y = load_iris(return_X_y=True)
    machines = Signs(many="ovo").fit(X, y).machines_
    credo.save(machines, tmp_path / "machines.credo")
    again = credo.load(tmp_path / "machines.credo")
    for one, other in zip(again, machines, strict=True):
        np.testing.assert_array_equal(one.decision(X), other.decision(X))

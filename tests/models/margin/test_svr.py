"""Support vector regression against scikit-learn's, and where scales or tubes are extreme."""

import numpy as np
import pytest
from sklearn.svm import SVR as Peer

import credo
from credo.errors import ConvergenceWarning
from credo.kernels import RBF, Linear
from credo.models import SVR

RNG = np.random.default_rng(0)
X = RNG.normal(size=(120, 2))
Y = np.sin(2.0 * X[:, 0]) + X[:, 1] + 0.3 * RNG.normal(size=120)


@pytest.mark.parametrize("epsilon", [0.0, 0.3, 1.5])
def test_functions_are_scikit_learns(epsilon):
    ours = SVR(C=2.0, epsilon=epsilon, kernel=RBF(), gap=1e-10).fit(X, Y)
    peer = Peer(C=2.0, epsilon=epsilon, gamma=0.5, tol=1e-8).fit(X, Y)
    np.testing.assert_allclose(ours.predict(X), peer.predict(X), atol=1e-4)
    np.testing.assert_allclose(np.sort(ours.machine_.coefficients), np.sort(peer.dual_coef_[0]), atol=1e-3)
    ours = SVR(epsilon=epsilon, kernel=Linear(), gap=1e-10).fit(X, Y)
    peer = Peer(epsilon=epsilon, kernel="linear", tol=1e-8).fit(X, Y)
    np.testing.assert_allclose(ours.coef_, peer.coef_[0], atol=1e-4)
    assert ours.intercept_ == pytest.approx(peer.intercept_[0], abs=1e-3)


@pytest.mark.parametrize("scale", [1e-6, 1e6])
def test_units_of_y_do_not_matter(scale):
    """y, ε and C in other units: f scales with y, so ½‖f‖² with its square, and C Σ|·| with C times y."""
    plain = SVR(kernel=RBF(), gap=1e-9).fit(X, Y).predict(X)
    scaled = SVR(C=scale, epsilon=0.1 * scale, kernel=RBF(), gap=1e-9).fit(X, scale * Y).predict(X)
    np.testing.assert_allclose(scaled / scale, plain, atol=1e-4)


def test_the_level_of_y_does_not_matter():
    plain, moved = (SVR(kernel=RBF(), gap=1e-9).fit(X, Y + level) for level in (0.0, 1e6))
    np.testing.assert_allclose(moved.predict(X) - 1e6, plain.predict(X), atol=1e-4)
    assert moved.machine_.gap <= 1e-9


def test_a_tube_that_holds_every_row_has_no_support():
    model = SVR(epsilon=100.0).fit(X, Y)
    assert len(model.machine_.vectors) == 0
    np.testing.assert_allclose(model.predict(X), 0.5 * (Y.min() + Y.max()))
    for epsilon in (0.0, 0.1):
        np.testing.assert_allclose(SVR(epsilon=epsilon).fit(X, np.full(120, 3e7)).predict(X), 3e7)


def test_a_weight_is_a_repetition_and_files_keep_the_machine(tmp_path):
    w = np.arange(120) % 3
    weighted = SVR().fit(X, Y, sample_weight=w)
    repeated = SVR().fit(np.repeat(X, w, axis=0), np.repeat(Y, w))
    np.testing.assert_array_equal(weighted.predict(X), repeated.predict(X))
    credo.save(weighted, tmp_path / "model.credo")
    np.testing.assert_array_equal(credo.load(tmp_path / "model.credo").predict(X), weighted.predict(X))


def test_no_uncertainty_is_claimed_and_early_stops_are_told(monkeypatch):
    assert not hasattr(SVR(), "predict_dist")
    monkeypatch.setattr("credo.infer.dual.solve._STEPS", 1)
    monkeypatch.setattr("credo.infer.dual.solve._ATTEMPTS", 1)
    with pytest.warns(ConvergenceWarning, match="SVR: bounded .*stopped early"):
        SVR(C=100.0, gap=1e-12).fit(X, Y)

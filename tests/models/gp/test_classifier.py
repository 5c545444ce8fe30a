"""Gaussian-process classification."""

import jax
import numpy as np
import pytest
from scipy.special import ndtr
from sklearn.datasets import load_iris, make_moons

import credo
from credo.errors import InputError, TooLargeError
from credo.kernels import RBF
from credo.models import GPClassifier
from credo.models.gp import size


@pytest.fixture(scope="module")
def moons():
    return make_moons(60, noise=0.2, random_state=0)


@pytest.mark.parametrize("approximation", ["laplace", pytest.param("ep", marks=pytest.mark.slow)])
def test_learns_moons_and_is_even_far_away(moons, approximation):
    X, y = moons
    gp = GPClassifier(approximation=approximation, n_restarts=0, random_state=0).fit(X, y)
    assert gp.score(*make_moons(400, noise=0.2, random_state=1)) > 0.9
    np.testing.assert_allclose(gp.predict_proba([[1e4, -1e4]]), 0.5, atol=1e-6)


def test_budget_is_that_of_the_one_hot_vector(moons):
    X, y = moons
    belief = GPClassifier(kernel=RBF(variance=4.0), inference=None).fit(X, y).predict_dist(X)
    p = np.asarray(belief.mean)
    np.testing.assert_allclose(belief.budget.total, p * (1 - p), rtol=1e-9)
    # where two moons meet, the belief about the function is what more rows would change
    far = GPClassifier(kernel=RBF(variance=4.0), inference=None).fit(X, y).predict_dist([[30.0, 30.0]])
    assert far.budget.shares()["parameter"] > belief.budget.shares()["parameter"]


def test_probabilities_are_calibrated_where_the_model_is_true():
    """Labels drawn from the process itself: of those called with chance p, a share p is right."""
    rng = np.random.default_rng(0)
    kernel = RBF(variance=4.0, lengthscale=1.0)
    X = rng.uniform(-3.0, 3.0, (360, 1))
    K = np.asarray(kernel(X)) + 1e-9 * np.eye(360)
    called, happened = [], []
    for _ in range(12):
        f = np.linalg.cholesky(K) @ rng.normal(size=360)
        y = (rng.random(360) < ndtr(f)).astype(int)
        gp = GPClassifier(kernel=kernel, inference=None, standardize=False).fit(X[:60], y[:60])
        called.append(gp.predict_proba(X[60:])[:, 1])
        happened.append(y[60:])
    called, happened = np.concatenate(called), np.concatenate(happened)
    for low in (0.0, 0.25, 0.5, 0.75):
        inside = (called >= low) & (called < low + 0.25)
        # twelve functions: their luck, not the 300 labels of each, is the error
        assert abs(happened[inside].mean() - called[inside].mean()) < 0.08


def test_more_classes(moons):
    X, y = load_iris(return_X_y=True)
    names = np.array(["setosa", "versicolor", "virginica"])
    gp = GPClassifier(kernel=RBF(variance=9.0, lengthscale=2.0), inference=None).fit(X[::3], names[y[::3]])
    assert gp.score(X[1::3], names[y[1::3]]) > 0.9
    belief = gp.predict_dist(X[:7])
    np.testing.assert_allclose(np.sum(belief.mean, axis=1), 1.0, rtol=1e-12)
    assert np.all(np.asarray(belief.budget.computation) >= 0)
    assert np.any(np.asarray(belief.budget.computation) > 0)


def test_wrong_columns_and_too_many_rows(moons, monkeypatch):
    X, y = moons
    with pytest.raises(InputError, match="3 length-scales"):
        GPClassifier(kernel=RBF(lengthscale=np.ones(3))).fit(X, y)
    monkeypatch.setattr(size, "physical_memory", lambda: 1e4)
    with pytest.raises(TooLargeError, match="memory"):
        GPClassifier().fit(X, y)


@pytest.mark.slow
@pytest.mark.parametrize("approximation", ["laplace", "ep"])
def test_three_classes_are_the_same_after_a_file_and_one_more_row_compiles_nothing(approximation, tmp_path):
    X, y = load_iris(return_X_y=True)
    order = np.random.default_rng(0).permutation(len(y))
    X, y = X[order], y[order]
    gp = GPClassifier(approximation=approximation, random_state=0).fit(X[:33], y[:33])
    credo.save(gp, tmp_path / "gp.credo")
    again = credo.load(tmp_path / "gp.credo")
    np.testing.assert_array_equal(again.predict_proba(X[:5]), gp.predict_proba(X[:5]))
    parts = [b.predict_dist(X[:5]).budget.computation for b in (gp, again)]
    np.testing.assert_array_equal(*parts)
    compiled = []
    listener = lambda event, duration, **_: compiled.append(event) if "backend_compile" in event else None  # noqa: E731
    jax.monitoring.register_event_duration_secs_listener(listener)
    try:
        GPClassifier(approximation=approximation, random_state=0).fit(X[:34], y[:34])
    finally:
        jax.monitoring.unregister_event_duration_listener(listener)
    assert not compiled

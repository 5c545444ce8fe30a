"""Boosted trees of numbers: as accurate as scikit-learn's, and intervals that hold where noise varies."""

import numpy as np
import pytest
from sklearn.datasets import load_diabetes
from sklearn.ensemble import HistGradientBoostingRegressor
from sklearn.model_selection import cross_val_predict

from credo.models import GradientBoostingRegressor


def noisy(n, seed):
    rng = np.random.default_rng(seed)
    X = rng.uniform(-2, 2, size=(n, 3))
    return X, np.sin(2.0 * X[:, 0]), np.exp(0.8 * X[:, 1]) * 0.3


def test_intervals_hold_also_where_noise_is_large_or_small():
    held = []
    for seed in range(6):
        X, f, scale = noisy(800, seed)
        rng = np.random.default_rng(100 + seed)
        model = GradientBoostingRegressor(random_state=seed).fit(X[:400], (f + scale * rng.normal(size=800))[:400])
        low, high = model.predict_interval(X[400:])
        y = (f + scale * rng.normal(size=800))[400:]
        held.append(np.stack([(low <= y) & (y <= high), X[400:, 1] > 0.0]))
    inside, loud = np.concatenate(held, axis=1)
    assert 0.87 < np.mean(inside) < 0.93
    for part in (loud, ~loud):
        assert 0.84 < np.mean(inside[part]) < 0.95


def test_heavy_tails_are_found():
    rng = np.random.default_rng(0)
    X = rng.uniform(-2, 2, size=(1500, 2))
    y = X[:, 0] + rng.standard_t(3.0, size=1500)
    assert GradientBoostingRegressor(random_state=0).fit(X, y).tails_.degrees <= 5.0
    y = X[:, 0] + rng.normal(size=1500)
    assert GradientBoostingRegressor(random_state=0).fit(X, y).tails_.degrees >= 10.0


def test_constant_noise_has_a_constant_spread_or_nearly():
    rng = np.random.default_rng(1)
    X = rng.uniform(-2, 2, size=(500, 3))
    belief = GradientBoostingRegressor(random_state=0).fit(X, X[:, 0] + rng.normal(size=500)).predict_dist(X)
    assert np.std(belief.std) < 0.2 * np.mean(belief.std)
    assert np.mean(belief.std) == pytest.approx(1.0, abs=0.12)


def test_as_accurate_as_scikit_learns():
    X, y = load_diabetes(return_X_y=True)
    ours = cross_val_predict(GradientBoostingRegressor(random_state=0), X, y)
    theirs = cross_val_predict(HistGradientBoostingRegressor(random_state=0), X, y)
    assert np.mean((ours - y) ** 2) < 1.02 * np.mean((theirs - y) ** 2)


def test_the_parameters_share_falls_with_rows():
    shares = []
    for n in (100, 1600):
        X, f, _ = noisy(n, 3)
        model = GradientBoostingRegressor(random_state=0).fit(X, f + 0.3 * np.random.default_rng(0).normal(size=n))
        budget = model.predict_dist(X).budget
        shares.append(np.mean(np.asarray(budget.parameter)))
    assert shares[1] < 0.5 * shares[0]


def test_constant_targets_have_no_noise():
    X = np.random.default_rng(0).normal(size=(30, 2))
    model = GradientBoostingRegressor(random_state=0).fit(X, np.full(30, 3.0))
    assert model.predict(X).tolist() == [3.0] * 30
    low, high = model.predict_interval(X)
    assert np.all(high - low < 1e-12)


@pytest.mark.parametrize("factor", [1e-150, 1e150])
def test_units_do_not_matter(factor):
    X, f, _ = noisy(100, 4)
    plain, scaled = (GradientBoostingRegressor(random_state=0).fit(X, f * by) for by in (1.0, factor))
    np.testing.assert_allclose(scaled.predict(X) / factor, plain.predict(X), rtol=1e-6)
    np.testing.assert_allclose(scaled.predict_interval(X)[1] / factor, plain.predict_interval(X)[1], rtol=1e-6)

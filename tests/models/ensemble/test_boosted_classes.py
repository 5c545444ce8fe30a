"""Boosted trees of classes: calibrated, and as good as scikit-learn's."""

from itertools import pairwise

import numpy as np
from scipy.special import expit
from sklearn.datasets import load_breast_cancer, load_wine
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.metrics import log_loss
from sklearn.model_selection import cross_val_predict

from credo.models import GradientBoostingClassifier


def flips(n, seed):
    rng = np.random.default_rng(seed)
    X = rng.uniform(-2, 2, size=(n, 4))
    p = expit(2.0 * np.sign(X[:, 0] * X[:, 1]) + X[:, 2])
    return X, (rng.random(n) < p).astype(int)


def test_probabilities_are_calibrated_at_new_rows():
    X, y = flips(1000, 0)
    new, labels = flips(20_000, 1)
    p = GradientBoostingClassifier(random_state=0).fit(X, y).predict_proba(new)[:, 1]
    edges = np.quantile(p, np.linspace(0, 1, 6))
    off = []
    for low, high in pairwise(edges):
        there = (p >= low) & (p <= high)
        off.append(np.mean(labels[there]) - np.mean(p[there]))
    assert np.mean(np.abs(off)) < 0.04
    assert np.max(np.abs(off)) < 0.08


def test_two_and_three_classes_are_as_good_as_scikit_learns():
    for load in (load_breast_cancer, load_wine):
        X, y = load(return_X_y=True)
        ours = cross_val_predict(GradientBoostingClassifier(random_state=0), X, y, method="predict_proba")
        theirs = cross_val_predict(HistGradientBoostingClassifier(random_state=0), X, y, method="predict_proba")
        assert log_loss(y, ours) < log_loss(y, theirs)


def test_coins_are_coins():
    rng = np.random.default_rng(2)
    X, y = rng.normal(size=(400, 3)), rng.integers(0, 2, 400)
    p = GradientBoostingClassifier(random_state=0).fit(X, y).predict_proba(rng.normal(size=(4000, 3)))[:, 1]
    assert np.all(np.abs(p - 0.5) < 0.25)
    assert log_loss(rng.integers(0, 2, 4000), p) < np.log(2.0) + 0.02


def test_a_class_of_few_rows_is_never_impossible():
    rng = np.random.default_rng(3)
    X, y = rng.normal(size=(60, 2)), np.r_[np.zeros(29), np.ones(30), 2.0]
    p = GradientBoostingClassifier(random_state=0).fit(X, y).predict_proba(X)
    assert np.all(p > 0.0)
    np.testing.assert_allclose(np.sum(p, axis=1), 1.0)


def test_the_parameters_share_falls_with_rows():
    asked, _ = flips(500, 5)
    shares = [
        np.mean(GradientBoostingClassifier(random_state=0).fit(*flips(n, 4)).predict_dist(asked).budget.parameter)
        for n in (150, 3000)
    ]
    assert shares[1] < shares[0]

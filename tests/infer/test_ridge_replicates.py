"""Replicates of ridge against the normal equations of each; where they lose digits, against the single fit."""

import numpy as np
import pytest

from credo.infer import chosen_ridge_replicates, ridge_replicates
from credo.models import Ridge

RNG = np.random.default_rng(0)
N = 60
X = RNG.normal(size=(N, 4)) * [1.0, 1e-3, 1e3, 1.0] + [0.0, 5.0, 1e5, 3.0]
Y = X @ [1.0, 100.0, 1e-3, 2.0] + RNG.normal(size=N)
BOOTSTRAP = RNG.multinomial(N, np.full(N, 1 / N), size=4).astype(float)
FOLDS = np.repeat([[0.0, 2.0], [1.0, 0.0]], N // 2, axis=1)


@pytest.mark.parametrize("intercept", [True, False])
def test_the_normal_equations_of_each(intercept):
    A = RNG.normal(size=(N, 3)) + 2.0
    many = ridge_replicates(A, Y, BOOTSTRAP, 0.7, intercept=intercept)
    for b, w in enumerate(BOOTSTRAP):
        mean, level = intercept * np.average(A, axis=0, weights=w), intercept * np.average(Y, weights=w)
        gram = ((A - mean).T * w) @ (A - mean)
        inverse = np.linalg.inv(gram + 0.7 * np.eye(3))
        slopes = inverse @ ((A - mean).T @ (w * (Y - level)))
        left = w @ (Y - level - (A - mean) @ slopes) ** 2
        degrees = np.sum(w) - np.trace(gram @ inverse) - intercept
        np.testing.assert_allclose(many.coefficients[b], slopes, rtol=1e-10)
        np.testing.assert_allclose(many.root[b] @ many.root[b].T, inverse, rtol=1e-10, atol=1e-14)
        np.testing.assert_allclose(2.0 * many.noise_shape[b], degrees, rtol=1e-12)
        np.testing.assert_allclose(2.0 * many.noise_scale[b], left, rtol=1e-11)
        np.testing.assert_allclose(many.level[b], level, rtol=1e-12)


def dependent(A):
    return np.column_stack([A, A[:, 0] - A[:, 3], np.ones(len(A))])


def far_apart(A):
    return A + 1e7 * np.repeat([[0.0], [1.0]], N // 2, axis=0)


@pytest.mark.parametrize("change", [np.asarray, dependent, far_apart, lambda A: np.vander(A[:, 0], 9)[:, :-1]])
@pytest.mark.parametrize("W", [BOOTSTRAP, FOLDS], ids=["bootstrap", "folds"])
@pytest.mark.parametrize("alpha", [1e-3, 10.0])
def test_hard_columns_equal_the_single_fit(change, W, alpha):
    A = change(X)
    belief = Ridge(alpha=alpha).fit_many(A, Y, W).predict_dist(A)
    for b, w in enumerate(W):
        one = Ridge(alpha=alpha).fit(A, Y, sample_weight=w).predict_dist(A)
        np.testing.assert_allclose(belief.mean[b], one.mean, rtol=1e-8)
        np.testing.assert_allclose(belief.variance[b], one.variance, rtol=1e-8)


@pytest.mark.parametrize("way", ["loo", "gcv"])
def test_each_replicate_chooses_its_penalty_as_fit_does(way):
    many = Ridge(alpha=way).fit_many(X, Y, BOOTSTRAP)
    singles = [Ridge(alpha=way).fit(X, Y, sample_weight=w) for w in BOOTSTRAP]
    np.testing.assert_allclose(many.prior_scale, [one.alpha_**-0.5 for one in singles], rtol=1e-8)
    np.testing.assert_allclose(many.coefficients, [one.coef_ for one in singles], rtol=1e-8)


def test_a_chosen_penalty_may_be_any_rule():
    given = ridge_replicates(X, Y, BOOTSTRAP, 3.0, intercept=True)
    chosen = chosen_ridge_replicates(X, Y, BOOTSTRAP, lambda spectrum: 3.0, intercept=True)
    np.testing.assert_allclose(given.predict_dist(X).variance, chosen.predict_dist(X).variance, rtol=1e-9)


def test_more_columns_than_rows_leave_the_prior_across():
    A = RNG.normal(size=(6, 9))
    W = np.array([[1.0, 2.0, 1.0, 1.0, 0.0, 3.0]])
    many = ridge_replicates(A, A[:, 0], W, 0.5, intercept=True)
    mean = np.average(A, axis=0, weights=W[0])
    precision = ((A - mean).T * W[0]) @ (A - mean) + 0.5 * np.eye(9)
    np.testing.assert_allclose(many.root[0] @ many.root[0].T, np.linalg.inv(precision), rtol=1e-9, atol=1e-12)

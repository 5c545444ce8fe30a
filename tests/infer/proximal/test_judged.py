import numpy as np
import pytest

from credo.errors import UndefinedError
from credo.infer.proximal import centered_quadratic, elastic_net_path, judged_path, penalty_grid
from credo.infer.resample import folds

RNG = np.random.default_rng(0)
X = RNG.normal(size=(60, 8))
Y = X @ [2.0, -1.0, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0] + RNG.normal(size=60)
W = RNG.integers(1, 3, size=60).astype(float)
QUADRATIC = centered_quadratic(X, Y, W, intercept=True)
GRID = penalty_grid(QUADRATIC, 1.0, 20, 1e-3)


def test_held_out_errors_are_those_of_a_loop():
    judged = judged_path(QUADRATIC, X, Y, W, elastic_net_path, GRID, intercept=True, folds=4).value
    total = np.zeros(len(GRID))
    for held in folds(60, 4):
        quadratic = centered_quadratic(X[~held], Y[~held], W[~held], intercept=True)
        path = elastic_net_path(quadratic, GRID).value
        for i in range(len(GRID)):
            total[i] += W[held] @ (Y[held] - X[held] @ path.coefficients[i] - path.intercepts[i]) ** 2
    np.testing.assert_allclose(judged.cv_error, total / np.sum(W), rtol=1e-10)
    assert judged.best("cv") == np.argmin(total)
    assert GRID[judged.best("1se")] >= GRID[judged.best("cv")]
    assert judged.cv_error[judged.best("1se")] <= judged.cv_error.min() + judged.cv_deviation[np.argmin(total)]


def test_criteria_are_of_the_normal_likelihood():
    judged = judged_path(QUADRATIC, X, Y, W, elastic_net_path, GRID, intercept=True, folds=None).value
    variance, n = 2 * judged.path.losses, np.sum(W)
    deviance = n * (np.log(2 * np.pi * variance) + 1)
    np.testing.assert_allclose(judged.aic, deviance + 2 * (judged.path.degrees + 1))
    np.testing.assert_allclose(judged.bic, deviance + np.log(n) * (judged.path.degrees + 1))
    assert judged.best("bic") <= judged.best("aic")
    with pytest.raises(UndefinedError, match="folds=5"):
        judged.best("cv")

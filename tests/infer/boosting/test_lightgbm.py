"""A run of LightGBM: its losses are those of its trees, at rows that it has not seen."""

import numpy as np
import pytest
from scipy.special import log_softmax

from credo.infer.boosting.lightgbm import Growth, Run
from credo.infer.boosting.trees import trees_at


@pytest.fixture(scope="module")
def rows():
    rng = np.random.default_rng(1)
    X = rng.normal(size=(200, 3))
    return X, X[:, 0] ** 2 + 0.3 * rng.normal(size=200), rng.integers(1, 4, 200).astype(float), np.arange(0, 200, 4)


def test_losses_of_squares(rows):
    X, y, w, held = rows
    run = Run("squares", Growth(), X, y, w, held, 1)
    run.advance(30)
    assert len(run.losses) == 31
    for rounds in (0, 1, 30):
        said = trees_at(run.trees(rounds), X[held])[:, 0]
        np.testing.assert_allclose(run.losses[rounds], np.average((said - y[held]) ** 2, weights=w[held]), rtol=1e-5)
    kept = np.setdiff1d(np.arange(200), held)
    assert run.base[0] == pytest.approx(np.average(y[kept], weights=w[kept]))


def test_losses_of_a_variance_are_those_of_normal_noise(rows):
    X, y, w, held = rows
    squares = (0.1 + y) ** 2 + 1e-6
    run = Run("gamma", Growth(), X, squares, w, held, 1)
    run.advance(10)
    log_variance = trees_at(run.trees(10), X[held])[:, 0]
    normal = np.average(log_variance + squares[held] * np.exp(-log_variance), weights=w[held])
    base = run.base[0]
    at_base = np.average(base + squares[held] * np.exp(-base), weights=w[held])
    assert run.losses[10] - run.losses[0] == pytest.approx(normal - at_base, rel=1e-4)


@pytest.mark.parametrize("classes", [2, 3])
def test_losses_of_classes(rows, classes):
    X, y, w, held = rows
    codes = np.digitize(y, np.quantile(y, np.arange(1, classes) / classes))
    outputs = classes if classes > 2 else 1
    run = Run("classes", Growth(), X, codes, w, held, outputs)
    run.advance(15)
    for rounds in (0, 15):
        said = trees_at(run.trees(rounds), X[held])
        scores = said if outputs > 1 else np.column_stack([np.zeros(len(held)), said])
        logs = log_softmax(scores, axis=1)[np.arange(len(held)), codes[held]]
        assert run.losses[rounds] == pytest.approx(-np.average(logs, weights=w[held]), rel=1e-5)

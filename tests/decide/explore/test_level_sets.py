"""Targets of a level set: those whose side is open, and fewer of them when they are explored than otherwise."""

import numpy as np
import polars as pl
import pytest
from scipy import stats

from credo.decide.explore import Explorer, level_set_targets
from credo.errors import InputError
from credo.kernels import RBF
from credo.models import GPRegressor


def fitted(X, y):
    return GPRegressor(kernel=RBF(lengthscale=0.15), noise_variance=1e-4, inference=None, standardize=False).fit(X, y)


GRID = np.linspace(0.0, 1.0, 101)[:, None]


def truth(X):
    return np.sin(9.0 * X[:, 0]) + X[:, 0]


def test_open_rows_are_those_of_the_normal_distribution():
    X = np.array([[0.1], [0.4], [0.8]])
    model = fitted(X, truth(X))
    belief = model.posterior(GRID)
    below = stats.norm.cdf(0.5, np.asarray(belief.mean), np.asarray(belief.std))
    wanted = GRID[(below > 0.1) & (below < 0.9)]
    np.testing.assert_array_equal(level_set_targets(model, GRID, 0.5, 0.9), wanted)


def test_exploring_them_settles_more_sides_than_exploring_everything():
    open_rows = []
    for directed in (True, False):
        X = np.array([[0.05], [0.5], [0.95]])
        for _ in range(6):
            model = fitted(X, truth(X))
            targets = level_set_targets(model, GRID, 0.5) if directed else None
            if directed and not len(targets):
                break
            X = np.vstack([X, Explorer(model, targets=targets, candidates=GRID).ask().rows])
        open_rows.append(len(level_set_targets(fitted(X, truth(X)), GRID, 0.5)))
    assert open_rows[0] <= open_rows[1]
    assert open_rows[0] < 4


def test_a_frame_stays_one_and_nothing_open_is_nothing():
    frame = pl.DataFrame({"x": GRID[:, 0]})
    model = fitted(frame, truth(GRID))
    assert isinstance(level_set_targets(model, frame, 0.5), pl.DataFrame)
    assert len(level_set_targets(model, frame, 50.0)) == 0


@pytest.mark.parametrize(
    ("settings", "what"),
    [({"probability": 0.3}, "probability"), ({"level": np.nan}, "level"), ({"model": object()}, "posterior")],
)
def test_bad_input_is_refused(settings, what):
    X = np.array([[0.1], [0.9]])
    with pytest.raises(InputError, match=what):
        level_set_targets(**{"model": fitted(X, truth(X)), "X": GRID, "level": 0.5, **settings})

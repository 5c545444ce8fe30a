"""What boosted numbers and classes share."""

import numpy as np
import pytest

from credo.errors import ConvergenceWarning, InputError
from credo.models import GradientBoostingClassifier, GradientBoostingRegressor


def steps(n, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.uniform(-2, 2, size=(n, 3))
    return X, np.sign(X[:, 0]) + np.sign(X[:, 1]) + 0.3 * rng.normal(size=n)


def test_repeats_with_a_seed_and_not_with_another():
    X, y = steps(200)
    one, same, other = (GradientBoostingRegressor(random_state=seed).fit(X, y).predict(X) for seed in (0, 0, 1))
    np.testing.assert_array_equal(one, same)
    assert not np.array_equal(one, other)


def test_rounds_that_ran_out_are_warned_of_and_certified():
    X, y = steps(200)
    with pytest.warns(ConvergenceWarning, match="max_rounds"):
        model = GradientBoostingRegressor(max_rounds=2, random_state=0).fit(X, y)
    assert not model.certificate_.converged
    assert model.rounds_ == 2


@pytest.mark.parametrize("cls", [GradientBoostingRegressor, GradientBoostingClassifier])
def test_one_row_many_times_is_refused(cls):
    y = np.ones(20) if cls is GradientBoostingRegressor else np.tile([0, 1], 10)
    X = np.ones((20, 2))
    if cls is GradientBoostingRegressor:
        with pytest.raises(InputError, match="different rows"):
            cls().fit(X, y)
    else:
        assert cls(random_state=0).fit(X, y).predict_proba(X[:1]) == pytest.approx(0.5, abs=0.01)


def test_what_changes_the_order_changes_nothing():
    X, y = steps(150)
    order = np.random.default_rng(5).permutation(150)
    one = GradientBoostingRegressor(random_state=0).fit(X, y)
    two = GradientBoostingRegressor(random_state=0).fit(X[order], y[order])
    np.testing.assert_array_equal(one.predict(X), two.predict(X))

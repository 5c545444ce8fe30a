"""Default 90 % intervals cover 86 to 94 % of new observations, for every regressor with a predictive distribution.

The simulated tables are those that a model is made for: a linear predictor with its own kind of noise. What is averaged
are 200 tables of 12, 25 and 100 rows; a model may refuse so few rows, by name.
"""

import numpy as np
import pytest

from contract import every
from credo.errors import InputError
from credo.models import Regressor

TABLES, NEW = 200, 20
SLOPES = np.array([1.0, -2.0])


def simulated(cls, n, rng):
    X = rng.normal(size=(n + NEW, 2))
    eta = X @ SLOPES
    if cls.__name__ == "PoissonRegression":
        return X, rng.poisson(np.exp(3.5 + 0.2 * eta)).astype(float)
    if cls.__name__ == "GammaRegression":
        return X, rng.gamma(4.0, np.exp(0.3 * eta) / 4.0)
    if cls.__name__ == "LogRegressor":
        return X, np.exp(0.3 * eta + 0.3 * rng.normal(size=n + NEW))
    return X, eta + rng.normal(size=n + NEW)


def default(cls):
    return cls(random_state=0) if "random_state" in cls().get_params() else cls()


@pytest.mark.slow
@pytest.mark.timeout(1200)
@pytest.mark.parametrize("n", [12, 25, 100])
@every(Regressor)
def test_default_intervals_cover(cls, n):
    rng = np.random.default_rng(n)
    covered = []
    for _ in range(TABLES):
        X, y = simulated(cls, n, rng)
        try:
            low, high = default(cls).fit(X[:n], y[:n]).predict_interval(X[n:])
        except InputError as refusal:
            assert "row" in str(refusal)  # noqa: PT017
            return
        covered.append(np.mean((low <= y[n:]) & (y[n:] <= high)))
    assert 0.86 <= np.mean(covered) <= 0.94

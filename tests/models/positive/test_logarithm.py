"""Positive numbers by a model of their logarithm: against SciPy, by simulation, and where there is no logarithm."""

import numpy as np
import pytest
from scipy import stats
from sklearn.base import BaseEstimator

from credo.beliefs import LogNormal, Normal, UncertaintyBudget
from credo.errors import InputError
from credo.models import BayesianLinearRegression, GPRegressor, LogRegressor


class Says(BaseEstimator):
    """What it is told to say of every row; it takes no weights."""

    def __init__(self, *, noise=0.1, parameter=0.0, computation=0.0):
        self.noise = noise
        self.parameter = parameter
        self.computation = computation

    def fit(self, X, y):
        self.mean_ = float(np.mean(y))
        return self

    def predict_dist(self, X):
        parts = [np.full(len(X), part) for part in (self.noise, self.parameter, self.computation)]
        return Normal(np.full(len(X), self.mean_), np.sqrt(sum(parts))).with_budget(UncertaintyBudget(*parts))


def amounts(rng, n):
    """Amounts with errors of 40 %."""
    X = rng.uniform(-2.0, 2.0, size=(n, 2))
    return X, np.exp(1.0 + X @ [1.0, -0.5] + 0.4 * rng.normal(size=n))


def test_the_belief_is_that_of_the_exponential():
    X, y = amounts(np.random.default_rng(0), 30)
    belief = LogRegressor(estimator=GPRegressor(n_restarts=0)).fit(X, y).predict_dist(X)
    logarithm = GPRegressor(n_restarts=0).fit(X, np.log(y)).predict_dist(X)
    expected = stats.lognorm(s=np.asarray(logarithm.std), scale=np.exp(np.asarray(logarithm.mean)))
    np.testing.assert_allclose(belief.mean, expected.mean(), rtol=1e-9)
    np.testing.assert_allclose(belief.variance, expected.var(), rtol=1e-9)
    np.testing.assert_allclose(belief.interval(0.9), expected.interval(0.9), rtol=1e-7)


@pytest.mark.parametrize("parts", [(0.2, 0.1, 0.0), (0.05, 0.3, 0.1), (0.3, 0.0, 0.2)])
def test_the_budget_is_the_law_of_total_variance(parts):
    """Computation is drawn first, then the function, then the noise; means within draws are known in closed form."""
    noise, parameter, computation = parts
    belief = LogRegressor(estimator=Says(noise=noise, parameter=parameter, computation=computation)).fit(
        [[0.0], [1.0]], np.exp([0.5, 1.5])
    ).predict_dist([[0.0]])  # fmt: skip
    rng, n = np.random.default_rng(1), 2_000_000
    first = rng.normal(1.0, np.sqrt(computation), n)  # the function as far as it was computed
    second = first + rng.normal(0.0, np.sqrt(parameter), n)
    given_first = np.exp(first + 0.5 * (parameter + noise))
    given_second = np.exp(second + 0.5 * noise)
    expected = np.var(given_first), np.mean((given_second - given_first) ** 2)
    budget = belief.budget
    np.testing.assert_allclose([budget.computation.item(), budget.parameter.item()], expected, rtol=0.02)
    np.testing.assert_allclose(budget.noise, np.mean(given_second**2) * np.expm1(noise), rtol=0.02)
    np.testing.assert_allclose(budget.total, belief.variance, rtol=1e-12)


def test_intervals_hold_as_often_as_they_say_and_stay_positive():
    rng, held, lowest = np.random.default_rng(2), [], np.inf
    for _ in range(300):
        X, y = amounts(rng, 32)
        new, truth = amounts(rng, 32)
        low, high = LogRegressor().fit(X, y).predict_interval(new, 0.9)
        held.append(np.mean((low <= truth) & (truth <= high)))
        lowest = min(lowest, np.min(low))
    assert np.mean(held) == pytest.approx(0.9, abs=0.012)
    assert lowest > 0.0


def test_few_rows_have_no_variance_and_an_interval_all_the_same():
    model = LogRegressor(estimator=BayesianLinearRegression(prior_scale=1.0)).fit(
        [[0.0], [1.0], [2.0]], [1.0, 3.0, 7.0]
    )
    belief = model.predict_dist([[1.0]])
    student = model.estimator_.predict_dist([[1.0]])
    assert not np.isfinite(student.std[0])
    np.testing.assert_allclose(np.log(belief.interval(0.6826894921)), student.interval(0.6826894921), rtol=1e-6)
    assert not belief.budget.is_split


def test_the_certificate_says_where_tails_are_thinner():
    X, y = amounts(np.random.default_rng(3), 20)
    assert "taken to be normal" in str(LogRegressor().fit(X, y).certificate_)
    normal = LogRegressor(estimator=GPRegressor(inference="map", n_restarts=0))
    assert "taken to be normal" not in str(normal.fit(X, y).certificate_)
    assert "does not say" in str(LogRegressor(estimator=Says()).fit(X, y).certificate_)


def test_what_has_no_logarithm_is_refused():
    with pytest.raises(InputError, match="y has -1, and 2 values that are not positive"):
        LogRegressor().fit([[0.0], [1.0], [2.0]], [3.0, 0.0, -1.0])


def test_weights_are_passed_on_or_refused():
    X, y = amounts(np.random.default_rng(4), 12)
    twice = LogRegressor().fit(np.concatenate([X, X[:3]]), np.concatenate([y, y[:3]]))
    weighted = LogRegressor().fit(X, y, sample_weight=[2.0] * 3 + [1.0] * 9)
    np.testing.assert_allclose(weighted.predict(X), twice.predict(X), rtol=1e-9)
    assert isinstance(LogRegressor(estimator=Says()).fit(X, y).predict_dist(X), LogNormal)
    with pytest.raises(InputError, match="which Says does not take"):
        LogRegressor(estimator=Says()).fit(X, y, sample_weight=[2.0] * 12)


def test_far_from_all_rows_everything_stays_a_number():
    X, y = amounts(np.random.default_rng(5), 30)
    belief = LogRegressor().fit(X, y).predict_dist([[9999.0, 0.0], [-9999.0, 0.0], [0.0, 1e9]])
    parts = belief.budget
    for number in (belief.mean, belief.std, *belief.interval(0.9), parts.noise, parts.parameter, parts.computation):
        assert np.all(np.isfinite(number))
    np.testing.assert_allclose(parts.total, belief.variance, rtol=1e-9)
    assert np.max(np.asarray(belief.scale)) == 8.0


def test_numbers_whose_squares_are_none_are_refused():
    with pytest.raises(InputError, match="Rescale y"):
        LogRegressor().fit([[0.0], [1.0], [2.0]], [1e-120, 1.0, 2.0])

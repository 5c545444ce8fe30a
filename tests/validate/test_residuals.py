"""Residuals in standard units, of normal beliefs and of others."""

import numpy as np
import pytest
from scipy import stats
from sklearn.base import BaseEstimator, RegressorMixin
from sklearn.linear_model import LinearRegression as PlainRegression

from credo.beliefs import Gamma, Normal
from credo.errors import InputError
from credo.models import LogisticRegression
from credo.validate import evaluate, residuals

RNG = np.random.default_rng(0)
X = RNG.normal(size=(120, 1))


class Stated(RegressorMixin, BaseEstimator):
    """It knows the truth: a normal belief, or a skewed one."""

    def __init__(self, skewed=False):
        self.skewed = skewed

    def fit(self, X, y):
        return self

    def predict_dist(self, X):
        return Gamma(2.0, np.exp(X[:, 0])) if self.skewed else Normal(X[:, 0], np.exp(X[:, 0]))

    def predict(self, X):
        return np.asarray(self.predict_dist(X).mean)


def test_of_normal_beliefs_they_are_the_distance_in_standard_deviations():
    y = X[:, 0] + np.exp(X[:, 0]) * RNG.normal(size=120)
    found = residuals(evaluate(Stated(), X, y, scores="squared", random_state=0))
    np.testing.assert_allclose(found.standardized, (y - X[:, 0]) / np.exp(X[:, 0]), rtol=1e-8)
    np.testing.assert_array_equal(found.said, X[:, 0])
    np.testing.assert_array_equal(found.observed, y)
    np.testing.assert_array_equal(found.rows, np.arange(120))


def test_of_skewed_beliefs_they_are_normal_all_the_same():
    rng = np.random.default_rng(1)
    Z = rng.normal(size=(2000, 1))
    y = rng.gamma(2.0, 1.0 / np.exp(Z[:, 0]))
    found = residuals(evaluate(Stated(skewed=True), Z, y, scores="squared", random_state=0))
    np.testing.assert_allclose(
        found.standardized, stats.norm.ppf(stats.gamma(2.0, scale=np.exp(-Z[:, 0])).cdf(y)), atol=1e-6
    )
    assert stats.kstest(found.standardized, "norm").pvalue > 0.01
    plain = (y - found.said) / (np.sqrt(2.0) * np.exp(-Z[:, 0]))
    assert stats.kstest(plain, "norm").pvalue < 1e-6


def test_the_share_that_lies_inside_and_its_band():
    y = X[:, 0] + 1.3 * np.exp(X[:, 0]) * RNG.normal(size=120)
    found = residuals(evaluate(Stated(), X, y, scores="squared", random_state=0))
    inside = np.abs((y - X[:, 0]) / np.exp(X[:, 0])) <= stats.norm.ppf(0.9)
    k = int(inside.sum())
    np.testing.assert_array_equal(found.inside(0.8), inside)
    expected = k / 120, stats.beta.ppf(0.025, k, 121 - k), stats.beta.ppf(0.975, k + 1, 120 - k)
    assert found.share(0.8) == pytest.approx(expected)


def test_what_is_out_of_every_range_ends_at_eight():
    y = np.where(np.arange(120) == 7, 1e6, X[:, 0])
    found = residuals(evaluate(Stated(), X, y, scores="squared", random_state=0))
    assert found.standardized[7] == 8.0


def test_only_rows_that_were_held_out():
    found = residuals(evaluate(Stated(), X, X[:, 0], plan="hold-out", scores="squared", random_state=0))
    assert 0 < len(found.rows) < 120
    np.testing.assert_array_equal(found.said, X[found.rows, 0])


def test_what_has_none_is_told_why():
    with pytest.raises(InputError, match="LinearRegression stated no distribution"):
        residuals(evaluate(PlainRegression(), X, X[:, 0], scores="squared", random_state=0))
    classes = evaluate(LogisticRegression(ridge=1.0), X, X[:, 0] + RNG.normal(size=120) > 0.0, random_state=0)
    with pytest.raises(InputError, match=r"says classes.*calibration\(evaluation\)"):
        residuals(classes)
    found = residuals(evaluate(Stated(), X, X[:, 0], scores="squared", random_state=0))
    with pytest.raises(InputError, match="level is 95"):
        found.share(95)

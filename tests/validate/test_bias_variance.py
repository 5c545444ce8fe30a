"""The decomposition: closed form of ridge regression, the sum of the parts, and honest error bars."""

import numpy as np
import pytest
from sklearn.base import BaseEstimator
from sklearn.linear_model import Ridge

from credo.errors import InputError
from credo.validate.bias_variance import NoisyFunction, Simulator, bias_variance

X = np.vander(np.linspace(-1.0, 1.0, 15), 6, increasing=True)
AT = X[::3]
NOISE, PENALTY = 0.3, 0.5
SOURCE = NoisyFunction(lambda rows: np.sin(3.0 * rows[:, 1]), X, NOISE)
RIDGE = Ridge(alpha=PENALTY, fit_intercept=False)


def closed_form():
    """Ridge predicts A y with A = x(XᵀX + λ)⁻¹Xᵀ: bias A f − f(x), variance σ² A Aᵀ."""
    hat = AT @ np.linalg.solve(X.T @ X + PENALTY * np.eye(6), X.T)
    bias = hat @ SOURCE.mean(X) - SOURCE.mean(AT)
    return bias**2, NOISE**2 * np.sum(hat**2, axis=1)


@pytest.fixture(scope="module")
def split():
    return bias_variance(RIDGE, SOURCE, AT, datasets=400, random_state=0)


def test_parts_are_those_of_the_closed_form(split):
    for part, exact in zip((split.at.squared_bias, split.at.variance), closed_form(), strict=True):
        assert np.all(np.abs(part.value - exact) < 4.0 * part.standard_error)
    np.testing.assert_allclose(split.at.variance.value, closed_form()[1], rtol=0.3)
    np.testing.assert_allclose(split.at.noise, NOISE**2)


def test_parts_add_up_to_the_risk(split):
    for parts in (split.at, split.average):
        total = parts.noise + parts.squared_bias.value + parts.variance.value
        np.testing.assert_allclose(parts.risk.value, total, rtol=1e-12)
    np.testing.assert_allclose(split.average.variance.value, split.at.variance.value.mean())


def test_parts_are_the_textbook_estimates_and_the_jackknife_is_refitted_by_hand():
    few = bias_variance(RIDGE, SOURCE, AT, datasets=12, random_state=3)
    rng = np.random.default_rng(3)
    errors = []
    for _ in range(12):
        rows, y = SOURCE.sample(rng)
        errors.append(RIDGE.fit(rows, y).predict(AT) - SOURCE.mean(AT))
    errors = np.array(errors)

    def textbook(e):
        variance = np.var(e, axis=0, ddof=1)
        return e.mean(axis=0) ** 2 - variance / len(e), variance, NOISE**2 + np.mean(e**2, axis=0)

    left = [textbook(np.delete(errors, b, axis=0)) for b in range(12)]
    for i, (part, value) in enumerate(zip(few.at[1:], textbook(errors), strict=True)):
        np.testing.assert_allclose(part.value, value, rtol=1e-10)
        without = np.array([parts[i] for parts in left])
        by_hand = np.sqrt(11 / 12 * np.sum((without - without.mean(axis=0)) ** 2, axis=0))
        np.testing.assert_allclose(part.standard_error, by_hand, rtol=1e-8)
        means = without.mean(axis=1)
        average = np.sqrt(11 / 12 * np.sum((means - means.mean()) ** 2))
        np.testing.assert_allclose(few.average[i + 1].standard_error, average, rtol=1e-8)


def test_squared_bias_has_the_right_expectation_and_its_error_bar_the_right_size():
    # An estimator without bias: the plain square of a mean would be variance/B above zero.
    runs = [bias_variance(_Mean(), _Coin(), np.zeros((1, 1)), datasets=25, random_state=s) for s in range(300)]
    squares = np.array([run.at.squared_bias.value[0] for run in runs])
    variances = np.array([run.at.variance.value[0] for run in runs])
    assert abs(squares.mean()) < 4 * squares.std() / np.sqrt(300)
    assert abs(variances.mean() - 0.5) < 4 * variances.std() / np.sqrt(300)
    for parts, name in ((variances, "variance"), (np.array([r.at.risk.value[0] for r in runs]), "risk")):
        stated = np.sqrt(np.mean([getattr(run.at, name).standard_error[0] ** 2 for run in runs]))
        assert stated == pytest.approx(parts.std(ddof=1), rel=0.2)


class _Coin:
    """Two numbers of variance one: their mean has one half."""

    def sample(self, rng):
        return np.zeros((2, 1)), rng.normal(size=2)

    def mean(self, x):
        return np.zeros(len(x))

    def noise_variance(self, x):
        return np.ones(len(x))


class _Mean(BaseEstimator):
    """The mean of the rows."""

    def fit(self, X, y):
        self.mean_ = y.mean()
        return self

    def predict(self, X):
        return np.full(len(X), self.mean_)


def test_a_large_bias_does_not_drown_the_variance():
    class Off(_Mean):
        def predict(self, X):
            return super().predict(X) + 1e7

    here, away = (bias_variance(e, _Coin(), np.zeros((1, 1)), datasets=30, random_state=0) for e in (_Mean(), Off()))
    np.testing.assert_allclose(away.at.variance.value, here.at.variance.value, rtol=1e-7)
    np.testing.assert_allclose(away.at.variance.standard_error, here.at.variance.standard_error, rtol=1e-6)


def test_rows_may_be_drawn_anew_and_seeds_repeat():
    source = NoisyFunction(lambda rows: rows[:, 0], lambda rng: rng.normal(size=(10, 1)), 0.5)
    assert isinstance(source, Simulator)
    first, again = (bias_variance(Ridge(), source, np.ones((1, 1)), datasets=5, random_state=7) for _ in range(2))
    assert first.at.risk.value == again.at.risk.value
    rows = [source.sample(np.random.default_rng(seed))[0] for seed in (0, 1)]
    assert not np.array_equal(*rows)
    assert str(first).startswith("risk ")
    assert "mean over 1 points, 5 simulated data sets" in str(first)


def test_nonsense_is_refused():
    with pytest.raises(InputError, match="datasets is 2"):
        bias_variance(RIDGE, SOURCE, AT, datasets=2)
    with pytest.raises(InputError, match="the mean of the simulator has shape"):
        bias_variance(RIDGE, NoisyFunction(lambda rows: rows, X), AT)
    with pytest.raises(InputError, match="is not finite"):
        bias_variance(RIDGE, NoisyFunction(lambda rows: np.full(len(rows), np.nan), X), AT)
    with pytest.raises(InputError, match=r"a prediction has shape \(5, 1\)"):
        bias_variance(_Column(), SOURCE, AT)


class _Column(_Mean):
    def predict(self, X):
        return super().predict(X)[:, None]

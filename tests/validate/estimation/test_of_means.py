"""Statistics of averages against NumPy's and SciPy's own."""

import numpy as np
import pytest
from scipy import stats

from credo.errors import InputError
from credo.validate.estimation.of_means import STATISTICS, OfMeans

DIRECT = {
    "mean": lambda x, y: np.mean(x),
    "variance": lambda x, y: np.var(x),
    "std": lambda x, y: np.std(x),
    "covariance": lambda x, y: np.cov(x, y, ddof=0)[0, 1],
    "correlation": lambda x, y: stats.pearsonr(x, y).statistic,
    "slope": lambda x, y: stats.linregress(x, y).slope,
    "ratio": lambda x, y: np.mean(x) / np.mean(y),
}


@pytest.fixture
def columns():
    rng = np.random.default_rng(0)
    x = rng.gamma(2.0, size=(3, 40)) + 1e4  # far from zero, where squares lose digits
    return x, 0.5 * x + rng.normal(size=(3, 40))


@pytest.mark.parametrize("name", STATISTICS)
def test_they_are_what_they_are_called(name, columns):
    statistic = STATISTICS[name]
    expected = [DIRECT[name](x, y) for x, y in zip(*columns, strict=True)]
    np.testing.assert_allclose(statistic(*columns[: statistic.columns]), expected, rtol=1e-10)
    np.testing.assert_allclose(statistic(*(c.T for c in columns[: statistic.columns]), axis=0), expected, rtol=1e-10)


@pytest.mark.parametrize("name", STATISTICS)
def test_from_the_averages_of_its_features(name, columns):
    x, y = columns[0][0], columns[1][0]
    statistic = STATISTICS[name]
    features = statistic.of(*(x, y)[: statistic.columns])
    np.testing.assert_allclose(statistic.at(features.mean(axis=0)), DIRECT[name](x, y), rtol=1e-9)
    weights = np.random.default_rng(1).multinomial(40, np.full(40, 1 / 40))
    chosen = np.repeat(np.arange(40), weights)
    np.testing.assert_allclose(statistic.at(weights @ features / 40), DIRECT[name](x[chosen], y[chosen]), rtol=1e-9)


def test_a_constant_column_has_no_correlation_and_no_slope():
    x, y = np.full(7, 0.1), np.arange(7.0)
    assert np.isnan(STATISTICS["correlation"](x, y))
    assert not np.isfinite(STATISTICS["slope"](x, y))
    assert STATISTICS["std"](x) == 0.0
    # Weights that leave one row: rounding must not make a correlation of it.
    features = STATISTICS["correlation"].of(np.array([0.1, 0.7, 0.3]), np.array([0.2, 0.5, 0.9]))
    assert np.isnan(STATISTICS["correlation"].at(features[1]))


def test_wrong_numbers_of_columns_are_refused():
    with pytest.raises(InputError, match="1 columns were given to a statistic of 2"):
        STATISTICS["correlation"].of(np.ones(3))
    assert OfMeans(lambda x: x[..., None], lambda a: a[..., 0] ** 2)(np.array([1.0, 3.0])) == 4.0

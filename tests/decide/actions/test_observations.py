import numpy as np
import pytest
from scipy import stats

from credo.decide.actions import NoisyMeasurement, Outcomes
from credo.errors import InputError


def test_a_measurement_by_its_draws_and_density():
    likelihood = NoisyMeasurement(4.0).likelihood()
    y = np.full(20_000, 3.0)
    z = likelihood.draw(y, np.random.default_rng(0))
    assert stats.kstest(z, stats.norm(3.0, 2.0).cdf).pvalue > 1e-3
    density = likelihood.log_density(z[:5, None], np.array([[0.0, 1.0]]))
    truth = stats.norm(np.array([[0.0, 1.0]]), 2.0).logpdf(z[:5, None])
    np.testing.assert_allclose(np.diff(density, axis=1), np.diff(truth, axis=1))


@pytest.mark.parametrize("variance", [0.0, -1.0, np.nan, np.inf, "1"])
def test_bad_variances(variance):
    with pytest.raises(InputError, match="variance"):
        NoisyMeasurement(variance)


def test_variances_may_be_numpys():
    assert NoisyMeasurement(np.float32(0.25)) == NoisyMeasurement(0.25)
    assert type(NoisyMeasurement(np.int64(2)).variance) is float


@pytest.mark.parametrize("table", [[0.5, 0.5], [[0.5, 0.6]], [[-0.5, 1.5]], [[np.nan, 1.0]]])
def test_bad_tables(table):
    with pytest.raises(InputError, match="no probabilities"):
        Outcomes(table)


def test_tables_compare():
    assert Outcomes([[0.9, 0.1], [0.2, 0.8]]) == Outcomes(np.array([[0.9, 0.1], [0.2, 0.8]]))

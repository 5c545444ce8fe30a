"""The mean: the same as a regression without columns, and an interval that holds."""

import numpy as np
import pytest
from scipy import stats

from credo.errors import InputError
from credo.models import MeanRegressor


def test_the_interval_is_students():
    y = np.random.default_rng(0).normal(size=12)
    low, high = MeanRegressor().fit(np.zeros((12, 1)), y).predict_interval([[1.0]], level=0.8)
    half = stats.t.ppf(0.9, 11) * np.std(y, ddof=1) * np.sqrt(1.0 + 1.0 / 12.0)
    np.testing.assert_allclose([low[0], high[0]], [np.mean(y) - half, np.mean(y) + half])


def test_coverage():
    rng = np.random.default_rng(1)
    held = 0
    for _ in range(400):
        y = rng.normal(3.0, 2.0, size=6)
        low, high = MeanRegressor().fit(np.zeros((5, 1)), y[:5]).predict_interval([[0.0]])
        held += low[0] <= y[5] <= high[0]
    assert stats.binomtest(held, 400, 0.9).pvalue > 0.001


def test_one_row_is_refused():
    with pytest.raises(InputError, match="n_samples = 1"):
        MeanRegressor().fit([[1.0]], [2.0])

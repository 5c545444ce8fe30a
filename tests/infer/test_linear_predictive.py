"""The Student t of a linear model against its formula."""

import numpy as np

from credo.infer.linear_predictive import linear_predictive


def test_scale_variance_and_budget():
    spread = np.array([0.0, 0.5])
    belief = linear_predictive(np.array([1.0, 2.0]), spread, 10.0, 40.0)
    np.testing.assert_allclose(belief.scale, np.sqrt(4.0 * (1.0 + spread)))
    np.testing.assert_allclose(belief.variance, 40.0 / 8.0 * (1.0 + spread))
    np.testing.assert_allclose(belief.budget.noise, 5.0)
    np.testing.assert_allclose(belief.budget.parameter, 5.0 * spread)


def test_two_degrees_have_no_split_and_an_exact_fit_no_nan():
    assert not linear_predictive(np.zeros(1), np.zeros(1), 2.0, 1.0).budget.is_split
    assert np.isfinite(float(linear_predictive(np.zeros(1), np.zeros(1), 5.0, 0.0).std[0]))

"""The Student t of a linear model against its formula."""

import jax
import numpy as np
from scipy import stats

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


def test_an_interval_of_another_number_of_rows_compiles_no_quantile():
    """A quantile for each row took seconds to compile per size and a second per 100 000 rows."""
    names = []

    def listener(event, duration, **details):
        if event.endswith("backend_compile_duration"):
            names.append(details.get("fun_name", event))

    def interval(rows):
        spread = np.linspace(0.0, 1.0, rows)
        return linear_predictive(np.arange(rows, dtype=float), spread, 7.5, 30.0).interval(0.8), spread

    interval(5)
    jax.monitoring.register_event_duration_secs_listener(listener)
    try:
        (low, high), spread = interval(4321)
    finally:
        jax.monitoring.unregister_event_duration_listener(listener)
    assert not any("between" in name for name in names)
    reach = stats.t.ppf(0.9, 7.5) * np.sqrt(4.0 * (1.0 + spread))
    np.testing.assert_allclose(low, np.arange(4321) - reach, rtol=1e-12)
    np.testing.assert_allclose(high, np.arange(4321) + reach, rtol=1e-12)

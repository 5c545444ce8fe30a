"""The delta method: formulas by hand, exactness on linear functions, and coverage in simulation."""

import jax.numpy as jnp
import numpy as np
import pytest
from scipy import stats

from credo.errors import InputError, NumericalError
from credo.infer.testing import Estimates
from credo.validate.estimation import delta_method

TWO = Estimates(("a", "b"), np.array([2.0, 0.5]), np.array([[0.04, 0.01], [0.01, 0.09]]), 12.0)


def test_a_product_and_a_ratio_by_hand():
    found = delta_method(TWO, lambda t: jnp.array([t[0] * t[1], t[0] / t[1]]), ["product", "ratio"])
    slopes = np.array([[0.5, 2.0], [2.0, -8.0]])
    np.testing.assert_allclose(found.values, [1.0, 4.0])
    np.testing.assert_allclose(found.covariance, slopes @ TWO.covariance @ slopes.T)
    assert found.names == ("product", "ratio")
    assert found.degrees == 12.0


def test_linear_functions_are_exact():
    H = np.array([[1.0, -1.0], [0.5, 2.0]])
    found = delta_method(TWO, lambda t: jnp.asarray(H) @ t)
    np.testing.assert_allclose(found.values, H @ TWO.values)
    np.testing.assert_allclose(found.covariance, H @ TWO.covariance @ H.T)
    assert found.names == ("g0", "g1")


def test_coverage_of_a_log_odds():
    p, n, times = 0.3, 400, 1000
    held = 0
    for k in np.random.default_rng(0).binomial(n, p, size=times):
        share = k / n
        one = Estimates(("p",), np.array([share]), np.array([[share * (1 - share) / n]]))
        low, high = delta_method(one, _logit).interval(0.9)
        held += low[0] <= np.log(p / (1 - p)) <= high[0]
    assert stats.binomtest(held, times, 0.9).pvalue > 1e-3


def _logit(t):
    return jnp.log(t / (1.0 - t))


def test_what_is_refused():
    with pytest.raises(InputError, match="does not change"):
        delta_method(TWO, lambda t: (t[0] - 2.0) ** 2)
    with pytest.raises(NumericalError, match="not finite"):
        delta_method(TWO, lambda t: jnp.log(t[0] - 2.0))
    with pytest.raises(InputError, match="1 names for 2"):
        delta_method(TWO, lambda t: t, ["a"])
    with pytest.raises(InputError, match="a number or a vector"):
        delta_method(TWO, lambda t: jnp.outer(t, t))

"""Statistics and p-values against SciPy's distributions."""

import numpy as np
import pytest
from scipy import stats

from credo.errors import InputError, UndefinedError
from credo.infer.testing import Estimates, akaike, bayes_criterion, likelihood_ratio, names_of, wald

SIGMA = np.array([[2.0, 0.5], [0.5, 1.0]])
VALUES = np.array([3.0, -0.5])


@pytest.mark.parametrize("degrees", [5.0, np.inf])
def test_table(degrees):
    distribution = stats.norm() if np.isinf(degrees) else stats.t(degrees)
    table = Estimates(("a", "b"), VALUES, SIGMA, degrees)
    z = VALUES / np.sqrt([2.0, 1.0])
    np.testing.assert_allclose(table.statistics, z)
    np.testing.assert_allclose(table.p_values, 2 * distribution.sf(np.abs(z)), rtol=1e-12)
    low, high = table.interval(0.8)
    np.testing.assert_allclose(distribution.cdf((high - VALUES) / np.sqrt([2.0, 1.0])), 0.9, rtol=1e-12)
    np.testing.assert_allclose(low + high, 2 * VALUES)


def test_far_out_p_values_keep_their_digits():
    table = Estimates(("a",), np.array([30.0]), np.eye(1))
    np.testing.assert_allclose(table.p_values, 2 * stats.norm.sf(30.0), rtol=1e-10)


def test_an_exact_fit_is_infinitely_significant_and_zero_is_not():
    table = Estimates(("a", "b"), np.array([1.0, 0.0]), np.zeros((2, 2)), 3.0)
    np.testing.assert_array_equal(table.statistics, [np.inf, 0.0])
    np.testing.assert_array_equal(table.p_values, [0.0, 1.0])


@pytest.mark.parametrize("degrees", [7.0, np.inf])
def test_wald_does_not_depend_on_how_the_hypothesis_is_written(degrees):
    table = Estimates(("a", "b"), VALUES, SIGMA, degrees)
    both = wald(table, np.eye(2), [1.0, 1.0])
    rotated = wald(table, [[1.0, 1.0], [2.0, -1.0]], [2.0, 1.0])
    np.testing.assert_allclose(both.statistic, rotated.statistic, rtol=1e-12)
    gap = VALUES - 1.0
    square = gap @ np.linalg.inv(SIGMA) @ gap
    if np.isinf(degrees):
        assert (both.name, both.degrees) == ("chi2", (2,))
        np.testing.assert_allclose([both.statistic, both.p_value], [square, stats.chi2.sf(square, 2)], rtol=1e-12)
    else:
        np.testing.assert_allclose(
            [both.statistic, both.p_value], [square / 2, stats.f.sf(square / 2, 2, 7)], rtol=1e-12
        )


def test_a_single_statement_is_the_t_test():
    table = Estimates(("a", "b"), VALUES, SIGMA, 9.0)
    np.testing.assert_allclose(wald(table, [1.0, 0.0]).p_value, table.p_values[0], rtol=1e-10)


def test_likelihood_ratio_and_criteria():
    test = likelihood_ratio(-10.0, -13.0, 2)
    np.testing.assert_allclose([test.statistic, test.p_value], [6.0, stats.chi2.sf(6.0, 2)], rtol=1e-12)
    assert str(test) == "chi2(2) = 6, p = 0.0498"
    assert (akaike(-10.0, 3), bayes_criterion(-10.0, 3, np.e)) == (26.0, 23.0)


def test_what_cannot_be_asked():
    table = Estimates(("a", "b"), VALUES, SIGMA)
    with pytest.raises(InputError, match="rank 1"):
        wald(table, [[1.0, 1.0], [2.0, 2.0]])
    with pytest.raises(InputError, match="shape"):
        wald(table, [[1.0]])
    with pytest.raises(InputError, match="level"):
        table.interval(95)
    with pytest.raises(UndefinedError, match="nested"):
        likelihood_ratio(-13.0, -10.0, 2)


def test_names():
    assert names_of(None, 2, intercept=True) == ("intercept", "x0", "x1")
    assert names_of(["a", "b"], 2, intercept=False) == ("a", "b")

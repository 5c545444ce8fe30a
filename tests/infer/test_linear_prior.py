"""Priors that are none are refused; the root is one of the covariance."""

import numpy as np
import pytest

from credo.errors import InputError
from credo.infer.linear_prior import covariance_root, prior_center


def test_the_root_of_a_matrix_and_of_variances():
    V = np.array([[2.0, 0.3], [0.3, 1.0]])
    np.testing.assert_allclose(covariance_root(V, 2) @ covariance_root(V, 2).T, V, rtol=1e-14)
    np.testing.assert_allclose(covariance_root([4.0, 9.0], 2), np.diag([2.0, 3.0]))


@pytest.mark.parametrize(
    "bad",
    [[1.0], [1.0, -1.0], [[1.0, 2.0], [2.0, 1.0]], [[1.0, 0.5], [0.0, 1.0]], [np.nan, 1.0], 3.0],
    ids=["columns", "negative", "indefinite", "asymmetric", "nan", "scalar"],
)
def test_what_is_no_covariance_is_refused(bad):
    with pytest.raises(InputError, match="is no covariance of 2 coefficients"):
        covariance_root(bad, 2)


@pytest.mark.parametrize("bad", [[1.0], 1.0, [np.inf, 0.0]])
def test_what_is_no_mean_is_refused(bad):
    assert prior_center([1, 2], 2).tolist() == [1.0, 2.0]
    with pytest.raises(InputError, match="prior_mean"):
        prior_center(bad, 2)

"""The kernel of rows about which nothing is known."""

import numpy as np
import pytest

from credo.errors import InputError
from credo.infer.typical import kernel_for, typical_rbf
from credo.kernels import RBF


def test_length_scale_is_the_median_of_all_distances():
    X = np.random.default_rng(0).normal(size=(30, 3))
    distances = [np.linalg.norm(a - b) for i, a in enumerate(X) for b in X[:i]]
    np.testing.assert_allclose(typical_rbf(X).lengthscale, np.median(distances), rtol=1e-12)


def test_many_rows_are_judged_by_some():
    X = np.random.default_rng(1).normal(size=(20_000, 4))
    np.testing.assert_allclose(typical_rbf(X).lengthscale, typical_rbf(X[:400]).lengthscale, rtol=0.05)


def test_one_point_has_a_kernel_too():
    assert float(typical_rbf(np.ones((5, 2))).lengthscale) == 1.0


def test_a_given_kernel_is_kept_and_checked():
    kernel = RBF(lengthscale=[1.0, 2.0])
    assert kernel_for(np.ones((3, 2)), kernel, "Who") is kernel
    with pytest.raises(InputError, match="Who"):
        kernel_for(np.ones((3, 3)), kernel, "Who")

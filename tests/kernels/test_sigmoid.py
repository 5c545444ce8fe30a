"""The similarity that is no covariance: what it says about itself."""

import warnings

import jax
import numpy as np
import pytest
from sklearn.metrics.pairwise import sigmoid_kernel

from credo.errors import IndefiniteKernelWarning
from credo.kernels import RBF, Sigmoid, Warp
from credo.numerics import flatten

X = np.random.default_rng(0).normal(size=(8, 2))


@pytest.fixture
def kernel():
    with pytest.warns(IndefiniteKernelWarning, match=r"Sigmoid: .* not positive semi-definite"):
        return Sigmoid(0.5, -1.0)


def test_equals_scikit_learn_and_has_negative_eigenvalues(kernel):
    np.testing.assert_allclose(kernel(X), sigmoid_kernel(X, gamma=0.5, coef0=-1.0), rtol=1e-12)
    assert np.linalg.eigvalsh(kernel(X))[0] < -0.1


def test_it_and_what_holds_it_say_so(kernel):
    assert not kernel.is_positive_semidefinite
    for composed in (kernel + RBF(), 2.0 * kernel, kernel.exp(), kernel**2, Warp(kernel, np.sin)):
        assert not composed.is_positive_semidefinite
    assert (RBF() + 1.0).is_positive_semidefinite


def test_warns_only_where_it_is_constructed(kernel):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        vector, rebuild, *_ = flatten(kernel)
        rebuild(vector + 0.1)
        jax.tree.map(lambda leaf: leaf, kernel)
        kernel(X)

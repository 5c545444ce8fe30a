"""Sites of class labels: the closed form of their sizes, and their algebra against dense matrices."""

import jax.numpy as jnp
import numpy as np
import pytest

from credo.infer.softmax_sites import class_curvature, nearest_sizes, site_precision


def test_curvature_is_that_of_dense_algebra():
    """Sizes of any sum, weights that count rows, and one row that is not there."""
    rng = np.random.default_rng(0)
    n, classes = 5, 4
    x = rng.normal(size=n)
    covariance = 3.0 * np.exp(-0.5 * (x[:, None] - x) ** 2)
    sizes, weights = rng.uniform(0.01, 2.0, (n, classes)), np.array([1.0, 2.0, 0.0, 0.5, 1.0])
    found = class_curvature(jnp.asarray(covariance), jnp.asarray(weights), jnp.asarray(sizes))
    # All values of one class come first, as in the textbook.
    W = np.zeros((classes, n, classes, n))
    for i in range(n):
        W[:, i, :, i] = weights[i] * (np.diag(sizes[i]) - np.outer(sizes[i], sizes[i]) / sizes[i].sum())
    W, K = W.reshape(n * classes, -1), np.kron(np.eye(classes), covariance)
    np.testing.assert_allclose(found.log_det, np.linalg.slogdet(np.eye(n * classes) + K @ W)[1], rtol=1e-10)
    v = rng.normal(size=(n, classes))
    R = W @ np.linalg.inv(np.eye(n * classes) + K @ W)  # (K + W⁻¹)⁻¹ without the inverse of W, which has none
    np.testing.assert_allclose(found.pull(jnp.asarray(v)), (R @ v.T.ravel()).reshape(classes, n).T, atol=1e-11)


@pytest.mark.parametrize("classes", [2, 3, 6])
def test_sizes_keep_the_ties_of_the_observed_class_and_the_trace(classes):
    """Any precision whose rows sum to zero and whose ties are positive: a weighted graph's Laplacian."""
    rng = np.random.default_rng(classes)
    ties = rng.uniform(0.1, 1.0, (classes, classes))
    ties = np.triu(ties, 1) + np.triu(ties, 1).T
    laplacian = np.diag(ties.sum(axis=1)) - ties
    found = np.asarray(site_precision(nearest_sizes(jnp.asarray(laplacian), jnp.eye(classes)[1])))
    np.testing.assert_allclose(found[1], laplacian[1], rtol=1e-10)
    np.testing.assert_allclose(np.trace(found), np.trace(laplacian), rtol=1e-10)
    if classes <= 3:
        np.testing.assert_allclose(found, laplacian, rtol=1e-10)

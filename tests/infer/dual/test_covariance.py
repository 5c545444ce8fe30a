import numpy as np
import pytest

from credo.infer.dual.covariance import StreamedCovariance, bordered, covariance_of, kernel_product
from credo.kernels import RBF, Linear

RNG = np.random.default_rng(0)
X = RNG.normal(size=(45, 3))


@pytest.mark.parametrize("kernel", [RBF(lengthscale=[1.0, 2.0, 3.0]), Linear(center=0.5)])
def test_whole_bordered_and_streamed_are_one(kernel):
    expected = np.array([[float(kernel.of(a, b)) for b in X[:4]] for a in X[:4]])
    whole = covariance_of(kernel, X)
    np.testing.assert_allclose(whole.matrix[:4, :4], expected, rtol=1e-12, atol=1e-14)
    parts = bordered(covariance_of(kernel, X[:30]), kernel, X[:30], X[30:])
    rows, columns = RNG.permutation(45)[:20], RNG.permutation(45)[:11]
    dense, sparse = RNG.normal(size=45), np.where(np.arange(45) % 9, 0.0, 1.5)
    for other in (whole, parts, StreamedCovariance(kernel, X)):
        np.testing.assert_allclose(other.entries(rows, columns), whole.matrix[np.ix_(rows, columns)], atol=1e-12)
        np.testing.assert_allclose(other.diagonal(), np.diagonal(whole.matrix), rtol=1e-12)
        for theta in (dense, sparse, np.zeros(45)):
            np.testing.assert_allclose(other.times(theta), whole.matrix @ theta, atol=1e-11)
    np.testing.assert_allclose(parts.dense(), whole.dense(), atol=1e-12)


def test_empty_sets():
    none = np.empty(0, dtype=int)
    assert StreamedCovariance(RBF(), X).entries(none, np.arange(3)).shape == (0, 3)
    assert kernel_product(RBF(), X, X[:0], np.empty(0)).tolist() == [0.0] * 45

"""The covariance of outputs, entry by entry, and the product with a kernel of the inputs."""

import numpy as np
import pytest

from credo.errors import InputError
from credo.kernels import RBF, Coregionalization, On

RNG = np.random.default_rng(0)
MIXING, OWN = RNG.normal(size=(3, 2)), RNG.uniform(0.1, 1.0, size=3)
OUTPUTS = Coregionalization(MIXING, OWN)


def test_entries_are_those_of_the_matrix():
    numbers = np.array([[2], [0], [1], [0]])
    matrix = MIXING @ MIXING.T + np.diag(OWN)
    np.testing.assert_allclose(OUTPUTS.matrix, matrix, rtol=1e-14)
    np.testing.assert_allclose(OUTPUTS(numbers), matrix[np.ix_([2, 0, 1, 0], [2, 0, 1, 0])], rtol=1e-14)
    np.testing.assert_allclose(OUTPUTS(numbers[:2], numbers), matrix[np.ix_([2, 0], [2, 0, 1, 0])], rtol=1e-14)


def test_product_with_a_kernel_of_the_inputs_is_a_kronecker_product():
    X = RNG.normal(size=(4, 2))
    rows = np.array([[*x, o] for x in X for o in range(3)])
    together = On(RBF(0.7, 1.3), [0, 1]) * On(OUTPUTS, [2])
    np.testing.assert_allclose(together(rows), np.kron(RBF(0.7, 1.3)(X), OUTPUTS.matrix), rtol=1e-13)


@pytest.mark.parametrize("wrong", [3.0, -1.0, 0.5])
def test_what_is_no_output_is_refused(wrong):
    with pytest.raises(InputError, match=f"{wrong:g} is no output of 3"):
        OUTPUTS([[wrong]])


@pytest.mark.parametrize(("mixing", "own"), [([1.0, 2.0], [1.0, 2.0]), ([[1.0], [2.0]], [1.0])])
def test_shapes_that_do_not_fit_are_refused(mixing, own):
    with pytest.raises(InputError, match="mixing has shape"):
        Coregionalization(mixing, own)

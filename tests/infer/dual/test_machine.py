import numpy as np
import pytest

from credo.errors import UndefinedError
from credo.infer.dual import KernelMachine
from credo.kernels import RBF, Linear

VECTORS = np.random.default_rng(0).normal(size=(5, 3))
COEFFICIENTS = np.array([1.0, -2.0, 0.5, 1.5, -1.0])


@pytest.mark.parametrize("kernel", [Linear(), Linear(variance=[1.0, 2.0, 3.0], center=[0.5, -1.0, 2.0])])
def test_slopes_and_intercept_of_a_linear_machine(kernel):
    machine = KernelMachine(kernel, VECTORS, COEFFICIENTS, 0.7, 4.0, 0.0, 0.0)
    X = np.random.default_rng(1).normal(size=(9, 3))
    by_kernel = np.asarray(kernel(X, VECTORS)) @ COEFFICIENTS + 0.7
    np.testing.assert_allclose(machine.decision(X), by_kernel, rtol=1e-12)
    np.testing.assert_allclose(X @ machine.coef + machine.intercept, by_kernel, rtol=1e-12)
    assert machine.margin == 0.5


def test_other_machines_have_no_slopes():
    machine = KernelMachine(RBF(), VECTORS, COEFFICIENTS, 0.7, 0.0, 0.0, 0.0)
    with pytest.raises(UndefinedError, match="Try kernel=Linear"):
        _ = machine.coef
    assert machine.intercept == 0.7
    assert machine.margin == np.inf


def test_no_support_is_a_constant():
    machine = KernelMachine(Linear(), VECTORS[:0], COEFFICIENTS[:0], 0.7, 0.0, 0.0, 0.0)
    assert machine.decision(VECTORS).tolist() == [0.7] * 5
    assert machine.coef.tolist() == [0.0] * 3

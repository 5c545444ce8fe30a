import numpy as np
import pytest

from credo.infer.dual.covariance import StreamedCovariance, covariance_of
from credo.infer.dual.libsvm import identified, is_native
from credo.infer.dual.polish import assessed
from credo.infer.dual.problem import class_problem, number_problem, violations
from credo.kernels import RBF, Linear, Matern32, Polynomial

RNG = np.random.default_rng(0)
X = RNG.normal(size=(60, 2))
Y = np.sin(X[:, 0]) + 0.3 * RNG.normal(size=60)
KERNELS = [
    RBF(lengthscale=[1.0, 2.0], variance=3.0),
    Linear(variance=[2.0, 0.5], center=[1.0, -1.0]),
    Polynomial(degree=3, variance=0.5, offset=2.0),
]


@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize("numbers", [True, False])
def test_its_own_kernels_are_ours(kernel, numbers):
    cost = RNG.uniform(0.5, 2.0, size=60)
    problem = number_problem(Y, cost, 0.2) if numbers else class_problem(np.where(Y > 0.0, 1.0, -1.0), cost)
    whole, streamed = covariance_of(kernel, X), StreamedCovariance(kernel, X)
    for covariance in (whole, streamed):
        theta = identified(problem, covariance, 1e-6, 2**20)
        assert np.all((theta >= problem.low) & (theta <= problem.high))
        assert abs(theta.sum()) < 1e-12
        state = assessed(problem, theta, whole.times(theta))
        assert np.max(violations(problem, theta, problem.targets - state.function - state.intercept)) < 1e-4
        assert state.gap < 1e-5


def test_which_kernels_are_native():
    assert all(is_native(kernel) for kernel in KERNELS)
    assert not is_native(Matern32())
    assert not is_native(RBF() + Linear())

"""Against scikit-learn at moderate costs, and by the duality gap, which needs no peer, at extreme ones."""

import numpy as np
import pytest
from sklearn.svm import SVC, SVR

from credo.infer.dual.covariance import WholeCovariance
from credo.infer.dual.interior import interior_point
from credo.infer.dual.polish import assessed, polish
from credo.infer.dual.problem import class_problem, number_problem, on_bounds
from credo.kernels import RBF, Linear

RNG = np.random.default_rng(0)
X = RNG.normal(size=(70, 3))
Y = np.sin(2.0 * X[:, 0]) + X[:, 1] + 0.3 * RNG.normal(size=70)
SIGN = np.where(Y > 0.3, 1.0, -1.0)


@pytest.mark.parametrize("kernel", [RBF(lengthscale=1.5), Linear()])
def test_values_are_scikit_learns(kernel):
    K, cost = np.asarray(kernel(X)), RNG.uniform(0.5, 2.0, size=70)
    peer = SVC(kernel="precomputed", tol=1e-9).fit(K, SIGN, sample_weight=cost)
    theta = interior_point(class_problem(SIGN, cost), K)
    np.testing.assert_allclose(K @ theta, peer.decision_function(K) - peer.intercept_, atol=1e-4)
    peer = SVR(kernel="precomputed", tol=1e-9, epsilon=0.2).fit(K, Y, sample_weight=cost)
    theta = interior_point(number_problem(Y, cost, 0.2), K)
    np.testing.assert_allclose(K @ theta, peer.predict(K) - peer.intercept_, atol=1e-4)


@pytest.mark.parametrize("kernel", [RBF(lengthscale=1.5), Linear()])
@pytest.mark.parametrize("cost", [1e-6, 1e4])
def test_the_gap_closes_at_any_cost(kernel, cost):
    K = np.asarray(kernel(X))
    for problem in (class_problem(SIGN, np.full(70, cost)), number_problem(Y, np.full(70, cost), 0.1)):
        theta = interior_point(problem, K)
        assert np.all((theta >= problem.low) & (theta <= problem.high))
        theta = on_bounds(problem, theta, 1e-8)
        assert abs(theta.sum()) < 1e-9 * cost
        state = assessed(problem, theta, K @ theta)
        assert state.gap < (1e-9 if cost < 1.0 else 0.1)  # rounding grows with the cost, and Newton steps take it out
        assert polish(problem, WholeCovariance(K), state, gap=1e-9, steps=50)[0].gap < 1e-7

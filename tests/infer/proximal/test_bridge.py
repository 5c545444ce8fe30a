import numpy as np
import pytest
from scipy import optimize

from credo.infer.proximal import bridge_path, centered_quadratic, elastic_net_path

RNG = np.random.default_rng(0)
X = RNG.normal(size=(40, 5))
Y = X @ [2.0, -1.0, 0.5, 0.0, 0.0] + 0.5 * RNG.normal(size=40)
QUADRATIC = centered_quadratic(X, Y, np.ones(40), intercept=True)


def objective(beta, penalty, q):
    return 0.5 * np.mean((Y - Y.mean() - (X - X.mean(axis=0)) @ beta) ** 2) + penalty * np.sum(np.abs(beta) ** q)


@pytest.mark.parametrize("q", [1.2, 1.5, 1.9, 2.0, 2.5, 4.0])
@pytest.mark.parametrize("penalty", [0.03, 1.0])
def test_above_one_it_is_the_minimum(q, penalty):
    solution = bridge_path(QUADRATIC, np.array([penalty]), q)
    beta = solution.value.coefficients[0]
    other = optimize.minimize(
        objective, np.full(5, 0.1), args=(penalty, q), method="Powell", options={"xtol": 1e-10, "ftol": 1e-15}
    )
    assert objective(beta, penalty, q) <= other.fun + 1e-9
    assert solution.certificate.kind == "bounded"
    assert solution.certificate.error < 1e-6


def test_one_and_two_are_lasso_and_ridge():
    penalties = np.array([0.2, 0.05])
    lasso = elastic_net_path(QUADRATIC, penalties).value
    np.testing.assert_allclose(bridge_path(QUADRATIC, penalties, 1.0).value.coefficients, lasso.coefficients)
    ridge = np.linalg.solve(QUADRATIC.block(np.arange(5)) + 2 * 0.2 * np.eye(5), QUADRATIC.linear)
    path = bridge_path(QUADRATIC, penalties, 2.0).value
    np.testing.assert_allclose(path.coefficients[0], ridge, rtol=1e-8)
    spectrum = np.linalg.eigvalsh(QUADRATIC.block(np.arange(5)))
    np.testing.assert_allclose(path.degrees[0], np.sum(spectrum / (spectrum + 0.4)), rtol=1e-8)


@pytest.mark.parametrize("q", [0.3, 0.5, 0.9])
def test_below_one_it_is_a_local_minimum_with_zeros_and_says_so(q):
    solution = bridge_path(QUADRATIC, np.array([0.1]), q)
    beta = solution.value.coefficients[0]
    assert solution.certificate.kind == "heuristic"
    assert "local" in str(solution.certificate)
    assert np.any(beta == 0.0)
    assert np.any(beta)
    here, rng = objective(beta, 0.1, q), np.random.default_rng(1)
    assert all(objective(beta + 1e-4 * rng.normal(size=5), 0.1, q) >= here - 1e-12 for _ in range(200))


def test_large_slopes_are_drawn_less_below_one():
    lasso = bridge_path(QUADRATIC, np.array([0.1]), 1.0).value.coefficients[0]
    half = bridge_path(QUADRATIC, np.array([0.1]), 0.5).value.coefficients[0]
    assert half[0] > lasso[0]

import numpy as np
import pytest

from credo.infer.proximal import centered_quadratic, debiased, elastic_net_path


def simulated(rng: np.random.Generator, n: int, d: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    beta = np.zeros(d)
    beta[:3] = [1.0, -0.5, 0.25]
    X = rng.normal(size=(n, d))
    X[:, 1:] += 0.5 * X[:, :-1]
    return X, X @ beta + rng.normal(size=n), beta


def test_the_bias_of_the_penalty_is_gone():
    X, y, beta = simulated(np.random.default_rng(0), 4000, 10)
    quadratic = centered_quadratic(X, y, np.ones(4000), intercept=True)
    lasso = elastic_net_path(quadratic, np.array([0.2])).value.coefficients[0]
    values, covariance = debiased(quadratic, lasso, 1.0)
    errors = np.sqrt(np.diagonal(covariance))
    assert np.max(np.abs(lasso - beta)[:2]) > 0.1
    assert np.max(np.abs(values - beta) / errors) < 4.0


@pytest.mark.slow
@pytest.mark.parametrize(("n", "d"), [(200, 20), (100, 150)])
def test_intervals_cover(n, d):
    rng, inside = np.random.default_rng(1), []
    for _ in range(200):
        X, y, beta = simulated(rng, n, d)
        quadratic = centered_quadratic(X, y, np.ones(n), intercept=True)
        path = elastic_net_path(quadratic, np.array([1.0 * np.sqrt(2 * np.log(d) / n)])).value
        variance = 2 * path.losses[0] * n / (n - path.degrees[0] - 1)
        values, covariance = debiased(quadratic, path.coefficients[0], variance)
        inside.append(np.abs(values - beta) <= 1.6449 * np.sqrt(np.diagonal(covariance)))
    assert 0.86 <= np.mean(inside) <= 0.95

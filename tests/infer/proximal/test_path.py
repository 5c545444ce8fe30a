from importlib import import_module

import numpy as np
import pytest
from sklearn.datasets import load_diabetes
from sklearn.linear_model import ElasticNet, Lasso, LinearRegression
from threadpoolctl import threadpool_info, threadpool_limits

from credo.infer.proximal import centered_quadratic, elastic_net_path, largest_penalty, penalty_grid

X, Y = load_diabetes(return_X_y=True)


def wide(n: int = 40, d: int = 700) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(3)
    A = rng.normal(size=(n, d))
    return A, A[:, :5] @ [3.0, -2.0, 1.0, 1.0, -1.0] + 0.3 * rng.normal(size=n)


@pytest.mark.parametrize("l1_ratio", [1.0, 0.5, 0.05])
@pytest.mark.parametrize("table", ["tall", "wide"])
def test_every_point_equals_scikit_learn(table, l1_ratio):
    A, y = (X, Y) if table == "tall" else wide()
    w = np.random.default_rng(0).integers(1, 4, size=len(y)).astype(float)
    quadratic = centered_quadratic(A, y, w, intercept=True)
    penalties = penalty_grid(quadratic, l1_ratio, 6, 1e-2)
    solution = elastic_net_path(quadratic, penalties, l1_ratio=l1_ratio)
    assert solution.certificate.converged
    assert solution.certificate.error < 1e-8
    path = solution.value
    assert not np.any(path.coefficients[0])
    assert np.any(path.coefficients[1])
    for i in (1, 3, 5):
        peer = ElasticNet(alpha=penalties[i], l1_ratio=l1_ratio, tol=1e-12, max_iter=200_000).fit(A, y, w)
        np.testing.assert_allclose(path.coefficients[i], peer.coef_, atol=2e-5 * np.max(np.abs(peer.coef_)))
        np.testing.assert_allclose(path.intercepts[i], peer.intercept_, rtol=1e-5)
        misses = y - A @ path.coefficients[i] - path.intercepts[i]
        np.testing.assert_allclose(path.losses[i], 0.5 * w @ misses**2 / np.sum(w), rtol=1e-9)


def test_the_gap_bounds_the_distance_to_the_minimum():
    quadratic = centered_quadratic(X, Y, np.ones(len(Y)), intercept=True)
    penalty = 0.1 * largest_penalty(quadratic, 1.0)
    path = elastic_net_path(quadratic, np.array([penalty])).value

    def objective(beta):
        return 0.5 * np.mean((Y - Y.mean() - (X - X.mean(axis=0)) @ beta) ** 2) + penalty * np.sum(np.abs(beta))

    loose = Lasso(alpha=penalty, tol=1e-12).fit(X, Y)
    above = objective(path.coefficients[0]) - objective(loose.coef_)
    assert above <= path.gaps[0] * 0.5 * np.var(Y) + 1e-9


def test_degrees_of_freedom_are_what_the_fit_follows_of_its_targets():
    # Σ dŷᵢ/dyᵢ by differences, at a penalty of both kinds (Zou, Hastie & Tibshirani 2007).
    rng = np.random.default_rng(1)
    A, y = rng.normal(size=(30, 6)), rng.normal(size=30)

    def fitted(targets):
        quadratic = centered_quadratic(A, targets, np.ones(30), intercept=False)
        return A @ elastic_net_path(quadratic, np.array([0.1]), l1_ratio=0.6).value.coefficients[0]

    step = 1e-6
    trace = sum((fitted(y + step * e)[i] - fitted(y - step * e)[i]) / (2 * step) for i, e in enumerate(np.eye(30)))
    quadratic = centered_quadratic(A, y, np.ones(30), intercept=False)
    np.testing.assert_allclose(
        elastic_net_path(quadratic, np.array([0.1]), l1_ratio=0.6).value.degrees[0], trace, rtol=1e-5
    )


def test_a_small_penalty_is_least_squares_and_order_does_not_matter():
    quadratic = centered_quadratic(X, Y, np.ones(len(Y)), intercept=True)
    down = elastic_net_path(quadratic, np.array([1.0, 0.1, 1e-7])).value
    up = elastic_net_path(quadratic, np.array([1e-7, 0.1, 1.0])).value
    np.testing.assert_allclose(down.coefficients, up.coefficients[::-1], atol=1e-5 * np.max(np.abs(down.coefficients)))
    np.testing.assert_allclose(down.coefficients[-1], LinearRegression().fit(X, Y).coef_, rtol=1e-3)


def test_targets_that_do_not_vary_have_no_slopes():
    quadratic = centered_quadratic(X, np.full(len(Y), 3.0), np.ones(len(Y)), intercept=True)
    path = elastic_net_path(quadratic, penalty_grid(quadratic, 1.0, 3, 0.1)).value
    assert not np.any(path.coefficients)
    np.testing.assert_allclose(path.intercepts, 3.0)
    np.testing.assert_array_equal(path.gaps, 0.0)


def test_steps_use_one_blas_thread(monkeypatch):
    """With several on a busy machine, waking them took a hundred times longer than the small products of a step."""
    module, threads = import_module("credo.infer.proximal.path"), []
    true = module.solve_active_set

    def recorded(*arguments, **options):
        threads.extend(pool["num_threads"] for pool in threadpool_info() if pool["user_api"] == "blas")
        return true(*arguments, **options)

    monkeypatch.setattr(module, "solve_active_set", recorded)
    rng = np.random.default_rng(0)
    quadratic = centered_quadratic(rng.normal(size=(20, 3)), rng.normal(size=20), np.ones(20), intercept=True)
    with threadpool_limits(2, user_api="blas"):
        elastic_net_path(quadratic, np.array([0.1, 0.01]))
    assert set(threads) == {1}

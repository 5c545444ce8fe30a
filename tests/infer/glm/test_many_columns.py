import numpy as np
import pytest
from scipy import special

from credo.errors import UndefinedError
from credo.infer.glm import FAMILIES, LINKS, GLMProblem, LinearDesign, fit_glm
from credo.infer.glm.many_columns import correct_many_columns, inflation_of, left_out_predictors


def fitted(X, y, w=None, *, intercept=True):
    design = LinearDesign(X, intercept, np.zeros(len(y)))
    w = np.ones(len(y)) if w is None else w
    found = fit_glm(GLMProblem(design, y, w, FAMILIES["bernoulli"], LINKS["logit"])).value
    return (design, found.coefficients, found.inverse_information, found.score, found.curvature), w


def simulated(rng, n, p, signal, intercept):
    """Columns of a moving average, the first half of them with slopes."""
    root = np.linalg.cholesky(0.5 ** np.abs(np.subtract.outer(np.arange(p), np.arange(p))))
    beta = np.where(np.arange(p) < p // 2, rng.normal(size=p), 0.0)
    beta *= signal / np.linalg.norm(root.T @ beta)
    X = rng.normal(size=(n, p)) @ root.T
    y = (rng.uniform(size=n) < special.expit(intercept + X @ beta)).astype(float)
    return X + 1.0, y, beta


def test_constants_of_sur_and_candes():
    """Their example of κ = 0.2 and γ² = 5: α = 1.4994, σ = 4.7436, λ = 3.0269."""
    spread = np.sqrt(5.0 * 1.4994**2 + 0.2 * 4.7436**2)
    found, weak = inflation_of(0.2, spread, None)
    np.testing.assert_allclose(found[:4], (1.4994, 4.7436, 3.0269, np.sqrt(5.0)), rtol=2e-4)
    assert not weak


def test_the_equations_hold_by_another_quadrature():
    """As they stand in the paper (eq. 5, without an intercept), by the trapezoidal rule over (Q₁, Q₂)."""
    ratio, spread = 0.15, 2.0
    alpha, sigma, step, gamma, _ = inflation_of(ratio, spread, None)[0]

    def proximal(z):
        t = z - step * special.expit(z)
        for _ in range(50):
            t -= (t + step * special.expit(t) - z) / (1.0 + step * special.expit(t) * special.expit(-t))
        return t

    grid = np.linspace(-8.0, 8.0, 321)  # of the trapezoidal rule, which is exact to rounding for what falls off so fast
    u, v = np.meshgrid(grid, grid)
    density = np.exp(-0.5 * (u * u + v * v)) / (2.0 * np.pi) * (grid[1] - grid[0]) ** 2
    q, t = gamma * u, proximal(-alpha * gamma * u + np.sqrt(ratio) * sigma * v)

    def average(function):
        return np.sum(density * function(q, t))

    rho = special.expit
    square = average(lambda q, t: 2.0 * rho(q) * (step * rho(t)) ** 2)
    np.testing.assert_allclose(square, ratio**2 * sigma**2, rtol=1e-6)
    np.testing.assert_allclose(average(lambda q, t: rho(q) * q * step * rho(t)), 0.0, atol=1e-6)
    kept = average(lambda q, t: 2.0 * rho(q) / (1.0 + step * rho(t) * rho(-t)))
    np.testing.assert_allclose(kept, 1.0 - ratio, rtol=1e-6)


def test_few_columns_need_no_correction():
    found, _ = inflation_of(1e-3, 1.0, 0.3)
    np.testing.assert_allclose((found.bias, found.signal, found.intercept), (1.0, 1.0, 0.3), rtol=5e-3)
    x = np.random.default_rng(0).normal(size=400_000)
    information = np.mean(special.expit(0.3 + x) * special.expit(-0.3 - x))
    # Across the signal's direction, σ is one over the root of the information a row.
    np.testing.assert_allclose(found.scatter, 1.0 / np.sqrt(information), rtol=0.01)


def test_a_spread_below_that_of_no_signal_is_none():
    found, weak = inflation_of(0.2, 0.5, None)
    assert weak
    assert found.signal < 0.01
    np.testing.assert_allclose(found.bias, inflation_of(0.2, 1.30, None)[0].bias, rtol=0.02)


def test_no_solution_is_refused():
    with pytest.raises(UndefinedError, match="no solution"):
        inflation_of(0.6, 3.0, None)  # above one half there is no maximum, whatever the signal


def test_predictors_without_a_row_are_those_of_refits():
    X, y, _ = simulated(np.random.default_rng(0), 150, 8, 1.0, 0.4)
    parts, _w = fitted(X, y)
    quick = left_out_predictors(*parts)
    for i in range(0, 150, 15):
        left, _ = fitted(np.delete(X, i, axis=0), np.delete(y, i))
        exact = left[1][0] + X[i] @ left[1][1:]
        assert abs(quick[i] - exact) < 0.15 * abs(parts[0].predictor(parts[1])[i] - exact) + 2e-3


def test_weights_count_rows():
    rng = np.random.default_rng(1)
    X, y, _ = simulated(rng, 300, 20, 1.0, 0.5)
    w = rng.integers(1, 3, 300)
    parts, weights = fitted(X, y, w.astype(float))
    weighted = correct_many_columns(*parts, weights).value
    parts, ones = fitted(np.repeat(X, w, axis=0), np.repeat(y, w))
    repeated = correct_many_columns(*parts, ones).value
    np.testing.assert_allclose(weighted.slopes, repeated.slopes, rtol=1e-6)
    np.testing.assert_allclose(weighted.covariance, repeated.covariance, rtol=1e-6, atol=1e-10)
    np.testing.assert_allclose(weighted.intercept, repeated.intercept, rtol=1e-6)


@pytest.mark.slow
@pytest.mark.parametrize(("intercept", "level"), [(True, 0.7), (False, 0.0)])
def test_slopes_and_coverage(intercept, level):
    """One column for five rows: without the correction slopes are a third too large, and intervals miss."""
    rng = np.random.default_rng(2)
    within, plain, slopes, raw, levels = [], [], [], [], []
    for _ in range(6):
        X, y, beta = simulated(rng, 1000, 200, 1.4, level)
        parts, w = fitted(X if intercept else X - 1.0, y, intercept=intercept)
        found, first = correct_many_columns(*parts, w).value, int(intercept)
        error, known = np.sqrt(np.diag(found.covariance)), np.sqrt(np.diag(parts[2]))[first:]
        within.append(np.mean(np.abs(found.slopes - beta) < 1.6449 * error))
        plain.append(np.mean(np.abs(parts[1][first:] - beta) < 1.6449 * known))
        slopes.append(found.slopes @ beta / (beta @ beta))
        raw.append(parts[1][first:] @ beta / (beta @ beta))
        levels.append(found.intercept + np.sum(found.slopes) * first)
    assert 0.87 < np.mean(within) < 0.93
    assert np.mean(plain) < 0.86
    assert abs(np.mean(slopes) - 1.0) < 0.08
    assert np.mean(raw) > 1.2
    assert abs(np.mean(levels) - level) < 0.15

"""Kernel ridge from one factor against the eigendecomposition, and against ridge on the columns themselves."""

import numpy as np
import pytest

from credo.infer.kernel_ridge import SpectralSolution, kernel_spectrum
from credo.infer.kernel_system import factored_solution
from credo.infer.ridge import ridge_spectrum

PENALTY = 0.3


def problem() -> tuple[np.ndarray, ...]:
    rng = np.random.default_rng(0)
    X, y, w = rng.normal(size=(12, 4)) + 2.0, rng.normal(size=12), rng.integers(1, 4, size=12).astype(float)
    return X, y, w, rng.normal(size=(3, 4))


@pytest.mark.parametrize("intercept", [True, False])
def test_everything_is_that_of_ridge_on_the_columns(intercept):
    """The covariance XXᵀ is singular, and rows have weights."""
    X, y, w, new = problem()
    fitted = factored_solution(X @ X.T, y, w, PENALTY, intercept=intercept)
    plain = ridge_spectrum(X, y[:, None], w, intercept=intercept)
    posterior = plain.posterior(PENALTY)
    cross, diagonal = new @ X.T, np.sum(new**2, axis=1)
    np.testing.assert_allclose(fitted.location(cross), posterior.location(new)[:, 0], rtol=1e-10)
    np.testing.assert_allclose(fitted.spread(cross, diagonal), posterior.spread(new), rtol=1e-9)
    np.testing.assert_allclose(fitted.degrees, plain.degrees(PENALTY), rtol=1e-10)
    np.testing.assert_allclose(fitted.loo_error, plain.loo_errors(np.array([PENALTY]))[0], rtol=1e-10)
    np.testing.assert_allclose(fitted.scatter, np.sum(plain.residuals(PENALTY) ** 2), rtol=1e-10)
    np.testing.assert_allclose(fitted.paid, PENALTY * np.sum(posterior.coefficients**2), rtol=1e-9)


@pytest.mark.parametrize("penalty", [1e3, 1.0, 1e-4])
def test_both_solutions_agree_at_any_size_of_the_penalty(penalty):
    rng = np.random.default_rng(1)
    X, y, w = rng.normal(size=(60, 2)), rng.normal(size=60), rng.uniform(0.5, 2.0, size=60)
    K = np.exp(-0.5 * np.sum((X[:, None] - X) ** 2, axis=2))
    factored = factored_solution(K, y, w, penalty, intercept=True)
    spectral = SpectralSolution.of(*kernel_spectrum(K, y, w, intercept=True), penalty)
    for name in ("degrees", "loo_error", "scatter", "paid"):
        np.testing.assert_allclose(getattr(factored, name), getattr(spectral, name), rtol=1e-8, err_msg=name)
    np.testing.assert_allclose(factored.location(K), spectral.location(K), rtol=1e-7, atol=1e-9)
    np.testing.assert_allclose(factored.spread(K, np.ones(60)), spectral.spread(K, np.ones(60)), rtol=1e-7)
    assert spectral.condition <= factored.condition <= 60 * spectral.condition


def test_a_penalty_below_the_rounding_of_the_covariance_is_left_to_the_eigenvalues():
    X, y, w, _ = problem()
    assert factored_solution(X @ X.T, y, w, 1e-12, intercept=True) is None

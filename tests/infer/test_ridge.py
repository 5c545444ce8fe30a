"""Ridge in closed form against the normal equations, refits without a row, and scikit-learn's choice."""

import numpy as np
import pytest

from credo.infer.ridge import ridge_path, ridge_spectrum

rng = np.random.default_rng(0)
TALL = rng.normal(size=(30, 4)) * [1.0, 10.0, 0.1, 1.0] + 3.0
WIDE = rng.normal(size=(8, 20))


def normal_equations(X, y, w, penalty, intercept):
    center = intercept * np.average(X, axis=0, weights=w)
    level = intercept * np.average(y, axis=0, weights=w)
    A = X - center
    slopes = np.linalg.solve(A.T @ (w[:, None] * A) + penalty * np.eye(X.shape[1]), A.T @ (w[:, None] * (y - level)))
    return slopes, level - center @ slopes


@pytest.mark.parametrize("intercept", [True, False])
@pytest.mark.parametrize("X", [TALL, WIDE], ids=["tall", "wide"])
def test_slopes_and_hat_matrix(X, intercept):
    n = len(X)
    y, w = rng.normal(size=(n, 2)), rng.integers(1, 4, n).astype(float)
    spectrum = ridge_spectrum(X, y, w, intercept=intercept)
    slopes, alpha = normal_equations(X, y, w, 0.7, intercept)
    np.testing.assert_allclose(spectrum.coefficients(0.7), slopes, rtol=1e-9)
    posterior = spectrum.posterior(0.7)
    np.testing.assert_allclose(posterior.location(X), alpha + X @ slopes, rtol=1e-9)
    A = X - intercept * np.average(X, axis=0, weights=w)
    inverse = np.linalg.inv(A.T @ (w[:, None] * A) + 0.7 * np.eye(X.shape[1]))
    spread = np.einsum("ij,jk,ik->i", A, inverse, A) + intercept / w.sum()
    np.testing.assert_allclose(posterior.spread(X), spread, rtol=1e-9)
    np.testing.assert_allclose(spectrum.leverages(0.7), spread, rtol=1e-9)
    np.testing.assert_allclose(spectrum.degrees(0.7), w @ spread, rtol=1e-9)
    np.testing.assert_allclose(spectrum.residuals(0.7), np.sqrt(w)[:, None] * (y - alpha - X @ slopes), atol=1e-9)


def test_leave_one_out_is_the_error_of_a_refit_without_one_repeat():
    y, w = rng.normal(size=(30, 1)), rng.integers(1, 4, 30).astype(float)
    spectrum = ridge_spectrum(TALL, y, w, intercept=True)
    for i in (0, 7, 29):
        less = w.copy()
        less[i] -= 1.0
        kept = less > 0
        slopes, alpha = normal_equations(TALL[kept], y[kept], less[kept], 2.0, True)
        # The penalty is on the same scale; the intercept is refitted too.
        expected = y[i] - alpha - TALL[i] @ slopes
        np.testing.assert_allclose(spectrum.leave_one_out(2.0)[i], expected, rtol=1e-9)


def test_the_best_penalty_is_no_worse_than_any_of_a_fine_grid():
    X = rng.normal(size=(40, 10))
    y = (X[:, 0] + rng.normal(size=40))[:, None]
    spectrum = ridge_spectrum(X, y, np.ones(40), intercept=True)
    for errors in (spectrum.loo_errors, spectrum.gcv_errors):
        best = spectrum.best(errors)
        assert errors(np.array([best]))[0] <= np.min(errors(np.geomspace(1e-4, 1e5, 400))) * (1 + 1e-9)


def test_no_penalty_is_least_squares_and_a_large_one_is_the_mean():
    y = rng.normal(size=(30, 1))
    spectrum = ridge_spectrum(TALL, y, np.ones(30), intercept=True)
    expected = np.linalg.lstsq(np.column_stack([np.ones(30), TALL]), y)[0]
    np.testing.assert_allclose(spectrum.coefficients(0.0), expected[1:], rtol=1e-9)
    np.testing.assert_allclose(spectrum.degrees(0.0), 5.0)
    np.testing.assert_allclose(spectrum.posterior(1e12).location(TALL), y.mean(), atol=1e-6)


def test_variances_shrink_most_where_the_rows_say_least():
    spectrum = ridge_spectrum(TALL, rng.normal(size=(30, 1)), np.ones(30), intercept=True)
    ratio = spectrum.variances(1.0) * spectrum.singular**2
    assert np.all(np.diff(ratio) < 0)
    np.testing.assert_allclose(spectrum.variances(0.0), 1.0 / spectrum.singular**2)


def test_columns_without_variation_are_left_alone():
    X = np.column_stack([np.ones(10), np.zeros(10)])
    spectrum = ridge_spectrum(X, rng.normal(size=(10, 1)), np.ones(10), intercept=True)
    np.testing.assert_array_equal(spectrum.coefficients(1.0), 0.0)
    assert spectrum.best(spectrum.loo_errors) == 0.0


def test_a_path_is_what_each_penalty_gives():
    rng = np.random.default_rng(5)
    X, y, w = rng.normal(size=(20, 3)), rng.normal(size=(20, 2)), rng.integers(1, 3, size=20).astype(float)
    spectrum = ridge_spectrum(X, y, w, intercept=True)
    path = ridge_path(spectrum, np.array([0.1, 1.0, 10.0]))
    np.testing.assert_allclose(path.coefficients[1], spectrum.coefficients(1.0))
    np.testing.assert_allclose(path.intercepts[2] + X @ path.coefficients[2], spectrum.posterior(10.0).location(X))
    np.testing.assert_allclose(
        path.loo, [w @ np.sum(spectrum.leave_one_out(a) ** 2, axis=1) / np.sum(w) for a in (0.1, 1.0, 10.0)]
    )
    rest = 1.0 - path.degrees / np.sum(w)
    squared = [np.sum(spectrum.residuals(a) ** 2) for a in (0.1, 1.0, 10.0)]
    np.testing.assert_allclose(path.gcv, squared / np.sum(w) / rest**2)
    assert path.best("loo") == int(np.argmin(path.loo))
    squares = w @ (y - path.intercepts[0] - X @ path.coefficients[0]) ** 2
    n = np.sum(w)
    deviance = np.sum(n * (np.log(2 * np.pi * squares / n) + 1))
    np.testing.assert_allclose(path.aic[0], deviance + 2 * 2 * spectrum.degrees(0.1))
    np.testing.assert_allclose(path.bic[0], deviance + np.log(n) * 2 * spectrum.degrees(0.1))


def test_a_small_penalty_does_not_blow_up_rounding():
    """Rows far apart span every direction: what lies beyond is nothing, and not the rounding of large squares."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(30, 3)) * [1.0, 1.0, 1e5]
    posterior = ridge_spectrum(X, X[:, :1], np.ones(30), intercept=True).posterior(1e-6)
    centered = X - X.mean(axis=0)
    scale = np.array([1.0, 1.0, 1e5])
    inverse = np.linalg.inv((centered / scale).T @ (centered / scale) + np.diag(1e-6 / scale**2))
    expected = np.einsum("ij,jk,ik->i", centered / scale, inverse, centered / scale) + 1 / 30
    np.testing.assert_allclose(posterior.spread(X), expected, rtol=1e-10)


@pytest.mark.parametrize("intercept", [True, False])
@pytest.mark.parametrize("shape", [(40, 2000), (3000, 30)])
def test_one_short_side_needs_no_singular_value_decomposition(shape, intercept, monkeypatch):
    """Eigenvectors of the smaller Gram matrix give what the normal equations of the whole table do."""
    rng = np.random.default_rng(8)
    X, y = 3.0 + rng.normal(size=shape), rng.normal(size=(shape[0], 1))
    w, new = rng.uniform(0.5, 2.0, shape[0]), rng.normal(size=(4, shape[1]))
    with monkeypatch.context() as patched:
        patched.setattr("scipy.linalg.svd", None)
        spectrum = ridge_spectrum(X, y, w, intercept=intercept)
    center = intercept * np.average(X, axis=0, weights=w)
    A, t = np.sqrt(w)[:, None] * (X - center), np.sqrt(w)[:, None] * (y - intercept * np.average(y[:, 0], weights=w))
    inverse = np.linalg.inv(A.T @ A + 0.7 * np.eye(shape[1]))
    np.testing.assert_allclose(spectrum.coefficients(0.7), inverse @ A.T @ t, rtol=1e-8, atol=1e-12)
    np.testing.assert_allclose(spectrum.degrees(0.7), np.trace(A @ inverse @ A.T) + intercept, rtol=1e-9)
    offsets = new - center
    expected = np.sum(offsets @ inverse * offsets, axis=1) + intercept / np.sum(w)
    np.testing.assert_allclose(spectrum.posterior(0.7).spread(new), expected, rtol=1e-8)
    directions = spectrum.directions
    np.testing.assert_allclose(directions.T @ directions, np.eye(directions.shape[1]), atol=1e-11)


def test_rows_that_nearly_repeat_are_decomposed_to_their_last_digits():
    """Squared, their singular value of 1e-9 would drown in rounding."""
    rng = np.random.default_rng(9)
    X, y = rng.normal(size=(40, 2000)), rng.normal(size=(40, 1))
    X[1] = X[0] + 1e-9 * rng.normal(size=2000)
    spectrum = ridge_spectrum(X, y, np.ones(40), intercept=True)
    assert len(spectrum.singular) == 39
    centered = X - X.mean(axis=0)
    np.testing.assert_allclose(spectrum.singular, np.linalg.svd(centered)[1][:39], rtol=1e-4)

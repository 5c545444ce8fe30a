"""Kernel ridge against scikit-learn, a Gaussian process at the same numbers, and brute-force leave-one-out."""

import numpy as np
import pytest
from sklearn import kernel_ridge

from credo import load, save
from credo.kernels import RBF, Linear, Matern32
from credo.models import GPRegressor, KernelRidge, Ridge

RNG = np.random.default_rng(0)
X = RNG.normal(size=(40, 2))
Y = np.sin(2.0 * X[:, 0]) + X[:, 1] + 0.1 * RNG.normal(size=40)


def test_fitted_values_are_those_of_scikit_learn():
    w = RNG.uniform(0.5, 2.0, size=40)
    model = KernelRidge(kernel=RBF(lengthscale=0.8), alpha=0.3, fit_intercept=False).fit(X, Y, sample_weight=w)
    peer = kernel_ridge.KernelRidge(kernel="rbf", gamma=0.5 / 0.8**2, alpha=0.3).fit(X, Y, sample_weight=w)
    new = RNG.normal(size=(7, 2))
    np.testing.assert_allclose(model.predict(new), peer.predict(new), rtol=1e-8)


def test_belief_is_that_of_a_gaussian_process_but_for_the_noise():
    model = KernelRidge(kernel=Matern32(lengthscale=1.2), alpha=0.2, fit_intercept=False).fit(X, Y)
    new = RNG.normal(size=(6, 2))
    belief = model.predict_dist(new)
    process = GPRegressor(
        kernel=Matern32(lengthscale=1.2), noise_variance=0.2, inference=None, standardize=False, mean="zero"
    ).fit(X, Y)
    other = process.predict_dist(new)
    np.testing.assert_allclose(belief.mean, other.mean, rtol=1e-6)
    degrees = 40 - model.effective_degrees_
    noise = model.scatter_ / degrees
    np.testing.assert_allclose(np.asarray(belief.scale) ** 2 / noise, np.asarray(other.variance) / 0.2, rtol=1e-6)


def test_leave_one_out_is_what_a_loop_gives():
    model = KernelRidge(kernel=RBF(), alpha=0.5).fit(X, Y)
    errors = []
    for i in range(40):
        rest = np.arange(40) != i
        errors.append(Y[i] - KernelRidge(kernel=RBF(), alpha=0.5).fit(X[rest], Y[rest]).predict(X[i : i + 1])[0])
    np.testing.assert_allclose(model.loo_error_, np.mean(np.square(errors)), rtol=1e-8)
    chosen = KernelRidge(kernel=RBF()).fit(X, Y)
    assert chosen.loo_error_ <= model.loo_error_
    assert "chosen" in str(chosen.certificate_)


def test_a_linear_kernel_is_ridge():
    model = KernelRidge(kernel=Linear(), alpha=2.0).fit(X, Y)
    ridge = Ridge(alpha=2.0).fit(X, Y)
    np.testing.assert_allclose(model.predict(X), ridge.predict(X), rtol=1e-8)
    np.testing.assert_allclose(model.predict_interval(X[:4]), ridge.predict_interval(X[:4]), rtol=1e-8)


@pytest.mark.parametrize("rows", [12, 25, 60])
def test_targets_without_noise_have_finite_intervals_that_cover(rows):
    """Their penalty is next to nothing, no residual degree of freedom is left, and intervals were infinite."""
    covered, widths = [], []
    for seed in range(12):
        rng = np.random.default_rng(seed)
        inner, new = rng.uniform(-1.0, 1.0, size=(rows, 2)), rng.uniform(-1.0, 1.0, size=(50, 2))
        shape = (lambda Z: np.sin(3.0 * Z[:, 0])) if seed % 2 else (lambda Z: Z[:, 0] + 2.0 * Z[:, 1] ** 2)
        model = KernelRidge().fit(inner, shape(inner))
        low, high = model.predict_interval(new)
        covered.append((low <= shape(new)) & (shape(new) <= high))
        widths.append(np.median(high - low))
    assert np.all(np.isfinite(widths))
    assert np.median(widths) < 1.0  # the functions span two to three
    assert np.mean(covered) > 0.8


def test_a_small_penalty_has_the_interval_of_a_gaussian_process_of_that_amplitude():
    """Zero residual degrees: the noise is that of the prior, (squares + penalty) over the rows less the intercept."""
    kernel = RBF(lengthscale=1.0)
    model = KernelRidge(kernel=kernel, alpha=1e-6).fit(X, Y)
    K = np.asarray(kernel(X, X))
    H = np.eye(40) - 1.0 / 40
    weights = H @ np.linalg.solve(H @ K @ H + 1e-6 * np.eye(40), H @ Y)
    objective = (H @ Y) @ weights * 1e-6  # squares + penalty at the minimum
    degrees = 40 - model.effective_degrees_
    few = 1.0 - degrees / (39 / 4)
    assert 0.0 < few < 1.0
    residuals = model.scatter_ / degrees
    noise = residuals + few * max(objective / 39 - residuals, 0.0)
    belief = model.predict_dist(X[:5])
    assert float(belief.df[0]) == 39 / 4
    np.testing.assert_allclose(np.asarray(belief.budget.noise), noise * (39 / 4) / (39 / 4 - 2.0), rtol=1e-4)


def test_a_given_penalty_needs_no_eigenvalues(monkeypatch):
    """They cost twenty times the factor, and nine times all of scikit-learn's fit at 3000 rows."""

    def refuse(*_):
        raise AssertionError("an eigendecomposition was made")

    chosen = KernelRidge().fit(X, Y)
    monkeypatch.setattr(np.linalg, "eigh", refuse)
    given = KernelRidge(alpha=chosen.alpha_).fit(X, Y)
    np.testing.assert_allclose(given.predict_interval(X), chosen.predict_interval(X), rtol=1e-7)
    np.testing.assert_allclose(given.effective_degrees_, chosen.effective_degrees_, rtol=1e-8)
    np.testing.assert_allclose(given.loo_error_, chosen.loo_error_, rtol=1e-8)
    np.testing.assert_allclose(given.intercept_, chosen.intercept_, rtol=1e-8)


def test_a_penalty_next_to_nothing_interpolates():
    """Its factor would lose all digits; the eigenvalues leave out what is rounding."""
    model = KernelRidge(kernel=RBF(), alpha=1e-14).fit(X, Y)
    np.testing.assert_allclose(model.predict(X), Y, atol=1e-4)


def test_leave_one_out_is_the_same_from_a_file(tmp_path):
    """It is computed when it is first used, from what the file holds."""
    model = KernelRidge(kernel=RBF(), alpha=0.5).fit(X, Y)
    save(model, tmp_path / "model.credo")
    loaded = load(tmp_path / "model.credo")
    assert loaded.loo_error_ == model.loo_error_
    assert loaded.effective_degrees_ == model.effective_degrees_

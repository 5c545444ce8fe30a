"""Laplace's method for binary labels against dense algebra, quadrature, finite differences and scikit-learn."""

from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from scipy import optimize
from sklearn.gaussian_process import GaussianProcessClassifier
from sklearn.gaussian_process.kernels import RBF, ConstantKernel

from credo.errors import InputError, NumericalError
from credo.infer import LogitLikelihood, ProbitLikelihood, laplace_binary
from credo.numerics import CONVERGED, FAILED, STOPPED, gauss_normal, minimize, tensor_rule
from labelled_rows import LABELS, POINTS, SHIFT, THETA, WEIGHTS, N, a_covariance

RNG = np.random.default_rng(5)
EACH = pytest.mark.parametrize("likelihood", [LogitLikelihood(), ProbitLikelihood()], ids=["logit", "probit"])


@partial(jax.jit, static_argnums=0)
def fit(likelihood, theta, labels, weights, shift):
    return laplace_binary(a_covariance(theta), labels, weights=weights, mean=theta[2] * shift, likelihood=likelihood)


def evidence(likelihood, theta):
    return fit(likelihood, theta, LABELS, WEIGHTS, SHIFT).log_evidence


slopes = jax.jit(jax.grad(evidence, argnums=1), static_argnums=0)


def differences(function, theta, step=1e-5):
    return np.stack([(function(theta + h) - function(theta - h)) / (2 * step) for h in step * np.eye(len(theta))])


@EACH
def test_mode_and_evidence_are_those_of_dense_algebra(likelihood):
    """ψ is minimized by SciPy in f itself, and log|K| + log|K⁻¹ + W| is taken apart; no weight is zero here."""
    weights = np.where(WEIGHTS > 0, WEIGHTS, 1.5)
    covariance = np.asarray(a_covariance(THETA)) + 1e-3 * np.eye(N)
    inverse = np.linalg.inv(covariance)

    def negative(f):
        return float(0.5 * f @ inverse @ f - weights @ np.asarray(likelihood.log_prob(LABELS, f)))

    def downhill(f):
        return inverse @ f - weights * np.asarray(likelihood.derivatives(LABELS, f).first)

    wanted = optimize.minimize(negative, np.zeros(N), jac=downhill, method="BFGS", options={"gtol": 1e-10}).x
    found = laplace_binary(covariance, LABELS, weights=weights, likelihood=likelihood)
    np.testing.assert_allclose(found.mean, wanted, atol=1e-7)
    precision = -weights * np.asarray(likelihood.derivatives(LABELS, wanted).second)
    np.testing.assert_allclose(found.precision, precision, rtol=1e-6)
    log_det = np.linalg.slogdet(covariance)[1] + np.linalg.slogdet(inverse + np.diag(precision))[1]
    np.testing.assert_allclose(found.log_evidence, -negative(wanted) - 0.5 * log_det, rtol=1e-8)
    belief = found.predict(covariance, np.diag(covariance))
    np.testing.assert_allclose(belief.mean, wanted, atol=1e-7)
    np.testing.assert_allclose(belief.variance, np.diag(np.linalg.inv(inverse + np.diag(precision))), rtol=1e-6)
    assert found.info.status == CONVERGED


@EACH
def test_evidence_is_close_to_the_integral(likelihood):
    covariance = np.array([[1.5, 0.9, 0.3], [0.9, 1.5, 0.9], [0.3, 0.9, 1.5]])
    labels = np.array([0, 1, 1])
    rule = tensor_rule([gauss_normal(40)] * 3)
    latent = rule.nodes @ np.linalg.cholesky(covariance).T
    exact = np.log(rule.weights @ np.exp(np.asarray(likelihood.log_prob(labels, latent)).sum(axis=1)))
    assert laplace_binary(covariance, labels, likelihood=likelihood).log_evidence == pytest.approx(exact, abs=0.1)


@EACH
def test_evidence_has_the_slope_of_its_differences(likelihood):
    found = slopes(likelihood, THETA)
    np.testing.assert_allclose(found, differences(lambda t: evidence(likelihood, t), THETA), rtol=1e-6, atol=1e-9)


def test_other_modes_and_orders_of_differentiation_agree():
    likelihood = LogitLikelihood()
    forward = jax.jacfwd(evidence, argnums=1)(likelihood, THETA)
    np.testing.assert_allclose(forward, slopes(likelihood, THETA), rtol=1e-10)
    curvature = jax.jacfwd(slopes, argnums=1)(likelihood, THETA)
    wanted = differences(lambda t: slopes(likelihood, t), THETA)
    np.testing.assert_allclose(curvature, wanted, rtol=1e-5, atol=1e-8)


def test_predictions_have_the_right_derivatives():
    def summary(theta):
        belief = fit(LogitLikelihood(), theta, LABELS, WEIGHTS, SHIFT).predict(
            a_covariance(theta)[:2], jnp.exp(theta[0])
        )
        return jnp.concatenate(belief)

    found = jax.jit(jax.jacrev(summary))(THETA)
    np.testing.assert_allclose(found.T, differences(jax.jit(summary), THETA), rtol=1e-5, atol=1e-8)


def negative_evidence(theta, shared, own):
    return -fit(LogitLikelihood(), jnp.append(theta, 0.0), shared, jnp.ones(N), SHIFT).log_evidence


def test_minimizer_finds_the_best_of_a_grid():
    labels = np.array([0.0, 0, 0, 1, 0, 1, 1, 1])  # one label against the order, so that no end of the range is best
    bounds = np.array([[-2.0, 5.0], [-2.0, 2.0]])
    solution = minimize(
        negative_evidence, np.array([[0.0, 0.0], [2.0, 1.0]]), shared=labels, bounds=bounds, tolerance=1e-6
    )
    grid = np.stack(np.meshgrid(np.linspace(-2, 5, 15), np.linspace(-2, 2, 13)), axis=-1).reshape(-1, 2)
    values = jax.jit(jax.vmap(negative_evidence, in_axes=(0, None, None)))(grid, labels, None)
    assert solution.value.value <= np.min(values) + 1e-9
    np.testing.assert_allclose(values[7], negative_evidence(grid[7], labels, None), rtol=1e-10)


@EACH
def test_rows_of_weight_zero_are_inert_whatever_they_hold(likelihood):
    covariance, labels, mean = np.asarray(a_covariance(THETA)).copy(), LABELS.copy(), THETA[2] * SHIFT
    kept = WEIGHTS > 0
    alone = laplace_binary(
        covariance[np.ix_(kept, kept)], labels[kept], weights=WEIGHTS[kept], mean=mean[kept], likelihood=likelihood
    )
    covariance[~kept, :] = covariance[:, ~kept] = np.nan
    labels[~kept] = 77.0
    padded = laplace_binary(covariance, labels, weights=WEIGHTS, mean=mean, likelihood=likelihood)
    np.testing.assert_allclose(padded.log_evidence, alone.log_evidence, rtol=1e-12)
    np.testing.assert_allclose(padded.mean[kept], alone.mean, atol=1e-10)
    cross = np.exp(-np.abs(RNG.normal(size=(3, N))))
    for a, b in zip(padded.predict(cross, 3.0), alone.predict(cross[:, kept], 3.0), strict=True):
        np.testing.assert_allclose(a, b, atol=1e-10)


@EACH
def test_a_weight_is_a_row_repeated(likelihood):
    counts = np.array([2, 0, 3, 1, 0, 1, 1, 0])  # eight rows again: one shape is compiled
    rows = np.repeat(np.arange(N), counts)
    covariance = np.asarray(a_covariance(THETA))
    weighted = laplace_binary(covariance, LABELS, weights=counts, mean=SHIFT, likelihood=likelihood)
    repeated = laplace_binary(
        covariance[np.ix_(rows, rows)], LABELS[rows], weights=np.ones(N), mean=SHIFT[rows], likelihood=likelihood
    )
    np.testing.assert_allclose(weighted.log_evidence, repeated.log_evidence, rtol=1e-10)
    np.testing.assert_allclose(weighted.mean[rows], repeated.mean, atol=1e-8)
    a, b = weighted.predict(covariance[:2], np.diag(covariance)[:2]), repeated.predict(covariance[:2, rows], np.e)
    np.testing.assert_allclose(a.variance, b.variance, rtol=1e-8)


@EACH
@pytest.mark.parametrize("scale", [1e4, 1e8, 0.0])
def test_extreme_covariances_stay_finite(likelihood, scale):
    for labels in ((POINTS > 0).astype(float), LABELS, np.ones(N)):
        covariance = scale * np.asarray(a_covariance(THETA))
        found = laplace_binary(covariance, labels, likelihood=likelihood)
        assert found.info.status == CONVERGED
        assert np.isfinite(found.log_evidence)
        assert np.all(np.isfinite(np.concatenate(found.predict(covariance, np.diag(covariance)))))
    slope = jax.grad(lambda s: laplace_binary(s * covariance, labels, likelihood=likelihood).log_evidence)(1.0)
    assert np.isfinite(slope)


def test_agrees_with_scikit_learn():
    kernel = ConstantKernel(np.exp(THETA[0])) * RBF(np.exp(THETA[1]))
    peer = GaussianProcessClassifier(kernel, optimizer=None).fit(POINTS[:, None], LABELS)
    new = np.linspace(-4, 4, 5)
    found = laplace_binary(a_covariance(THETA), LABELS, weights=np.ones(N), likelihood=LogitLikelihood())
    np.testing.assert_allclose(found.log_evidence, peer.log_marginal_likelihood_value_, rtol=1e-8)
    belief = found.predict(np.asarray(kernel(new[:, None], POINTS[:, None])), kernel.diag(new[:, None]))
    ours = LogitLikelihood().probability(*belief).mean
    # scikit-learn replaces the logistic function by five error functions; the integral is ours to 1e-11.
    np.testing.assert_allclose(ours, peer.predict_proba(new[:, None])[:, 1], atol=1e-3)


def test_stopping_early_is_said():
    found = laplace_binary(a_covariance(THETA), LABELS, max_iterations=1)
    assert found.info.status == STOPPED
    assert found.info.residual > 1e-3


def test_what_has_no_answer_is_refused_or_marked():
    indefinite = np.eye(N) - 100.0 * np.outer(SHIFT, SHIFT) * (1 - np.eye(N))
    with pytest.raises(NumericalError, match="laplace_binary: there is no finite evidence"):
        laplace_binary(indefinite, LABELS)
    with pytest.raises(InputError, match="labels other than 0 to 1"):
        laplace_binary(np.eye(N), 2.0 * LABELS)
    jitted = jax.jit(jax.value_and_grad(lambda k: laplace_binary(k, LABELS).log_evidence))
    value, slope = jitted(jnp.asarray(indefinite))
    assert np.isneginf(value)
    np.testing.assert_array_equal(slope, 0.0)
    assert jax.jit(lambda k: laplace_binary(k, LABELS).info.status)(jnp.asarray(indefinite)) == FAILED

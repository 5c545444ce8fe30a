"""Laplace's method for classes against dense algebra over all C n latent values, and against its binary case."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from scipy import optimize
from scipy.special import log_softmax, softmax

from credo.errors import InputError, NumericalError
from credo.infer import laplace_binary, laplace_softmax
from credo.numerics import CONVERGED, FAILED, STOPPED

N, C = 6, 3
RNG = np.random.default_rng(2)
POINTS = np.sort(RNG.uniform(-3, 3, size=N))
LABELS = np.array([0, 1, 0, 2, 2, 1])
WEIGHTS = np.array([1.0, 2.0, 0.5, 0.0, 3.0, 1.0])
SHIFT = RNG.normal(size=(N, C))
THETA = np.array([1.2, 0.1, 0.6])  # log variance, log length-scale, size of the prior mean


def a_covariance(theta, points=POINTS):
    return jnp.exp(theta[0] - 0.5 * ((points[:, None] - points) / jnp.exp(theta[1])) ** 2)


@jax.jit
def fit(theta, weights):
    return laplace_softmax(a_covariance(theta), LABELS, C, weights=weights, mean=theta[2] * SHIFT)


def evidence(theta):
    return fit(theta, WEIGHTS).log_evidence


slopes = jax.jit(jax.grad(evidence))


def differences(function, theta, step=1e-5):
    return np.stack([(function(theta + h) - function(theta - h)) / (2 * step) for h in step * np.eye(len(theta))])


def test_mode_evidence_and_belief_are_those_of_dense_algebra():
    """All C n latent values in one vector, class by class, with the whole W; SciPy finds the mode."""
    weights = np.where(WEIGHTS > 0, WEIGHTS, 1.0)
    covariance, prior = np.asarray(a_covariance(THETA)), THETA[2] * SHIFT
    inverse = np.kron(np.eye(C), np.linalg.inv(covariance))
    one_hot = np.eye(C)[LABELS]

    def negative(f):
        away, latent = f - prior.T.ravel(), f.reshape(C, N).T
        return 0.5 * away @ inverse @ away - np.sum(weights[:, None] * one_hot * log_softmax(latent, axis=1))

    def downhill(f):
        residual = weights[:, None] * (one_hot - softmax(f.reshape(C, N).T, axis=1))
        return inverse @ (f - prior.T.ravel()) - residual.T.ravel()

    mode = optimize.minimize(negative, np.zeros(N * C), jac=downhill, method="BFGS", options={"gtol": 1e-9}).x
    pi = softmax(mode.reshape(C, N).T, axis=1)
    w = np.block([[np.diag(weights * pi[:, c] * ((c == d) - pi[:, d])) for d in range(C)] for c in range(C)])
    joint = np.linalg.inv(inverse + w)
    log_det = np.linalg.slogdet(np.eye(N * C) + np.kron(np.eye(C), covariance) @ w)[1]

    found = fit(THETA, weights)
    np.testing.assert_allclose(found.mean, mode.reshape(C, N).T, atol=1e-6)
    np.testing.assert_allclose(found.log_evidence, -negative(mode) - 0.5 * log_det, rtol=1e-9)
    belief = found.predict(covariance, np.diag(covariance), prior)
    np.testing.assert_allclose(belief.mean, found.mean, atol=1e-10)
    np.testing.assert_allclose(belief.covariance, [joint[i::N, i::N] for i in range(N)], atol=1e-6)
    assert found.info.status == CONVERGED


def test_two_classes_are_the_binary_case():
    """The difference of two latent functions of covariance K is one of covariance 2 K, and the softmax its logistic."""
    covariance, labels = np.asarray(a_covariance(THETA)), (LABELS > 0).astype(int)
    two = laplace_softmax(covariance, labels, 2, weights=WEIGHTS)
    one = laplace_binary(2.0 * covariance, labels, weights=WEIGHTS)
    np.testing.assert_allclose(two.log_evidence, one.log_evidence, rtol=1e-10)
    cross = np.exp(-np.abs(RNG.normal(size=(4, N))))
    (mean, joint), (single, variance) = two.predict(cross, 9.0), one.predict(2.0 * cross, 18.0)
    np.testing.assert_allclose(mean[:, 1] - mean[:, 0], single, atol=1e-8)
    np.testing.assert_allclose(joint @ np.array([-1.0, 1.0]) @ np.array([-1.0, 1.0]), variance, rtol=1e-7)


@pytest.mark.slow
def test_first_and_second_derivatives_are_those_of_differences():
    found = slopes(THETA)
    np.testing.assert_allclose(found, differences(evidence, THETA), rtol=1e-6, atol=1e-9)
    np.testing.assert_allclose(jax.jacfwd(slopes)(THETA), differences(slopes, THETA), rtol=1e-5, atol=1e-8)


def test_mode_has_the_right_derivative():
    found = jax.jit(jax.jacfwd(lambda t: fit(t, WEIGHTS).mean))(THETA)
    wanted = differences(lambda t: fit(t, WEIGHTS).mean, THETA)
    np.testing.assert_allclose(np.moveaxis(found, -1, 0), wanted, rtol=1e-5, atol=1e-8)


def test_vmap_is_one_after_the_other():
    thetas = THETA + 0.3 * RNG.normal(size=(3, 3))
    together = jax.jit(jax.vmap(jax.value_and_grad(evidence)))(thetas)
    np.testing.assert_allclose(together[0], [evidence(t) for t in thetas], rtol=1e-10)
    np.testing.assert_allclose(together[1], [slopes(t) for t in thetas], rtol=1e-8)


def test_rows_of_weight_zero_are_inert_whatever_they_hold():
    covariance, mean = np.asarray(a_covariance(THETA)).copy(), THETA[2] * SHIFT
    kept = WEIGHTS > 0
    alone = laplace_softmax(covariance[np.ix_(kept, kept)], LABELS[kept], C, weights=WEIGHTS[kept], mean=mean[kept])
    covariance[~kept, :] = covariance[:, ~kept] = np.nan
    padded = laplace_softmax(covariance, np.where(kept, LABELS, 99), C, weights=WEIGHTS, mean=mean)
    np.testing.assert_allclose(padded.log_evidence, alone.log_evidence, rtol=1e-12)
    cross = np.exp(-np.abs(RNG.normal(size=(4, N))))
    for a, b in zip(padded.predict(cross, 9.0), alone.predict(cross[:, kept], 9.0), strict=True):
        np.testing.assert_allclose(a, b, atol=1e-10)


def test_a_weight_is_a_row_repeated():
    counts = np.array([2, 0, 3, 1, 0, 0])  # six rows again: one shape is compiled
    rows = np.repeat(np.arange(N), counts)
    covariance = np.asarray(a_covariance(THETA))
    weighted = laplace_softmax(covariance, LABELS, C, weights=counts, mean=SHIFT)
    repeated = laplace_softmax(covariance[np.ix_(rows, rows)], LABELS[rows], C, weights=np.ones(N), mean=SHIFT[rows])
    np.testing.assert_allclose(weighted.log_evidence, repeated.log_evidence, rtol=1e-10)
    np.testing.assert_allclose(weighted.mean[rows], repeated.mean, atol=1e-8)
    cross = np.exp(-np.abs(RNG.normal(size=(4, N))))
    a, b = weighted.predict(cross, 9.0), repeated.predict(cross[:, rows], 9.0)
    np.testing.assert_allclose(a.covariance, b.covariance, atol=1e-8)


@pytest.mark.parametrize("scale", [1e4, 1e8, 0.0])
def test_extreme_covariances_stay_finite(scale):
    """Separable, mixed, and with classes that no row has."""
    covariance = scale * np.asarray(a_covariance(THETA))
    for labels in (np.digitize(POINTS, [-1.0, 1.0]), LABELS, np.ones(N, dtype=int)):
        found = laplace_softmax(covariance, labels, C, weights=np.ones(N), mean=np.zeros((N, C)))
        assert found.info.status == CONVERGED
        assert np.isfinite(found.log_evidence)
        assert all(np.all(np.isfinite(part)) for part in found.predict(covariance, np.diag(covariance)))


def test_no_information_leaves_the_prior():
    found = laplace_softmax(a_covariance(THETA), LABELS, C, weights=np.zeros(N), mean=SHIFT)
    np.testing.assert_allclose(found.log_evidence, 0.0, atol=1e-14)
    belief = found.predict(np.ones((4, N)), 9.0)
    np.testing.assert_allclose(belief.mean, 0.0, atol=1e-14)
    np.testing.assert_allclose(belief.covariance, np.tile(9.0 * np.eye(C), (4, 1, 1)), atol=1e-12)


def test_stopping_early_and_failing_are_said():
    assert laplace_softmax(a_covariance(THETA), LABELS, C, max_iterations=1).info.status == STOPPED
    indefinite = np.eye(N) - 100.0 * (1 - np.eye(N))
    with pytest.raises(NumericalError, match="laplace_softmax: there is no finite evidence"):
        laplace_softmax(indefinite, LABELS, C, weights=np.ones(N), mean=np.zeros((N, C)))
    jitted = jax.jit(
        jax.value_and_grad(
            lambda k: (lambda a: (a.log_evidence, a.info.status))(laplace_softmax(k, LABELS, C)), has_aux=True
        )
    )
    (value, status), slope = jitted(jnp.asarray(indefinite))
    assert np.isneginf(value)
    assert status == FAILED
    np.testing.assert_array_equal(slope, 0.0)


@pytest.mark.parametrize(
    ("labels", "classes"), [(LABELS, 1), (LABELS, 2), (LABELS + 0.5, 3)], ids=["one", "two", "half"]
)
def test_labels_that_are_no_classes_are_refused(labels, classes):
    with pytest.raises(InputError, match=r"laplace_softmax: (n_classes|labels)"):
        laplace_softmax(np.eye(N), labels, classes)

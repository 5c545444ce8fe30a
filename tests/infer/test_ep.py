"""Expectation propagation against exact integrals, its textbook sequential form, and finite differences."""

from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from scipy import integrate
from scipy.special import log_ndtr
from scipy.stats import norm

from credo.errors import InputError, NumericalError
from credo.infer import ProbitLikelihood, ep_probit, laplace_binary
from credo.numerics import CONVERGED, FAILED, STOPPED, gauss_normal, minimize, tensor_rule
from labelled_rows import LABELS, POINTS, SHIFT, THETA, WEIGHTS, N, a_covariance

RNG = np.random.default_rng(5)


@partial(jax.jit, static_argnums=3)
def fit(theta, labels, weights, tolerance=1e-12):
    return ep_probit(a_covariance(theta), labels, weights=weights, mean=theta[2] * SHIFT, tolerance=tolerance)


def evidence(theta):
    return fit(theta, LABELS, WEIGHTS).log_evidence


slopes = jax.jit(jax.grad(evidence))


def differences(function, theta, step=1e-5):
    return np.stack([(function(theta + h) - function(theta - h)) / (2 * step) for h in step * np.eye(len(theta))])


def sequential(covariance, labels, sweeps=200):
    """Rasmussen and Williams (2006), algorithm 3.5: one site after the other, with rank-one updates."""
    n, sign = len(labels), 2 * labels - 1
    precision, shift, joint, mean = np.zeros(n), np.zeros(n), covariance.copy(), np.zeros(n)
    for _ in range(sweeps):
        for i in range(n):
            left = 1 / joint[i, i] - precision[i]
            cavity, cavity_mean = 1 / left, (mean[i] / joint[i, i] - shift[i]) / left
            z = sign[i] * cavity_mean / np.sqrt(1 + cavity)
            ratio = norm.pdf(z) / norm.cdf(z)
            tilted_mean = cavity_mean + sign[i] * cavity * ratio / np.sqrt(1 + cavity)
            tilted = cavity - cavity**2 * ratio * (z + ratio) / (1 + cavity)
            step = 1 / tilted - left - precision[i]
            precision[i] += step
            shift[i] = tilted_mean / tilted - left * cavity_mean
            joint -= step / (1 + step * joint[i, i]) * np.outer(joint[:, i], joint[:, i])
            mean = joint @ shift
    return precision, mean, np.diag(joint)


def test_fixed_point_is_that_of_sequential_updates():
    covariance = np.asarray(a_covariance(THETA))
    precision, mean, variance = sequential(covariance, LABELS)
    found = ep_probit(covariance, LABELS, tolerance=1e-12)
    np.testing.assert_allclose(found.precision, precision, rtol=1e-8)
    belief = found.predict(covariance, np.diag(covariance))
    np.testing.assert_allclose(belief.mean, mean, atol=1e-8)
    np.testing.assert_allclose(belief.variance, variance, rtol=1e-8)


@pytest.mark.parametrize("weight", [1.0, 0.6, 0.05])
@pytest.mark.parametrize("variance", [0.5, 50.0])
def test_one_row_of_weight_one_or_less_is_exact(weight, variance):
    mean = -0.8

    def density(f, k):
        return (f - mean) ** k * np.exp(weight * log_ndtr(f) + norm.logpdf(f, mean, np.sqrt(variance)))

    width = 12 * np.sqrt(variance)
    mass, first, second = (
        integrate.quad(density, mean - width, mean + width, args=(k,), points=[-5, 0, 5], limit=200)[0]
        for k in range(3)
    )
    found = ep_probit(np.array([[variance]]), np.ones(1), weights=np.array([weight]), mean=np.array([mean]))
    belief = found.predict(np.array([[variance]]), variance, mean)
    np.testing.assert_allclose(found.log_evidence, np.log(mass), rtol=1e-7)
    np.testing.assert_allclose(belief.mean, mean + first / mass, rtol=1e-7)
    np.testing.assert_allclose(belief.variance, second / mass - (first / mass) ** 2, rtol=1e-7)


def test_three_rows_are_close_to_the_integral_and_closer_than_laplace():
    covariance = np.array([[4.0, 2.4, 0.8], [2.4, 4.0, 2.4], [0.8, 2.4, 4.0]])
    labels, root = np.array([0, 1, 1]), np.linalg.cholesky(covariance)
    rule = tensor_rule([gauss_normal(60)] * 3)
    latent = rule.nodes @ root.T
    mass = rule.weights * np.exp(np.sum(log_ndtr((2 * labels - 1) * latent), axis=1))
    exact, mean = np.log(np.sum(mass)), mass @ latent / np.sum(mass)
    variance = mass @ (latent - mean) ** 2 / np.sum(mass)
    ours = ep_probit(covariance, labels)
    other = laplace_binary(covariance, labels, likelihood=ProbitLikelihood())
    assert abs(ours.log_evidence - exact) < 1e-2
    assert abs(ours.log_evidence - exact) < 0.2 * abs(other.log_evidence - exact)
    belief, rough = (a.predict(covariance, np.diag(covariance)) for a in (ours, other))
    np.testing.assert_allclose(belief.mean, mean, atol=0.02)
    np.testing.assert_allclose(belief.variance, variance, rtol=0.03)
    assert np.max(np.abs(belief.mean - mean)) < 0.1 * np.max(np.abs(rough.mean - mean))


@pytest.mark.slow
def test_evidence_has_the_slope_of_its_differences():
    np.testing.assert_allclose(slopes(THETA), differences(evidence, THETA), rtol=1e-6, atol=1e-9)


@pytest.mark.slow
def test_second_derivatives_and_those_of_predictions_are_right():
    def summary(theta):
        belief = fit(theta, LABELS, WEIGHTS).predict(a_covariance(theta)[:2], jnp.exp(theta[0]))
        return jnp.concatenate(belief)

    found = jax.jit(jax.jacrev(summary))(THETA)
    np.testing.assert_allclose(found.T, differences(jax.jit(summary), THETA), rtol=1e-5, atol=1e-8)
    curvature = jax.jit(jax.jacfwd(slopes))(THETA)
    np.testing.assert_allclose(curvature, differences(slopes, THETA), rtol=1e-5, atol=1e-8)


def negative_evidence(theta, shared, own):
    return -fit(jnp.append(theta, 0.0), shared, jnp.ones(N), 1e-9).log_evidence


@pytest.mark.slow
def test_minimizer_finds_the_best_of_a_grid():
    labels = np.array([0.0, 0, 0, 1, 0, 1, 1, 1])  # one label against the order, so that no end of the range is best
    bounds = np.array([[-2.0, 5.0], [-2.0, 2.0]])
    starts = np.array([[0.0, 0.0], [2.0, 1.0]])
    solution = minimize(negative_evidence, starts, shared=labels, bounds=bounds, tolerance=1e-6)
    grid = np.stack(np.meshgrid(np.linspace(-2, 5, 15), np.linspace(-2, 2, 13)), axis=-1).reshape(-1, 2)
    values = jax.jit(jax.vmap(negative_evidence, in_axes=(0, None, None)))(grid, labels, None)
    assert solution.value.value <= np.min(values) + 1e-9
    np.testing.assert_allclose(values[7], negative_evidence(grid[7], labels, None), rtol=1e-10)


def test_rows_of_weight_zero_are_inert_whatever_they_hold():
    covariance, labels, mean = np.asarray(a_covariance(THETA)).copy(), LABELS.copy(), THETA[2] * SHIFT
    kept = WEIGHTS > 0
    alone = ep_probit(covariance[np.ix_(kept, kept)], labels[kept], weights=WEIGHTS[kept], mean=mean[kept])
    covariance[~kept, :] = covariance[:, ~kept] = np.nan
    labels[~kept] = 77.0
    padded = ep_probit(covariance, labels, weights=WEIGHTS, mean=mean)
    np.testing.assert_allclose(padded.log_evidence, alone.log_evidence, rtol=1e-12)
    assert padded.info.iterations == alone.info.iterations
    cross = np.exp(-np.abs(RNG.normal(size=(3, N))))
    for a, b in zip(padded.predict(cross, 3.0), alone.predict(cross[:, kept], 3.0), strict=True):
        np.testing.assert_allclose(a, b, atol=1e-10)


def test_a_weight_is_a_row_repeated():
    counts = np.array([2, 0, 3, 1, 0, 1, 1, 0])  # eight rows again: one shape is compiled
    rows = np.repeat(np.arange(N), counts)
    covariance = np.asarray(a_covariance(THETA))
    weighted = ep_probit(covariance, LABELS, weights=counts, mean=SHIFT)
    repeated = ep_probit(covariance[np.ix_(rows, rows)], LABELS[rows], mean=SHIFT[rows])
    np.testing.assert_allclose(weighted.log_evidence, repeated.log_evidence, rtol=1e-10)
    np.testing.assert_allclose(weighted.mean[rows], repeated.mean, atol=1e-8)
    np.testing.assert_allclose(weighted.precision, np.bincount(rows, repeated.precision, N), rtol=1e-8)


def test_weights_around_one_do_not_jump():
    """A weight just below one is quadrature of Φ^w, one and just above it are closed forms of whole copies."""
    below, at, above = (
        ep_probit(a_covariance(THETA), LABELS, weights=np.full(N, w)).log_evidence for w in (1 - 1e-6, 1.0, 1 + 1e-6)
    )
    assert below > at > above
    assert below - above < 1e-4


@pytest.mark.parametrize("scale", [1e4, 1e6, 0.0])
def test_extreme_covariances_stay_finite(scale):
    covariance = scale * np.asarray(a_covariance(THETA))
    weightings = np.ones(N), np.array([30.0, 1, 0.01, 1, 0.3, 5, 1, 0])
    for labels in ((POINTS > 0).astype(float), LABELS, np.ones(N)):
        for weights in weightings:
            found = ep_probit(covariance, labels, weights=weights)
            assert found.info.status == CONVERGED
            assert np.isfinite(found.log_evidence)
            assert np.all(np.isfinite(np.concatenate(found.predict(covariance, np.diag(covariance)))))


def test_stopping_early_and_failing_are_said():
    early = ep_probit(a_covariance(THETA), LABELS, max_iterations=2)
    assert early.info.status == STOPPED
    assert early.info.residual > 1e-6
    indefinite = np.eye(N) - 100.0 * (1 - np.eye(N))
    with pytest.raises(NumericalError, match="ep_probit: there is no finite evidence"):
        ep_probit(indefinite, LABELS)
    with pytest.raises(InputError, match="ep_probit: labels other than 0 to 1"):
        ep_probit(np.eye(N), LABELS - 1.0)


def test_failing_inside_jit_is_a_wall_without_slope():
    def value(scale):
        found = ep_probit(jnp.eye(N) - scale * (1 - jnp.eye(N)), LABELS)
        return found.log_evidence, found.info

    (worst, info), slope = jax.jit(jax.value_and_grad(value, has_aux=True))(100.0)
    assert np.isneginf(worst)
    assert info.status == FAILED
    assert info.iterations < 5  # it does not go on with NaN
    assert slope == 0.0


@pytest.mark.slow
def test_twenty_rows_agree_with_importance_sampling():
    """Draws from EP's own Gaussian, a little wider: their weights give evidence and moments of the exact posterior."""
    n, draws, rng = 20, 600_000, np.random.default_rng(2)
    points = np.sort(rng.uniform(-3, 3, size=n))
    covariance = np.exp(-0.5 * (points[:, None] - points) ** 2) + 1e-4 * np.eye(n)
    labels = (np.sin(2 * points) + 0.5 * rng.normal(size=n) > 0).astype(int)
    found = ep_probit(covariance, labels)
    laplace = laplace_binary(covariance, labels, likelihood=ProbitLikelihood())
    inverse = np.linalg.inv(covariance)
    root = np.linalg.cholesky(1.15 * np.linalg.inv(inverse + np.diag(np.asarray(found.precision))))
    normal = rng.normal(size=(draws, n))
    latent = np.asarray(found.mean) + normal @ root.T
    prior = -0.5 * np.einsum("ij,jk,ik->i", latent, inverse, latent, optimize=True)
    prior -= 0.5 * np.linalg.slogdet(covariance)[1]
    proposal = -0.5 * np.sum(normal**2, axis=1) - np.sum(np.log(np.diag(root)))
    log_weight = np.sum(log_ndtr((2 * labels - 1) * latent), axis=1) + prior - proposal
    weight = np.exp(log_weight - log_weight.max())
    assert np.sum(weight) ** 2 / np.sum(weight**2) > 0.5 * draws  # so the evidence is known to 1.3e-3
    exact = np.log(np.mean(weight)) + log_weight.max()
    mean = weight @ latent / np.sum(weight)
    std = np.sqrt(weight @ (latent - mean) ** 2 / np.sum(weight))
    assert abs(found.log_evidence - exact) < 1e-2
    assert abs(found.log_evidence - exact) < 0.3 * abs(laplace.log_evidence - exact)
    belief, rough = (a.predict(covariance, np.diag(covariance)) for a in (found, laplace))
    assert np.max(np.abs(belief.mean - mean) / std) < 0.02
    assert np.max(np.abs(belief.mean - mean)) < 0.1 * np.max(np.abs(rough.mean - mean))
    np.testing.assert_allclose(np.sqrt(belief.variance), std, rtol=0.02)

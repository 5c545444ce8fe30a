"""Expectation propagation for class labels against integrals, sampling, and its own laws."""

import jax
import numpy as np
import pytest
from scipy.special import log_softmax, softmax

from credo.errors import InputError, NumericalError
from credo.infer import LogitLikelihood, ep_softmax, laplace_binary, laplace_softmax
from credo.numerics import gauss_normal, tensor_rule
from credo.numerics.certificate import FAILED, STOPPED
from slice_sampling import sampled_probabilities

N, C = 7, 3
X = np.linspace(-2.0, 2.0, N)
LABELS = np.array([0, 0, 1, 0, 2, 1, 2])
SHIFT = 0.5 * np.sin(np.arange(N * C)).reshape(N, C)


def a_covariance(variance=4.0, x=X):
    return variance * np.exp(-0.5 * (x[:, None] - x) ** 2 / 0.7**2)


@pytest.mark.slow
def test_two_rows_are_close_to_the_integral_and_closer_than_laplace():
    """Six latent values, of which the constants shared by the classes drop out: four dimensions, by brute force."""
    covariance, labels = a_covariance(9.0, np.array([0.0, 0.6])), np.array([0, 2])
    rule = tensor_rule([gauss_normal(28)] * 4)
    turn = np.array([[1.0, 1.0, -2.0], [1.0, -1.0, 0.0]]) / np.sqrt([[6.0], [2.0]])
    g = np.einsum("ij,njk->nik", np.linalg.cholesky(covariance), rule.nodes.reshape(-1, 2, 2))
    f = g @ turn
    share = rule.weights * np.exp(sum(log_softmax(f[:, i], axis=1)[:, labels[i]] for i in range(2)))
    exact_mean = np.einsum("n,nic->ic", share, f) / share.sum()
    exact_square = np.einsum("n,nic->ic", share, f**2) / share.sum()
    found, laplace = ep_softmax(covariance, labels, 3), laplace_softmax(covariance, labels, 3)

    def variances(approximation):
        inside = np.eye(3) - 1.0 / 3.0
        belief = approximation.predict(covariance, np.diag(covariance))
        return np.einsum("ac,icd,da->ia", inside, belief.covariance, inside)

    np.testing.assert_allclose(found.mean, exact_mean, atol=0.1)
    assert np.max(np.abs(laplace.mean - exact_mean)) > 0.5
    np.testing.assert_allclose(variances(found), exact_square - exact_mean**2, rtol=0.1)
    np.testing.assert_allclose(found.log_evidence, np.log(share.sum()), atol=0.01)
    assert abs(laplace.log_evidence - np.log(share.sum())) > 0.05


@pytest.mark.slow
@pytest.mark.parametrize("variance", [1.0, 9.0, 50.0])
@pytest.mark.parametrize("classes", [3, 5])
def test_probabilities_agree_with_slice_sampling(classes, variance):
    rng = np.random.default_rng(classes)
    x = np.sort(rng.uniform(-3.0, 3.0, 12))
    labels = (np.floor((x + 3.0) / 6.0 * classes).astype(int) + (rng.random(12) < 0.2)) % classes
    asked = np.array([-6.0, -3.5, -2.0, -1.1, 0.0, 0.4, 1.3, 2.2, 3.3, 4.5])
    covariance, cross = a_covariance(variance, x), variance * np.exp(-0.5 * (asked[:, None] - x) ** 2 / 0.7**2)

    def log_likelihood(f):
        return np.sum(np.take_along_axis(log_softmax(f, axis=2), labels[None, :, None], 2), axis=(1, 2))

    prior = np.full(len(asked), variance)
    exact, error = sampled_probabilities(
        covariance, log_likelihood, lambda f: softmax(f, axis=2), cross, prior, classes, steps=400
    )
    belief = ep_softmax(covariance, labels, classes).predict(cross, prior)
    roots = np.linalg.cholesky(np.asarray(belief.covariance) + 1e-9 * np.eye(classes))
    draws = np.asarray(belief.mean) + np.einsum("mcd,nmd->nmc", roots, rng.normal(size=(40_000, len(asked), classes)))
    found = softmax(draws, axis=2).mean(axis=0)
    assert np.max(np.abs(found - exact)) < 0.04 + 2.0 * np.max(error)


@pytest.mark.slow
def test_two_classes_are_a_logit_of_the_difference():
    """Against one label by quadrature, and the same belief as with the classes exchanged."""
    found = ep_softmax(np.array([[4.5]]), np.array([1]), 2)
    rule = gauss_normal(200)
    share = rule.weights / (1.0 + np.exp(-3.0 * rule.nodes))
    exact = share @ (3.0 * rule.nodes) / share.sum()
    np.testing.assert_allclose(found.mean[0, 1] - found.mean[0, 0], exact, rtol=2e-3)
    np.testing.assert_allclose(found.log_evidence, np.log(0.5), atol=1e-3)
    other = ep_softmax(np.array([[4.5]]), np.array([0]), 2)
    np.testing.assert_allclose(other.mean[0], found.mean[0, ::-1], rtol=1e-6)


@pytest.mark.slow
def test_one_update_from_laplace_measures_its_error():
    """At rows in, between and outside the data, the change is within a factor of three of the true error."""
    rng = np.random.default_rng(0)
    x = np.sort(rng.uniform(-3.0, 3.0, 12))
    labels = ((x > 0.3) ^ (rng.random(12) < 0.2)).astype(int)
    asked = np.linspace(-4.0, 4.0, 17)
    covariance, cross = a_covariance(50.0, x), 50.0 * np.exp(-0.5 * (asked[:, None] - x) ** 2 / 0.7**2)
    prior, sign = np.full(len(asked), 50.0), 2.0 * labels - 1.0

    def chances(f):
        return 1.0 / (1.0 + np.exp(-f[:, :, 0]))

    exact, _ = sampled_probabilities(
        covariance, lambda f: -np.sum(np.logaddexp(0.0, -sign * f[:, :, 0]), axis=1), chances, cross, prior, 1
    )
    laplace = LogitLikelihood().probability(*laplace_binary(covariance, labels).predict(cross, prior)).mean
    pair = ep_softmax(0.5 * covariance, labels, 2, max_iterations=1).predict(0.5 * cross, 0.5 * prior)
    turn = np.array([-1.0, 1.0])
    variance = np.einsum("c,mcd,d->m", turn, pair.covariance, turn)
    updated = LogitLikelihood().probability(pair.mean @ turn, variance).mean
    true, measured = np.abs(laplace - exact), np.abs(laplace - updated)
    assert np.max(true) > 0.1
    assert 1.0 / 3.0 < np.median(measured[true > 0.01] / true[true > 0.01]) < 3.0


@pytest.mark.slow
def test_rows_of_weight_zero_are_inert_whatever_they_hold():
    weights = np.array([1.0, 0.0, 2.0, 0.5, 1.0, 0.0, 1.0])
    kept = weights > 0
    covariance = a_covariance()
    alone = ep_softmax(covariance[np.ix_(kept, kept)], LABELS[kept], C, weights=weights[kept], mean=SHIFT[kept])
    garbage = np.where(kept[:, None] & kept, covariance, np.nan)
    padded = ep_softmax(garbage, np.where(kept, LABELS, 99), C, weights=weights, mean=SHIFT)
    np.testing.assert_allclose(padded.mean[kept], alone.mean, rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(padded.log_evidence, alone.log_evidence, rtol=1e-10)
    np.testing.assert_array_equal(padded.alpha[~kept], 0.0)


@pytest.mark.slow
def test_a_weight_is_a_row_repeated_and_order_does_not_matter():
    counts = np.array([1, 3, 2, 1, 1, 2, 1])
    rows = np.repeat(np.arange(N), counts)[::-1]
    covariance = a_covariance()
    weighted = ep_softmax(covariance, LABELS, C, weights=counts, mean=SHIFT)
    repeated = ep_softmax(covariance[np.ix_(rows, rows)], LABELS[rows], C, mean=SHIFT[rows])
    np.testing.assert_allclose(repeated.mean, weighted.mean[rows], rtol=1e-6, atol=1e-8)
    np.testing.assert_allclose(repeated.log_evidence, weighted.log_evidence, rtol=1e-9)


@pytest.mark.slow
def test_weights_around_one_do_not_jump():
    values = [
        ep_softmax(a_covariance(), LABELS, C, weights=np.full(N, w), tolerance=1e-9).log_evidence
        for w in (1 - 1e-6, 1.0, 1 + 1e-6)
    ]
    np.testing.assert_allclose(values[0], values[1], atol=1e-4)
    np.testing.assert_allclose(values[2], values[1], atol=1e-4)


@pytest.mark.slow
@pytest.mark.parametrize("variance", [1e-6, 1.0, 1e3])
@pytest.mark.parametrize("classes", [2, 4])
def test_converges_for_labels_that_contradict_each_other(classes, variance):
    """Twin rows of different classes, a row at which the prior has no variance, and extreme variances."""
    x = np.repeat(np.linspace(-2.0, 2.0, 6), 2)
    covariance = variance * np.exp(-0.5 * (x[:, None] - x) ** 2)
    covariance[0], covariance[:, 0] = 0.0, 0.0
    found = ep_softmax(covariance, np.arange(12) % classes, classes, max_iterations=300)
    assert found.info.status != FAILED
    assert float(found.info.residual) < 1e-3
    assert np.all(np.isfinite(found.mean))


@pytest.mark.slow
def test_stopping_early_and_failing_are_visible():
    assert ep_softmax(a_covariance(), LABELS, C, max_iterations=1).info.status == STOPPED
    indefinite = np.eye(N) - 3.0 * (1.0 - np.eye(N))
    with pytest.raises(NumericalError, match="ep_softmax: there is no finite evidence"):
        ep_softmax(indefinite, LABELS, C)
    inside = jax.jit(lambda k: (lambda a: (a.log_evidence, a.info.status))(ep_softmax(k, LABELS, C)))(indefinite)
    assert inside[0] == -np.inf
    assert inside[1] == FAILED
    with pytest.raises(InputError, match="ep_softmax: n_classes=1"):
        ep_softmax(np.eye(N), LABELS, 1)

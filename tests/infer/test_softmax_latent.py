"""Class probabilities by Monte Carlo against exact integrals, and the errors they claim."""

import jax.numpy as jnp
import numpy as np
import pytest

from credo.errors import InputError
from credo.infer import LogitLikelihood, SoftmaxApproximation, softmax_probability
from credo.numerics import Factor, Info, gauss_normal, tensor_rule

MEAN = np.array([[0.5, -1.0, 0.2], [3.0, 0.0, 0.0], [0.0, 0.0, 0.0]])
ROOT = np.array([[[1.0, 0, 0], [0.5, 0.8, 0], [-0.3, 0.2, 0.6]]]) * np.array([1.0, 2.0, 0.0])[:, None, None]
COVARIANCE = ROOT @ np.swapaxes(ROOT, 1, 2)  # the last one is zero


def by_quadrature(mean, root):
    rule = tensor_rule([gauss_normal(40)] * 3)
    latent = mean + rule.nodes @ root.T
    p = np.exp(latent - latent.max(axis=1, keepdims=True))
    p /= p.sum(axis=1, keepdims=True)
    first = rule.weights @ p
    return first, rule.weights @ (p - first) ** 2


def test_probabilities_and_their_variance_are_the_integrals():
    found = softmax_probability(MEAN, COVARIANCE, draws=20_000, random_state=1)
    wanted = [
        np.stack(parts) for parts in zip(*(by_quadrature(m, r) for m, r in zip(MEAN, ROOT, strict=True)), strict=True)
    ]
    assert np.all(np.abs(found.mean - wanted[0]) <= 4.5 * found.standard_error + 1e-12)
    assert np.all(found.standard_error < 0.003)
    np.testing.assert_allclose(found.variance, wanted[1], atol=0.004)
    np.testing.assert_allclose(np.sum(found.mean, axis=1), 1.0, rtol=1e-12)
    np.testing.assert_allclose(found.mean[2], 1 / 3, rtol=1e-12)


def test_standard_errors_are_the_spread_over_seeds():
    repeats = [softmax_probability(MEAN[:2], COVARIANCE[:2], draws=200, random_state=seed) for seed in range(200)]
    seen = np.std([r.mean for r in repeats], axis=0)
    claimed = np.sqrt(np.mean([np.asarray(r.standard_error) ** 2 for r in repeats], axis=0))
    np.testing.assert_allclose(claimed, seen, rtol=0.25)  # 200 repeats know a standard deviation to 5 %


def test_two_classes_are_the_logistic_function_of_a_difference():
    mean, covariance = np.array([[0.3, -0.6]]), np.array([[[1.0, 0.4], [0.4, 2.0]]])
    found = softmax_probability(mean, covariance, draws=20_000, random_state=0)
    exact = LogitLikelihood().probability(0.9, 1.0 + 2.0 - 0.8)
    assert np.abs(found.mean[0, 0] - exact.mean) <= 4 * found.standard_error[0, 0]
    np.testing.assert_allclose(found.variance[0], exact.variance, rtol=0.05)


def test_the_seed_decides():
    first, again, other = (softmax_probability(MEAN[:2], COVARIANCE[:2], draws=200, random_state=s) for s in (0, 0, 1))
    np.testing.assert_array_equal(first.mean, again.mean)
    assert np.any(first.mean != other.mean)


@pytest.mark.parametrize(
    ("mean", "covariance", "draws", "message"),
    [
        (MEAN, COVARIANCE[0], 100, "covariance"),
        (MEAN[0], COVARIANCE[0], 100, "mean has shape"),
        (MEAN, COVARIANCE, 2, "draws=2"),
    ],
    ids=["one-covariance", "one-row", "few-draws"],
)
def test_nonsense_is_refused(mean, covariance, draws, message):
    with pytest.raises(InputError, match=message):
        softmax_probability(mean, covariance, draws=draws)


def test_rows_to_predict_that_do_not_fit_are_refused():
    belief = SoftmaxApproximation(
        *(jnp.zeros((4, 3)),) * 2, jnp.ones(4), jnp.zeros((3, 4, 4)), Factor(jnp.eye(4)), jnp.asarray(0.0), Info()
    )
    with pytest.raises(InputError, match="SoftmaxApproximation: cross has shape"):
        belief.predict(np.ones((4, 3)), 1.0)

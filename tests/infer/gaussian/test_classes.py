"""Gaussian processes behind class labels."""

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest
from scipy.special import expit
from sklearn.gaussian_process import GaussianProcessClassifier
from sklearn.gaussian_process.kernels import RBF as SklearnRBF
from sklearn.gaussian_process.kernels import ConstantKernel

from credo.infer.gaussian import classes
from credo.infer.gaussian.classes import Labels, _loss, _Task, learn_classes
from credo.kernels import RBF
from credo.numerics.certificate import FAILED
from credo.numerics.padding import pad
from credo.numerics.parameters import flatten


def labels(X, codes, weights=None):
    return Labels(*(jnp.asarray(part) for part in pad(X, np.asarray(codes, dtype=float), weights=weights)))


@pytest.fixture(scope="module")
def rows():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(14, 1))
    return X, (X[:, 0] + 0.7 * rng.normal(size=14) > 0).astype(int)


def learned(X, codes, classes=2, weights=None, **options):
    options = {"inference": None, "rng": np.random.default_rng(0)} | options
    return learn_classes(RBF(variance=3.0, lengthscale=0.8), labels(X, codes, weights), classes, **options)


def test_laplace_agrees_with_scikit_learn(rows):
    X, codes = rows
    posterior = learned(X, codes, approximation="laplace").value
    peer = GaussianProcessClassifier(ConstantKernel(3.0) * SklearnRBF(0.8), optimizer=None).fit(X, codes)
    np.testing.assert_allclose(posterior.log_evidence, peer.log_marginal_likelihood_value_, rtol=1e-9)
    # scikit-learn's average over the latent Gaussian is itself an approximation, good to some 1e-4
    np.testing.assert_allclose(posterior.probabilities(X).mean, peer.predict_proba(X), atol=5e-4)


def test_probabilities_against_draws_of_the_latent(rows):
    X, codes = rows
    posterior = learned(X, codes, approximation="laplace").value
    asked = np.array([[0.3], [-2.0]])
    kernel = posterior.kernel
    mean, variance = posterior.latent.predict(
        kernel.cross(jnp.asarray(asked), posterior.X), kernel.diagonal(jnp.asarray(asked))
    )
    draws = np.asarray(mean) + np.sqrt(np.asarray(variance)) * np.random.default_rng(1).normal(size=(200_000, 2))
    chance = expit(draws)
    found = posterior.probabilities(asked)
    np.testing.assert_allclose(found.mean[:, 1], chance.mean(axis=0), atol=4 * chance.std() / np.sqrt(200_000))
    np.testing.assert_allclose(found.variance[:, 1], chance.var(axis=0), rtol=0.02)


def test_two_classes_by_softmax_and_by_logit_say_much_the_same(rows):
    """A softmax over two functions is a logit of their difference, whose variance is twice as large."""
    X, codes = rows
    three = learned(X, codes, classes=3).value.probabilities(X).mean
    assert np.all(np.argmax(three[:, :2], axis=1) == np.argmax(learned(X, codes).value.probabilities(X).mean, axis=1))
    np.testing.assert_allclose(np.sum(three, axis=1), 1.0, rtol=1e-12)


@pytest.mark.parametrize(
    ("approximation", "classes"), [("laplace", 2), pytest.param("ep", 2, marks=pytest.mark.slow), ("laplace", 3)]
)
def test_gradient_of_the_evidence_by_finite_differences(rows, approximation, classes):
    X, codes = rows
    codes = codes if classes == 2 else np.arange(len(X)) % 3
    kernel = RBF(variance=3.0, lengthscale=0.8)
    task = _Task(kernel, labels(X, codes), approximation, classes, True)
    free = flatten(kernel).vector
    loss = jax.jit(lambda free: _loss(free, task, None))
    slope = jax.jit(jax.grad(loss))(free)
    for i in range(len(free)):
        step = jnp.zeros_like(free).at[i].set(1e-4)
        numeric = (loss(free + step) - loss(free - step)) / 2e-4
        np.testing.assert_allclose(slope[i], numeric, rtol=1e-5, atol=1e-7)


@pytest.mark.parametrize(
    ("approximation", "classes"),
    [("laplace", 2), pytest.param("ep", 2, marks=pytest.mark.slow), pytest.param("ep", 3, marks=pytest.mark.slow)],
)
def test_weights_are_repeats(rows, approximation, classes):
    X, codes = rows
    codes = codes if classes == 2 else np.arange(len(X)) % 3
    w = np.random.default_rng(2).integers(1, 3, len(codes))
    weighted = learned(X, codes, classes, weights=w, approximation=approximation).value
    repeated = learned(np.repeat(X, w, axis=0), np.repeat(codes, w), classes, approximation=approximation).value
    np.testing.assert_allclose(weighted.log_evidence, repeated.log_evidence, rtol=1e-7)
    np.testing.assert_allclose(weighted.probabilities(X).mean, repeated.probabilities(X).mean, rtol=1e-6)
    np.testing.assert_allclose(weighted.probabilities(X).error, repeated.probabilities(X).error, rtol=1e-5, atol=1e-9)


def test_the_search_raises_the_evidence_and_the_certificate_names_the_approximation(rows):
    X, codes = rows
    given = learned(X, codes, approximation="laplace")
    chosen = learned(X, codes, approximation="laplace", inference="ml", n_restarts=1)
    assert chosen.value.log_evidence > given.value.log_evidence
    assert "Laplace" in str(chosen.certificate)
    assert "local optimum" in str(chosen.certificate)


def test_auto_is_expectation_propagation_up_to_a_number_of_latent_values(rows, monkeypatch):
    X, codes = rows
    assert "expectation propagation: " in str(learned(X, codes).certificate)
    monkeypatch.setattr(classes, "_EP_LATENT_VALUES", 2 * len(X) - 1)
    assert "Laplace's method: " in str(learned(X, codes).certificate)
    assert learned(X, codes).value.reference is not None


@pytest.mark.parametrize("n_classes", [2, pytest.param(3, marks=pytest.mark.slow)])
def test_a_failed_expectation_propagation_is_laplace_and_the_certificate_states_it(rows, n_classes, monkeypatch):
    X, codes = rows
    whole = classes._posterior

    def failing(*arguments):
        posterior = whole(*arguments)
        broken = eqx.tree_at(lambda p: p.info.status, posterior.reference or posterior.latent, jnp.asarray(FAILED))
        at = (lambda p: p.latent) if posterior.reference is None else (lambda p: p.reference)
        return eqx.tree_at(at, posterior, broken)

    monkeypatch.setattr(classes, "_posterior", failing)
    found = learned(X, codes, n_classes, approximation="ep")
    assert "expectation propagation failed, so Laplace's method took its place" in found.certificate.notes
    assert "the error of Laplace's method could not be measured and is not in the budget" in found.certificate.notes
    monkeypatch.undo()
    laplace = learned(X, codes, n_classes, approximation="laplace").value
    np.testing.assert_array_equal(found.value.probabilities(X).mean, laplace.probabilities(X).mean)

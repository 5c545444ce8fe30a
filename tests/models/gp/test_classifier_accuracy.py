"""Class probabilities of Gaussian processes against exact posteriors by slice sampling, and what the budget covers."""

import numpy as np
import pytest
from scipy.special import expit, log_ndtr, log_softmax, ndtr, softmax

from credo.infer import LogitLikelihood
from credo.kernels import RBF
from credo.models import GPClassifier
from slice_sampling import sampled_probabilities

LENGTH = 0.8
ASKED = np.array([-6.0, -3.5, -2.0, -1.1, 0.0, 0.4, 1.3, 2.2, 3.3, 4.5])[:, None]  # in, between, outside the data


def a_table(classes):
    rng = np.random.default_rng(classes)
    x = np.sort(rng.uniform(-3.0, 3.0, 12))
    labels = np.floor((x + 3.0) / 6.0 * classes).astype(int)
    flipped = rng.random(12) < 0.2
    labels[flipped] = rng.integers(0, classes, flipped.sum())
    return x[:, None], labels


def fitted(classes, variance, **options):
    """At known parameters, so that the posterior has one exact answer."""
    kernel = RBF(variance=variance, lengthscale=LENGTH)
    return GPClassifier(kernel=kernel, inference=None, standardize=False, **options).fit(*a_table(classes))


def exact(gp, classes, variance):
    """Probabilities under the likelihood of the fitted model: a probit, a logit or a softmax."""
    X, labels = a_table(classes)
    kernel = lambda a, b: variance * np.exp(-0.5 * (a - b.T) ** 2 / LENGTH**2)  # noqa: E731
    sign = 2.0 * labels - 1.0
    if classes > 2:
        fits = lambda f: np.sum(np.take_along_axis(log_softmax(f, axis=2), labels[None, :, None], 2), axis=(1, 2))  # noqa: E731
        chances = lambda f: softmax(f, axis=2)  # noqa: E731
    elif isinstance(gp.posterior_.likelihood, LogitLikelihood):
        fits = lambda f: -np.sum(np.logaddexp(0.0, -sign * f[:, :, 0]), axis=1)  # noqa: E731
        chances = lambda f: expit(f * np.array([-1.0, 1.0]))  # noqa: E731
    else:
        fits = lambda f: np.sum(log_ndtr(sign * f[:, :, 0]), axis=1)  # noqa: E731
        chances = lambda f: ndtr(f * np.array([-1.0, 1.0]))  # noqa: E731
    functions = classes if classes > 2 else 1
    prior = np.full(len(ASKED), variance)
    return sampled_probabilities(kernel(X, X), fits, chances, kernel(ASKED, X), prior, functions, steps=400)


@pytest.mark.slow
@pytest.mark.parametrize("variance", [1.0, 9.0, 50.0])
@pytest.mark.parametrize("classes", [2, 3, 5])
def test_default_probabilities_are_within_4_percent_of_the_exact_posterior(classes, variance):
    gp = fitted(classes, variance)
    wanted, error = exact(gp, classes, variance)
    assert np.max(np.abs(gp.predict_proba(ASKED) - wanted)) < 0.04 + 2.0 * np.max(error)


@pytest.mark.slow
@pytest.mark.parametrize("variance", [9.0, 50.0])
@pytest.mark.parametrize("classes", [2, 3, 5])
def test_the_budget_of_laplace_contains_its_error(classes, variance):
    gp = fitted(classes, variance, approximation="laplace")
    belief = gp.predict_dist(ASKED)
    wanted, noise = exact(gp, classes, variance)
    true = np.abs(np.asarray(belief.mean) - wanted)
    measured = np.sqrt(np.asarray(belief.budget.computation))
    assert np.max(true) > 0.04  # there is an error to be found
    assert np.all(true < 2.0 * measured + 0.03 + 2.0 * noise)
    clear = true > 0.03
    assert 1.0 / 3.0 < np.median(measured[clear] / true[clear]) < 3.0
    total = belief.budget.noise + belief.budget.parameter + belief.budget.computation
    p = np.asarray(belief.mean)
    np.testing.assert_allclose(total, p * (1.0 - p), rtol=1e-9, atol=1e-12)
    assert all(np.all(np.asarray(part) >= 0.0) for part in (belief.budget.noise, belief.budget.parameter))


@pytest.mark.slow
def test_expectation_propagation_accepts_more_than_two_classes():
    gp = fitted(3, 9.0, approximation="ep")
    assert "expectation propagation" in str(gp.certificate_)
    np.testing.assert_allclose(gp.predict_proba(ASKED), fitted(3, 9.0).predict_proba(ASKED), rtol=1e-12)
